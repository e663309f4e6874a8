"""A knowledge base that version 0.1 made opens, and nothing of it is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from tests.stored_0_1 import EARLY, FOLDER, LATE, unpack
from upheld import AskOptions, Support, Upheld
from upheld._internal.deprecated import with_new_names
from upheld.calibration.fitted import read_guarantee
from upheld.calibration.labelled import read_labels, the_pipeline
from upheld.calibration.learn_then_test import calibrate
from upheld.prompts.prompt import parse
from upheld.types import Answer

QUESTION = "When does the ferry leave?"
PROMPT_OF_0_1 = FOLDER / "write.md"
DELETED_BY_0_1 = b"heliotrope"  # from the index, and its bytes not erased yet
DELETED_NOW = b"Tolliver"


@pytest.fixture(params=[EARLY, LATE])
def commit(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def folder(commit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    unpack(commit, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def kb(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Upheld]:
    """The documents are where they were: their addresses are those that 0.1 stored."""
    with Upheld.open("kb") as opened:
        then = opened.documents()[0].uri.rpartition("/")[0]
        now = (folder / "documents").resolve().as_uri()
        as_uri = Path.as_uri
        monkeypatch.setattr(Path, "as_uri", lambda path: as_uri(path).replace(now, then))
        yield opened


def names(kb: Upheld) -> list[str]:
    return sorted(each.uri.rpartition("/")[2] for each in kb.documents())


def bytes_of(folder: Path) -> bytes:
    files = (path for path in (folder / "kb").rglob("*") if path.is_file())
    return b"".join(path.read_bytes() for path in files)


def test_it_is_listed_searched_and_answers(kb: Upheld) -> None:
    assert names(kb) == ["ferry.md", "lighthouse.txt", "museum.html"]
    assert {each.labels for each in kb.documents()} == {frozenset({"islanders"})}
    assert kb.documents(labels=["tourists"]) == []
    assert kb.statistics().documents == 3
    found = kb.search("letters of the keepers", labels=["islanders"])
    assert found[0].passage.title == "Museum"
    assert found[0].passage.text.endswith("The museum shows 340 letters of the keepers.")
    assert not kb.search("letters of the keepers", labels=["tourists"])

    answer = kb.ask(QUESTION)
    assert (answer.claims[0].text, answer.degraded) == ("The ferry leaves at nine.", ())
    for claim in answer.claims:
        assert claim.verdict.support is Support.SUPPORTED
        for each in claim.citations:
            text = kb.document_text(each.document_id, version=each.document_version)
            assert text[each.start : each.end] == each.quote


def test_files_that_older_readers_read_are_replaced(kb: Upheld) -> None:
    before = {each.id: each.labels for each in kb.documents()}
    report = kb.add("documents")
    assert (report.changed, report.added, report.unchanged, report.deleted) == (3, 0, 0, 0)
    assert {each.id: each.labels for each in kb.documents()} == before
    assert kb.add("documents").unchanged == 3
    assert [hit.passage.title for hit in kb.search("letters of the keepers")].count("Museum") == 1


def test_files_are_changed_added_and_deleted(kb: Upheld) -> None:
    Path("documents/ferry.md").write_text("# Ferry\n\nThe ferry leaves at eleven.\n")
    Path("documents/tide.txt").write_text("The tide is high at six.\n")
    Path("documents/museum.html").unlink()
    report = kb.add("documents")
    assert (report.added, report.deleted) == (1, 1)
    assert report.changed == 2  # the lighthouse was read by an older reader
    assert names(kb) == ["ferry.md", "lighthouse.txt", "tide.txt"]
    assert kb.ask(QUESTION).claims[0].text == "The ferry leaves at eleven."
    found = kb.search("The ferry leaves at nine.")
    assert not any("leaves at nine" in hit.passage.text for hit in found)


def test_what_was_deleted_then_and_now_is_erased(kb: Upheld, folder: Path) -> None:
    owed = folder / "kb" / "default" / "erase"
    assert any(owed.iterdir())
    assert DELETED_BY_0_1 in bytes_of(folder)
    assert DELETED_NOW in bytes_of(folder)
    assert kb.delete([each.id for each in kb.documents() if "lighthouse" in each.uri]) == 1
    assert names(kb) == ["ferry.md", "museum.html"]
    kb.maintain()
    assert DELETED_BY_0_1 not in bytes_of(folder)
    assert DELETED_NOW not in bytes_of(folder)
    assert not any(owed.iterdir())
    assert kb.ask(QUESTION).claims[0].text == "The ferry leaves at nine."


def test_a_stored_answer_has_the_names_of_today(folder: Path) -> None:
    stored = json.loads((folder / "answer.json").read_text(encoding="utf-8"))
    assert "relevance" not in stored["claims"][0]
    answer = TypeAdapter(Answer).validate_python(with_new_names(stored))
    assert [each.relevance for each in answer.claims] == [
        each["bearing"] for each in stored["claims"]
    ]
    assert answer.claims[0].relevance is not None
    assert answer.guarantee is not None
    shown = json.loads(answer.to_json())
    assert shown["claims"][0]["bearing"] == shown["claims"][0]["relevance"]
    assert shown["trace"] == stored["trace"]


def test_labels_and_a_guarantee_are_read(kb: Upheld, folder: Path) -> None:
    labels, fitted = read_labels(folder / "labels.jsonl"), read_guarantee(folder / "guarantee.json")
    assert fitted.pipeline == the_pipeline(labels)
    again = calibrate(
        [each.shown_score for each in labels],
        [each.supported for each in labels],
        clusters=[each.cluster for each in labels],
        alpha=fitted.alpha,
        delta=fitted.delta,
    )
    assert (again.threshold, again.claims) == (fitted.threshold, fitted.fitted_on.labels)
    # Scores of another version do not compare: the guarantee is read, and does not count.
    answer = kb.ask(QUESTION, options=AskOptions(guarantee=fitted))
    assert answer.guarantee is None
    [degraded] = answer.degraded
    assert "no guarantee" in degraded
    assert "another pipeline" in degraded


def test_calls_of_a_language_model_are_not_repeated(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same prompt has its reply in the cache; what 0.2 asks in other words is asked anew."""
    then = parse("write", PROMPT_OF_0_1.read_text(encoding="utf-8"))
    monkeypatch.setattr("upheld.methods.build.load", lambda _: then)
    written = json.loads((folder / "written.json").read_text(encoding="utf-8"))
    url = "http://127.0.0.1:11434/v1"  # where nobody listens: it is part of the cache's keys
    with Upheld.open("kb", call_cache=folder / "calls", llm_url=url, llm_model="scripted") as kb:
        answer = kb.ask(QUESTION)
    assert answer.usage.cached_completions == answer.usage.completions == 1
    assert (answer.text, answer.degraded) == (written["text"], ())
