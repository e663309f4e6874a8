"""The methods by name: the paper of each, what it can be told, its presets, what it costs.

A method's name and what was asked of it become parameters, or an error that says what to do.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from upheld._internal.deprecated import PARAMETERS, DuplicateNameError, renamed
from upheld.errors import UsageError
from upheld.methods.parameters import (
    A2rParameters,
    CoqParameters,
    CovRagParameters,
    CragParameters,
    FaveParameters,
    Parameters,
    UoqParameters,
    UpheldParameters,
)

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from upheld.methods.build import StageFactory
    from upheld.types import Draft, Question

Values = Mapping[str, Any]
Method = Callable[["Question"], Awaitable["Draft"]]
MakeMethod = Callable[["StageFactory"], Method]  # a method of your own, made for one request


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of the catalogue; `calls` counts completions of the language model."""

    paper: str
    parameters: type[Parameters]
    calls: str
    presets: Mapping[str, Values] = field(default_factory=dict)
    module: str

    @property
    def algorithm(self) -> str:
        """The docstring of the method's module: its algorithm, and where we depart from it."""
        return (importlib.import_module(f"upheld.methods.{self.module}").__doc__ or "").strip()


_FAVE_PAPER: Values = {"candidates": 100, "search": "bm25"}

# Methods that announce claims of their answer while they run; True: they repair those that do not
# hold, so that only supported ones are final.
ANNOUNCING = {"rag": False, "crag": False, "upheld": True}

METHODS: Mapping[str, Entry] = {
    "rag": Entry(
        paper="the baseline of all four papers",
        parameters=Parameters,
        calls="1",
        presets={"cov_rag": {"passages": 5}, "fave": {"passages": 3}, "a2r": {"passages": 5}},
        module="rag",
    ),
    "crag": Entry(
        paper="Corrective RAG, arXiv:2401.15884",
        parameters=CragParameters,
        calls="1, or 2 with the fallback search",
        presets={  # on our grader's scale, by quantile: `python -m upheld_lab.fits crag`
            "paper": {"upper": 0.25, "lower": -0.32, "rerank": False},  # PopQA: 0.59, -0.99
            "paper_pubhealth": {"upper": 0.80, "lower": -0.76, "rerank": False},  # 0.5, -0.91
        },
        module="crag",
    ),
    "cov_rag": Entry(
        paper="Chain-of-Verification RAG, arXiv:2410.05801; prompted, not trained",
        parameters=CovRagParameters,
        calls="2, or 4 with one revision",
        presets={"paper": {"fallback_search": True, "keep": "last"}},
        module="cov_rag",
    ),
    "a2r": Entry(
        paper="Ask, Assess, Refine",
        parameters=A2rParameters,
        calls="1 to 1 + K; 2 + 2K as in the paper",
        presets={
            "paper": {
                "test_before": False,
                "final": True,
                "feedback": "phrased",
                "fix_citations": False,
                "hand_over": False,
                "keep": "last",
            }
        },
        module="a2r",
    ),
    "coq": Entry(
        paper="chain of query, a baseline of FaVe",
        parameters=CoqParameters,
        calls="2N",
        module="coq",
    ),
    "uoq": Entry(
        paper="union of queries, an ablation of FaVe",
        parameters=UoqParameters,
        calls="1 + N",
        presets={"paper": _FAVE_PAPER},
        module="fave",
    ),
    "fave": Entry(
        paper="Factored and Verified search; without its trained generator",
        parameters=FaveParameters,
        calls="2S + N; 21 where S = 8 and N = 5",
        presets={"paper": _FAVE_PAPER},
        module="fave",
    ),
    "upheld": Entry(
        paper="our own: all four, by the kind of error",
        parameters=UpheldParameters,
        calls="1 for a simple question that verifies at once",
        module="by_diagnosis.method",
    ),
}


def method_name(method: str | MakeMethod) -> str:
    """A shipped method's name; for one of your own `module.function`, which no shipped one has."""
    if isinstance(method, str):
        return method
    named = method if hasattr(method, "__qualname__") else type(method)
    return f"{named.__module__}.{named.__qualname__}"


def entry(name: str | MakeMethod) -> Entry:
    """A method's line; raises UsageError with what there is."""
    if not isinstance(name, str):
        return Entry(paper="your own", parameters=Parameters, calls="not known", module="build")
    if name in METHODS:
        return METHODS[name]
    close = difflib.get_close_matches(name, METHODS, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(METHODS)}."
    raise UsageError(f"There is no method '{name}'.", help=hint)


def parameters(
    method: str | MakeMethod,
    given: Values,
    *,
    preset: str | None = None,
    settings: Values | None = None,
) -> Parameters:
    """What a method runs with: its defaults, the settings, a preset and what was given, in turn."""
    known, name = entry(method), method_name(method)
    given = _with_new_names(name, known, given)
    if preset is not None and preset not in known.presets:
        there = ", ".join(known.presets) or "none"
        raise UsageError(f"{name} has no preset '{preset}'.", help=f"There are: {there}.")
    chosen = {} if preset is None else known.presets[preset]
    try:
        return known.parameters.model_validate({**(settings or {}), **chosen, **given})
    except ValidationError as error:
        fields = ", ".join(known.parameters.model_fields)
        wrong = "; ".join(_fault(each, known) for each in error.errors(include_input=False))
        raise UsageError(
            f"Parameters of {name} are not valid: {wrong}", help=f"Its parameters: {fields}."
        ) from error


def _with_new_names(name: str, known: Entry, given: Values) -> Values:
    """The parameters under the names of this version, where the method has them."""
    fields = known.parameters.model_fields
    old = {old: new for old, new in PARAMETERS.items() if old not in fields and new in fields}
    try:
        return renamed(given, old, f"the parameter of {name}")
    except DuplicateNameError as error:
        raise UsageError(f"Parameters of {name} are not valid: {error}.") from error


def _fault(fault: ErrorDetails, known: Entry) -> str:
    name = ".".join(map(str, fault["loc"]))
    if fault["type"] != "extra_forbidden":
        return f"{name}: {fault['msg']}" if name else fault["msg"]
    close = difflib.get_close_matches(name, known.parameters.model_fields, n=1)
    return f"there is no '{name}'" + (f", did you mean '{close[0]}'?" if close else "")


def label(method: str | MakeMethod, chosen: Parameters, settings: Values) -> str:
    """The method's name with all that was changed: answers of two labels do not compare."""
    name = method_name(method)
    usual = parameters(method, {}, settings=settings).model_dump(mode="json")
    now = chosen.model_dump(mode="json")
    changed = {key: value for key, value in now.items() if value != usual[key]}
    told = ", ".join(f"{key}={value}" for key, value in changed.items())
    return f"{name}({told})" if told else name
