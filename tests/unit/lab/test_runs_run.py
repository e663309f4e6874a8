"""A run on fakes: what is asked in which order, and what is left after any interruption."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from upheld.errors import BulkError, LLMRejectedError, LLMUnavailableError, UsageError
from upheld.generation.write import Claims
from upheld.ingest.chunk import Chunker
from upheld.ingest.worker import ReadWorker
from upheld.ports import IndexedDocument, Message
from upheld.resources.open import Resources
from upheld.retrieval.grade import Grade
from upheld.settings import Settings, load_settings
from upheld.types import Document, Passage, content_hash
from upheld.verification.chain import Chain
from upheld.verification.verify import Verify
from upheld_lab.bench.runs import in_workers as workers
from upheld_lab.bench.runs.ask_variants import Ask
from upheld_lab.bench.runs.records import Outcome, Scores
from upheld_lab.bench.runs.run import Plan, run_on
from upheld_lab.bench.runs.scoring import Judges, score_again
from upheld_lab.bench.runs.store import RunFolder
from upheld_lab.bench.runs.summary import summary
from upheld_lab.bench.runs.variants import parse_variants
from upheld_lab.bench.scores.cost import Prices
from upheld_lab.bench.suites.suite import Asked, Suite
from upheld_lab.testing.fake_bulk import FakeBulk
from upheld_lab.testing.fake_embedder import FakeEmbedder
from upheld_lab.testing.fake_entailment import FakeEntailment
from upheld_lab.testing.fake_grader import FakeGrader
from upheld_lab.testing.fake_index import FakeIndex
from upheld_lab.testing.fake_llm import FakeLLM, Line, Script

TEXTS = {
    "ferry": "The ferry to Harrow takes 35 minutes. Dogs travel free of charge.",
    "museum": "The museum of Harrow opened in 1881. Entry to the museum is free.",
    "light": "The lighthouse of Harrow was built in 1874 by Agnes Tolliver.",
}
QUESTIONS = (
    Asked("q/1", "q", "How long does the ferry take?", ("35 minutes",), gold=frozenset({"ferry"})),
    Asked("q/2", "q", "When did the museum open?", ("1881",), gold=frozenset({"museum"})),
    Asked("q/3", "q", "Who built the lighthouse?", ("Agnes Tolliver",), gold=frozenset({"light"})),
)
METHODS = "rag,cov_rag:rounds=2,rag:passages=1"
CALLS = 16  # one of each rag; cov_rag writes and judges, and again where the revised one finds more
TIMES = frozenset({"seconds", "cached_share"})  # the fake's prefix cache dies with its process


class KilledError(RuntimeError):
    """Stands in for a kill: nobody handles it."""


def said(messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
    """The same to the same words: a claim, or that the question is to be asked otherwise."""
    assert output is not None
    if issubclass(output, Claims):
        return {"claims": [{"sources": [1], "text": "It takes 35 minutes, since 1881."}]}
    assert issubclass(output, Chain)
    shares = dict.fromkeys(Chain.model_fields, 0.2)
    return {**shares, "judgment": "false", "revised_question": "How long is the ferry's crossing?"}


class Killed:
    """A script that ends the process before its n-th line."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        if not self.left:
            raise KilledError
        self.left -= 1
        return said(messages, output)


async def parts_with(script: Script | None) -> tuple[Resources, FakeLLM]:
    embedder = FakeEmbedder()
    index = FakeIndex(embedder.identity, embedder.dimension)
    for name, text in TEXTS.items():
        passage = Passage(name, text, name, content_hash(text), 0, len(text))
        document = Document(name, f"{name}.txt", "", text, "")
        vectors = await embedder.embed([text])
        await index.upsert("default", [IndexedDocument(document, (passage,), vectors)])
    llm = FakeLLM(script or [])
    parts = Resources(
        settings=load_settings(),
        index=index,
        embedder=embedder,
        llm=None if script is None else llm,
        verify=Verify(model=FakeEntailment()),
        grade=Grade(grader=FakeGrader(), upper=0.5, lower=-0.5),
        chunker=Chunker(),
        reader=ReadWorker(),
    )
    return parts, llm


def plan_for(out: Path, methods: str = METHODS, **more: Any) -> Plan:
    fields = {
        "suite": Suite("own", QUESTIONS, (), {"own.jsonl": "hash"}),
        "variants": parse_variants(methods),
        "settings": load_settings(),
        "out": out,
        "cache": out,
    }
    return Plan(**{**fields, **more})


def unseen(what: str, done: int, total: int) -> None:
    """Nobody watches."""


JUDGES = Judges(verifier=FakeEntailment(), prices=Prices(1.0, 1.0, 2.0))


async def run(plan: Plan, script: Script | None = said) -> tuple[RunFolder, FakeLLM]:
    parts, llm = await parts_with(script)
    return await run_on(plan, parts, JUDGES, unseen), llm


def scores_of(folder: RunFolder) -> dict[tuple[str, str], Scores]:
    """Without what depends on the clock; each pair is there once."""
    scored = folder.scored()
    table = {
        (each.question, each.variant): {
            name: value for name, value in each.scores.items() if name not in TIMES
        }
        for each in scored
    }
    assert len(table) == len(scored)
    return table


def answers_of(folder: RunFolder) -> dict[tuple[str, str], str]:
    return {(o.question, o.variant): str(o.answer) for o in folder.outcomes()}


# --- a run ---------------------------------------------------------------------------------------


async def test_all_variants_answer_a_question_before_the_next_each_first_in_turn(
    tmp_path: Path,
) -> None:
    folder, llm = await run(plan_for(tmp_path / "run"))
    a, b, c = METHODS.split(",")
    assert [(each.question, each.variant) for each in folder.outcomes()] == [
        *(("q/1", name) for name in (a, b, c)),
        *(("q/2", name) for name in (b, c, a)),
        *(("q/3", name) for name in (c, a, b)),
    ]
    assert len(scores_of(folder)) == 9
    assert folder.questions() == list(QUESTIONS)
    assert not any(each.untimed for each in folder.outcomes())
    usage = [each.answer.usage for each in folder.outcomes() if each.answer]
    assert sum(each.requests for each in usage) == len(llm.calls) == CALLS


async def test_a_variant_is_asked_as_it_says(tmp_path: Path) -> None:
    folder, _ = await run(plan_for(tmp_path / "run", "rag,rag:passages=1,a2r:preset=paper"), None)
    by_name = {each.variant: each.answer for each in folder.outcomes() if each.answer}
    assert by_name["rag:passages=1"].pipeline.startswith("rag(passages=1) | ")
    assert "test_before=False" in by_name["a2r:preset=paper"].pipeline


async def test_what_a_plain_search_found_is_noted_beside_each_answer(tmp_path: Path) -> None:
    folder, _ = await run(plan_for(tmp_path / "run"))
    found = {each.question: each.found for each in folder.outcomes()}
    assert found["q/1"][0] == "ferry"
    assert all(sorted(each.found) == sorted(TEXTS) for each in folder.outcomes())


async def test_the_manifest_names_what_figures_depend_on_and_no_secret(tmp_path: Path) -> None:
    plan = plan_for(tmp_path / "run", settings=load_settings(llm_api_key="sk-secret"))
    folder, _ = await run(plan)
    facts = folder.manifest()
    assert facts["variants"] == METHODS.split(",")
    assert facts["models"] == {
        "embedder": FakeEmbedder().identity,
        "grader": "fake-grader",
        "verifier": "fake-entailment",
    }
    assert facts["llm"] == "fake"
    assert facts["data"] == {"own.jsonl": "hash"}
    assert facts["scored_by"]["verifier"] == "fake-entailment"
    assert facts["scored_by"]["scorer"] is None
    assert facts["settings"]["passages"] == 5
    assert "sk-secret" not in (folder.path / "manifest.json").read_text()


async def test_several_questions_at_once_come_to_the_same(tmp_path: Path) -> None:
    one, _ = await run(plan_for(tmp_path / "one"))
    three, llm = await run(plan_for(tmp_path / "three", parallel=3))
    assert scores_of(one) == scores_of(three)
    assert len(llm.calls) == CALLS


async def test_small_models_may_read_once_for_all_variants(tmp_path: Path) -> None:
    apart, _ = await run(plan_for(tmp_path / "apart"))
    shared, _ = await run(plan_for(tmp_path / "shared", shared=True))
    assert scores_of(apart) == scores_of(shared)
    assert all(each.untimed for each in shared.outcomes())
    assert shared.manifest()["shared"] is True


async def test_what_variants_share_is_read_once(tmp_path: Path) -> None:
    parts, _ = await parts_with(said)
    grader, verifier = parts.grade.grader, parts.verify.model
    assert isinstance(grader, FakeGrader)
    assert isinstance(verifier, FakeEntailment)
    ask = Ask(parts, parse_variants(METHODS), tmp_path, shared=True)
    outcomes = list[Outcome]()
    await ask(0, QUESTIONS[0], (), outcomes.append)
    assert len(outcomes) == 3
    for asked in (grader.asked, verifier.asked):
        pairs = [pair for call in asked for pair in call]
        assert len(pairs) == len(set(pairs)) > 0


async def test_a_typed_error_is_an_outcome(tmp_path: Path) -> None:
    long = Asked("q/0", "q", "long " * 1000)
    suite = Suite("own", (QUESTIONS[0], long), (), {})
    folder, _ = await run(plan_for(tmp_path / "run", "rag", suite=suite))
    good, bad = folder.outcomes()
    assert good.error is None
    assert bad.answer is None
    assert re.match(r"UsageError: .*\b4999\b.*\b4000\b", bad.error or "")
    assert scores_of(folder)["q/0", "rag"]["answered"] == 0.0
    made = summary(folder)
    assert (made.answers, made.finished, made.complete) == (1, 2, True)
    assert made.errors == (bad.error,)


async def test_documents_must_be_there(tmp_path: Path) -> None:
    parts, _ = await parts_with(None)
    with pytest.raises(UsageError, match=r"no documents in .*, collection elsewhere"):
        await run_on(
            plan_for(tmp_path),
            replace(parts, settings=load_settings(collection="elsewhere")),
            JUDGES,
            unseen,
        )


# --- in workers ----------------------------------------------------------------------------------


async def in_workers(
    plan: Plan, monkeypatch: pytest.MonkeyPatch, script: Script = said
) -> tuple[RunFolder, FakeLLM]:
    """A run whose only worker is this process, with the same fakes."""
    parts, llm = await parts_with(script)

    async def opened(settings: Settings) -> Resources:
        assert settings.threads == 1
        return parts

    @asynccontextmanager
    async def judging(*_: object) -> AsyncIterator[Judges]:
        yield JUDGES

    monkeypatch.setattr(workers, "open_resources", opened)
    monkeypatch.setattr(workers, "open_judges", judging)
    return await run_on(plan, parts, JUDGES, unseen, FakeBulk()), llm


async def test_workers_come_to_the_same_without_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, _ = await run(plan_for(tmp_path / "here"))
    there, llm = await in_workers(plan_for(tmp_path / "there"), monkeypatch)
    assert scores_of(here) == scores_of(there)
    assert answers_of(here) == answers_of(there)
    assert len(llm.calls) == CALLS
    assert all(each.untimed for each in there.outcomes())
    again, unasked = await in_workers(plan_for(tmp_path / "there"), monkeypatch)
    assert len(again.outcomes()) == 9
    assert unasked.calls == []


@pytest.mark.parametrize("at", [1, 7, 13])
async def test_workers_go_on_with_a_run_that_was_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    whole, llm = await run(plan_for(tmp_path / "whole"))
    parts, before = await parts_with(Killed(at))
    plan = plan_for(tmp_path / "cut")
    with pytest.raises(KilledError):
        await run_on(plan, parts, JUDGES, unseen)
    cut, after = await in_workers(plan, monkeypatch)
    assert scores_of(cut) == scores_of(whole)
    assert len(before.calls) + len(after.calls) == len(llm.calls) + 1


async def test_a_question_that_a_worker_cannot_ask_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_for(tmp_path / "run", "rag")
    with pytest.raises(BulkError, match="q/2 failed: LLMUnavailableError: gone"):
        await in_workers(plan, monkeypatch, [said((), Claims), LLMUnavailableError("gone")])
    folder, llm = await in_workers(plan, monkeypatch)
    assert [each.question for each in folder.outcomes()] == ["q/1", "q/2", "q/3"]
    assert len(llm.calls) == 2


async def test_workers_begin_no_question_when_the_time_is_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, llm = await in_workers(plan_for(tmp_path / "run", hours=0.0), monkeypatch)
    assert (folder.outcomes(), llm.calls) == ([], [])
    assert not summary(folder).complete


# --- interruptions -------------------------------------------------------------------------------


@pytest.mark.parametrize("at", range(0, CALLS, 3))
async def test_killed_at_any_call_it_ends_the_same_and_repeats_nothing(
    tmp_path: Path, at: int
) -> None:
    whole, llm = await run(plan_for(tmp_path / "whole"))
    parts, before = await parts_with(Killed(at))
    plan = plan_for(tmp_path / "cut")
    with pytest.raises(KilledError):
        await run_on(plan, parts, JUDGES, unseen)
    cut, after = await run(plan)
    assert scores_of(cut) == scores_of(whole)
    assert answers_of(cut) == answers_of(whole)
    # The call that was under way when it was killed is the only one that was made twice.
    assert len(before.calls) + len(after.calls) == len(llm.calls) + 1
    began = [each for each in cut.outcomes() if each.untimed]
    assert len(began) <= 1
    assert all(each.variant.startswith("cov_rag") for each in began)  # others have one call
    assert len(cut.manifest()["resumed"]) == 1


async def test_killed_between_answers_and_scores_it_scores_what_is_missing(tmp_path: Path) -> None:
    plan = plan_for(tmp_path / "run")
    folder, _ = await run(plan)
    whole = scores_of(folder)
    scores = folder.path / "scores.jsonl"
    scores.write_bytes(scores.read_bytes()[:-100])
    _, llm = await run(plan)
    assert scores_of(folder) == whole
    assert llm.calls == []


async def test_no_question_is_begun_when_the_time_is_up(tmp_path: Path) -> None:
    folder, llm = await run(plan_for(tmp_path / "run", hours=0.0))
    assert folder.outcomes() == []
    assert not summary(folder).complete
    await run(plan_for(tmp_path / "run", hours=1.0))
    assert summary(folder).complete
    assert llm.calls == []


async def test_a_server_that_is_gone_stops_the_run_and_leaves_no_answer_without_it(
    tmp_path: Path,
) -> None:
    plan = plan_for(tmp_path / "run", "rag")
    with pytest.raises(LLMUnavailableError, match="gone"):
        await run(plan, [said((), Claims), LLMUnavailableError("gone")])
    assert [each.question for each in RunFolder(plan.out).outcomes()] == ["q/1"]
    folder, llm = await run(plan)
    assert len(folder.outcomes()) == 3
    assert len(llm.calls) == 2


async def test_a_model_that_does_not_exist_stops_at_once_but_a_long_prompt_later_does_not(
    tmp_path: Path,
) -> None:
    refused = LLMRejectedError("no such model")
    with pytest.raises(LLMRejectedError, match="no such model"):
        await run(plan_for(tmp_path / "one", "rag"), [refused])
    script = [said((), Claims), LLMRejectedError("too long"), said((), Claims)]
    folder, _ = await run(plan_for(tmp_path / "two", "rag"), script)
    _, refused_later, _ = folder.outcomes()
    assert refused_later.answer is not None
    assert "too long" in refused_later.answer.degraded[0]


# --- going on ------------------------------------------------------------------------------------


async def test_a_longer_list_goes_on_and_a_shorter_one_is_refused(tmp_path: Path) -> None:
    two = Suite("own", QUESTIONS[:2], (), {"own.jsonl": "hash"})
    folder, _ = await run(plan_for(tmp_path / "run", "rag", suite=two, limit=2))
    await run(plan_for(tmp_path / "run", "rag"))
    assert [each.question for each in folder.outcomes()] == ["q/1", "q/2", "q/3"]
    assert folder.manifest()["limit"] is None
    with pytest.raises(UsageError, match="run of 3 questions"):
        await run(plan_for(tmp_path / "run", "rag", suite=two))


async def test_another_run_is_refused_with_what_differs(tmp_path: Path) -> None:
    folder, _ = await run(plan_for(tmp_path / "run", "rag"))
    parts, _ = await parts_with(said)
    other = replace(parts, settings=load_settings(passages=3))
    changed = plan_for(tmp_path / "run", "rag,crag", seed=4)
    with pytest.raises(UsageError) as refused:
        await run_on(changed, other, Judges(), unseen)
    told = str(refused.value)
    assert "seed was 0, now 4" in told
    assert "variants was ['rag'], now ['rag', 'crag']" in told
    assert "settings.passages was 5, now 3" in told
    assert "scored_by.verifier was fake-entailment, now None" in told
    assert "search" not in told  # what is the same is not told
    assert "--out" in told
    assert folder.manifest()["resumed"] == []


async def test_a_run_with_another_planner_is_another_run(tmp_path: Path) -> None:
    folder, _ = await run(plan_for(tmp_path / "run", "rag"))
    parts, llm = await parts_with(said)
    with pytest.raises(UsageError, match="planner"):
        await run_on(plan_for(tmp_path / "run", "rag"), replace(parts, planner=llm), JUDGES, unseen)
    assert "planner" not in folder.manifest()["models"]


async def test_scoring_again_asks_nothing_and_replaces_all(tmp_path: Path) -> None:
    folder, _ = await run(plan_for(tmp_path / "run"))
    before = scores_of(folder)
    count = await score_again(folder, Judges(), unseen)
    assert count == 9
    after = scores_of(folder)
    assert after.keys() == before.keys()
    assert {each["alce_recall_by_verifier"] for each in after.values()} == {None}
    assert {each["alce_recall_by_verifier"] for each in before.values()} != {None}
    assert folder.manifest()["scored_by"] == {"scorer": None, "verifier": None, "prices": None}
    await score_again(folder, JUDGES, unseen)
    assert scores_of(folder) == before
