"""The measured rates that a plan is computed from, and the curves that are drawn through them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import numpy as np
from pydantic import BaseModel, ConfigDict, Field


class Size(BaseModel):
    """One size of a collection as `upheld bench growth` found it on a folder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    passages: int
    stored_bytes: float
    memory_mb: float  # resident, of a process that searches
    build_s: float | None  # writing and indexing, without embedding; None: other work ran beside
    hybrid_p50_ms: float
    hybrid_p95_ms: float
    hybrid_core_ms: float  # of processor, all threads


class MethodRates(BaseModel):
    """What one question takes with a method."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    searches: float
    pairs: float  # claim and premise, or question and passage, read by a small model
    requests: float
    prompt_tokens: float
    written_tokens: float


class Rates(BaseModel):
    """Everything that was measured, with the commands and the machine that it comes from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    machine: str
    made_by: dict[str, str]  # command by part
    sizes: tuple[Size, ...] = Field(min_length=3)
    embedded_per_core_s: float  # passages
    pairs_per_core_s: float
    embed_question_core_ms: float
    s3_requests_per_search: float
    service_core_ms: float  # of HTTP, keys, admission and keeping the answer, for one question
    methods: dict[str, MethodRates]


@cache
def shipped() -> Rates:
    """Return the rates that came with this version."""
    return Rates.model_validate_json(
        (files("upheld_lab.plan") / "rates.json").read_text(encoding="utf-8")
    )


class Curve(BaseModel):
    """`start + scale * passages ** power`: what grows with a collection."""

    model_config = ConfigDict(frozen=True)

    start: float
    scale: float
    power: float

    def at(self, passages: float) -> float:
        """Return the value at this size."""
        return float(self.start + self.scale * passages**self.power)


EXACT_UP_TO = 20_000  # passages: without an index of vectors, everything but storage is otherwise
POWERS = np.linspace(0.05, 1.0, 20)


def line(points: Sequence[tuple[float, float]]) -> Curve:
    """Draw a straight line: bytes, memory and the time to build are a start and so much each."""
    return _least(points, [1.0])


def curve(points: Sequence[tuple[float, float]]) -> Curve:
    """Draw the curve that fits best; of equal ones, the one that grows least."""
    return _least(points, POWERS)


def _least(points: Sequence[tuple[float, float]], powers: Sequence[float] | np.ndarray) -> Curve:
    """Return the curve with the least relative error, whose start and scale are not negative."""
    from scipy.optimize import nnls

    sizes, values = (np.array(each, float) for each in zip(*points, strict=True))
    best: tuple[float, Curve] | None = None
    for power in powers:
        columns = np.stack([np.ones_like(sizes), sizes**power], axis=1) / values[:, None]
        (start, scale), error = nnls(columns, np.ones_like(values))
        if best is None or error < best[0] - 1e-9:
            best = error, Curve(start=start, scale=scale, power=float(power))
    assert best is not None
    return best[1]


class Growth(BaseModel):
    """The curves of everything that depends on the number of passages."""

    model_config = ConfigDict(frozen=True)

    stored_bytes: Curve
    memory_mb: Curve
    build_s: Curve
    hybrid_p50_ms: Curve
    hybrid_p95_ms: Curve
    hybrid_core_ms: Curve
    fitted_to: int  # the largest size that was measured

    @classmethod
    def through(cls, sizes: Sequence[Size]) -> Growth:
        """Draw the curves through these sizes."""

        def points(name: str, least: int = 0) -> list[tuple[float, float]]:
            known = ((each.passages, getattr(each, name)) for each in sizes)
            return [(size, value) for size, value in known if size > least and value is not None]

        return cls(
            stored_bytes=line(points("stored_bytes")),
            memory_mb=line(points("memory_mb", EXACT_UP_TO)),
            build_s=line(points("build_s", EXACT_UP_TO)),
            hybrid_p50_ms=curve(points("hybrid_p50_ms", EXACT_UP_TO)),
            hybrid_p95_ms=curve(points("hybrid_p95_ms", EXACT_UP_TO)),
            hybrid_core_ms=curve(points("hybrid_core_ms", EXACT_UP_TO)),
            fitted_to=max(each.passages for each in sizes),
        )
