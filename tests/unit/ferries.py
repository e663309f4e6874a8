"""A small index about ferries, and a language model that plays every part of FaVe and CoQ."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from math import log

from pydantic import BaseModel

from upheld.errors import LLMError
from upheld.generation.write import Claims
from upheld.planning.next_question import Next
from upheld.planning.plan import SubQuestions
from upheld.planning.select import Serves
from upheld.ports import IndexedDocument, Message, Output, Reply, Sampling, Token
from upheld.retrieval.search import Search
from upheld.types import Document, Draft, Passage, Question, Scope, SearchMode, passage_id
from upheld_lab.testing.fake_index import FakeIndex
from upheld_lab.testing.fake_llm import FakeLLM, Line

ASK = Question("Why do some ferries carry no cars?")
TEXTS = {
    "deck": "Ferries with a low deck carry no cars.",
    "rules": "Island rules forbid cars on ferries.",
    "cost": "A ramp for cars on ferries costs two million.",
    "owls": "Owls hoot at night near ferries.",
}
# Sub-questions that find their passage by its words.
DECK, RULES, COST, OWLS, RAMP = (
    "Which ferries have a low deck?",
    "Which island rules forbid cars?",
    "What costs a ramp for cars?",
    "When do owls hoot?",
    "Who pays two million?",
)
SAYS = {DECK: "deck", RULES: "rules", COST: "cost", OWLS: "owls", RAMP: "cost"}
PARTS = {"plan": SubQuestions, "relevant": Serves, "write": Claims, "next": Next}


async def search(limit: int = 20) -> Search:
    """BM25 over the four texts."""
    index = FakeIndex()
    for name, text in TEXTS.items():
        document = Document(name, f"{name}.txt", "", text, "")
        place = passage_id(name, document.version, 0, len(text))
        passage = Passage(place, text, name, document.version, 0, len(text))
        await index.upsert("default", [IndexedDocument(document, (passage,))])
    return Search(index=index, scope=Scope(), mode=SearchMode.BM25, limit=limit)


def texts(draft: Draft) -> list[str]:
    """What a draft says."""
    return [claim.text for claim in draft.claims]


def told(*names: str) -> list[str]:
    """What an answer from these texts says."""
    return [TEXTS[name] for name in names]


def part(output: type[BaseModel] | None) -> str:
    """Which call an output model belongs to."""
    return next(name for name, model in PARTS.items() if output and issubclass(output, model))


def asked(messages: Sequence[Message]) -> str:
    """The question that the last turn of a writer's call ends with."""
    return messages[-1].content.rpartition("Question: ")[2]


class PlayLLM(FakeLLM):
    """Plans, asks, writes and judges as told; answers quote the passage that a question is about.

    `sessions` and `steps` are used in turn, one a sample; `broken` parts fail at every call.
    `meet` is awaited before a part answers. `depth` is the longest row of calls, one after another.
    """

    def __init__(
        self,
        *,
        sessions: Sequence[Sequence[str]] = (),
        steps: Sequence[str] = (),
        serves: Callable[[str], str] = lambda question: "yes",
        chances: Mapping[str, float] | None = None,
        broken: Mapping[str, LLMError] | None = None,
        meet: Callable[[str], Awaitable[None]] | None = None,
    ) -> None:
        super().__init__(self._play)
        self._sessions, self._steps = list(sessions), list(steps)
        self._serves, self._chances = serves, chances or {}
        self._broken, self._meet = broken or {}, meet
        self._ended: list[int] = []  # the depth of every call that has ended
        self.depth = 0

    async def generate(
        self, messages: Sequence[Message], output: type[Output], sampling: Sampling = Sampling()
    ) -> Reply[Output]:
        depth = 1 + max(self._ended, default=0)
        self.depth = max(self.depth, depth)
        if self._meet is not None:
            await self._meet(part(output))
        reply = await super().generate(messages, output, sampling)
        self._ended.append(depth)
        return self._leaning(messages, reply) if sampling.logprobs else reply

    def parts(self) -> dict[str, int]:
        """How many completions each part was asked for."""
        counts: dict[str, int] = {}
        for call in self.calls:
            name = part(call.output)
            counts[name] = counts.get(name, 0) + call.sampling.samples
        return counts

    def prompts(self, name: str) -> list[str]:
        """What each call of a part was told, after the rules."""
        return [
            "\n".join(each.content for each in call.messages[1:])
            for call in self.calls
            if part(call.output) == name
        ]

    def _play(self, messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        name = part(output)
        if name in self._broken:
            return self._broken[name]
        match name:
            case "plan":
                return {"questions": list(self._sessions.pop(0))}
            case "next":
                step = self._steps.pop(0) if self._steps else ""
                return {"done": not step, "question": step}
            case "relevant":
                return {"serves": [self._serves(each) for each in _listed(messages)]}
            case _:
                return self._written(messages)

    def _written(self, messages: Sequence[Message]) -> Line:
        text = TEXTS.get(SAYS.get(asked(messages), ""), "")
        shown = re.findall(r"```\n(.*)\n```", messages[-1].content)
        if text not in shown:
            return {"claims": []}
        return {"claims": [{"sources": [shown.index(text) + 1], "text": text}]}

    def _leaning(self, messages: Sequence[Message], reply: Reply[Output]) -> Reply[Output]:
        """The same reply with the probability of yes that was set for its sub-question."""
        (question,) = _listed(messages)
        if question not in self._chances:
            return reply
        yes = self._chances[question]
        both = (("yes", log(yes)), ("no", log(1 - yes)))
        tokens = (Token('{"serves": ["', -0.1), Token("yes", log(yes), both), Token('"]}', -0.1))
        return replace(reply, generations=(replace(reply.generations[0], tokens=tokens),))


def _listed(messages: Sequence[Message]) -> list[str]:
    return re.findall(r"(?m)^\d+\. (.*)$", messages[-1].content)


class Together:
    """Work that must overlap: each kind waits until as many of every kind as told have begun."""

    def __init__(self, **counts: int) -> None:
        self._missing = dict(counts)
        self._all = asyncio.Event()

    async def meet(self, name: str) -> None:
        if name not in self._missing or self._all.is_set():
            return
        self._missing[name] -= 1
        if all(count <= 0 for count in self._missing.values()):
            self._all.set()
        try:
            async with asyncio.timeout(5):
                await self._all.wait()
        except TimeoutError:  # which a run would take for its own deadline, and go on
            raise AssertionError(f"{name} waits for {self._missing}") from None
