from __future__ import annotations

from tests.messages import only_says
from tests.unit.drafts import ASK, DOCUMENTS, citation, claim, draft
from upheld.errors import LLMUnavailableError
from upheld.generation.extract import ExtractiveWriter
from upheld.generation.write import WriteClaims
from upheld.generation.writers import WriteAfter
from upheld.run.trace import start_run
from upheld.types import Question, Support
from upheld_lab.testing.fake_llm import FakeLLM, Line

EVIDENCE = draft(names=("museum",)).evidence
WHALE = claim("Hope is a blue whale.", Support.NOT_CHECKED, citation("whale"))
EARLIER = draft(WHALE, question=Question("Which whale?"), names=("entry", "whale"))
WRITTEN = {"claims": [{"sources": [1], "text": "It opened in 1881."}]}


def after(*lines: Line) -> tuple[FakeLLM, WriteAfter]:
    llm = FakeLLM(lines)
    return llm, WriteAfter(write=WriteClaims(llm=llm), quote=ExtractiveWriter())


async def test_with_nothing_before_it_it_is_the_plain_writer() -> None:
    llm, write = after(WRITTEN)
    plain = FakeLLM([WRITTEN])
    assert await write(ASK, EVIDENCE) == await WriteClaims(llm=plain)(ASK, EVIDENCE)
    assert llm.calls == plain.calls


async def test_earlier_answers_are_turns_without_their_passages() -> None:
    llm, write = after(WRITTEN)
    written = await write(ASK, EVIDENCE, [EARLIER])
    rules, user, assistant, last = llm.calls[0].messages
    assert rules.role == "system"
    assert user.content.endswith("Question: Which whale?")
    assert assistant.content == '{"claims": [{"sources": [2], "text": "Hope is a blue whale."}]}'
    assert DOCUMENTS["museum"] in last.content
    assert DOCUMENTS["whale"] not in "".join(each.content for each in llm.calls[0].messages)
    assert [each.text for each in written.claims] == ["It opened in 1881."]


async def test_where_the_model_fails_sentences_are_quoted() -> None:
    _, write = after(LLMUnavailableError("down"))
    with start_run() as run:
        quoted = await write(ASK, EVIDENCE, [EARLIER])
    assert [each.text for each in quoted.claims] == [DOCUMENTS["museum"]]
    assert only_says(run.degraded, "no language model", "down")


async def test_without_a_model_sentences_are_quoted() -> None:
    write = WriteAfter(write=None, quote=ExtractiveWriter())
    quoted = await write(ASK, EVIDENCE, [EARLIER])
    assert [each.text for each in quoted.claims] == [DOCUMENTS["museum"]]
