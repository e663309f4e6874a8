"""Preference pairs (section 3.2.1): sessions are sampled, searched for, and compared by gold.

The score of a session is the number of gold facts among the passages that its sub-questions find:
C_d of the paper's appendix G. The paper counts the facts that the answer states, which takes an
answer and its verification for each session: `Feedback.ANSWER` does that, for machines with GPUs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, combinations
from typing import Protocol

from upheld._internal.concurrency import all_of
from upheld.errors import UsageError
from upheld.methods.build import StageFactory
from upheld.methods.builders import fave
from upheld.methods.fave import FaVe
from upheld.methods.parameters import FaveParameters
from upheld.planning.plan import Session
from upheld.ports import Entailment, Pair
from upheld.prompts import load
from upheld.resources.open import Resources
from upheld.run.trace import start_run
from upheld.types import Evidence, Question, Scope
from upheld_lab.bench.pack import lot
from upheld_lab.bench.split import Split
from upheld_lab.training.fave.decompositions import as_reply
from upheld_lab.training.language_model.examples import Preference

SESSIONS = 8  # of a question (footnote 6)
MOST_PAIRS = 4  # of a question: one with many sessions is not to decide alone
_ENTAILED = 0.5
_LOCAL = "pip install 'upheld[local]'"


class Feedback(StrEnum):
    """What a session is scored by: gold found, or gold stated by the answer (the paper)."""

    FACTS = "facts"
    ANSWER = "answer"


class Planned(Protocol):
    """A question with its gold."""

    @property
    def id(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def article(self) -> str: ...
    @property
    def gold(self) -> frozenset[str]: ...
    @property
    def split(self) -> Split: ...


@dataclass(frozen=True, slots=True)
class ScoredSession:
    """Sub-questions, and how much gold they lead to."""

    questions: tuple[str, ...]
    score: int


async def scored_sessions(
    question: Planned,
    parts: Resources,
    feedback: Feedback = Feedback.FACTS,
    sessions: int = SESSIONS,
) -> list[ScoredSession]:
    """Sample sessions, and search for them, with the stages of `fave` as it runs by default."""
    scope = Scope(parts.settings.collection)
    chosen = FaveParameters.model_validate({"search": parts.settings.search, "sessions": sessions})
    method = fave(StageFactory(parts, scope, chosen), chosen)
    assert method.plan is not None, "there is a language model"
    asked = Question(question.text)
    with start_run():
        planned = await method.plan(asked)
        candidates = await method.search(asked)
        every = (each for session in planned for each in session)
        found = await method.order.each(every, candidates)
        scores = []
        for session in planned:
            evidence = [found[each.id] for each in session]
            if feedback is Feedback.FACTS:
                scores.append(gold_found(question, evidence))
            else:
                scores.append(await gold_stated(question, method, session, evidence, parts))
    return [
        ScoredSession(tuple(each.text for each in session), score)
        for session, score in zip(planned, scores, strict=True)
    ]


def gold_found(question: Planned, evidence: Sequence[Evidence]) -> int:
    """How many gold passages are among what the sub-questions found."""
    ids = {hit.passage.id for found in evidence for hit in found}
    return len(ids & question.gold)


async def gold_stated(
    question: Planned,
    method: FaVe,
    session: Session,
    evidence: Sequence[Evidence],
    parts: Resources,
) -> int:
    """How many gold passages a sentence of the answer, or a sub-answer, entails (the paper's)."""
    model: Entailment | None = parts.verify.model
    if model is None:
        raise UsageError("To score answers takes the verifier.", help=_LOCAL)
    drafts = await all_of(
        method.write(each, found) for each, found in zip(session, evidence, strict=True)
    )
    said = [[claim.text for claim in draft.claims] for draft in drafts]
    texts = dict.fromkeys([*chain.from_iterable(said), *map(" ".join, said)])
    gold = await parts.index.passages(sorted(question.gold), Scope(parts.settings.collection))
    stated = 0
    for fact in gold:
        room = model.room - model.count_tokens(fact.text)
        pairs = [Pair(text, fact.text) for text in texts if 0 < model.count_tokens(text) <= room]
        judged = await model.judge(pairs) if pairs else []
        stated += any(each.entails > _ENTAILED for each in judged)
    return stated


def pairs_of(
    question: Planned, sessions: Sequence[ScoredSession], difference: int = 1
) -> Iterator[Preference]:
    """Pairs of sessions whose scores differ by at least so much, the widest first."""
    messages = load("session").render(question=question.text)
    wide = [
        tuple(sorted(pair, key=lambda each: -each.score))
        for pair in combinations(dict.fromkeys(sessions), 2)
        if abs(pair[0].score - pair[1].score) >= difference
    ]
    wide.sort(
        key=lambda pair: (pair[1].score - pair[0].score, lot(question.id, str(pair))),
    )
    for better, worse in wide[:MOST_PAIRS]:
        yield Preference(
            messages,
            as_reply(better.questions),
            as_reply(worse.questions),
            question.split,
            question.article,
            question.id,
            better.score - worse.score,
        )
