"""From a size and a load to machines, storage and money, with the assumption behind each number."""

from __future__ import annotations

import math
from dataclasses import dataclass

from upheld_lab.plan.prices import Prices
from upheld_lab.plan.rates import Growth, MethodRates, Rates

BUSY = 0.6  # share of the processors that a steady load may use; the rest is for peaks
MEMORY_SHARE = 0.5  # of a machine, for one searching process; models and page cache have the rest
HOURS_A_MONTH = 730
SECONDS_A_MONTH = HOURS_A_MONTH * 3600


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a user wants to run, and on what machines."""

    passages: int
    qps: float
    method: str
    machine_cores: int = 8
    machine_memory_gb: int = 32


@dataclass(frozen=True, slots=True)
class Line:
    """One number of a plan."""

    what: str
    value: float
    unit: str
    because: str


def plan(wanted: Wanted, rates: Rates, prices: Prices | None = None) -> list[Line]:
    """Compute every number; money only where prices are given."""
    growth, method = Growth.through(rates.sizes), rates.methods[wanted.method]
    parts = _parts(wanted, growth)
    core_s = _core_seconds(wanted, rates, growth, method, parts)
    cores = wanted.qps * core_s / BUSY
    machines = max(math.ceil(cores / wanted.machine_cores), parts)
    reads = wanted.qps * method.searches * parts * rates.s3_requests_per_search
    stored = growth.stored_bytes.at(wanted.passages)
    lines = [
        *_holding(wanted, growth, parts, stored),
        *_filling(wanted, rates, growth),
        Line(
            "processor of a question",
            core_s,
            "core seconds",
            f"{method.searches:g} searches in {parts} part{'s' * (parts > 1)}, {method.pairs:g} "
            f"pairs of text at {rates.pairs_per_core_s:g} a second and core, and the service; "
            "the language model apart",
        ),
        Line("cores", cores, "", f"{wanted.qps:g} questions a second, processors {BUSY:.0%} busy"),
        Line(
            "machines",
            machines,
            f"of {wanted.machine_cores} cores, {wanted.machine_memory_gb} GB",
            "they hold no state: any of them answers any question; at least one a part",
        ),
        Line(
            "reads of object storage",
            reads,
            "a second",
            f"{rates.s3_requests_per_search:g} for a search of one part, indexes cached",
        ),
        Line(
            "language model, read",
            wanted.qps * method.prompt_tokens,
            "tokens a second",
            f"{method.requests:g} requests and {method.prompt_tokens:g} tokens a question, before "
            "what the server's prefix cache saves",
        ),
        Line(
            "language model, written",
            wanted.qps * method.written_tokens,
            "tokens a second",
            f"{method.written_tokens:g} tokens a question",
        ),
    ]
    return lines + (_money(wanted, method, prices, machines, stored, reads) if prices else [])


def _parts(wanted: Wanted, growth: Growth) -> int:
    """Return in how many collections the passages lie, all of them searched for a question."""
    room = wanted.machine_memory_gb * 1000 * MEMORY_SHARE
    parts = 1
    while parts < wanted.passages and growth.memory_mb.at(wanted.passages / parts) > room:
        parts += max(1, parts // 10)
    return parts


def _core_seconds(
    wanted: Wanted, rates: Rates, growth: Growth, method: MethodRates, parts: int
) -> float:
    one_part = growth.hybrid_core_ms.at(wanted.passages / parts)
    search = parts * one_part + rates.embed_question_core_ms
    small_models = method.pairs / rates.pairs_per_core_s
    return (method.searches * search + rates.service_core_ms) / 1e3 + small_models


def _holding(wanted: Wanted, growth: Growth, parts: int, stored: float) -> list[Line]:
    far = wanted.passages > 10 * growth.fitted_to
    measured = f"a line through sizes up to {growth.fitted_to:,}"
    warning = "; far beyond what was measured" if far else ""
    size = wanted.passages / parts
    return [
        Line("storage", stored / 1e9, "GB", f"texts, vectors and indexes: {measured}{warning}"),
        Line(
            "parts",
            parts,
            "",
            f"a searching process may use {MEMORY_SHARE:.0%} of a machine's memory{warning}",
        ),
        Line("memory of a searching process", growth.memory_mb.at(size) / 1e3, "GB", measured),
        Line(
            "one search, p50",
            growth.hybrid_p50_ms.at(size),
            "ms",
            f"BM25 and vectors together, parts at the same time, on local disks: a curve through "
            f"sizes up to {growth.fitted_to:,}{warning}",
        ),
        Line("one search, p95", growth.hybrid_p95_ms.at(size), "ms", "the same"),
    ]


def _filling(wanted: Wanted, rates: Rates, growth: Growth) -> list[Line]:
    embedding = wanted.passages / rates.embedded_per_core_s / 3600
    return [
        Line(
            "embedding everything once",
            embedding,
            "core hours",
            f"{rates.embedded_per_core_s:g} passages a second and core; `upheld index --on ray` "
            "spreads it",
        ),
        Line(
            "writing and indexing",
            growth.build_s.at(wanted.passages) / 3600,
            "hours of one writer",
            "a line through the times of one writer; several can write at once",
        ),
    ]


def _money(
    wanted: Wanted,
    method: MethodRates,
    prices: Prices,
    machines: float,
    stored: float,
    reads: float,
) -> list[Line]:
    dated = f"prices of {prices.date}"
    questions = wanted.qps * SECONDS_A_MONTH
    tokens = (
        method.prompt_tokens * prices.million_prompt_tokens
        + method.written_tokens * prices.million_written_tokens
    ) / 1e6
    monthly = {
        "machines": machines * prices.machine_hour * HOURS_A_MONTH,
        "storage": stored / 1e9 * prices.storage_gb_month,
        "reads": reads * SECONDS_A_MONTH / 1e3 * prices.thousand_reads,
        "language model": questions * tokens,
    }
    lines = [
        Line(f"a month, {what}", value, prices.currency, dated) for what, value in monthly.items()
    ]
    whole = sum(monthly.values())
    lines.append(Line("a month, all", whole, prices.currency, dated))
    if questions:
        thousand = whole / questions * 1e3
        lines.append(Line("a thousand questions", thousand, prices.currency, dated))
    return lines
