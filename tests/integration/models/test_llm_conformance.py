from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.servers.llama import MODEL
from upheld.edge.openai.llm import OpenAILLM
from upheld.ports import LLM, Message, Sampling
from upheld.testing.llm_conformance import Choice, LLMConformance

pytestmark = pytest.mark.real


class TestOpenAILLMOnLlamaCpp(LLMConformance):
    @pytest.fixture
    async def llm(self, llama_server: str) -> AsyncIterator[LLM]:
        llm = OpenAILLM(llama_server, MODEL, concurrency=4)
        yield llm
        await llm.close()


@pytest.mark.parametrize(
    "text",
    [
        "The Romans built a wall of stone across the north of the island. " * 5,
        "In 1869, 12,345.67 tonnes (4.5 %) went by; see 0x9f3c-22ab-7781, §4(b)(ii). " * 4,
        "def f(x):\n    return {k: v**2 for k, v in x.items() if v != 0}  # squares\n" * 4,
        "静かな湖のほとりで、彼は千年前の詩を読んでいた。" * 4,
        "Die Straßenbahngesellschaft erhöhte überraschend die Fahrgeldnachforderungsgebühr. " * 4,
        "🙂🚀 ∑∫ ≠ ≤ – “quoted” … ½ ™ " * 6,
        "a b c d e f g h i j k l m n o p q r s t u v w x y z " * 4,
    ],
    ids=["prose", "numbers", "code", "japanese", "german", "symbols", "letters"],
)
async def test_the_estimate_is_above_a_real_tokenizer(llama_server: str, text: str) -> None:
    llm = OpenAILLM(llama_server, MODEL)
    messages = (Message("system", "Be brief."), Message("user", text))
    try:
        reply = await llm.generate(messages, Choice, Sampling(max_tokens=64))
    finally:
        await llm.close()
    assert llm.count_tokens(messages) >= reply.usage.prompt_tokens
