"""Decide on a claim: turn the entailment scores of its premises into a verdict with its reason.

`fitted` reads the aggregation weights and the thresholds from `fit.json`, which training writes
beside the weights of a verifier.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from upheld.errors import ModelError
from upheld.text.sentences import Span
from upheld.types import Cause, Citation, Claim, Support, Verdict, content_hash
from upheld.verification.aggregate import Aggregate, Features, SourceScore, source_scores
from upheld.verification.premises import Finding, Task
from upheld.verification.source import CheckFailure, Source

_MOST_EVIDENCE = 3
_STOPPED = 0.99  # share of the threshold that a vetoed score is capped at
_NOTHING_READ = CheckFailure(Cause.NO_SOURCE, "nothing was found in the sources to hold it against")


@dataclass(frozen=True, kw_only=True)
class Decide:
    """Aggregation weights and decision thresholds, fitted for the weights of one model."""

    aggregate: Aggregate = Aggregate()
    supported_above: float = 0.5

    def probability(self, features: Features) -> float:
        """The probability of support; below the threshold if a rule vetoes every premise.

        Only denials and figures that nothing explains are vetoes; an absent name is a feature.
        """
        score = self.aggregate(features)
        vetoed = features.objected or features.figure_absent
        return min(score, _STOPPED * self.supported_above) if vetoed else score

    @property
    def fingerprint(self) -> str:
        """A short hash of the values that decide, independent of how classes are named."""
        values = [*astuple(self.aggregate), self.supported_above]
        return content_hash(json.dumps(values))[:8]

    def supports(self, reading: SourceScore) -> bool:
        return self.probability(reading.features) >= self.supported_above

    def upholds(self, task: Task, findings: Sequence[Finding]) -> bool:
        """Whether these findings support the claim, from one source or several together."""
        return any(map(self.supports, source_scores(task, findings)))

    def __call__(
        self,
        task: Task,
        findings: Sequence[Finding],
        failure: CheckFailure | None,
        model: str | None,
    ) -> Claim:
        """The claim with its verdict, and a verdict for each of its citations."""
        if task.settled is not None:
            return replace(task.claim, verdict=task.settled)
        read = source_scores(task, findings)
        against = self._against(task, read)
        verdict = self._verdict(task, read, against, task.failure or failure, model)
        citations = tuple(self._own(each, task, read, against) for each in task.claim.citations)
        return replace(task.claim, verdict=verdict, citations=citations)

    def _against(self, task: Task, read: Sequence[SourceScore]) -> dict[Source, Span]:
        """The sources that give another value for the same thing, and the sentence that does.

        A source that supports or quotes the claim as well is none of them.
        """
        uphold = {each.sources[0] for each in read if each.alone and self.supports(each)}
        uphold |= {source for source, _ in task.quotes}
        others = [source for source in (*task.cited, *task.others) if source not in uphold]
        found = {source: source.contradicting(task.said) for source in others}
        return {source: span for source, span in found.items() if span is not None}

    def _verdict(
        self,
        task: Task,
        read: Sequence[SourceScore],
        otherwise: Mapping[Source, Span],
        failure: CheckFailure | None,
        model: str | None,
    ) -> Verdict:
        cited = [source.cite(span, Support.CONTRADICTED) for source, span in otherwise.items()]
        against = tuple(cited[:_MOST_EVIDENCE])
        if task.quotes:
            return _quoted(task, against)
        # The same number for every verdict, because thresholds are fitted on these numbers.
        probability = max((self.probability(each.features) for each in read), default=0.0)
        if pro := self._best(task, [each for each in read if self.supports(each)]):
            return self._entailed(task, pro, against, probability, model)
        failure = failure or task.blind_spot or (None if read else _NOTHING_READ)
        if failure is not None:
            reason, cause = failure.reason, failure.cause
            return Verdict(Support.NOT_CHECKED, None, (), against, None, reason, cause)
        if against:
            said, cause = "a source says otherwise", Cause.CONTRADICTED
            return Verdict(Support.CONTRADICTED, probability, (), against, model, said, cause)
        said, cause = self._why_not(read)
        return Verdict(Support.UNSUPPORTED, probability, (), (), model, said, cause)

    def _best(self, task: Task, supports: Sequence[SourceScore]) -> list[SourceScore]:
        """The scores of the best kind: cited sources first, one source before several."""
        cited = {source.passage.id for source in task.cited}

        def kind(reading: SourceScore) -> tuple[bool, bool]:
            ids = {source.passage.id for source in reading.sources}
            return not ids <= cited, not reading.alone

        best = min(map(kind, supports), default=None)
        found = [each for each in supports if kind(each) == best]
        return sorted(found, key=lambda each: -self.probability(each.features))

    def _entailed(
        self,
        task: Task,
        pro: Sequence[SourceScore],
        against: tuple[Citation, ...],
        probability: float,
        model: str | None,
    ) -> Verdict:
        cited = {source.passage.id for source in task.cited}
        elsewhere = any(source.passage.id not in cited for source in pro[0].sources)
        cause = Cause.ENTAILED_ELSEWHERE if cited and elsewhere else Cause.ENTAILED
        reason = {
            Cause.ENTAILED: "a source says this",
            Cause.ENTAILED_ELSEWHERE: "another source than the one it cites says this",
        }[cause]
        evidence = _cited(task, [each.best for each in pro], Support.SUPPORTED)
        return Verdict(Support.SUPPORTED, probability, evidence, against, model, reason, cause)

    def _why_not(self, read: Sequence[SourceScore]) -> tuple[str, Cause]:
        """The mildest veto, if a rule stopped the best score; else that no source says this."""
        best = max(read, key=lambda each: self.aggregate(each.features))
        if best.is_vetoed:
            vetoes = [each.veto for each in best.findings if each.veto]
            least = min(vetoes, key=lambda each: (not each.of_other_row, each.missing))
            return least.reason, least.cause
        return "no source says this", Cause.NOT_ENTAILED

    def _own(
        self,
        citation: Citation,
        task: Task,
        read: Sequence[SourceScore],
        otherwise: Mapping[Source, Span],
    ) -> Citation:
        """The citation with its own support, narrowed to the words that matter most."""
        source = next((s for s in task.cited if s.passage.id == citation.passage_id), None)
        if source is None:
            return replace(citation, support=Support.NOT_CHECKED)
        for quoted, where in task.quotes:
            if quoted is source:
                return source.cite(where, Support.SUPPORTED)
        cited = set(task.cited)
        within = [each for each in read if set(each.sources) <= cited]
        about = sorted(
            (each for each in within if source in each.sources), key=lambda each: not each.alone
        )
        support = self._of_citation(task, source, within, about)
        if support is Support.UNSUPPORTED and source in otherwise:
            return source.cite(otherwise[source], Support.CONTRADICTED)
        telling = [
            each.best for each in about if support is Support.SUPPORTED and self.supports(each)
        ]
        spans = [p.spans for each in telling[:1] for p in each.premise.parts if p.source is source]
        return source.cite(source.closest(task.said, *spans), support)

    def _of_citation(
        self,
        task: Task,
        source: Source,
        within: Sequence[SourceScore],
        about: Sequence[SourceScore],
    ) -> Support:
        alone = [each for each in about if each.alone]
        if any(map(self.supports, alone)):
            return Support.SUPPORTED
        enough = task.quotes or any(each.alone and self.supports(each) for each in within)
        if not enough and any(map(self.supports, about)):
            return Support.SUPPORTED  # passages that support it only together all count
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
    """The closest sentence of every source of these findings, without repeats, in order."""
    found: dict[tuple[str, int, int], Citation] = {}
    for finding in findings:
        for part in finding.premise.parts:
            citation = part.source.cite(part.source.closest(task.said, part.spans), support)
            found.setdefault((citation.passage_id, citation.start, citation.end), citation)
    return tuple(found.values())[:_MOST_EVIDENCE]


class Fit(BaseModel):
    """The file `fit.json`, which belongs to one file of weights."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    verifier: str = Field(min_length=1)  # the identity of the model
    # Weights of 0.1 have the name before 0.2.
    aggregate: dict[str, FiniteFloat] = Field(validation_alias=AliasChoices("aggregate", "pool"))
    supported_above: float = Field(gt=0, le=1)
    contradicted_above: float | None = None  # weights of 0.1 have it; nothing uses it
    fitted_on: dict[str, int]  # cases of each set


def fitted(content: str, verifier: str) -> Decide:
    """Read the content of `fit.json`; raises `ModelError` if it is of another verifier."""
    try:
        fit = Fit.model_validate_json(content)
        aggregate = Aggregate(**fit.aggregate)
    except (ValidationError, TypeError) as error:
        reason = str(error).partition("\n")[0]
        raise ModelError(f"the verifier's fit cannot be read: {reason}") from error
    if fit.verifier != verifier:
        raise ModelError(f"the fit belongs to {fit.verifier}, and the weights are {verifier}")
    return Decide(
        aggregate=aggregate,
        supported_above=fit.supported_above,
    )
