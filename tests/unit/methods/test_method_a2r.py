"""A2R: every branch of Algorithm 1, departures as fields, and what remains when a part fails."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.messages import only_says
from tests.unit.drafts import DOCUMENTS
from tests.unit.shelf import Asked, called, scripted, shelf, sources, told, writer, written
from upheld.assessment.assess import Thresholds
from upheld.assessment.feedback import Advice, Phrase
from upheld.errors import BudgetExceededError, LLMUnavailableError, StorageError, UpheldError
from upheld.generation.extract import ExtractiveWriter
from upheld.generation.refine import Refine
from upheld.generation.write import Claims
from upheld.methods.a2r import A2R
from upheld.methods.keep import Keep
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.types import Question, Support
from upheld.verification.verify import Verify
from upheld.verification.verify_draft import VerifyDraft
from upheld_lab.testing.fake_entailment import FakeEntailment, Fault
from upheld_lab.testing.fake_llm import FakeLLM, Line

ASK = Question("When did the museum open?")
RIGHT = ("The museum opened in 1881.", [1])
WRONG = ("The museum opened in 1882.", [1])
CAFE = ("The museum has a cafe.", [1])
SHOP = ("The museum has a shop.", [1])
GOOD, MIXED, BAD = written(RIGHT), written(RIGHT, WRONG), written(WRONG)
OTHER, MORE = written(RIGHT, CAFE), written(RIGHT, SHOP)
DOWN = LLMUnavailableError("down")


async def a2r(llm: FakeLLM, entailment: FakeEntailment | None = None, **fields: Any) -> A2R:
    verify = Verify(model=entailment or FakeEntailment())
    method = A2R(
        search=await shelf(**DOCUMENTS),
        write=writer(llm),
        refine=Refine(llm=llm),
        check=VerifyDraft(verify=verify, fixes_citations=False),
    )
    return replace(method, **fields)


def model(*claims: Line, advice: list[Line] | None = None) -> FakeLLM:
    said: list[Line] = [{"advice": ["Mend it."] * 4}] * 9 if advice is None else advice
    return scripted({Claims: claims, Advice: said})


def as_in_the_paper(llm: FakeLLM) -> dict[str, Any]:
    return {
        "phrase": Phrase(llm=llm),
        "test_before": False,
        "final": True,
        "fix_citations": False,
        "hand_over": False,
        "keep": Keep.LAST,
    }


# --- Algorithm 1, as in the paper ----------------------------------------------------------------


@pytest.mark.parametrize("rounds", [0, 1, 2, 3])
async def test_2_plus_2k_calls_as_in_the_paper(rounds: int) -> None:
    """Never good enough: lines 3 to 5 K times, then equation 5."""
    llm = model(BAD, MIXED, OTHER, MORE, BAD) if rounds == 3 else model(BAD, MIXED, OTHER, MORE)
    method = await a2r(llm, rounds=rounds, **as_in_the_paper(llm))
    with start_run() as run:
        await method(ASK)
    assert called(run) == ["write", *["phrase", "refine"] * rounds, "final"]
    assert run.meter.used.completions == 2 + 2 * rounds


async def test_the_stop_test_of_the_paper_comes_after_the_refinement() -> None:
    """Line 6 breaks by the scores of line 3; there is nothing to phrase about what passes."""
    llm = model(GOOD, OTHER, BAD)
    method = await a2r(llm, **as_in_the_paper(llm))
    with start_run() as run:
        draft = await method(ASK)
    assert called(run) == ["write", "refine", "final"]
    assert "1.00, enough." in llm.calls[1].messages[-1].content
    assert told(draft) == ["The museum opened in 1882."]  # the last, however bad


async def test_the_final_call_reads_every_draft_with_its_feedback() -> None:
    llm = model(BAD, MIXED, OTHER, GOOD)
    draft = await (await a2r(llm, **as_in_the_paper(llm)))(ASK)
    assert told(draft) == ["The museum opened in 1881."]
    *_, y_0, f_0, y_1, f_1, y_2, f_2 = (message.content for message in llm.calls[-1].messages)
    assert ("1882" in y_0, "1881" in y_1, "cafe" in y_2) == (True, True, True)
    assert "Mend it." in f_0
    assert "Mend it." in f_1
    assert "cafe" in f_2  # computed: the model is not asked for this one
    assert "final answer" in f_2


async def test_phrased_feedback_reaches_the_refinement_with_its_scores() -> None:
    llm = model(BAD, GOOD)
    await (await a2r(llm, phrase=Phrase(llm=llm)))(ASK)
    last = llm.calls[2].messages[-1].content
    assert ": 0.00, not enough.\n- Mend it." in last


MISCITED = written((RIGHT[0], [2]))
EXTRA = written((RIGHT[0], [1, 2]))
HALF = written((RIGHT[0], [1]), ("The museum opened in 1881 on Cromwell Road.", [2]))
BESIDE = "A whale named Hope hangs in the main hall of the museum."  # the second passage


@pytest.mark.parametrize(
    ("drafted", "recall", "precision", "finding"),
    [
        (MISCITED, 0, 0, "cites [2] in vain: cite [1]."),
        (EXTRA, 1, 0.5, "cites [2] needlessly: drop that."),
        (HALF, 0.5, 0.5, "cites [2] in vain: cite [1]."),
    ],
)
async def test_the_papers_feedback_counts_the_marks_that_the_model_set(
    drafted: Claims, recall: float, precision: float, finding: str
) -> None:
    """Table 2: below its threshold, citation recall and precision tell the model what to cite."""
    llm = model(drafted, GOOD, GOOD, GOOD)
    method = await a2r(llm, **as_in_the_paper(llm) | {"phrase": None})
    method = replace(method, search=await shelf(museum=DOCUMENTS["museum"], whale=BESIDE))
    with start_run() as run:
        await method(ASK)
    assert called(run) == ["write", "refine", "refine", "final"]
    fed_back = llm.calls[1].messages[-1].content
    assert f"Claims upheld by what they cite: {recall:.2f}, " in fed_back
    assert f"Citations that uphold their claim: {precision:.2f}, not enough." in fed_back
    assert finding in fed_back


# --- our order -----------------------------------------------------------------------------------


async def test_an_answer_that_passes_costs_one_call() -> None:
    with start_run() as run:
        draft = await (await a2r(model(GOOD)))(ASK)
    assert called(run) == ["write"]
    assert run.meter.used.completions == 1
    assert draft.claims[0].verdict.support is Support.SUPPORTED
    assert (run.best, run.meter.rounds) == (draft, 0)


async def test_what_fails_is_refined_until_it_passes() -> None:
    llm = model(BAD, GOOD)
    with start_run() as run:
        draft = await (await a2r(llm, rounds=5))(ASK)
    assert told(draft) == ["The museum opened in 1881."]
    assert called(run) == ["write", "refine"]
    assert "contradicted by [1]: correct it" in llm.calls[1].messages[-1].content


@pytest.mark.parametrize("drafted", [MISCITED, EXTRA, HALF])
async def test_marks_alone_are_counted_then_fixed_without_a_call(drafted: Claims) -> None:
    search = await shelf(museum=DOCUMENTS["museum"], whale=BESIDE)
    with start_run() as run:
        draft = await (await a2r(model(drafted), search=search))(ASK)
    assert called(run) == ["write"]
    (measured,) = [event.note for event in run.events if event.stage == "assess"]
    assert "citation precision 1.00" not in measured
    assert {each.document_id for claim in draft.claims for each in claim.citations} == {"museum"}


async def test_marks_are_fed_back_where_a_draft_is_refined_anyhow() -> None:
    search = await shelf(museum=DOCUMENTS["museum"], whale=BESIDE)
    llm = model(written((RIGHT[0], [2]), WRONG), GOOD)
    await (await a2r(llm, search=search))(ASK)
    assert "cites [2] in vain: cite [1]." in llm.calls[1].messages[-1].content


@pytest.mark.parametrize("rounds", [0, 1, 2, 3])
async def test_1_plus_k_calls_with_computed_feedback(rounds: int) -> None:
    with start_run() as run:
        await (await a2r(model(BAD, MIXED, OTHER, MORE), rounds=rounds))(ASK)
    assert called(run) == ["write", *["refine"] * rounds]
    assert run.meter.used.completions == 1 + rounds == 1 + run.meter.rounds


@pytest.mark.parametrize(("keep", "kept"), [(Keep.BEST, OTHER), (Keep.LAST, BAD)])
async def test_a_worse_refinement_is_not_kept(keep: Keep, kept: Claims) -> None:
    draft = await (await a2r(model(OTHER, BAD), rounds=1, keep=keep))(ASK)
    assert told(draft) == [each.text for each in kept.claims]


async def test_saying_nothing_is_better_than_what_nothing_upholds() -> None:
    draft = await (await a2r(model(written(), BAD), rounds=1))(ASK)
    assert told(draft) == []
    assert sources(draft) == ["museum"]


@pytest.mark.parametrize("drafts", [[BAD, BAD], [written(), written()], [BAD, OTHER, BAD]])
async def test_a_draft_that_was_there_before_is_not_refined_again(drafts: list[Claims]) -> None:
    with start_run() as run:
        await (await a2r(model(*drafts, GOOD), rounds=5))(ASK)
    assert run.meter.used.completions == len(drafts)


@pytest.mark.parametrize(
    ("drafts", "stages"),
    [
        ([GOOD], ["write"]),
        ([BAD, GOOD], ["write", "refine"]),
        ([BAD, MIXED, OTHER, GOOD], ["write", "refine", "refine", "final"]),
    ],
)
async def test_no_final_call_where_the_last_answer_passes(
    drafts: list[Line], stages: list[str]
) -> None:
    with start_run() as run:
        draft = await (await a2r(model(*drafts), final=True))(ASK)
    assert called(run) == stages
    assert told(draft) == ["The museum opened in 1881."]


async def test_thresholds_say_what_passes() -> None:
    half = Thresholds(support=0.5, citation_recall=0.5, citation_precision=0.5)
    with start_run() as run:
        await (await a2r(model(MIXED), thresholds=half))(ASK)
    assert called(run) == ["write"]


# --- the intrinsic baseline ----------------------------------------------------------------------


async def test_the_intrinsic_baseline_measures_nothing_and_keeps_the_last() -> None:
    entailment, llm = FakeEntailment(), model(GOOD, MIXED, BAD)
    method = await a2r(llm, entailment, intrinsic=True)
    with start_run() as run:
        draft = await method(ASK)
    assert told(draft) == ["The museum opened in 1882."]
    assert called(run) == ["write", "refine", "refine"]
    assert entailment.asked == []
    assert all("Judge this answer yourself" in c.messages[-1].content for c in llm.calls[1:])


async def test_the_intrinsic_baseline_takes_the_final_call_too() -> None:
    with start_run() as run:
        method = await a2r(model(GOOD, MIXED, BAD, OTHER), intrinsic=True, final=True)
        assert told(await method(ASK))[-1] == "The museum has a cafe."
    assert called(run) == ["write", "refine", "refine", "final"]


# --- handing over to another search --------------------------------------------------------------

MANY = Question("When did the museum on Cromwell Road open, who runs it, and what does entry cost?")
FREE = written(RIGHT, ("Entry is free on every day.", [2]))


async def test_what_no_passage_speaks_of_is_searched_for_once() -> None:
    search, llm = await shelf(1, **DOCUMENTS), model(GOOD, FREE, GOOD)
    with start_run() as run:
        draft = await (await a2r(llm, search=search, rounds=1))(MANY)
    assert [query.text for query in search.queries] == [MANY.text, "runs entry cost"]
    assert search.queries[1].parent == MANY.id
    assert sources(draft) == ["museum", "entry"]  # what was at hand keeps its number
    assert told(draft) == [RIGHT[0], "Entry is free on every day."]
    assert called(run) == ["write", "refine"]
    feedback = llm.calls[1].messages[-1].content
    assert "speaks of: Cromwell, Road, entry." in feedback  # found meanwhile
    assert "No passage speaks of: runs, cost." in feedback


async def test_without_handing_over_there_is_one_search() -> None:
    search = await shelf(1, **DOCUMENTS)
    await (await a2r(model(GOOD, FREE), search=search, hand_over=False, rounds=1))(MANY)
    assert search.queries == [MANY]


async def test_a_part_that_passes_all_the_same_is_not_searched_for() -> None:
    search = await shelf(1, **DOCUMENTS)
    await (await a2r(model(GOOD), search=search))(Question("When did the old museum open?"))
    assert len(search.queries) == 1


@pytest.mark.parametrize("error", [StorageError("no disk"), None])
async def test_a_search_for_what_is_missing_that_fails_or_finds_nothing_is_told(
    error: UpheldError | None,
) -> None:
    found = (await shelf(museum=DOCUMENTS["museum"])).search
    search = Asked(found, errors=[None, error])
    with start_run() as run:
        draft = await (await a2r(model(GOOD, GOOD), search=search))(MANY)
    assert told(draft) == [RIGHT[0]]
    label = f"failed: {error}" if error else "found nothing: runs entry cost"
    assert only_says(run.degraded, "search", label)


# --- the ladder ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("drafts", "advice", "answer", "label"),
    [
        ([DOWN], None, [DOCUMENTS["museum"]], "sentences are quoted"),
        ([MIXED, DOWN], None, [RIGHT[0], WRONG[0]], "the draft was not refined: down"),
        ([BAD, MIXED, DOWN, OTHER], None, [RIGHT[0], CAFE[0]], "the draft was not refined: down"),
        ([BAD, GOOD], [DOWN], [RIGHT[0]], "the feedback stands as it was computed: down"),
        ([BAD, MIXED, OTHER, DOWN], None, [RIGHT[0], CAFE[0]], "the draft was not refined: down"),
    ],
)
async def test_the_model_fails_at_each_call(
    drafts: list[Line], advice: list[Line] | None, answer: list[str], label: str
) -> None:
    llm = model(*drafts, advice=advice)
    with start_run() as run:
        draft = await (await a2r(llm, phrase=Phrase(llm=llm), final=True))(ASK)
    assert told(draft) == answer
    assert label in run.degraded[0]


async def test_a_verifier_that_is_dead_leaves_a_draft() -> None:
    method = await a2r(model(GOOD, OTHER, MORE), FakeEntailment(faults=[Fault.KILLED]))
    with start_run() as run:
        draft = await method(ASK)
    assert {claim.verdict.support for claim in draft.claims} == {Support.NOT_CHECKED}
    assert any("claims were not checked" in label for label in run.degraded)


@pytest.mark.parametrize(("calls", "best"), [(1, BAD), (2, MIXED), (3, MIXED)])
async def test_when_the_calls_are_used_up_the_best_draft_so_far_is_kept(
    calls: int, best: Claims
) -> None:
    with start_run(Budget(llm_calls=calls)) as run:
        method = await a2r(model(BAD, MIXED, written(CAFE), GOOD), rounds=5)
        with pytest.raises(BudgetExceededError):
            await method(ASK)
    assert run.best is not None
    assert told(run.best) == [each.text for each in best.claims]
    assert run.meter.used.requests == calls


async def test_a_budget_of_rounds() -> None:
    with start_run(Budget(rounds=1)) as run:
        await (await a2r(model(BAD, MIXED, GOOD), rounds=5))(ASK)
    assert called(run) == ["write", "refine"]


async def test_without_a_language_model_the_first_draft_stands() -> None:
    method = await a2r(FakeLLM([]), write=ExtractiveWriter(), refine=None)
    with start_run() as run:
        draft = await method(ASK)
    assert told(draft) == [DOCUMENTS["museum"]]
    assert only_says(run.degraded, "no language model", "refined")
    assert run.best is draft


async def test_nothing_found_is_an_abstention_without_a_call() -> None:
    with start_run() as run:
        draft = await (await a2r(FakeLLM([]), search=Asked()))(ASK)
    assert draft.claims == ()
    assert called(run) == []


async def test_a_run_is_not_needed() -> None:
    assert told(await (await a2r(model(BAD, GOOD)))(ASK)) == ["The museum opened in 1881."]
