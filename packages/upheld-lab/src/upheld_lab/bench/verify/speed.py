"""What checking costs: our layers over a bare loop, requests that share pairs, whole answers."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from upheld.check import check
from upheld.errors import ModelError
from upheld.ports import Entailment, Pair
from upheld.run.trace import start_run
from upheld.types import Claim, Passage, Support
from upheld.verification.claims import split_answer
from upheld.verification.verify import Verify
from upheld_lab.bench.costs.speed import Compared, interleaved, retried
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.report import Report, Row, Watch
from upheld_lab.bench.verify.bare_entailment import Loop, bare_loops
from upheld_lab.bench.verify.made_answers import AnswerWriter, MadeAnswer

LENGTHS = (1_000, 10_000, 100_000)  # characters


async def time_lengths(verify: Verify, writer: AnswerWriter, watch: Watch) -> list[Row]:
    """The same six claims against one source that says more and more beside them."""
    answer = writer.answer()
    claims = [Claim(sentence.text) for sentence in split_answer(answer.text)]
    rows: list[Row] = []
    for done, length in enumerate(LENGTHS, start=1):
        rows.append(await _timed(verify, claims, long_source(writer, answer, length)))
        watch("lengths of a source", done, len(LENGTHS))
    return rows


def long_source(writer: AnswerWriter, answer: MadeAnswer, characters: int) -> Passage:
    """A text of this length: what the answer cites, and what others cite after it."""
    passages = list(answer.passages)
    while sum(len(each.text) + 2 for each in passages) < characters:
        passages += writer.answer().passages
    text = "\n\n".join(each.text for each in passages)[:characters]
    return replace(passages[0], text=text, end=len(text), title="")


async def _timed(verify: Verify, claims: list[Claim], source: Passage) -> Row:
    with start_run() as run:
        started = time.perf_counter()
        await verify([], [source])  # a run prepares a source once
        prepared = time.perf_counter()
        checked = await verify(claims, [source])
        ended = time.perf_counter()
    lost = [each.verdict for each in checked if each.verdict.support is Support.NOT_CHECKED]
    if lost:
        raise ModelError(lost[0].reason)
    return {
        "characters of the source": len(source.text),
        "preparation, once, s": prepared - started,
        "a claim, s": (ended - prepared) / len(claims),
        "pairs a claim": run.meter.used.pairs_checked / len(claims),
    }


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much work; small numbers are for trying the bench itself."""

    pairs: int = 60
    rounds: int = 7
    requests: int = 8
    pairs_a_request: int = 12  # half of them its own, half common to all
    shared_rounds: int = 5
    answers: int = 40


async def measure(
    verify: Verify,
    weights: Path,
    tokenizer: Path,
    watch: Watch,
    sizes: Sizes = Sizes(),
    seed: int = 0,
) -> Report:
    """All figures of speed in one run; the files are those that the stage's model has."""
    if verify.model is None:
        raise ModelError(verify.no_model)
    model = verify.model
    writer = AnswerWriter(seed)
    pairs = made_pairs(writer, sizes.pairs)
    loops = bare_loops(weights, tokenizer)
    await model.judge(pairs[:4])  # opens the session
    best = fastest(loops, pairs, watch)
    alone, attempts = await retried(
        lambda: compare_with_bare(model, loops[best], pairs, sizes, watch)
    )
    asked = requests(writer, sizes)
    shared, shared_attempts = await retried(lambda: compare_sharing(model, asked, sizes, watch))
    seconds, checked = await time_answers(verify, writer, sizes.answers, watch)
    lengths = await time_lengths(verify, writer, watch)
    long, longest = (row["a claim, s"] for row in lengths[-2:])
    bars = {
        "pairs_per_s": len(pairs) / alone.ours,
        "verify_over_bare": alone.bare / alone.ours,
        "shared_speedup": shared.bare / shared.ours,
        "answer_p95_s": statistics.quantiles(seconds, n=20, method="inclusive")[-1],
        "claim_100k_over_10k": longest / long,
    }
    rows: list[Row] = [
        {
            "what": "pairs/s",
            "ours": len(pairs) / alone.ours,
            "bare": len(pairs) / alone.bare,
            "best bare loop": best,
            **_trust(alone, attempts),
        },
        {
            "what": f"{len(asked)} requests that share half of their pairs, s",
            "together": shared.ours,
            "one after another": shared.bare,
            **_trust(shared, shared_attempts),
        },
        {
            "what": f"{sizes.answers} answers of 6 claims with 5 passages, s",
            "p50": statistics.median(seconds),
            "p95": bars["answer_p95_s"],
            "pairs an answer": statistics.mean(checked),
            "most pairs": max(checked),
        },
        *lengths,
    ]
    facts = manifest(
        model=model.identity,
        sizes={name: getattr(sizes, name) for name in sizes.__slots__},
        seed=seed,
    )
    return Report("verify speed", bars, tuple(rows), facts)


def made_pairs(writer: AnswerWriter, count: int) -> list[Pair]:
    """Claims of made answers, each against every passage of its answer."""
    found: list[Pair] = []
    while len(found) < count:
        answer = writer.answer()
        found += [
            Pair(passage.searchable, sentence.text)
            for sentence in split_answer(answer.text)
            for passage in answer.passages
        ]
    return found[:count]


def requests(writer: AnswerWriter, sizes: Sizes) -> list[list[Pair]]:
    """What each caller asks: every other pair stands in all requests, the rest in one only."""
    half = sizes.pairs_a_request // 2
    pairs = made_pairs(writer, half * (sizes.requests + 1))
    common = pairs[:half]
    own = [pairs[first : first + half] for first in range(half, len(pairs), half)]
    return [[pair for two in zip(common, mine, strict=True) for pair in two] for mine in own]


def fastest(loops: Mapping[str, Loop], pairs: Sequence[Pair], watch: Watch) -> str:
    """The loop to be held against: the one with the best of two times, taken in turn."""
    best = dict.fromkeys(loops, float("inf"))
    for done in range(2):
        for name, loop in loops.items():
            started = time.perf_counter()
            loop(pairs)
            best[name] = min(best[name], time.perf_counter() - started)
        watch("bare loops", done + 1, 2)
    return min(best, key=lambda name: best[name])


async def compare_with_bare(
    model: Entailment, loop: Loop, pairs: Sequence[Pair], sizes: Sizes, watch: Watch
) -> Compared:
    """Seconds for the same pairs from texts to scores, both sides tokenising them."""

    async def bare(_: int) -> None:
        loop(pairs)

    return await interleaved(
        lambda _: model.judge(pairs),
        bare,
        sizes.rounds,
        lambda done: watch("pairs against bare", done, sizes.rounds),
    )


async def compare_sharing(
    model: Entailment, asked: Sequence[Sequence[Pair]], sizes: Sizes, watch: Watch
) -> Compared:
    """Seconds for all requests at once, and for one after another, where nothing is shared.

    The model keeps no judgements, so that each round, and each request after another, does its
    work anew. With eight requests, sharing alone can gain 16 / 9, which is 1.78.
    """

    async def one_after_another(_: int) -> None:
        for pairs in asked:
            await model.judge(pairs)

    return await interleaved(
        lambda _: asyncio.gather(*map(model.judge, asked)),
        one_after_another,
        sizes.shared_rounds,
        lambda done: watch("requests that share", done, sizes.shared_rounds),
    )


async def time_answers(
    verify: Verify, writer: AnswerWriter, count: int, watch: Watch
) -> tuple[list[float], list[int]]:
    """Seconds and pairs of each answer, from its text to its verdicts; no two are alike."""
    await _checked(verify, writer.answer())  # the splitter's tables are loaded by the first
    seconds, pairs = [], []
    for done in range(count):
        answer = writer.answer()
        started = time.perf_counter()
        pairs.append(await _checked(verify, answer))
        seconds.append(time.perf_counter() - started)
        watch("answers", done + 1, count)
    return seconds, pairs


async def _checked(verify: Verify, answer: MadeAnswer) -> int:
    """How many pairs it took; a check that did not run to its end has no time to report."""
    checked = await check(verify, answer.text, answer.passages)
    if checked.degraded:
        raise ModelError("; ".join(checked.degraded))
    return checked.usage.pairs_checked


def _trust(found: Compared, attempts: int) -> Row:
    return {"control": found.control, "attempts": attempts, "void": found.is_void}
