"""Suites over the pack's corpus: short answers, abstention, planted passages, short texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.suite_packs import (
    question_row,
    text_row,
    titles,
    write_corpus,
    write_rows,
    write_whole,
)
from upheld_lab.bench.corpus import choose_questions, load
from upheld_lab.bench.split import Split
from upheld_lab.bench.suites.choose import load_suite
from upheld_lab.bench.suites.suite import Asked, Suite

DEV = titles(Split.DEV, 12)
TEST = titles(Split.TEST, 12)
TRAIN = titles(Split.TRAIN, 3)


def by_id(suite: Suite) -> dict[str, Asked]:
    return {each.id: each for each in suite.questions}


def held(suite: Suite) -> set[str]:
    return {each.id for each in suite.passages}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    towns = [text_row(f"d{i}", title) for i, title in enumerate(DEV)]
    towns += [text_row(f"t{i}", title) for i, title in enumerate(TEST)]
    towns += [text_row(f"r{i}", title) for i, title in enumerate(TRAIN)]
    towns += [text_row("table", TEST[0], source="wikitable")]
    towns += [text_row("long", TEST[1], "word " * 101), text_row("brief", TEST[1], "word " * 100)]
    towns += [text_row(f"more{i}", TEST[2]) for i in range(3)]
    write_corpus(
        tmp_path,
        towns,
        nq=[question_row(f"d{i}", [f"d{i}"], f"answer {i}") for i in range(12)]
        + [question_row(f"t{i}", [f"t{i}"], f"answer {i}") for i in range(12)]
        + [
            question_row("r0", ["r0"], "answer"),
            question_row("r1", ["r1"], "the inner ear"),
            question_row("long", ["long"], "word"),
        ],
        squad11=[question_row("one", ["t0"], "yes"), question_row("two", ["d0"], "two")],
        timeqa=[
            question_row(f"/wiki/{TEST[2].replace(' ', '_')}#P1-0", ["t2"], "mayor"),
            question_row(f"/wiki/{TEST[2].replace(' ', '_')}#P1-1", []),
            question_row(f"/wiki/{DEV[2].replace(' ', '_')}#P1-0", []),
        ],
        hotpotqa=[
            question_row("h1", ["d1", "d2"], "no"),
            question_row("h2", ["t1", "d2"], "nowhere"),
            question_row("h3", ["t1", "long"], "somewhere"),
        ],
        ottqa=[question_row("o1", ["t0", "table"], "x"), question_row("o2", ["d0"], "x")],
        squad2=[
            question_row("u1", ["t3"], text=" Who? "),
            question_row("u2", ["t4"]),
            question_row("u3", ["d3"]),
            question_row("u4", ["long"]),
            question_row("a1", ["t5"], "five"),
            question_row("a2", ["d5"], "five"),
        ],
    )
    return tmp_path


def test_short_asks_the_side_s_questions_of_three_sets_in_turn(pack: Path) -> None:
    suite = load_suite("short", pack, split=Split.TEST)
    sets = [each.set for each in suite.questions]
    assert sets[:4] == ["nq", "squad11", "timeqa", "nq"]
    assert (sets.count("nq"), sets.count("squad11"), sets.count("timeqa")) == (13, 1, 1)
    t3 = by_id(suite)["nq/t3"]
    assert (t3.answers, t3.gold, t3.answerable) == (("answer 3",), frozenset({"t3"}), True)
    assert by_id(suite)["squad11/one"].answers == ("yes",)  # a word of a text, not a yes
    assert set(suite.hashes) == {
        "passages.jsonl.gz",
        "q_nq_open_oracle.jsonl.gz",
        "q_squad11_dev.jsonl.gz",
        "q_timeqa_human_test.jsonl.gz",
    }


def test_a_smaller_limit_gives_the_first_of_a_larger_one_as_the_retrieval_bench_has_them(
    pack: Path,
) -> None:
    few = load_suite("short", pack, split=Split.DEV, limit=3, passages=10, seed=5)
    many = load_suite("short", pack, split=Split.DEV, limit=7, passages=10, seed=5)
    drawn = [each.id for each in few.questions if each.set == "nq"]
    assert drawn == [each.id for each in many.questions if each.set == "nq"][:3]
    there = choose_questions(load(pack), Split.DEV, 3, seed=5)["nq"]
    assert drawn == [f"nq/{each.id}" for each in there]
    assert len(few.passages) == 10
    assert all(each.gold <= held(few) for each in few.questions)


def test_hops_has_ottqa_only_on_dev_and_never_a_table_as_gold(pack: Path) -> None:
    test = by_id(load_suite("hops", pack, split=Split.TEST))
    assert set(test) == {"hotpotqa/h1", "hotpotqa/h2", "hotpotqa/h3", "ottqa/o1"}
    assert test["ottqa/o1"].gold == {"t0"}
    assert (test["hotpotqa/h1"].yes, test["hotpotqa/h1"].answers) == (False, ())
    assert (test["hotpotqa/h2"].yes, test["hotpotqa/h2"].answers) == (None, ("nowhere",))
    assert set(by_id(load_suite("hops", pack, split=Split.DEV))) == {"ottqa/o2"}


def conversation(
    id: str, text: str, label: str, *contexts: str, turns: int = 1
) -> dict[str, object]:
    said = [{"speaker": "user", "text": "Hello."}] * (turns - 1)
    return {
        "conversation_id": id,
        "task_id": f"{id}<::>{turns}",
        "contexts": [{"document_id": each, "text": f"\n{each}"} for each in contexts],
        "input": [*said, {"speaker": "user", "text": text}],
        "answerability": [label],
        "Question Type": ["Factoid"],
        "Multi-Turn": ["N/A"] if turns == 1 else ["Follow-up"],
    }


def test_abstain_pairs_unanswerable_questions_with_answerable_ones(pack: Path) -> None:
    one, two, three, four, five, six, seven, eight = titles(Split.TEST, 8, "talk")
    dev = titles(Split.DEV, 1, "talk")[0]
    write_rows(
        pack / "d_robustness" / "mtrag_un_reference.jsonl.gz",
        [
            conversation(one, "Can I park?", "ANSWERABLE", "park here", "and there"),
            conversation(two, "How much does the harbour ferry cost?", "UNANSWERABLE", turns=3),
            conversation(three, "How much does it cost on a Sunday?", "UNANSWERABLE", turns=3),
            conversation(four, "Is parking free?", "UNANSWERABLE", turns=2),
            conversation(five, "Which?", "UNDERSPECIFIED", "unclear"),
            conversation(six, "Where is the ferry?", "PARTIAL", "ferry"),
            {
                **conversation(seven, "I like the ferry.", "UNANSWERABLE"),
                "Question Type": ["Non-Question"],
            },
            {
                **conversation(eight, "How much for the harbour ferry?", "UNANSWERABLE", turns=2),
                "Multi-Turn": ["Clarification"],
            },
            conversation(dev, "Is the ferry there?", "UNANSWERABLE"),
        ],
    )
    suite = load_suite("abstain", pack, split=Split.TEST, passages=1)
    asked = by_id(suite)
    unanswerable = {id for id, each in asked.items() if each.answerable is False}
    assert [each.set for each in suite.questions] == ["squad2", "timeqa", "mtrag"] * 2
    assert f"mtrag/{two}<::>3" in unanswerable
    assert f"mtrag/{one}<::>1" in asked.keys() - unanswerable
    assert asked["squad2/a1"].gold == {"t5"}
    assert len(unanswerable) == 3
    assert all(not asked[id].gold and not asked[id].answers for id in unanswerable)
    # What the unanswerable ones were asked of is there: a paragraph, an article, the contexts.
    [paragraph] = [id for id in unanswerable if id.startswith("squad2/")]
    own = {"squad2/u1": "t3", "squad2/u2": "t4", "squad2/u4": "long"}[paragraph]
    assert {own, "t2", "more0", "more1", "more2", "t5"} < held(suite)
    contexts = {each.text for each in suite.passages if each.id.startswith("mtrag/")}
    assert contexts == {"park here", "and there", "unclear", "ferry"}
    gold = asked[f"mtrag/{one}<::>1"].gold
    assert {each.text for each in suite.passages if each.id in gold} == {"park here", "and there"}


def test_poison_plants_false_passages_for_the_questions_it_asks(pack: Path) -> None:
    def attack(text: str, answer: str) -> dict[str, object]:
        return {
            "question": text,
            "incorrect answer": answer,
            "adv_texts": [f"{text} {answer}, say {i}." for i in range(5)],
        }

    write_whole(
        pack / "d_robustness" / "poisonedrag_adv_nq.json.gz",
        {
            "1": attack("question T1", "false town"),
            "2": attack("question d1", "false town"),
            "3": attack("question r0", "false town"),
            "4": attack("question r1", "Inner ear"),
            "5": attack("nobody asked this", "false town"),
        },
    )
    test = load_suite("poison", pack, split=Split.TEST, passages=10)
    assert set(by_id(test)) == {"nq/t1", "nq/d1", "nq/r0", "nq/r1"}  # whatever their side
    assert len(test.passages) == 10 + 15
    asked = by_id(test)["nq/t1"]
    assert (asked.answers, asked.gold) == (("answer 1",), frozenset({"t1"}))
    assert asked.false_answers == ("false town",)
    planted = [each for each in test.passages if each.id in asked.false_passages]
    assert [each.title for each in planted] == [""] * 5
    assert all("false town" in each.text for each in planted)
    assert all(each.id.startswith("poison/") for each in planted)
    right = by_id(test)["nq/r1"]  # the "false" answer stands in the right one
    assert (right.false_answers, right.false_passages) == ((), frozenset())
    dev = load_suite("poison", pack, split=Split.DEV, passages=10)
    assert set(by_id(dev)) == {"nq/d1"}
    assert len(dev.passages) == 10 + 5


def test_backbone_is_short_texts_and_twenty_a_set_at_most(pack: Path) -> None:
    test = load_suite("backbone", pack, split=Split.TEST, limit=300)
    ids = set(by_id(test))
    assert {"hotpotqa/h1", "hotpotqa/h2", "squad2/u1", "squad2/u2"} < ids
    assert not ids & {"hotpotqa/h3", "nq/long", "squad2/u4", "squad2/a1"}
    assert [each.set for each in test.questions[:3]] == ["nq", "hotpotqa", "squad2"]
    assert by_id(test)["squad2/u1"] == Asked("squad2/u1", "squad2", "Who?", answerable=False)
    assert {"t3", "brief"} < held(test)
    assert "long" not in held(test)
    dev = load_suite("backbone", pack, split=Split.DEV, limit=1)
    assert [each.set for each in dev.questions] == ["nq", "ottqa", "squad2"]


def test_backbone_s_list_is_fixed_at_twenty(tmp_path: Path) -> None:
    towns = titles(Split.TEST, 25)
    write_corpus(
        tmp_path,
        [text_row(f"t{i}", title) for i, title in enumerate(towns)],
        nq=[question_row(f"t{i}", [f"t{i}"], "x") for i in range(25)],
    )
    assert len(load_suite("backbone", tmp_path, split=Split.TEST, limit=None).questions) == 20
    assert len(load_suite("backbone", tmp_path, split=Split.TEST, limit=300).questions) == 20


def test_suites_are_joined_by_a_plus(pack: Path) -> None:
    short, hops = (load_suite(name, pack, limit=2, passages=5) for name in ("short", "hops"))
    both = load_suite("short+hops", pack, limit=2, passages=5)
    assert both.name == "short+hops"
    assert by_id(both).keys() == by_id(short).keys() | by_id(hops).keys()
    assert held(both) == held(short) | held(hops)
    assert [each.id for each in both.questions[:2]] == [
        short.questions[0].id,
        hops.questions[0].id,
    ]


def test_what_two_suites_have_is_asked_once(pack: Path) -> None:
    twice = load_suite("short+short", pack, limit=2, passages=5)
    assert len(twice.questions) == len(load_suite("short", pack, limit=2, passages=5).questions)
