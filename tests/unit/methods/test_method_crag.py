"""CRAG: the three actions of Figure 2, its ablations, and what remains when a part fails."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from tests.messages import only_says
from tests.unit.shelf import Asked, called, scripted, shelf, sources, told, writer, written
from upheld.errors import (
    BudgetExceededError,
    LLMUnavailableError,
    StorageError,
    UpheldError,
    UsageError,
    WebUnavailableError,
)
from upheld.generation.extract import ExtractiveWriter
from upheld.generation.write import Claims
from upheld.methods.crag import CRAG
from upheld.ports import Grader, QueryPassagePair
from upheld.retrieval.distil import Distil
from upheld.retrieval.grade import Grade
from upheld.retrieval.rewrite import KeyPhrases, Rewrite
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.types import Draft, Evidence, Question
from upheld_lab.testing.fake_entailment import Fault
from upheld_lab.testing.fake_grader import FakeGrader
from upheld_lab.testing.fake_llm import FakeLLM, Line

ASK = Question("Who designed the lighthouse?")
INSIDE = (
    "The lighthouse stands on Harrow Point. Its lamp burned whale oil. "
    "It was designed by Ada Brook. She came from the north. Tea is sold at noon."
)
OUTSIDE = (
    "A lighthouse architect of note was Ada Brook. She designed five towers. "
    "The harbour has two cranes. Both are painted red."
)
STRIP = INSIDE[: INSIDE.index(" She came")]  # the one of INSIDE that is about the design
PHRASES = {"phrases": ["lighthouse", "architect"]}
ANSWER = written(("Ada Brook designed it.", [1]))


@dataclass
class Grades(FakeGrader):
    """Whole passages and their strips, graded by the words in them."""

    inside: float = 0.9
    strips: float = 0.9  # of those about the design

    def __post_init__(self) -> None:
        self.score = self._chance

    def _chance(self, pair: QueryPassagePair) -> float:
        if "Harrow Point" in pair.text and "Tea" in pair.text:
            return self.inside
        return self.strips if "designed" in pair.text else 0.05


async def crag(
    llm: FakeLLM | None = None,
    *,
    inside: float = 0.9,
    strips: float = 0.9,
    grader: Grader | None = None,
) -> tuple[CRAG, Asked, Asked]:
    """The method, its search and its fallback search."""
    grader = grader or Grades(inside=inside, strips=strips)
    llm = llm or scripted({KeyPhrases: [PHRASES], Claims: [ANSWER]})
    near, far = await shelf(inside=INSIDE), await shelf(outside=OUTSIDE)
    method = CRAG(
        search=near,
        grade=Grade(grader=grader, upper=0.5, lower=-0.5),
        distil=Distil(grader=grader),
        rewrite=Rewrite(llm=llm),
        fallback_search=far,
        write=writer(llm),
    )
    return method, near, far


CORRECT, AMBIGUOUS, INCORRECT = 0.9, 0.5, 0.1


# --- Figure 2 ------------------------------------------------------------------------------------


async def test_correct_writes_from_the_strips_of_what_was_found() -> None:
    method, near, far = await crag(inside=CORRECT)
    with start_run() as run:
        draft = await method(ASK)
    assert told(draft) == ["Ada Brook designed it."]
    assert [passage.text for passage in draft.evidence.passages] == [STRIP]
    assert (near.queries, far.queries) == ([ASK], [])
    assert called(run) == ["write"]
    assert run.best is draft
    assert run.degraded == []


async def test_incorrect_writes_from_elsewhere_only() -> None:
    grader = Grades(inside=INCORRECT)
    method, _, far = await crag(grader=grader)
    with start_run() as run:
        draft = await method(ASK)
    (query,) = far.queries
    assert (query.text, query.parent) == ("lighthouse architect", ASK.id)
    assert sources(draft) == ["outside"]
    assert "cranes" not in draft.evidence.passages[0].text
    # strips are graded against the question as it was asked, not against the key phrases
    assert {pair.query for pairs in grader.asked for pair in pairs} == {ASK.text}
    assert called(run) == ["rewrite", "write"]
    assert run.meter.used.completions == 2


async def test_ambiguous_writes_from_both() -> None:
    method, _, far = await crag(inside=AMBIGUOUS)
    with start_run() as run:
        draft = await method(ASK)
    assert sources(draft) == ["inside", "outside"]
    assert [query.text for query in far.queries] == ["lighthouse architect"]
    assert called(run) == ["rewrite", "write"]
    assert run.meter.used.completions == 2


async def test_both_kinds_of_knowledge_are_looked_for_at_once() -> None:
    """The strips wait for the fallback search and it for them: one after the other would hang."""
    meeting = asyncio.Barrier(2)

    @dataclass
    class Waits(Grades):
        async def grade(self, pairs: Sequence[QueryPassagePair]) -> list[float]:
            scores = await FakeGrader.grade(self, pairs)
            if len(self.asked) == 2:
                await meeting.wait()
            return scores

    @dataclass
    class WaitsToo(Asked):
        async def __call__(self, question: Question) -> Evidence:
            await meeting.wait()
            return await Asked.__call__(self, question)

    method, _, far = await crag(grader=Waits(inside=AMBIGUOUS))
    method = replace(method, fallback_search=WaitsToo(far.search))
    async with asyncio.timeout(10):
        assert sources(await method(ASK)) == ["inside", "outside"]


async def test_nothing_found_is_incorrect() -> None:
    method, _, _ = await crag()
    with start_run() as run:
        draft = await replace(method, search=Asked())(ASK)
    assert sources(draft) == ["outside"]
    assert called(run) == ["rewrite", "write"]


# --- ablations -----------------------------------------------------------------------------------


async def test_without_strips_passages_are_whole() -> None:
    method, _, _ = await crag(inside=AMBIGUOUS)
    draft = await replace(method, distil=None)(ASK)
    assert [passage.text for passage in draft.evidence.passages] == [INSIDE, OUTSIDE]


async def test_without_rewriting_the_question_itself_is_searched_wider() -> None:
    method, _, far = await crag(inside=INCORRECT)
    with start_run() as run:
        await replace(method, rewrite=None)(ASK)
    assert far.queries == [ASK]
    assert called(run) == ["write"]


async def test_with_nowhere_else_to_look_incorrect_abstains_and_says_what_was_searched() -> None:
    method, _, _ = await crag(inside=INCORRECT)
    with start_run() as run:
        draft = await replace(method, fallback_search=None)(ASK)
    assert draft.claims == ()
    assert sources(draft) == ["inside"]  # what it saw
    assert only_says(draft.notes, "1 passages found", "not set up")
    assert called(run) == []
    assert run.best is draft


async def test_with_nowhere_else_to_look_ambiguous_goes_on_with_what_there_is() -> None:
    method, _, _ = await crag(inside=AMBIGUOUS)
    with start_run() as run:
        draft = await replace(method, fallback_search=None)(ASK)
    assert sources(draft) == ["inside"]
    assert called(run) == ["write"]


# --- strips that do not hold ---------------------------------------------------------------------


@pytest.mark.parametrize("chance", [CORRECT, AMBIGUOUS])
async def test_where_no_strip_is_kept_the_passages_are_used_whole(chance: float) -> None:
    method, _, _ = await crag(inside=chance, strips=0.01)
    draft = await method(ASK)
    assert [passage.text for passage in draft.evidence.passages] == [INSIDE]
    assert told(draft) == ["Ada Brook designed it."]


async def test_strips_from_elsewhere_stand_alone_where_no_other_is_kept() -> None:
    chances = {INSIDE: AMBIGUOUS, STRIP: 0.01}
    grader = FakeGrader(
        score=lambda pair: chances.get(pair.text, 0.9 if "Ada" in pair.text else 0.01)
    )
    method, _, _ = await crag(grader=grader)
    assert sources(await method(ASK)) == ["outside"]


async def test_nothing_that_helps_elsewhere_is_an_abstention() -> None:
    method, _, _ = await crag(inside=INCORRECT, strips=0.01)
    with start_run() as run:
        draft = await method(ASK)
    assert draft.claims == ()
    assert only_says(draft.notes, "1 passages found", "does not help")
    assert called(run) == ["rewrite"]


# --- the ladder ----------------------------------------------------------------------------------

FAILURES = [WebUnavailableError("no route"), StorageError("no disk"), None]


@pytest.mark.parametrize("error", FAILURES)
@pytest.mark.parametrize(("chance", "found"), [(INCORRECT, []), (AMBIGUOUS, ["inside"])])
async def test_a_wider_search_that_fails_or_finds_nothing_is_told(
    error: UpheldError | None, chance: float, found: list[str]
) -> None:
    method, _, _ = await crag(inside=chance)
    with start_run() as run:
        draft = await replace(method, fallback_search=Asked(errors=[error]))(ASK)
    assert [each.document_id for claim in draft.claims for each in claim.citations] == found
    label = f"failed: {error}" if error else "found nothing: lighthouse architect"
    assert only_says(run.degraded, "fallback search", label)


@pytest.mark.parametrize("error", [BudgetExceededError("time is up"), UsageError("no such shelf")])
async def test_other_errors_of_the_wider_search_pass_through(error: UpheldError) -> None:
    for chance in (INCORRECT, AMBIGUOUS):
        method, _, _ = await crag(inside=chance)
        with pytest.raises(type(error)):
            await replace(method, fallback_search=Asked(errors=[error]))(ASK)


async def test_a_model_that_cannot_rewrite_leaves_the_question() -> None:
    llm = scripted({KeyPhrases: [LLMUnavailableError("down")], Claims: [ANSWER]})
    method, _, far = await crag(llm, inside=INCORRECT)
    with start_run() as run:
        draft = await method(ASK)
    assert far.queries == [ASK]
    assert told(draft) == ["Ada Brook designed it."]
    assert only_says(run.degraded, "not rewritten", "down")


@pytest.mark.parametrize("line", [LLMUnavailableError("down"), "not JSON"])
async def test_a_model_that_cannot_write_leaves_quotes(line: Line) -> None:
    llm = scripted({KeyPhrases: [PHRASES], Claims: [line]})
    method, _, _ = await crag(llm, inside=CORRECT)
    with start_run() as run:
        draft = await method(ASK)
    assert "It was designed by Ada Brook." in told(draft)
    assert "sentences are quoted" in run.degraded[0]


async def test_a_grader_that_fails_leaves_it_ambiguous_and_undistilled() -> None:
    method, _, _ = await crag(grader=Grades(faults=[Fault.KILLED]))
    with start_run() as run:
        draft = await method(ASK)
    assert [passage.text for passage in draft.evidence.passages] == [INSIDE, OUTSIDE]
    assert len(run.degraded) == 2


async def test_the_budget() -> None:
    method, _, _ = await crag(inside=INCORRECT)
    with start_run(Budget(llm_calls=0)) as run:
        draft = await method(ASK)  # the fallback search was for the question itself
    assert sources(draft) == ["outside"]
    assert run.meter.used.requests == 0
    assert "a call was skipped" in run.degraded[0]
    method, _, _ = await crag(inside=INCORRECT)
    with start_run(Budget(llm_calls=1)) as run:
        draft = await method(ASK)  # rewriting took the call: what was found is quoted
    assert sources(draft) == ["outside"]
    assert run.meter.used.requests == 1
    assert "sentences are quoted" in run.degraded[0]


@pytest.mark.parametrize("chance", [CORRECT, AMBIGUOUS, INCORRECT])
async def test_without_a_language_model(chance: float) -> None:
    method, _, _ = await crag(inside=chance)
    with start_run() as run:
        draft = await replace(method, rewrite=None, write=ExtractiveWriter())(ASK)
    assert draft.claims
    assert run.meter.used.requests == 0


async def test_a_run_is_not_needed() -> None:
    method, _, _ = await crag()
    assert isinstance(await method(ASK), Draft)
