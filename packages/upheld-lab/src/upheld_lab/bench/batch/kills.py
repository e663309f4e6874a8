"""A batch that is killed several times and continued: is a verdict lost, doubled or made twice?"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from upheld_lab.bench.batch.command import BatchFiles, started
from upheld_lab.bench.report import Watch


@dataclass(frozen=True, slots=True)
class Kill:
    """What was there when the command was killed."""

    written: frozenset[str]  # answers with a verdict
    begun: int  # notes of workers by then
    unwritten: int  # answers that workers had begun, whose verdicts were lost
    processes_left: int  # that did not end with the command


@dataclass(frozen=True, slots=True)
class Continued:
    """How a batch ended that was killed; all counts should be zero."""

    kills: tuple[Kill, ...]
    lost: int  # answers without a verdict
    doubled: int  # verdicts on an answer that has one
    checked_again: int  # answers that were begun although their verdict was written


def places(count: int, kills: int, seed: int) -> list[int]:
    """After how many verdicts to kill: at random, but neither at the start nor at the end."""
    dice = random.Random(seed)  # noqa: S311  # reproducible on purpose
    return sorted(dice.sample(range(max(1, count // 10), count * 8 // 10), k=kills))


def run_killed(files: BatchFiles, kill_after: Sequence[int], watch: Watch) -> Continued:
    """Run the command, kill it after so many verdicts each, and let it end; blocks."""
    ids = files.answer_ids()
    kills: list[Kill] = []
    for number in (*kill_after, len(ids) + 1):
        with started(files, noting=True) as command:
            for _, verdicts in command.progress():
                watch("a batch that is killed", verdicts, len(ids))
                # Not on what the run before has written: something must be under way.
                if verdicts >= number and verdicts > (len(kills[-1].written) if kills else 0):
                    left = command.kill()
                    kills.append(_killed(files, left, kills))
                    break
    return continued(ids, files.checked_ids(), files.begun(), kills)


def _killed(files: BatchFiles, left: int, before: Sequence[Kill]) -> Kill:
    written, begun = frozenset(files.checked_ids()), files.begun()
    first = before[-1].begun if before else 0
    return Kill(written, len(begun), len(set(begun[first:]) - written), left)


def continued(
    ids: Sequence[str], written: Sequence[str], begun: Sequence[str], kills: Sequence[Kill]
) -> Continued:
    """Compare what was to be checked, what was written and what workers began."""
    verdicts = Counter(written)
    again = {each for kill in kills for each in begun[kill.begun :] if each in kill.written}
    return Continued(
        tuple(kills),
        lost=sum(each not in verdicts for each in ids),
        doubled=verdicts.total() - len(verdicts),
        checked_again=len(again),
    )
