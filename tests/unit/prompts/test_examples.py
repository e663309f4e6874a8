"""Every prompt that asks for JSON states its shape in words, and shows an example of that shape.

Each stage is called with a model that answers with the example it was shown, so that the example is
read with the very type that the stage reads replies with.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib import resources

import pytest
from pydantic import BaseModel

from tests.unit.drafts import ASK, citation, claim, draft, passage
from upheld.assessment.assess import assess
from upheld.assessment.feedback import Phrase, feedback
from upheld.edge.openai.strict_schema import strict_schema
from upheld.generation.refine import Refine, Restate, Round
from upheld.generation.short_answer import ShortAnswer
from upheld.generation.write import WriteClaims
from upheld.planning.next_question import NextQuestion
from upheld.planning.plan import Plan
from upheld.planning.select import Select
from upheld.planning.standalone import Standalone
from upheld.ports import Message
from upheld.prompts import load
from upheld.retrieval.rewrite import Rewrite
from upheld.run.trace import start_run
from upheld.types import Answer, Draft, Question, Status, Support
from upheld.verification.chain import ChainVerify, ReviseFirst
from upheld.verification.llm_judge import ask_judge
from upheld_lab.bench.scores.judge import Judge, Revision
from upheld_lab.testing.fake_llm import FakeLLM

OPENED = claim("The museum opened in 1881.", Support.SUPPORTED, citation("museum"))
WRONG = claim("It has two whales.", Support.UNSUPPORTED, citation("whale"))
DRAFT = draft(OPENED, WRONG, claim("Entry is free.", Support.SUPPORTED, citation("entry")))
FOUR = tuple(Question(f"What is part {number}?") for number in range(4))
ANSWER = Answer("1", ASK.text, Status.ANSWERED, "rag", "In 1881. [1]", sources=(passage("museum"),))
REVISION = Revision(ASK.text, ["1881"], [passage("museum")], "In 1882.", "When did it open?")

BENCH = "upheld_lab.bench.scores"
# Repeating this example is read as giving no other wording: see `chain.EXAMPLES`.
REPEATED = {"revise_first": ["the question was not revised: the model gave no other wording"]}
SHOWN_WITH_ANOTHER = {"answered"}  # earlier turns of a conversation, which ask for nothing


async def unchecked(draft: Draft) -> Draft:
    return draft


# What asks by each prompt.
CALLS: Mapping[str, Callable[[FakeLLM], Awaitable[object]]] = {
    "write": lambda llm: WriteClaims(llm=llm)(ASK, DRAFT.evidence),
    "write_detailed": lambda llm: WriteClaims(llm=llm, prompt=load("write_detailed"))(
        ASK, DRAFT.evidence
    ),
    "write_step": lambda llm: WriteClaims(llm=llm, prompt=load("write_step"))(ASK, DRAFT.evidence),
    "refine": lambda llm: Refine(llm=llm)(DRAFT, "Claim 2 is not supported."),
    "intrinsic": lambda llm: Refine(llm=llm)(DRAFT),
    "final": lambda llm: Refine(llm=llm).final([Round(DRAFT, "Claim 2 is not supported.")]),
    "restate": lambda llm: Restate(llm=llm)(ASK, WRONG, DRAFT.evidence),
    "short_answer": lambda llm: ShortAnswer(llm=llm, check=unchecked)(DRAFT),
    "next_question": lambda llm: NextQuestion(llm=llm)(ASK),
    "plan": lambda llm: Plan(llm=llm, sessions=1, prompt=load("plan"))(ASK),
    "session": lambda llm: Plan(llm=llm, sessions=1, prompt=load("session"))(ASK),
    "relevant": lambda llm: Select(llm=llm).relevance(ASK, (FOUR, FOUR[::-1])),
    "standalone": lambda llm: Standalone(llm=llm)(ASK, [Message("user", "Is it a museum?")]),
    "rewrite": lambda llm: Rewrite(llm=llm)(ASK),
    "chain_verify": lambda llm: ChainVerify(llm=llm)(DRAFT),
    "direct_revise": lambda llm: ChainVerify(llm=llm, chain=False)(DRAFT),
    "revise_first": lambda llm: ReviseFirst(llm=llm)(ASK),
    "judge": lambda llm: ask_judge(llm, load("judge"), ["a", "b", "c"], [passage("museum")]),
    "phrase": lambda llm: Phrase(llm=llm)(DRAFT, feedback(DRAFT, assess(DRAFT))),
    "bench_quality": lambda llm: Judge(llm=llm).qualities(
        ASK.text, ["1881"], {"one": ANSWER, "two": ANSWER}
    ),
    "bench_revision": lambda llm: Judge(llm=llm).is_good_revision(REVISION),
}


def told(messages: Sequence[Message]) -> list[str]:
    """The lines of what the model is told; what it said itself is no example."""
    return [line for each in messages if each.role != "assistant" for line in _lines(each.content)]


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def example_in(messages: Sequence[Message]) -> str:
    """The last example before the reply: a line that is one JSON object."""
    examples = [line for line in told(messages) if line.startswith("{")]
    assert examples, "no example is shown"
    return examples[-1]


def test_every_prompt_is_called() -> None:
    files = [
        file.name
        for package in ("upheld.prompts", BENCH)
        for file in resources.files(package).iterdir()
    ]
    prompts = {name.removesuffix(".md") for name in files if name.endswith(".md")}
    assert set(CALLS) == prompts - SHOWN_WITH_ANOTHER


@pytest.mark.parametrize("name", CALLS)
async def test_the_example_is_what_the_stage_reads(name: str) -> None:
    llm = FakeLLM(lambda messages, _: example_in(messages))
    with start_run() as run:
        await CALLS[name](llm)
    assert run.degraded == REPEATED.get(name, [])
    for call in llm.calls:
        assert call.output is not None
        _asks_by(name, call.messages)
        example = example_in(call.messages)
        _has_the_shape(example, call.output)
        words = " ".join(line for line in told(call.messages) if not line.startswith("{"))
        assert "JSON" in words
        for field in call.output.model_fields:
            assert field in words, f"{field} is not explained"


def _asks_by(name: str, messages: Sequence[Message]) -> None:
    prompt = load(name, BENCH if name.startswith("bench_") else "upheld.prompts")
    fixed = [
        line
        for role, body in prompt.sections
        if role != "assistant"
        for line in _lines(body)
        if "$" not in line
    ]
    assert set(fixed) <= set(told(messages))


def _has_the_shape(example: str, output: type[BaseModel]) -> None:
    """All fields and no others, in the order in which a decoder writes them; lists have items."""
    read = output.model_validate_json(example)
    same = json.loads(read.model_dump_json())
    assert json.dumps(json.loads(example)) == json.dumps(same)
    assert list(same) == strict_schema(output)["required"]
    assert all(value != [] for value in same.values())
