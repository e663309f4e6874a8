"""Every ablation from the command line: each value of each parameter changes what is done."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pydantic import BaseModel
from typer.testing import CliRunner

import upheld.methods
from tests.unit.scripted import QUERIES, Luck, ShakyIndex, indexed, mainland
from upheld.assessment.feedback import Advice
from upheld.cli import app
from upheld.client import AsyncUpheld
from upheld.errors import UsageError
from upheld.generation.short_answer import Short
from upheld.generation.write import Claims
from upheld.ingest.chunk import Chunker
from upheld.ingest.worker import ReadWorker
from upheld.methods.registry import METHODS, parameters
from upheld.planning.next_question import Next
from upheld.planning.plan import SubQuestions
from upheld.planning.select import Serves
from upheld.ports import Filter, Message
from upheld.resources.open import Resources
from upheld.retrieval.grade import Grade
from upheld.retrieval.rewrite import KeyPhrases
from upheld.settings import load_settings
from upheld.types import Answer, Hit, Scope
from upheld.verification.chain import Chain, Direct
from upheld.verification.verify import Verify
from upheld_lab.testing.fake_embedder import FakeEmbedder
from upheld_lab.testing.fake_entailment import FakeEntailment
from upheld_lab.testing.fake_grader import FakeGrader
from upheld_lab.testing.fake_index import FakeIndex
from upheld_lab.testing.fake_llm import FakeLLM, Line

DOCS = Path(__file__).parents[3] / "docs"
ASK = "When did the museum open, who built the lighthouse, and how long does the ferry take?"
FERRY = "How long does the ferry to Harrow take?"
STRANGE = "How long do llamas, alpacas and zebras graze beside the ferry?"  # nobody speaks of them
MUSEUM = "Which museum opened in 1881?"
GOOD = {"sources": [1], "text": "The ferry to Harrow takes 35 minutes."}
BAD = {"sources": [1], "text": "Zebras graze near the quarry on Sundays."}


@dataclass
class Play:
    """A model that has something to say to every stage, the same in every run."""

    good: bool = False  # every claim holds
    cites: int = 1  # the passage that is right, if the ferry is asked about
    verified: int = 0
    asked: int = 0

    def __call__(self, messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        assert output is not None
        if issubclass(output, Claims):
            again = len(messages) > 2 and messages[-1].content.startswith(("The answer", "Judge"))
            if again:  # a refinement that makes it worse, each time otherwise
                return {"claims": [{**BAD, "text": f"{len(messages[-1].content)} zebras graze."}]}
            cited = {**GOOD, "sources": [self.cites]}
            return {"claims": [cited] if self.good else [cited, BAD]}
        if issubclass(output, Chain | Direct):
            self.verified += 1
            revised = QUERIES[self.verified % 5]
            share = 0.95 if self.verified == 1 else 0.1
            scores = dict.fromkeys(Chain.model_fields, share) | {"bias": 0.1}
            judgment = "unclear" if self.verified == 1 else "false"
            return {**scores, "judgment": judgment, "revised_question": revised}
        if issubclass(output, SubQuestions):
            self.asked += 1
            return {"questions": [QUERIES[(self.asked + n) % 5] for n in range(5)]}
        if issubclass(output, Next):
            self.asked += 1
            return {"done": False, "question": f"{QUERIES[self.asked % 5]} {self.asked}"}
        if issubclass(output, Serves):
            asked = re.findall(r"(?m)^\d+\. ", messages[-1].content)
            return {"serves": ["no", *["yes"] * (len(asked) - 1)]}
        said: dict[type[BaseModel], Line] = {
            Short: {"statements": [1], "sentence": GOOD["text"], "answer": "35 minutes"},
            KeyPhrases: {"phrases": ["Agnes Tolliver", "Selby"]},
            Advice: {"advice": ["Say less."] * 4},
        }
        return next(line for kind, line in said.items() if issubclass(output, kind))


@dataclass(slots=True)
class WatchedIndex(ShakyIndex):
    """An index that remembers how it was asked."""

    searches: list[tuple[str, str, int]] = field(default_factory=list)

    async def bm25(
        self, query: str, scope: Scope, limit: int, where: Filter = Filter()
    ) -> list[Hit]:
        self.searches.append(("bm25", query, limit))
        return await FakeIndex.bm25(self, query, scope, limit, where)

    async def nearest(
        self, vector: Any, scope: Scope, limit: int, where: Filter = Filter(), *, query: str = ""
    ) -> list[Hit]:
        self.searches.append(("nearest", query, limit))
        return await FakeIndex.nearest(self, vector, scope, limit, where, query=query)


@dataclass(frozen=True)
class Seen:
    """All of a run that can be seen from outside."""

    answer: Answer
    calls: list[str]  # of the language model: prompt, schema, sampling
    searches: list[tuple[str, str, int]]
    graded: list[int]

    @property
    def stages(self) -> list[str]:
        return [event.stage for event in self.answer.trace]

    @property
    def fingerprint(self) -> tuple[object, ...]:
        steps = sorted((event.stage, event.note) for event in self.answer.trace)
        return (self.answer.text, self.calls, self.searches, self.graded, steps)


async def asked(
    method: str,
    given: Mapping[str, Any] | None = None,
    *,
    question: str = ASK,
    good: bool = False,
    cites: int = 1,
    preset: str | None = None,
    writes: bool = True,
) -> Seen:
    embedder, grader, llm = FakeEmbedder(), FakeGrader(), FakeLLM(Play(good, cites))
    index = WatchedIndex(embedder.identity, embedder.dimension)
    await indexed(index, embedder)
    parts = Resources(
        settings=load_settings(),
        index=index,
        embedder=embedder,
        llm=llm if writes else None,
        verify=Verify(model=FakeEntailment()),
        grade=Grade(grader=grader, upper=0.5, lower=-0.9),
        chunker=Chunker(),
        reader=ReadWorker(),
        fallback_search=mainland(index, Luck(dice=Random(0))),
    )
    kb = AsyncUpheld(parts)
    answer = await kb.ask(question, method=method, parameters=given or {}, preset=preset)
    calls = [
        f"{each.messages} {each.output and each.output.model_json_schema()} {each.sampling}"
        for each in llm.calls
    ]
    return Seen(answer, sorted(calls), index.searches, [len(pairs) for pairs in grader.asked])


# What must be so for a parameter, or one of its values, to matter.
WHERE: Mapping[tuple[Any, ...], dict[str, Any]] = {
    ("crag", "upper", 1): {"question": "When did the museum of Harrow open?"},  # correct
    ("crag", "lower", -1): {"question": "Which enzyme breaks down lactose?"},  # incorrect
    ("a2r", "test_before"): {"good": True, "question": FERRY},
    ("a2r", "fix_citations"): {"good": True, "cites": 2, "question": FERRY},
    ("a2r", "hand_over"): {"question": STRANGE},
    ("coq", "samples"): {"given": {"selector": "both"}},
    ("coq", "passages"): {"given": {"per_question": 10}},
    ("uoq", "passages"): {"given": {"per_question": 10}},
    ("uoq", "select"): {"given": {"sessions": 3}},
    ("uoq", "delta"): {"given": {"sessions": 3, "select": "r_q"}},
    ("fave", "passages"): {"given": {"per_question": 10}},
    ("upheld", "detect_conflicts"): {"good": True, "question": FERRY},
    ("upheld", "bridges"): {"writes": False, "question": FERRY},
    ("upheld", "rounds", 5): {"given": {"rounds": 0}},
    ("upheld", "unsupported"): {"given": {"rounds": 0}, "question": FERRY},
    **{(each, "relevance_gate"): {"good": True, "question": MUSEUM} for each in METHODS},
}


def others(method: str) -> Iterator[tuple[str, Any]]:
    """Every parameter with every other value that it may have; of numbers, the least and most."""
    usual = parameters(method, {})
    for name, info in METHODS[method].parameters.model_fields.items():
        bounds = {key: getattr(each, key) for each in info.metadata for key in each.__slots__}
        kind, default = info.annotation, getattr(usual, name)
        values: Sequence[Any]
        if kind is bool:
            values = (not default,)
        elif isinstance(kind, type) and issubclass(kind, StrEnum):
            values = [each.value for each in kind]
        else:
            values = (bounds["ge"], bounds["le"])
        yield from ((name, value) for value in values if value != default)


CHANGES = [(method, name, value) for method in METHODS for name, value in others(method)]


@pytest.mark.parametrize(("method", "name", "value"), CHANGES, ids=str)
async def test_every_value_changes_what_is_done(method: str, name: str, value: Any) -> None:
    where = dict(WHERE.get((method, name, value)) or WHERE.get((method, name), {}))
    given = where.pop("given", {})
    before = await asked(method, given, **where)
    after = await asked(method, {**given, name: value}, **where)
    assert after.fingerprint != before.fingerprint
    assert f"{name}=" in after.answer.pipeline  # answers of the two do not compare


@pytest.mark.parametrize(("method", "name", "value"), CHANGES, ids=str)
def test_every_value_can_be_typed(method: str, name: str, value: Any) -> None:
    typed = parameters(method, {name: str(value)})
    assert typed == parameters(method, {name: value})
    assert getattr(typed, name) == value


PRESETS = [(method, name) for method, entry in METHODS.items() for name in entry.presets]


@pytest.mark.parametrize(("method", "preset"), PRESETS)
async def test_presets_are_the_values_that_they_list(method: str, preset: str) -> None:
    by_name = await asked(method, preset=preset)
    assert by_name.fingerprint == (await asked(method, METHODS[method].presets[preset])).fingerprint


async def test_what_is_given_stands_above_the_preset() -> None:
    seen = await asked("a2r", {"final": False}, preset="paper")
    assert "phrase" in seen.stages
    assert "final" not in seen.stages


async def test_wrong_marks_are_fed_back_as_in_the_paper_of_a2r() -> None:
    seen = await asked("a2r", preset="paper", good=True, cites=2, question=FERRY)
    assert "phrase" in seen.stages  # as nothing else is wrong, the feedback is on the marks
    assert "citation recall 0.00" in next(e.note for e in seen.answer.trace if e.stage == "assess")


@pytest.mark.parametrize(
    ("method", "given", "told"),
    [
        ("magic", {}, "There is no method 'magic'"),
        ("crga", {}, "Did you mean crag"),
        ("rag", {"sessions": 2}, "sessions"),
        ("fave", {"sessions": 9}, "less than or equal to 8"),
        ("fave", {"sessions": "many"}, "sessions"),
        ("fave", {"select": "r_x"}, "'r_q'"),
        ("cov_rag", {"revise": "middle"}, "'start'"),
        ("crag", {"upper": 2}, "upper"),
        ("upheld", {"facets": "perhaps"}, "facets"),
    ],
)
async def test_wrong_names_and_values_are_usage_errors(
    method: str, given: dict[str, Any], told: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(told)):
        await asked(method, given)


async def test_an_unknown_preset_tells_those_there_are() -> None:
    with pytest.raises(UsageError, match="paper_pubhealth"):
        await asked("crag", preset="paper_squad")


def test_the_command_lists_every_method() -> None:
    told = CliRunner().invoke(app, ["methods"])
    assert told.exit_code == 0
    assert all(re.search(rf"(?m)^{name} ", told.stdout) for name in METHODS)


@pytest.mark.parametrize("method", METHODS)
def test_a_method_is_explained(method: str) -> None:
    told = CliRunner().invoke(app, ["methods", "--explain", method])
    assert told.exit_code == 0
    assert METHODS[method].algorithm.splitlines()[0] in told.stdout
    for name in METHODS[method].parameters.model_fields:
        assert re.search(rf"(?m)^{name} ", told.stdout), name
    for preset in METHODS[method].presets:
        assert f"--preset {preset}:" in told.stdout


@pytest.mark.parametrize("method", ["cov_rag", "a2r", "uoq", "fave"])
def test_what_differs_from_the_paper_is_listed(method: str) -> None:
    """What the preset sets back, parameter by parameter, and what stays; the docs say the same."""
    printed = CliRunner().invoke(app, ["methods", "--explain", method]).stdout
    _, rest = printed.split("Departures that `--preset paper` takes back:\n")
    undone, stay = rest.split("\n\nSet with --set", 1)[0].split("\n\nDepartures that stay:\n")
    preset = METHODS[method].presets["paper"]
    assert set(re.findall("`([a-z_]+)`", undone)) == set(preset)
    page = " ".join((DOCS / "methods.md").read_text(encoding="utf-8").split())
    for departure in re.split(r"(?m)^- ", f"{undone}\n{stay}")[1:]:
        assert " ".join(departure.split()) in page


def test_methods_as_json() -> None:
    printed = json.loads(CliRunner().invoke(app, ["methods", "--json"]).stdout)
    assert list(printed) == list(METHODS)
    for name, told in printed.items():
        assert told.keys() == {"paper", "calls", "parameters", "presets", "algorithm"}
        assert list(told["parameters"]) == list(METHODS[name].parameters.model_fields)


def test_explaining_an_unknown_method_is_a_usage_error() -> None:
    told = CliRunner().invoke(app, ["methods", "--explain", "magic"])
    assert isinstance(told.exception, UsageError)


# Steps of every method, which no diagram repeats, and steps that a diagram calls otherwise.
EVERYWHERE = {"relevance", "embed", "rerank", "verify", "short_answer"}
TOLD_AS = {
    "action": "grade|correct",
    "chain_verify": "verify",
    "judgment": "verify",
    "distil": "distil|correct",  # which is to grade, to distil and to search elsewhere
    "grade": "grade|correct",
    "plan": "plan|facets",
    "relevant": "r_q",
}
# With everything switched on, or the question such that it is needed.
FULL: Mapping[str, Mapping[str, Any]] = {
    "cov_rag": {"revise": "end"},
    "a2r": {"feedback": "phrased", "final": True},
    "coq": {"selector": "both", "short": True},
    "uoq": {"short": True},
    "fave": {"best_of": 2, "short": True},
}


@pytest.mark.parametrize("method", METHODS)
async def test_every_step_of_a_run_stands_in_the_diagram(method: str) -> None:
    seen = await asked(method, FULL.get(method))
    drawn = METHODS[method].algorithm
    for stage in set(seen.stages) - EVERYWHERE:
        assert re.search(rf"\b(?:{TOLD_AS.get(stage, stage)})\b", drawn), stage


@pytest.mark.parametrize("method", METHODS)
def test_a_method_is_a_short_file(method: str) -> None:
    file = Path(upheld.methods.__file__).parent / f"{METHODS[method].module.replace('.', '/')}.py"
    assert len(file.read_text(encoding="utf-8").splitlines()) < 120
