"""A language model of one's own, and answers as plain data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from tests.unit.fake_kb import QUESTION, TEXT, WRITTEN
from upheld import AsyncUpheld, Upheld
from upheld.cli import show
from upheld.errors import SettingsError
from upheld.types import Answer, Status
from upheld_lab.testing.fake_llm import FakeLLM


class Closing(FakeLLM):
    """Knows whether it was closed."""

    closed = False

    async def close(self) -> None:
        self.closed = True


def test_a_language_model_of_ones_own_writes_the_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = tmp_path / "ferry.txt"
    document.write_text(TEXT, encoding="utf-8")
    llm = Closing(lambda *_: WRITTEN)
    with Upheld.open(tmp_path / "kb", llm=llm, local_models=False) as kb:
        kb.add(document)
        answer = kb.ask(QUESTION)
        assert kb.settings.llm_model == llm.identity
        assert len(kb.search("ferry")[:1]) == 1
    assert llm.closed
    assert len(llm.calls) == 1
    assert str(answer) == "It takes 35 minutes. [1]"
    assert llm.identity in answer.pipeline
    [citation] = answer.claims[0].citations
    assert (citation.title, citation.uri) == (answer.sources[0].title, document.as_uri())
    show.print_json(answer)
    printed = json.loads(capsys.readouterr().out)
    assert printed == answer.to_dict() == json.loads(answer.to_json(indent=2))
    assert printed["claims"][0]["citations"][0]["uri"] == document.as_uri()


async def test_two_language_models_are_one_too_many(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="name another one"):
        await AsyncUpheld.open(tmp_path, llm=FakeLLM([]), llm_url="http://127.0.0.1:9/v1")


def test_answers_kept_before_citations_named_their_document_still_load() -> None:
    kept = Answer("i", "q", Status.ANSWERED, "rag", "t").to_dict()
    before = {"passage_id": "p", "document_id": "d", "document_version": "v", "start": 0, "end": 1}
    kept["claims"] = [{"text": "t", "citations": [{**before, "quote": "t"}]}]
    [claim] = TypeAdapter(Answer).validate_python(kept).claims
    assert (claim.citations[0].title, claim.citations[0].uri) == ("", "")
    schema = TypeAdapter(Answer).json_schema()["$defs"]["Citation"]["properties"]
    assert {"title", "uri", "page", "heading_path"} <= schema.keys()
