"""The rows that train a grader: no leak, no false negatives, strips as the stages show them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from upheld.errors import NotFoundError
from upheld.types import Passage
from upheld_lab.bench.corpus import BenchQuestion
from upheld_lab.bench.split import Split
from upheld_lab.training.grader import manuals
from upheld_lab.training.grader.candidates import tells_nothing
from upheld_lab.training.grader.data import examples_of
from upheld_lab.training.grader.examples import Example
from upheld_lab.training.grader.manuals import ManualQuestion
from upheld_lab.training.grader.questions import HYBRIDQA, Asked, without_leaks

TEXT = "Vell has a harbour. The lighthouse of Vell was built in 1869. Ferries leave at noon."


def passage(id: str, text: str, title: str = "Vell") -> Passage:
    return Passage(id, text, id, "v", 0, len(text), title=title)


def asked(*answers: str, gold: str = "gold", table: str = "table") -> Asked:
    text = "When was the lighthouse built?"
    return Asked("nq", text, answers, frozenset({gold}), frozenset({table}))


def question(set: str, text: str, gold: str, split: Split) -> BenchQuestion:
    return BenchQuestion(set, text, text, ("1869",), frozenset({gold}), split)


def test_what_may_answer_is_no_negative() -> None:
    of = asked("1869", "yes")
    assert tells_nothing(passage("a", "Yes, it was built in 1901."), of)  # a yes says nothing
    assert not tells_nothing(passage("a", "It was built in 1869."), of)
    assert not tells_nothing(passage("a", "It was rebuilt.", title="Fires of 1869"), of)
    assert not tells_nothing(passage("gold", "Nothing."), of)
    assert not tells_nothing(passage("table", "Nothing."), of)


def test_no_training_question_is_asked_elsewhere_in_any_set() -> None:
    kept = without_leaks(
        [
            question("nq", "When was it built?", "a", Split.TRAIN),
            question("squad11", "when was it built", "b", Split.TEST),
            question("squad11", "Who built it?", "c", Split.TRAIN),
            question("timeqa", "Who burnt it?", "d", Split.DEV),
            question("ottqa", "In what year did the keeper of it die?", "e", Split.TEST),
            question(HYBRIDQA, "When did the keeper die?", "e", Split.TRAIN),  # reworded there
            question(HYBRIDQA, "When did the painter die?", "f", Split.TRAIN),
            question("ottqa", "When did the captain die?", "e", Split.TRAIN),
        ]
    )
    assert [each.text for each in kept] == [
        "Who built it?",
        "When did the painter die?",
        "When did the captain die?",
    ]


def test_gold_helps_and_what_is_near_does_not() -> None:
    gold = passage("gold", TEXT)
    near = [passage(f"n{i}", f"Harbour {i} is small. It has no light.") for i in range(20)]
    everything = {each.id: each for each in (gold, *near)}
    rows = list(examples_of(asked("1869"), everything, near, random.Random(0), 2))
    whole = [row for row in rows if row.source == "nq"]
    assert [row.text for row in whole if row.helps] == [gold.searchable]
    drawn = [row.text for row in whole if not row.helps]
    assert 2 <= len(drawn) <= 3
    assert set(drawn) <= {each.searchable for each in near}
    assert [row.label for row in rows] == [0 if row.helps else 1 for row in rows]


def test_the_strip_with_the_answer_helps_and_the_one_beside_it_does_not() -> None:
    gold, near = passage("gold", TEXT), [passage("n", "Short.", title="Other")]
    everything = {each.id: each for each in (gold, *near)}
    for seed in range(10):
        rows = examples_of(asked("1869"), everything, near, random.Random(seed), 2)
        strips = [row for row in rows if row.source == "nq strips"]
        assert len(strips) == 3
        for row in strips:
            assert row.helps == ("1869" in row.text)
            assert row.text.split("\n")[0] in {"Vell", "Other"}  # the title, as a stage shows it


def test_a_passage_that_has_the_answer_twice_gives_no_strips() -> None:
    gold = passage("gold", TEXT + " It burnt down in 1901, and 1869 stands over the door.")
    rows = list(examples_of(asked("1869"), {"gold": gold}, [], random.Random(3), 2))
    assert {row.source for row in rows} <= {"nq", "nq strips"}
    for row in rows:
        assert row.helps == ("1869" in row.text)


PAGES = (
    "The relay listens on port 2525 unless the configuration names another one. It logs to syslog.",
    "Mail that cannot be sent stays in the queue for five days. Then it goes back to its sender.",
    "A queue file belongs to the user relay. Nobody else can read the files of the queue.",
)


def on_manual(phrase: str = "listens on port 2525") -> ManualQuestion:
    text = "Which port does the relay take by default?"
    return ManualQuestion("relay-doc", "relay/ports.html", text, "fact", phrase, ("2525",))


def manual_rows(near: list[Passage]) -> list[Example]:
    own = [passage(f"m{at}", text, title="relay") for at, text in enumerate(PAGES)]
    of = Asked("manuals", on_manual().text, (), frozenset({"m0"}), frozenset())
    return list(manuals.examples_of(on_manual(), of, own, near, random.Random(0)))


def test_of_a_manual_one_passage_and_one_sentence_answer() -> None:
    near = [passage(f"n{at}", f"Port {at} is for mail. It is open.") for at in range(20)]
    rows = manual_rows(near)
    right = [row for row in rows if row.helps]
    assert [row.source for row in right] == ["manuals", "manuals sentences"]
    assert all("listens on port 2525" in row.text for row in right)
    assert "syslog" in right[0].text
    assert "syslog" not in right[1].text
    wrong = [row.text for row in rows if not row.helps]
    assert any("five days" in text for text in wrong), "the passage beside is a negative"
    assert any(text.endswith("It logs to syslog.") for text in wrong), "and the sentence beside"
    assert not any("2525" in text for text in wrong)


def test_packages_of_manuals_are_on_one_side_and_none_is_in_the_bench() -> None:
    questions = manuals.read_questions()
    assert len(questions) > 1_000
    assert {each.split for each in questions} == {Split.TRAIN, Split.DEV}
    packages = {each.package for each in questions}
    assert not packages & {"postgresql-doc-15", "git-doc", "debian-reference-en", "gnuplot-doc"}
    for each in questions:
        assert 4 <= len(each.phrase.split()) <= 8, "a place to find, not a copy of the manual"
        assert each.text.strip() == each.text


def test_manuals_that_are_not_installed_are_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="relay-doc"):
        manuals._passages([on_manual()], tmp_path)
    (tmp_path / "relay").mkdir()
    (tmp_path / "relay/ports.html").write_text(f"<h1>Ports</h1><p>{PAGES[0]}</p>")
    (cut,) = manuals._passages([on_manual()], tmp_path)["relay/ports.html"]
    assert manuals._asked(on_manual(), [cut]).gold == {cut.id}
    assert not manuals._asked(on_manual("stands nowhere in there"), [cut]).gold


def test_own_questions_are_asked_of_passages_that_are_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "usr/share/doc/relay/ports.html"
    page.parent.mkdir(parents=True)
    page.write_text(f"<h1>Ports</h1><p>{PAGES[0]}</p>")
    monkeypatch.setattr(manuals, "read_questions", lambda: [on_manual()])
    monkeypatch.setattr(manuals.ManualQuestion, "split", Split.DEV)
    suite = manuals.manual_suite(tmp_path)
    (one,) = suite.passages
    assert one.document_id == one.id  # else the index refuses it
    assert suite.questions[0].gold == {one.id}
