"""Labelled cases through the verify stage, as a user's answer goes: what it found, unweighed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from upheld.errors import ModelError
from upheld.run.trace import start_run
from upheld.text.words import terms
from upheld.types import Citation, Claim, Passage, Question, content_hash
from upheld.verification.aggregate import Aggregate, Features, source_scores
from upheld.verification.claims import split_answer
from upheld.verification.decide import Decide
from upheld.verification.verify import Verify
from upheld_lab.bench.report import Watch
from upheld_lab.bench.verify.sets import Case


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a claim: quoted word for word, or what each of its readings comes to."""

    quoted: bool
    features: tuple[Features, ...]  # none: it was not checked
    contradicts: float  # what the model says; no verdict depends on it
    contradicted: bool  # whether a source gives another value for the same thing


@dataclass(frozen=True, slots=True)
class Seen:
    """A case, and what the stage found about each of its sentences that is worth a check."""

    case: Case
    sentences: tuple[Sentence, ...]
    overlap: float  # share of the claim's words that the passages have: the baseline to beat

    @property
    def supported(self) -> bool:
        return self.case.label.supported

    @property
    def contradicts(self) -> float:
        return max((each.contradicts for each in self.sentences), default=0.0)

    def contradicted(self, decide: Decide) -> bool:
        """Whether the verdict is `contradicted`."""
        weakest = min(self.sentences, key=lambda each: _probability(each, decide), default=None)
        return (
            weakest is not None
            and weakest.contradicted
            and _probability(weakest, decide) < decide.supported_above
        )

    @property
    def checked(self) -> bool:
        return bool(self.sentences) and all(one.quoted or one.features for one in self.sentences)

    @property
    def vetoed(self) -> bool:
        """Whether the rules veto every premise of a sentence."""
        return any(
            one.features and not one.quoted and all(map(_is_vetoed, one.features))
            for one in self.sentences
        )

    def probability(self, decide: Decide) -> float:
        """What the pipeline emits; a claim of several sentences is as strong as its weakest."""
        return min((_probability(each, decide) for each in self.sentences), default=0.0)

    def features(self) -> Features | None:
        """Of the weakest sentence by the strongest of its readings; quotes need no model."""
        plain = Aggregate()
        best = [
            max(each.features, key=plain)
            for each in self.sentences
            if each.features and not each.quoted
        ]
        return min(best, key=plain, default=None)


def _is_vetoed(features: Features) -> bool:
    return bool(features.objected or features.figure_absent)


def _probability(sentence: Sentence, decide: Decide) -> float:
    if sentence.quoted:
        return 1.0
    return max(map(decide.probability, sentence.features), default=0.0)


async def see(verify: Verify, cases: Sequence[Case], watch: Watch, what: str) -> list[Seen]:
    """Run the stage over cases, one by one."""
    found = []
    for done, case in enumerate(cases, start=1):
        found.append(await _see(verify, case))
        watch(what, done, len(cases))
    return found


async def _see(verify: Verify, case: Case) -> Seen:
    passages = [_passage(title, text, i) for i, (title, text) in enumerate(case.passages)]
    citations = tuple(map(_citation, passages))
    before = [Claim(case.before)] if verify.carry_previous and case.before else []
    claims = [Claim(sentence.text, citations) for sentence in split_answer(case.claim)]
    asked = Question(case.question) if case.question else None
    with start_run(None):
        read = await verify.read([*before, *claims], passages, asked)
    sentences = []
    for found in read[len(before) :]:
        if found.failure is not None and verify.model is not None:
            raise ModelError(found.failure.reason)  # a figure must not rest on checks that failed
        task = found.task
        if task.settled is None:
            every = source_scores(task, found.findings)
            features = tuple(each.features for each in every)
            against = max((each.contradicts for each in every), default=0.0)
            other_value = any(each.contradicting(task.said) for each in (*task.cited, *task.others))
            sentences.append(Sentence(bool(task.quotes), features, against, other_value))
    return Seen(case, tuple(sentences), overlap(case))


def overlap(case: Case) -> float:
    """The share of the claim's terms that stand anywhere in the passages."""
    told = terms(case.claim)
    have = terms("\n".join(f"{title}\n{text}" for title, text in case.passages))
    return len(told & have) / len(told) if told else 0.0


def _passage(title: str, text: str, number: int) -> Passage:
    name = f"passage-{number}"
    return Passage(name, text, name, content_hash(text), 0, len(text), title=title)


def _citation(passage: Passage) -> Citation:
    return Citation(passage.id, passage.document_id, passage.document_version, 0, 0, "")
