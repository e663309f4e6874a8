"""`upheld bench run`, `score` and `judge`: what they refuse, and what they leave behind."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.servers.scripted_model import reply
from tests.servers.unruly import unruly
from upheld.cli import app
from upheld.errors import LLMUnavailableError, NotFoundError, UpheldError, UsageError
from upheld_lab.bench.runs.store import RunFolder


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UPHELD_LOCAL_MODELS", "false")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["bench", *arguments])
    if isinstance(result.exception, UpheldError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


TINY = ("run", "--suite", "tiny", "--writer", "quote", "--limit", "1", "--methods", "rag,crag")


def test_a_run_says_where_it_is_and_what_to_do_next(folder: Path) -> None:
    shown = run(*TINY)
    assert "7 of 7 questions by 2 methods; 14 answers" in shown
    assert "upheld bench report runs/tiny" in shown
    made = RunFolder(Path("runs/tiny"))
    assert len(made.outcomes()) == len(made.scored()) == 14
    assert made.manifest()["llm"] is None
    assert (folder / "cache" / "upheld" / "bench" / "kb").is_dir()


def test_the_same_command_again_has_nothing_to_do_and_a_longer_one_goes_on() -> None:
    once = json.loads(run(*TINY, "--out", "mine", "--json"))
    assert (once["run"], once["finished"], once["errors"]) == ("mine", 7, [])
    lines = Path("mine/answers.jsonl").read_bytes()
    run(*TINY, "--out", "mine")
    assert Path("mine/answers.jsonl").read_bytes() == lines
    more = json.loads(run(*TINY, "--limit", "2", "--out", "mine", "--json"))
    assert more["finished"] == more["questions"] == 14
    assert Path("mine/answers.jsonl").read_bytes().startswith(lines)
    with pytest.raises(UsageError, match="seed was 0, now 1"):
        run(*TINY, "--out", "mine", "--seed", "1")


def test_own_questions_are_asked_of_the_own_knowledge_base(folder: Path) -> None:
    (folder / "ferry.txt").write_text("The ferry takes 35 minutes. Dogs travel free of charge.")
    rows = [{"question": "How long does the ferry take?", "answers": ["35 minutes"]}]
    (folder / "own.jsonl").write_text("\n".join(map(json.dumps, rows)))
    indexed = CliRunner().invoke(app, ["index", "ferry.txt", "--kb", "kb"])
    assert indexed.exit_code == 0
    run("run", "--questions", "own.jsonl", "--kb", "kb", "--methods", "rag")
    (scored,) = RunFolder(Path("runs/own")).scored()
    assert (scored.set, scored.variant, scored.scores["correct"]) == ("own", "rag", 1.0)


def test_a_run_is_scored_again_with_prices() -> None:
    run(*TINY)
    assert json.loads(run("score", "runs/tiny", "--prices", "1,0.5,2", "--json")) == {
        "run": "runs/tiny",
        "scored": 14,
    }
    assert {each.scores["cost"] for each in RunFolder(Path("runs/tiny")).scored()} == {0.0}
    prices = RunFolder(Path("runs/tiny")).manifest()["scored_by"]["prices"]
    assert prices == {"prompt": 1.0, "cached_prompt": 0.5, "completion": 2.0}


def test_a_server_that_is_not_there_is_told_of_with_how_to_go_on() -> None:
    nobody = ("--llm", "http://127.0.0.1:9/v1", "--model", "m")
    with pytest.raises(LLMUnavailableError, match="cannot reach") as gone:
        run("run", "--suite", "tiny", "--limit", "1", "--methods", "rag", *nobody)
    assert "runs/tiny; run the same command again" in gone.value.help
    assert RunFolder(Path("runs/tiny")).outcomes() == []


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ((), "either --suite, or --questions"),
        (("--suite", "tiny", "--questions", "own.jsonl"), "either --suite, or --questions"),
        (("--suite", "tinny"), "Did you mean tiny"),
        (("--suite", "short"), "data pack"),
        (("--suite", "tiny", "--kb", "kb"), "--kb goes with --questions"),
        (("--suite", "tiny", "--methods", "rga"), "Did you mean rag"),
        (("--suite", "tiny", "--corpus", "many"), "--corpus is a number or 'all'"),
        (("--suite", "tiny", "--prices", "1,2"), "not three numbers"),
        (("--suite", "tiny", "--answer-tokens", "5"), "answer_tokens"),
        (("--suite", "tiny", "--model", "m"), "no server"),
        (("--suite", "tiny", "--scorer", "nowhere"), "no model.onnx in nowhere"),
        (
            ("--suite", "tiny", "--writer", "quote", "--llm", "http://x/v1", "--model", "m"),
            "--writer quote asks no language model",
        ),
        (("--questions", "nowhere.jsonl"), "no file nowhere.jsonl"),
        (("--suite", "tiny", "--on", "here"), "'here' is no place to work on"),
        (("--suite", "tiny", "--on", "local", "--parallel", "2"), "leave out --parallel"),
    ],
)
def test_what_cannot_run_is_refused_and_leaves_nothing(arguments: Any, match: str) -> None:
    with pytest.raises(UsageError, match=match):
        run("run", *arguments)
    assert not Path("runs").exists()


def test_only_a_run_can_be_scored() -> None:
    with pytest.raises(NotFoundError, match="holds no run"):
        run("score", "nowhere")


# --- the judge -----------------------------------------------------------------------------------


async def judged(url: str, *more: str) -> str:
    server = ("--llm", url, "--model", "qwen-1.5b")
    return await asyncio.to_thread(run, "judge", "runs/tiny", *server, *more)


async def test_a_run_is_judged_goes_on_and_is_reported_with_the_judges_name() -> None:
    await asyncio.to_thread(run, *TINY)
    async with unruly(reply) as server:
        none = await judged(server.url, "--hours", "0")
        assert "0 of 7 questions judged by qwen-1.5b; 0 failed." in none
        assert "run the same command again" in none
        made = json.loads(await judged(server.url, "--json"))
        asked = len(server.completions)
        again = await judged(server.url)
        assert len(server.completions) == asked >= 7
    assert made["judged"] + made["failed"] == made["questions"] == 7
    assert "upheld bench report runs/tiny" in again
    kept = RunFolder(Path("runs/tiny")).judged()
    assert [each.judge for each in kept] == ["qwen-1.5b"] * 7
    assert sum(each.qualities is None for each in kept) == made["failed"]
    report = json.loads(await asyncio.to_thread(run, "report", "runs/tiny", "--json"))
    assert report["judging"] == {
        "judge": "qwen-1.5b", "judged": made["judged"], "failed": made["failed"]
    }  # fmt: skip
    assert report["rows"][0]["cells"]["judge_high_quality"]["n"] == made["judged"]
    shown = await asyncio.to_thread(run, "report", "runs/tiny")
    assert "high-quality rate, by qwen-1.5b" in shown


def test_a_judge_that_is_not_there_is_told_of_with_how_to_go_on() -> None:
    run(*TINY)
    with pytest.raises(LLMUnavailableError, match="cannot reach") as gone:
        run("judge", "runs/tiny", "--llm", "http://127.0.0.1:9/v1", "--model", "m")
    assert "runs/tiny; run the same command again" in gone.value.help
    with pytest.raises(UsageError, match="A judge is a language model") as nobody:
        run("judge", "runs/tiny")
    assert "--model" in nobody.value.help
    assert not Path("runs/tiny/judgements.jsonl").exists()


def test_only_a_run_can_be_judged() -> None:
    with pytest.raises(NotFoundError, match="holds no run"):
        run("judge", "nowhere", "--llm", "http://127.0.0.1:9/v1", "--model", "m")
