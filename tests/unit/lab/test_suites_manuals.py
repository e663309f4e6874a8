"""The suite `manuals`, over two made-up manuals that a package would install."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from upheld.errors import NotFoundError, UsageError
from upheld.ingest.read import ReadDocument, read
from upheld_lab.bench.split import Split
from upheld_lab.bench.suites import read_once
from upheld_lab.bench.suites.choose import load_suite
from upheld_lab.bench.suites.manuals import FILE, UNANSWERABLE
from upheld_lab.bench.suites.suite import Asked, GoldText, Suite

WINCH = "The winch lifts 40 kg. It must rest for five minutes after each lift."
BRAKE = "The brake holds the winch when the power fails."
LAMP = "The lamp turns once in eight seconds."


def row(id: str, kind: str, *gold: tuple[str, str], **more: Any) -> dict[str, Any]:
    """A record as the pack has them, of the manual of the winch."""
    return {
        "id": id,
        "side": "dev",
        "package": "winch-doc",
        "root": "winch",
        "corpus": "html/*.html",
        "question": f" Question {id}? ",
        "kind": kind,
        "answerable": kind != "unanswerable",
        "short_answers": [],
        "reference": f"Reference {id}.",
        "gold": [{"file": file, "quote": quote} for file, quote in gold],
    } | more


LIFT, REST, STOP = ("html/lift.html", "The winch lifts 40 kg."), ("html/lift.html", WINCH), (
    "html/stop.html", BRAKE,
)  # fmt: skip
ROWS = [
    row("fact", "fact", LIFT, short_answers=["40 kg", "forty kilograms"]),
    row("short", "fact", LIFT, short_answers=["40"], needs_quote=True),
    row("yes", "yesno", STOP, short_answers=["Yes"], needs_quote=True),
    row("both", "comparison", REST, STOP, short_answers=["a paraphrase"], all_gold=True),
    row("why", "definition", STOP, also=[{"file": LIFT[0], "quote": LIFT[1]}]),
    row("none", "unanswerable"),
    row("lamp", "fact", ("lamp.txt", LAMP), package="lamp-doc", root="lamp", corpus="**/*.txt"),
]


def write_pack(folder: Path, rows: list[dict[str, Any]]) -> Path:
    """The records, whose manuals lie in the folder too."""
    file = folder / FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    told = ({**each, "root": str(folder / each["root"])} for each in rows)
    file.write_text("".join(f"{json.dumps(each)}\n" for each in told), encoding="utf-8")
    return folder


def install(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    body = text if path.suffix == ".txt" else f"<html><body><p>{text}</p></body></html>"
    path.write_text(body, encoding="utf-8")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    install(tmp_path, "winch/html/lift.html", WINCH)
    install(tmp_path, "winch/html/stop.html", BRAKE)
    install(tmp_path, "winch/notes.html", "No page of the manual.")
    install(tmp_path, "lamp/lamp.txt", LAMP)
    return write_pack(tmp_path, ROWS)


def load(pack: Path) -> Suite:
    return load_suite("manuals", pack, split=Split.DEV)


def by_id(suite: Suite) -> dict[str, Asked]:
    return {each.id.removeprefix("manuals/"): each for each in suite.questions}


def test_the_passages_are_those_of_the_manuals_by_their_packages(pack: Path) -> None:
    suite = load(pack)
    assert {each.uri: each.text for each in suite.passages} == {
        "winch-doc/html/lift.html": WINCH,
        "winch-doc/html/stop.html": BRAKE,
        "lamp-doc/lamp.txt": LAMP,
    }
    assert all(each.id == each.document_id for each in suite.passages)
    assert all(each.text[each.start : each.end] == each.text for each in suite.passages)
    assert str(pack) not in repr(suite)


def test_manuals_are_searched_whole_however_few_passages_are_asked_for(pack: Path) -> None:
    assert load_suite("manuals", pack, split=Split.DEV, limit=1, passages=1) == replace(
        load(pack), questions=load(pack).questions[:1]
    )


def test_gold_is_the_passage_that_has_the_quote(pack: Path) -> None:
    suite = load(pack)
    uris = {each.id: each.uri.partition("/")[2] for each in suite.passages}
    gold = {name: {uris[id] for id in each.gold} for name, each in by_id(suite).items()}
    assert gold["fact"] == {"html/lift.html"}
    assert gold["both"] == gold["why"] == {"html/lift.html", "html/stop.html"}
    assert gold["none"] == set()


def test_what_a_right_answer_contains(pack: Path) -> None:
    asked = by_id(load(pack))
    assert asked["fact"].text == "Question fact?"
    assert {name: each.gold_text for name, each in asked.items() if name != "lamp"} == {
        "fact": GoldText(("40 kg", "forty kilograms"), ((LIFT[1],),), None, "Reference fact."),
        "short": GoldText((), ((LIFT[1],),), None, "Reference short."),
        "yes": GoldText((), ((BRAKE,),), True, "Reference yes."),
        "both": GoldText((), ((WINCH,), (BRAKE,)), None, "Reference both."),
        "why": GoldText((), ((BRAKE, LIFT[1]),), None, "Reference why."),
        "none": None,
    }
    assert {each.answerable for name, each in asked.items() if name != "none"} == {True}
    assert asked["none"].answerable is False


def test_manuals_that_are_not_installed_are_named_with_the_command(tmp_path: Path) -> None:
    write_pack(tmp_path, ROWS)
    install(tmp_path, "winch/notes.html", "No page of the manual.")
    with pytest.raises(NotFoundError, match="not installed here: lamp-doc, winch-doc") as raised:
        load(tmp_path)
    assert raised.value.help.endswith("apt-get install --no-install-recommends lamp-doc winch-doc")
    install(tmp_path, "lamp/lamp.txt", LAMP)
    with pytest.raises(NotFoundError, match="not installed here: winch-doc"):
        load(tmp_path)


def test_another_version_of_a_manual_has_another_hash(pack: Path) -> None:
    before = load(pack).hashes
    assert set(before) == {"dev.jsonl", UNANSWERABLE, "lamp-doc", "winch-doc"}
    install(pack, "winch/html/stop.html", f"{BRAKE} It is red.")
    after = load(pack).hashes
    assert [name for name in before if before[name] != after[name]] == ["winch-doc"]


def test_a_file_is_read_once_until_it_or_a_version_changes(
    pack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []

    def counted(content: bytes, name: str) -> ReadDocument:
        names.append(name)
        return read(content, name)

    monkeypatch.setattr(read_once, "read", counted)
    first = load(pack)
    assert sorted(names) == ["lamp.txt", "lift.html", "stop.html"]
    names.clear()
    assert load(pack) == first
    assert names == []
    install(pack, "winch/html/stop.html", f"{BRAKE} It is red.")
    assert load(pack) != first
    assert names == ["stop.html"]
    monkeypatch.setattr(read_once, "ingest_version", lambda *_: "another")
    load(pack)
    assert len(names) == 4


def test_where_nothing_can_be_cached_the_manuals_are_read_again(
    pack: Path, own_cache: Path
) -> None:
    first = load(pack)
    shutil.rmtree(own_cache)
    own_cache.write_text("a file where the folder should be", encoding="utf-8")
    assert load(pack) == first


def test_our_own_questions_come_with_their_manual(pack: Path) -> None:
    assert not [each for each in load(pack).questions if each.id.startswith("manuals/own-")]
    git = {"package": "git-doc", "root": "lamp", "corpus": "**/*.txt"}
    write_pack(pack, [*ROWS, row("git", "fact", ("lamp.txt", LAMP), **git)])
    own = [each for each in load(pack).questions if each.id.startswith("manuals/own-")]
    assert own
    assert all(each.id.startswith("manuals/own-git-") for each in own)
    assert {each.answerable for each in own} == {False}


def test_each_of_our_own_questions_is_noted_with_what_is_absent() -> None:
    text = (resources.files("upheld_lab.bench.suites") / UNANSWERABLE).read_text(encoding="utf-8")
    own = [json.loads(line) for line in text.splitlines()]
    assert len(own) == len({each["id"] for each in own}) == 40
    assert len({each["question"].casefold() for each in own}) == 40
    assert all(each["absent_terms"] and each["reference"] and each["why"] for each in own)


def test_a_quote_that_was_cut_in_two_is_where_its_longest_sentence_is(pack: Path) -> None:
    quote = f"{BRAKE} This is on the next page."
    write_pack(pack, [row("cut", "definition", ("html/stop.html", quote))])
    suite = load(pack)
    (gold,) = suite.questions[0].gold
    assert next(each.text for each in suite.passages if each.id == gold) == BRAKE


def test_a_row_of_a_table_is_where_nearly_all_of_its_words_are(pack: Path) -> None:
    install(pack, "winch/html/parts.html", "Part: drum; weight: 12 kg; colour: red.")
    rows = [
        row("row", "table", ("html/parts.html", "drum 12 kg red")),
        row("gone", "table", ("html/parts.html", "motor 90 kg red")),
        row("lost", "table", ("html/lost.html", "drum 12 kg red")),
    ]
    asked = by_id(load(write_pack(pack, rows)))
    assert {name: len(each.gold) for name, each in asked.items()} == {
        "row": 1,
        "gone": 0,
        "lost": 0,
    }


def test_there_are_no_questions_on_test(pack: Path) -> None:
    with pytest.raises(UsageError, match="no questions on test"):
        load_suite("manuals", pack)
