"""A knowledge base on fakes, and a language model that keeps to a script."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel

from upheld.assessment.feedback import Advice
from upheld.client import AsyncUpheld
from upheld.errors import LLMOutputError
from upheld.generation.write import Claims
from upheld.ingest.chunk import Chunker
from upheld.ingest.worker import ReadWorker
from upheld.planning.next_question import Next
from upheld.planning.plan import SubQuestions
from upheld.planning.select import Serves
from upheld.ports import IndexedDocument, Message
from upheld.resources.fallback_search import open_fallback_search
from upheld.resources.open import Resources
from upheld.retrieval.grade import Grade
from upheld.retrieval.rewrite import KeyPhrases
from upheld.settings import Settings
from upheld.text.words import content_stems
from upheld.types import Document, Passage, passage_id
from upheld.verification.chain import Chain
from upheld.verification.verify import Verify
from upheld_lab.bench.costs.scripted_ports import (
    Latency,
    Memory,
    TimedEmbedder,
    TimedEntailment,
    TimedGrader,
    TimedIndex,
    TimedLLM,
    Told,
)
from upheld_lab.testing.fake_embedder import FakeEmbedder
from upheld_lab.testing.fake_llm import Line, Script

ELSEWHERE = "elsewhere"  # the collection that is looked into when a search went wrong
SHOWN = re.compile(r"\[\d+\]\n(`{3,})\n(.*?)\n\1", re.S)  # a passage as the writer sees it
_LISTED = re.compile(r"(?m)^\d+\. ")


@dataclass(frozen=True, kw_only=True)
class Lines:
    """What the model says: answers are lists of claims, by what they answer."""

    answers: Mapping[str, Sequence[Sequence[str]]]  # by question; where it is asked again, the next
    again: Mapping[str, Sequence[str]] = field(default_factory=dict)  # by the first claim before
    sessions: Sequence[Sequence[str]] = ()  # a sample each
    steps: Sequence[str] = ()  # of a chain of query
    revised: Mapping[str, str] = field(default_factory=dict)  # questions, by the first claim
    phrases: Sequence[str] = ()

    def script(self) -> Script:
        """Afresh for every run."""
        answers = {question: list(said) for question, said in self.answers.items()}
        sessions, steps = iter(self.sessions), iter(self.steps)

        def say(messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
            last = messages[-1].content
            match output.__name__ if output else "":
                case SubQuestions.__name__:
                    return {"questions": list(next(sessions))}
                case Next.__name__:
                    return {"done": False, "question": next(steps)}
                case Serves.__name__:
                    return {"serves": ["yes"] * len(_LISTED.findall(last))}
                case KeyPhrases.__name__:
                    return {"phrases": list(self.phrases)}
                case Advice.__name__:
                    return {"advice": ["Say what the first passage says."] * 4}
                case Chain.__name__:
                    return _chain(self.revised.get(_first_claim(messages), ""))
                case Claims.__name__:
                    _, asks, question = last.rpartition("Question: ")
                    left = answers.get(question, []) if asks else []
                    said = left.pop(0) if left else self.again.get(_first_claim(messages))
                    return _unscripted(last) if said is None else _written(said, messages)
                case _:
                    return _unscripted(last)

        return say


def _unscripted(last: str) -> LLMOutputError:
    return LLMOutputError(f"the script has no line for: {last[-200:]}")


def _first_claim(messages: Sequence[Message]) -> str:
    """What the model wrote in its last turn: calls about an answer have it before them."""
    spoken = [each.content for each in messages if each.role == "assistant"]
    if not spoken:
        return ""
    claims = Claims.model_validate_json(spoken[-1]).claims
    return claims[0].text if claims else ""


def _chain(revised: str) -> Line:
    good = 0.2 if revised else 0.9
    shares = ("reference_correctness", "correctness", "citation_accuracy", "truthfulness")
    return {
        **dict.fromkeys((*shares, "conciseness"), good),
        "bias": 1 - good,
        "judgment": "false" if revised else "true",
        "revised_question": revised,
    }


def _written(said: Sequence[str], messages: Sequence[Message]) -> Line:
    """Claims, each with the shown passage that shares most words with it."""
    shown = [text for _, text in SHOWN.findall("\n\n".join(each.content for each in messages))]
    stems = [content_stems(text) for text in shown]
    places = range(1, len(shown) + 1)
    return {
        "claims": [
            {
                "sources": [max(places, key=lambda n: len(stems[n - 1] & content_stems(text)))],
                "text": text,
            }
            for text in said
        ]
    }


async def scripted(
    here: Mapping[str, str],
    elsewhere: Mapping[str, str],
    lines: Lines,
    latency: Latency,
    memory: Memory,
) -> tuple[AsyncUpheld, TimedLLM]:
    """A knowledge base of these documents, and its language model, which counts."""
    settings = Settings.model_construct(
        fallback_search=ELSEWHERE
    )  # defaults, whatever this machine has set
    embedder = TimedEmbedder(told=Told(latency.embed, memory["embed"]))
    search = Told(latency.search, memory["search"])
    index = TimedIndex(embedder.identity, embedder.dimension, told=search)
    for collection, documents in ((settings.collection, here), (ELSEWHERE, elsewhere)):
        vectors = await FakeEmbedder().embed(list(documents.values()))
        for row, (name, text) in enumerate(documents.items()):
            document = Document(name, f"{name}.txt", "", text, "")
            place = passage_id(name, document.version, 0, len(text))
            passage = Passage(place, text, name, document.version, 0, len(text))
            whole = IndexedDocument(document, (passage,), vectors[row : row + 1])
            await index.upsert(collection, [whole])
    llm = TimedLLM(lines.script(), latency.llm)
    entailment = TimedEntailment(told=Told(latency.entail, memory["entail"]))
    grader = TimedGrader(told=Told(latency.grade, memory["grade"]))
    chunker, reader = Chunker(), ReadWorker()
    parts = Resources(
        settings=settings,
        index=index,
        embedder=embedder,
        llm=llm,
        verify=Verify(model=entailment),
        # By shared words: nearly all of the question's, correct; nearly none, incorrect.
        grade=Grade(grader=grader, upper=0.7, lower=-0.7),
        chunker=chunker,
        reader=reader,
        fallback_search=open_fallback_search(settings, index, embedder, reader, chunker),
    )
    return AsyncUpheld(parts), llm
