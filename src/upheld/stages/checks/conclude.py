"""From findings to a verdict: what is supported, what speaks against it, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from upheld.stages.checks.source import Source, Trouble
from upheld.stages.checks.task import Finding, Task
from upheld.types import Cause, Citation, Claim, Support, Verdict

_MOST_EVIDENCE = 3
_NOTHING_READ = Trouble(Cause.NO_SOURCE, "nothing was found in the sources to hold it against")


@dataclass(frozen=True, kw_only=True)
class Conclude:
    """Thresholds on the model's probabilities; to be calibrated with the weights they belong to."""

    model: str | None = None  # who judged
    supported_above: float = 0.5
    contradicted_above: float = 0.5

    def supports(self, finding: Finding) -> bool:
        enough = finding.judgement.entails >= self.supported_above
        return enough and finding.objection is None

    def contradicts(self, finding: Finding) -> bool:
        return finding.judgement.contradicts >= self.contradicted_above

    def __call__(self, task: Task, findings: Sequence[Finding], trouble: Trouble | None) -> Claim:
        """The claim with its verdict, and each of its citations with its own."""
        if task.settled is not None:
            return replace(task.claim, verdict=task.settled)
        verdict = self._verdict(task, findings, task.trouble or trouble)
        citations = tuple(self._own(each, task, findings) for each in task.claim.citations)
        return replace(task.claim, verdict=verdict, citations=citations)

    def _verdict(self, task: Task, findings: Sequence[Finding], trouble: Trouble | None) -> Verdict:
        pro = self._best(task, [each for each in findings if self.supports(each)])
        against = _cited(task, self._against(findings), Support.CONTRADICTED)
        if task.quotes:
            return _quoted(task, against)
        if pro:
            return self._entailed(task, pro, against)
        trouble = trouble or task.blind_spot or (None if findings else _NOTHING_READ)
        if trouble is not None:
            reason, cause = trouble.reason, trouble.cause
            return Verdict(Support.NOT_CHECKED, None, (), against, None, reason, cause)
        # What the guard has stopped can't count for the claim, however sure the model was.
        probability = max(
            (each.judgement.entails for each in findings if each.objection is None), default=0.0
        )
        if against:
            said, cause, support = (
                "a source says otherwise",
                Cause.CONTRADICTED,
                Support.CONTRADICTED,
            )
        else:
            said, cause = _why_not(findings)
            support = Support.UNSUPPORTED
        return Verdict(support, probability, (), against, self.model, said, cause)

    def _best(self, task: Task, supports: Sequence[Finding]) -> list[Finding]:
        """The findings of the best kind: cited before others, one source before several."""
        cited = {source.passage.id for source in task.cited}

        def kind(finding: Finding) -> tuple[bool, bool]:
            ids = {source.passage.id for source in finding.sources}
            return not ids <= cited, not finding.alone

        best = min(map(kind, supports), default=None)
        found = [each for each in supports if kind(each) == best]
        return sorted(found, key=lambda each: -each.judgement.entails)

    def _against(self, findings: Sequence[Finding]) -> list[Finding]:
        """Who contradicts it: sources by themselves, or if none does, several together."""
        found = [each for each in findings if self.contradicts(each)]
        return [each for each in found if each.alone] or found

    def _entailed(
        self, task: Task, pro: Sequence[Finding], against: tuple[Citation, ...]
    ) -> Verdict:
        cited = {source.passage.id for source in task.cited}
        elsewhere = any(source.passage.id not in cited for source in pro[0].sources)
        cause = Cause.ENTAILED_ELSEWHERE if cited and elsewhere else Cause.ENTAILED
        reason = {
            Cause.ENTAILED: "a source says this",
            Cause.ENTAILED_ELSEWHERE: "another source than the one it cites says this",
        }[cause]
        evidence = _cited(task, pro, Support.SUPPORTED)
        probability = pro[0].judgement.entails
        return Verdict(Support.SUPPORTED, probability, evidence, against, self.model, reason, cause)

    def _own(self, citation: Citation, task: Task, findings: Sequence[Finding]) -> Citation:
        """A citation with what its passage does for the claim, narrowed to the words that do it."""
        source = next((s for s in task.cited if s.passage.id == citation.passage_id), None)
        if source is None:
            return replace(citation, support=Support.NOT_CHECKED)
        for quoted, where in task.quotes:
            if quoted is source:
                return source.cite(where, Support.SUPPORTED)
        cited = set(task.cited)
        within = [each for each in findings if set(each.sources) <= cited]
        about = [each for each in within if source in each.sources]
        support = self._of_citation(task, source, within, about)
        telling = [
            each
            for each in about
            if (support is Support.SUPPORTED and self.supports(each))
            or (support is Support.CONTRADICTED and self.contradicts(each))
        ]
        telling.sort(key=lambda each: (not each.alone, -each.judgement.entails))
        spans = [p.spans for each in telling[:1] for p in each.premise.parts if p.source is source]
        return source.cite(source.closest(task.said, *spans), support)

    def _of_citation(
        self, task: Task, source: Source, within: Sequence[Finding], about: Sequence[Finding]
    ) -> Support:
        alone = [each for each in about if each.alone]
        if any(map(self.supports, alone)):
            return Support.SUPPORTED
        enough = task.quotes or any(each.alone and self.supports(each) for each in within)
        if not enough and any(map(self.supports, about)):
            return Support.SUPPORTED  # passages that only together say it uphold it together
        if any(map(self.contradicts, alone)):
            return Support.CONTRADICTED
        if not alone or source.passage.id in task.unread:
            return Support.NOT_CHECKED
        return Support.UNSUPPORTED


def _quoted(task: Task, against: tuple[Citation, ...]) -> Verdict:
    cited = set(task.cited)
    own = [(source, where) for source, where in task.quotes if source in cited]
    evidence = tuple(s.cite(where, Support.SUPPORTED) for s, where in (own or task.quotes))
    reason = "it stands in a source word for word"
    if cited and not own:
        reason = "it stands word for word in another source than the one it cites"
    return Verdict(
        Support.SUPPORTED, 1.0, evidence[:_MOST_EVIDENCE], against, "quote", reason, Cause.QUOTED
    )


def _cited(task: Task, findings: Iterable[Finding], support: Support) -> tuple[Citation, ...]:
    """The closest sentence of every source of these findings, each once, surest first."""
    key = "entails" if support is Support.SUPPORTED else "contradicts"
    ordered = sorted(findings, key=lambda each: -getattr(each.judgement, key))
    found: dict[tuple[str, int, int], Citation] = {}
    for finding in ordered:
        for part in finding.premise.parts:
            citation = part.source.cite(part.source.closest(task.said, part.spans), support)
            found.setdefault((citation.passage_id, citation.start, citation.end), citation)
    return tuple(found.values())[:_MOST_EVIDENCE]


def _why_not(findings: Sequence[Finding]) -> tuple[str, Cause]:
    """The guard's objection, if it holds against every premise; else that nothing entails it."""
    objections = [each.objection for each in findings]
    least = min(
        (each for each in objections if each is not None),
        key=lambda each: len(each.missing),
        default=None,
    )
    if least is not None and None not in objections:
        return str(least), least.cause
    return "no source says this", Cause.NOT_ENTAILED
