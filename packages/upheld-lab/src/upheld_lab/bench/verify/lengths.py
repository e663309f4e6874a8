"""What a claim costs against short and long sources, and what preparing those costs once."""

from __future__ import annotations

import time
from dataclasses import replace

from upheld.errors import ModelError
from upheld.run.trace import start_run
from upheld.types import Claim, Passage, Support
from upheld.verification.claims import split_answer
from upheld.verification.verify import Verify
from upheld_lab.bench.report import Row, Watch
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
