"""From sample documents to cited answers, on the real engine, readers, embedder and LLM server."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.servers.llama import MODEL
from upheld import AsyncUpheld, Budget, Cause, Status, Support, Upheld, UpheldError
from upheld.cli import main
from upheld.types import Answer

DOCUMENTS = Path(__file__).parents[3] / "examples" / "documents"


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kb")
    with Upheld.open(folder) as opened:
        report = opened.add(DOCUMENTS)
    assert (report.added, report.failed) == (3, ())
    return folder


@pytest.fixture(scope="module")
def opened(kb: Path) -> Iterator[Upheld]:
    """Models take a second to load: once for all questions."""
    with Upheld.open(kb) as client:
        yield client


def briefly(kb: Path, llm_url: str) -> Upheld:
    """With a tiny language model, which has little to say, and says it slowly."""
    return Upheld.open(kb, llm_url=llm_url, llm_model=MODEL, answer_tokens=60, passages=2)


def texts_match(kb: Upheld, answer: Answer) -> bool:
    """Whether each quote stands in its document where it says."""
    citations = [citation for claim in answer.claims for citation in claim.citations]
    return all(
        kb.document_text(c.document_id, version=c.document_version)[c.start : c.end] == c.quote
        for c in citations
    )


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When does the lighthouse open to visitors?", "9:30"),
        ("How long does the ferry crossing take?", "35 minutes"),
        ("How many pairs of puffins were counted in 2023?", "2,340"),
        ("Who built Harrow Point Lighthouse?", "Agnes Tolliver"),
    ],
)
def test_quotes_answer_offline(opened: Upheld, question: str, expected: str) -> None:
    answer = opened.ask(question)
    assert answer.status is Status.ANSWERED
    assert expected in answer.text
    assert answer.text.count("[1]") >= 1
    assert answer.degraded == ()
    assert texts_match(opened, answer)
    for claim in answer.claims:
        assert claim.verdict.support is Support.SUPPORTED
        assert (claim.verdict.cause, claim.verdict.checked_by) == (Cause.QUOTED, "quote")
        assert claim.verdict.evidence_for == claim.citations
    assert {event.stage for event in answer.trace} >= {"search", "embed", "write", "verify"}


@pytest.mark.parametrize(
    "question", ["Which enzyme breaks down lactose?", "What is the capital of Peru?"]
)
def test_a_question_about_something_else_is_not_answered(opened: Upheld, question: str) -> None:
    answer = opened.ask(question)
    assert (answer.status, answer.claims, answer.sources) == (Status.ABSTAINED, (), ())


def test_the_plain_and_the_async_client_say_the_same(kb: Path, opened: Upheld) -> None:
    question = "What does a ticket for an adult cost?"

    async def asked() -> Answer:
        async with await AsyncUpheld.open(kb) as client:
            return await client.ask(question)

    plain = opened.ask(question)
    awaited = opened.run(asked())
    assert plain.text == awaited.text
    assert plain.claims == awaited.claims


def test_without_local_models_search_is_by_words_and_says_so(tmp_path: Path) -> None:
    with Upheld.open(tmp_path / "kb", local_models=False) as opened:
        opened.add(DOCUMENTS)
        answer = opened.ask("How long does the ferry crossing take?")
    assert "35 minutes" in answer.text
    assert any("no embedder" in label for label in answer.degraded)


def test_labels_limit_who_sees_what(tmp_path: Path) -> None:
    with Upheld.open(tmp_path / "kb") as opened:
        opened.add(DOCUMENTS / "lighthouse.md", labels=["wardens"])
        opened.add(DOCUMENTS / "ferry.txt")
        question = "When does the lighthouse open to visitors?"
        assert "9:30" in opened.ask(question, labels=["wardens"]).text
        assert "9:30" in opened.ask(question).text
        for labels in (["guests"], []):
            hidden = opened.ask(question, labels=labels)
            assert "9:30" not in hidden.text
            assert all("lighthouse.md" not in source.uri for source in hidden.sources)


def test_documents_keep_their_labels_when_none_are_given(tmp_path: Path) -> None:
    with Upheld.open(tmp_path / "kb") as opened:
        document = tmp_path / "secret.txt"
        document.write_text("The takeover price is nine million.", encoding="utf-8")
        opened.add(document, labels=["board"])
        document.write_text("The takeover price is ten million.", encoding="utf-8")
        assert opened.add(document).changed == 1
        question = "What is the takeover price?"
        assert "ten million" in opened.ask(question, labels=["board"]).text
        assert "million" not in opened.ask(question, labels=["staff"]).text
        assert opened.add(document, labels=[]).changed == 1
        assert "ten million" in opened.ask(question, labels=["staff"]).text


def test_a_closed_knowledge_base_says_so(tmp_path: Path) -> None:
    opened = Upheld.open(tmp_path / "kb")
    opened.close()
    with pytest.raises(UpheldError, match="closed"):
        opened.documents()


@pytest.mark.real
def test_the_language_model_writes_claims_with_exact_citations(kb: Path, llama_server: str) -> None:
    with briefly(kb, llama_server) as opened:
        answer = opened.ask("How long does the ferry crossing take?")
        assert answer.status in (Status.ANSWERED, Status.ABSTAINED)  # no word about quality
        assert answer.usage.requests == 1
        assert answer.usage.completion_tokens > 0
        assert texts_match(opened, answer)
    for claim in answer.claims:
        assert answer.text[claim.start : claim.end] == claim.text
        assert {c.passage_id for c in claim.citations} <= {source.id for source in answer.sources}
    assert not any("no language model" in label for label in answer.degraded)
    assert all(claim.verdict.cause is not None for claim in answer.claims)  # each was looked at


@pytest.mark.real
@pytest.mark.campaign
def test_a_strict_answer_of_the_language_model_says_only_what_is_upheld(
    kb: Path, llama_server: str
) -> None:
    with briefly(kb, llama_server) as opened:
        answer = opened.ask("How long does the ferry crossing take?", keep_supported=True)
    supports = {claim.verdict.support for claim in answer.claims}
    assert supports <= {Support.SUPPORTED, Support.NOT_CHECKWORTHY}
    assert (Support.SUPPORTED in supports) == (answer.status is Status.ANSWERED)


def test_when_the_language_model_is_down_sentences_are_quoted_and_it_says_so(kb: Path) -> None:
    # Port 9 on loopback: nothing listens there.
    with Upheld.open(kb, llm_url="http://127.0.0.1:9/v1", llm_model="none") as opened:
        answer = opened.ask("How long does the ferry crossing take?", budget=Budget(seconds=30))
    assert "35 minutes" in answer.text
    assert any("no language model" in label for label in answer.degraded)


@dataclass(frozen=True, slots=True)
class Told:
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str


Command = Callable[..., Told]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """The command line in this process; one of its own takes seconds to start."""
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> Told:
        monkeypatch.setattr(sys, "argv", ["upheld", *words])
        with pytest.raises(SystemExit) as end:
            main()
        assert isinstance(end.value.code, int)
        return Told(end.value.code, *capsys.readouterr())

    return command


def test_the_command_line_prints_the_same_object_as_the_library(
    kb: Path, opened: Upheld, tmp_path: Path
) -> None:
    question = "How long does the ferry crossing take?"
    command = [sys.executable, "-m", "upheld", "ask", question, "--kb", str(kb), "--json"]
    told = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert told.returncode == 0, told.stderr
    printed = json.loads(told.stdout)
    answer = opened.ask(question)
    assert printed["text"] == answer.text
    assert printed["status"] == "answered"
    assert printed["claims"][0]["citations"][0]["quote"] == answer.claims[0].citations[0].quote
    assert {claim["verdict"]["support"] for claim in printed["claims"]} == {"supported"}
    assert {claim["verdict"]["cause"] for claim in printed["claims"]} == {"quoted"}
    assert printed["guarantee"] is None


def test_the_command_line_shows_verdicts(kb: Path, run: Command) -> None:
    question = "How long does the ferry crossing take?"
    told = run("ask", question, "--kb", str(kb), "--keep-supported")
    assert told.code == 0, told.err
    lines = [line.strip() for line in told.out.splitlines()]
    assert lines[0].startswith("This probably answers the question")
    assert next(line for line in lines[1:] if line).startswith("✓ ")
    assert "word for word in [1]" in lines
    assert lines[-1].startswith("✓ ")
    assert lines[-1].endswith(" supported")


def test_strict_exits_as_an_abstention_where_nothing_is_upheld(
    tmp_path: Path, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A sentence inside of a quotation can be quoted, but its document does not say it.
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "letter.md").write_text(
        '# A letter\n\nShe wrote: "We are tired. The ferry crossing takes nine hours. Goodbye."\n',
        encoding="utf-8",
    )
    question = "How long does the ferry crossing take?"
    monkeypatch.setenv("UPHELD_LOCAL_MODELS", "false")
    run("index", str(folder))
    assert run("ask", question).code == 0
    told = run("ask", question, "--keep-supported")
    assert told.code == 3, told.out
    assert "No sentence of the answer could be upheld" in told.out
    assert "keep_supported: 1 claim was not upheld" in told.out


def test_exit_codes(kb: Path, run: Command) -> None:
    at = ("--kb", str(kb))
    assert run("ask", "Which enzyme breaks down lactose?", *at).code == 3
    assert run("ask", "   ", *at).code == 2
    assert run("ask", "Why?", "--method", "magic", *at).code == 2
    assert run("ask", "--no-such-option").code == 2
    alone = run("ask", "Why?", "--judge", *at)
    assert alone.code == 2
    assert "--llm URL and --model NAME" in alone.err


def test_asking_an_empty_knowledge_base_says_what_to_do(tmp_path: Path, run: Command) -> None:
    told = run("ask", "Why?", "--kb", "nothing-here")
    assert told.code == 2
    assert "upheld index" in told.err
    assert not (tmp_path / "nothing-here").exists()


def test_doctor_looks_at_every_part(kb: Path, run: Command) -> None:
    told = run("doctor", "--kb", str(kb), "--json")
    assert told.code == 0, told.out
    checks = {check["part"]: check for check in json.loads(told.out)["checks"]}
    assert checks["knowledge base"]["seen"].endswith("passages")
    assert checks["embedder"]["ok"]
    assert checks["verifier"]["ok"]
    assert checks["verifier"]["seen"].startswith("upheld-verifier-int8:")
    assert checks["verifier"]["seen"].endswith(" MB")
    assert checks["readers"]["ok"]
    nobody = ("--llm", "http://127.0.0.1:9/v1", "--model", "m")
    down = run("doctor", "--kb", str(kb), *nobody)
    assert down.code == 1


def test_unchanged_files_are_skipped_and_removed_ones_deleted(tmp_path: Path, run: Command) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    for source in DOCUMENTS.iterdir():
        (folder / source.name).write_bytes(source.read_bytes())
    told = json.loads(run("index", str(folder), "--json").out)
    assert (told["added"], told["unchanged"]) == (3, 0)
    asked = ("ask", "How long does the ferry crossing take?")
    assert "35 minutes" in run(*asked).out
    (folder / "ferry.txt").unlink()
    told = json.loads(run("index", str(folder), "--json").out)
    assert (told["added"], told["unchanged"], told["deleted"]) == (0, 2, 1)
    assert "35 minutes" not in run(*asked).out
