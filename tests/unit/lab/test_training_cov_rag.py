"""CoV-RAG's examples: wrong drafts are wrong, marks valid, sides apart, prompts the library's."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import BaseModel
from typer.testing import CliRunner

from tests.unit.fake_kb import kb
from tests.unit.lab.lighthouses import NAMES, Lighthouses, articles, asked, built
from upheld.errors import NotFoundError, UsageError
from upheld.generation.write import WriteClaims
from upheld.run.trace import start_run
from upheld.text.words import words
from upheld.types import Draft, Question
from upheld.verification.chain import Chain, ChainVerify, Direct, Judgment
from upheld_lab.bench.split import Split, split_of_article
from upheld_lab.cli.train import app
from upheld_lab.testing.fake_llm import FakeLLM
from upheld_lab.training.cov_rag.check import label_accuracy
from upheld_lab.training.cov_rag.damage import damage
from upheld_lab.training.cov_rag.data import (
    EXAMPLES,
    TO_CHECK,
    Recipe,
    answering,
    make_data,
    second_half,
    verifying,
)
from upheld_lab.training.cov_rag.drafts import (
    SPOILS,
    Others,
    Shown,
    Spoil,
    changed,
    damaged,
    right,
    wrong_marks,
)
from upheld_lab.training.cov_rag.labels import chain_of
from upheld_lab.training.language_model.examples import Example, read_examples
from upheld_lab.training.sources import GoldQuestion, OwnSource, without_leaks

BY_ID = {each.id: each for each in articles()}
WRITTEN = {"claims": [{"sources": [2], "text": "Many birds nest below the lighthouse of Vell."}]}


def shown(*ids: str, question: GoldQuestion = asked("Vell")[0]) -> Shown:
    return Shown(question, question.text, tuple(BY_ID[id] for id in ids))


def dice() -> random.Random:
    return random.Random(1)


def ignore(_: str, __: int, ___: int) -> None:
    """Nobody watches."""


async def made(out: Path, llm: FakeLLM | None = None) -> list[Example]:
    await make_data(Lighthouses(), Recipe(passages=3), out, ignore, llm)
    return read_examples(out / EXAMPLES)


def test_a_right_draft_has_the_answer_and_the_number_of_gold() -> None:
    written = right(shown("Orrin-1", "Vell-0", "Vell-1"), dice())
    assert written is not None
    (claim,) = written.claims
    assert claim.sources == [2]
    assert built("Vell") in claim.text
    chain = chain_of(written)
    assert chain.judgment is Judgment.TRUE
    assert (chain.reference_correctness, chain.correctness, chain.citation_accuracy) == (1, 1, 1)
    assert (chain.bias, chain.truthfulness, chain.revised_question) == (0, 1, "")


def test_without_gold_the_right_draft_is_an_empty_list_and_its_judgment_unclear() -> None:
    written = right(shown("Orrin-0", "Vell-1"), dice())
    assert written is not None
    assert written.claims == ()
    assert chain_of(written).judgment is Judgment.UNCLEAR
    unanswerable = right(shown("Vell-0", question=asked("Vell")[2]), dice())
    assert unanswerable is not None
    assert unanswerable.claims == ()
    assert chain_of(unanswerable).bias == 0


def test_where_a_passage_that_is_not_gold_has_the_answer_nothing_is_made() -> None:
    copy = replace(BY_ID["Vell-0"], id="copy")
    question = asked("Vell")[0]
    assert right(Shown(question, question.text, (copy, BY_ID["Orrin-1"])), dice()) is None


@pytest.mark.parametrize("spoil", SPOILS)
@pytest.mark.parametrize("seed", range(5))
def test_every_spoilt_draft_is_judged_wrong(spoil: Spoil, seed: int) -> None:
    one = shown("Vell-0", "Orrin-1", "Vell-1")
    others = Others(["1950", "1811"], shown("Harrow-0", "Harrow-1"), shown("Tarn-1", "Wick-1"))
    spoilt = spoil(one, random.Random(seed), others)
    assert spoilt is not None
    chain = chain_of(spoilt)
    assert chain.judgment is not Judgment.TRUE
    if spoilt.claims:
        assert chain.judgment is Judgment.FALSE
    assert all(1 <= mark <= len(spoilt.shown.passages) for c in spoilt.claims for mark in c.sources)


def test_a_changed_fact_no_longer_has_the_answer_and_is_untrue() -> None:
    spoilt = changed(shown("Vell-0"), dice(), Others(["1950"]))
    assert spoilt is not None
    assert "1950" in spoilt.text
    assert built("Vell") not in spoilt.text
    assert chain_of(spoilt).truthfulness == 0
    assert changed(shown("Vell-0"), dice(), Others(["a mason"])) is None  # no figure, so not alike


def test_wrong_marks_are_on_passages_that_do_not_say_it() -> None:
    spoilt = wrong_marks(shown("Vell-0", "Orrin-1", "Tarn-1"), dice(), Others([]))
    assert spoilt is not None
    (claim,) = spoilt.claims
    assert set(claim.sources) <= {2, 3}
    chain = chain_of(spoilt)
    assert (chain.citation_accuracy, chain.correctness) == (0, 1)


def test_a_damaged_question_is_revised_to_the_one_that_finds_gold() -> None:
    one, worse = shown("Vell-0"), replace(shown("Tarn-1"), text="light built")
    spoilt = next(
        made
        for seed in range(9)
        if (made := damaged(one, random.Random(seed), Others([], None, worse)))
    )
    assert spoilt.shown.text == "light built"
    chain = chain_of(spoilt)
    assert chain.revised_question == one.question.text
    assert chain.reference_correctness == 0
    assert damaged(one, dice(), Others([])) is None


@pytest.mark.parametrize("question", ["When was the Vell light built?", "who", "Who?", "", "a b c"])
def test_damage_changes_the_words(question: str) -> None:
    for seed in range(20):
        assert words(damage(question, random.Random(seed))) != words(question) or not question


async def test_the_writer_is_asked_byte_by_byte_what_it_was_trained_on() -> None:
    made = right(shown("Orrin-1", "Vell-0", "Vell-1"), dice())
    assert made is not None
    example = answering(made, half=1)
    llm = FakeLLM([example.reply])
    with start_run():
        draft = await WriteClaims(llm=llm)(Question(made.shown.text), made.draft.evidence)
    assert llm.calls[0].messages == example.messages
    assert [each.text for each in draft.claims] == [each.text for each in made.draft.claims]
    output = llm.calls[0].output
    assert output is not None
    assert output.model_validate_json(example.reply)


async def test_so_is_the_checker_with_the_chain_and_without() -> None:
    spoilt = wrong_marks(shown("Vell-0", "Orrin-1"), dice(), Others([]))
    assert spoilt is not None
    draft: Draft = spoilt.draft
    outputs: tuple[type[BaseModel], ...] = (Chain, Direct)
    for example, output in zip(verifying(spoilt), outputs, strict=True):
        llm = FakeLLM([example.reply])
        with start_run():
            verified = await ChainVerify(llm=llm, chain=output is Chain)(draft)
        assert llm.calls[0].messages == example.messages
        assert output.model_validate_json(example.reply)
        assert verified.scores == (chain_of(spoilt) if output is Chain else None)


async def test_no_article_is_on_two_sides_or_in_two_halves_and_test_trains_nothing(
    tmp_path: Path,
) -> None:
    examples = await made(tmp_path)
    assert {each.split for each in examples} == {Split.TRAIN, Split.DEV}
    places: dict[str, set[tuple[Split, int]]] = {}
    for each in examples:
        places.setdefault(each.document, set()).add((each.split, each.half))
        assert split_of_article(each.document) is each.split
    assert all(len(found) == 1 for found in places.values())
    for name in NAMES:
        side = split_of_article(f"Lighthouse of {name}")
        told = [e for e in examples if e.split is not side and f"of {name} stands" in str(e)]
        assert not told  # not even as a passage beside


def test_both_halves_have_about_as_many_questions() -> None:
    articles = ["Vell"] * 5 + ["Orrin"] * 3 + ["Marsh"] * 2 + ["Fenn"]
    second = second_half(articles)
    assert sum(each in second for each in articles) == 5
    assert second_half(reversed(articles)) == second


async def test_every_arm_has_as_many_examples(tmp_path: Path) -> None:
    examples = await made(tmp_path)
    train = [each for each in examples if each.split is Split.TRAIN]
    tasks = {
        task: {e.question for e in train if e.task == task and e.half == 2}
        for task in ("answer", "chain", "direct")
    }
    assert tasks["answer"] == tasks["chain"] == tasks["direct"] != set()
    assert {e.task for e in train if e.half == 1} == {"answer"}
    judged = [Chain.model_validate_json(e.reply).judgment for e in train if e.task == "chain"]
    assert {Judgment.TRUE, Judgment.FALSE} <= set(judged)


async def test_marks_are_numbers_of_passages_that_are_shown(tmp_path: Path) -> None:
    for each in await made(tmp_path):
        if each.task == "answer":
            (ask,) = [message.content for message in each.messages if message.role == "user"]
            for claim in json.loads(each.reply)["claims"]:
                assert claim["sources"]
                assert all(f"[{number}]\n```" in ask for number in claim["sources"])


async def test_a_seed_model_writes_some_of_the_drafts_and_its_failures_are_replaced(
    tmp_path: Path,
) -> None:
    examples = await made(tmp_path, FakeLLM(lambda *_: WRITTEN))
    own = [each for each in examples if each.kind == "model" and each.task == "chain"]
    assert own
    assert all(Chain.model_validate_json(e.reply).judgment is Judgment.FALSE for e in own)
    broken = await made(tmp_path, FakeLLM([]))
    assert not [each for each in broken if each.kind == "model"]


async def test_the_same_seed_makes_the_same_examples(tmp_path: Path) -> None:
    assert await made(tmp_path / "one") == await made(tmp_path / "two")


def test_a_question_that_two_sides_ask_is_nobodys() -> None:
    one = asked("Vell")[0]
    other = replace(one, id="x", text=one.text.lower(), split=Split.TEST, article="elsewhere")
    assert without_leaks([one, other]) == []
    assert without_leaks([replace(one, split=Split.DEV)] * 2) == [replace(one, split=Split.DEV)]


async def test_labels_are_checked_by_hand(tmp_path: Path) -> None:
    await made(tmp_path)
    path = tmp_path / TO_CHECK
    with pytest.raises(UsageError, match="nothing is read"):
        label_accuracy(path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert all(Chain.model_validate(row["label"]) for row in rows)
    for row in rows[:4]:
        row["right"] = row is not rows[0]
    path.write_text("\n".join(map(json.dumps, rows)))
    found = label_accuracy(path)
    assert (found.read, found.right) == (4, 3)
    assert found.low < found.accuracy < found.high
    with pytest.raises(NotFoundError):
        label_accuracy(tmp_path / "elsewhere")


async def test_your_own_lines_are_split_by_document_and_see_their_side_only(tmp_path: Path) -> None:
    opened = await kb(tmp_path)
    folder = tmp_path / "isles"
    folder.mkdir()
    for name in NAMES:
        (folder / f"{name}.txt").write_text(f"The lighthouse of {name} was built in {built(name)}.")
    await opened.add(folder)
    lines, documents = list[dict[str, object]](), list[str]()
    for name in NAMES:
        (hit,) = await opened.search(f"lighthouse of {name}", limit=1)
        documents.append(hit.passage.document_id)
        question = {"question": f"When was {name} built?", "answers": [built(name)]}
        lines.append({**question, "gold": [hit.passage.id]})
    lines += [{"question": "What does it cost?", "answerable": False}, {"question": "Why?"}]
    file = tmp_path / "mine.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    source = OwnSource(file, opened._parts)
    questions = await source.questions()
    sides = [split_of_article(each) for each in documents]  # by path, which is new in each run
    assert {each.split for each in questions} <= {Split.TRAIN, Split.DEV}
    asked = [each for each in questions if each.gold]
    assert len(asked) == len(sides) - sides.count(Split.TEST)
    assert "Why?" not in {each.text for each in questions}
    indexed = [split_of_article(each.id) for each in await opened.documents()]
    for side in (Split.TRAIN, Split.DEV):
        (found,) = await source.search(["lighthouse"], side, 3)
        assert len(found) == min(3, indexed.count(side))
        assert all(split_of_article(each.document_id) is side for each in found)
    file.write_text('{"question": "Who?", "answers": ["Ada"], "gold": ["nowhere"]}')
    with pytest.raises(UsageError, match="nowhere"):
        await source.questions()
    await opened.close()


def test_the_command_line_wants_the_pack_or_your_lines(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["data", "cov-rag", "--out", str(tmp_path)])
    assert isinstance(result.exception, UsageError)
    assert "--questions" in str(result.exception)
