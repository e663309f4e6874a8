"""Drawing a suite: the same rule for every set, so that a smaller run is a prefix of a larger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain, zip_longest

from upheld.errors import UsageError
from upheld.types import Passage
from upheld_lab.bench.pack import lot
from upheld_lab.bench.split import Split
from upheld_lab.bench.suites.suite import Asked, Suite


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question that may be asked, the passages it brings into the corpus, and its side."""

    asked: Asked
    needs: frozenset[str]
    split: Split


@dataclass(frozen=True, slots=True)
class Draw:
    """Which part of a suite is asked, and of how many passages."""

    split: Split
    limit: int | None  # questions a set; None takes all
    passages: int | None  # needed ones and distractors together; None takes all
    seed: int

    def order(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Those of the wanted side, in the order of their lots."""
        of_side = [each for each in candidates if each.split is self.split]
        return sorted(of_side, key=lambda each: self._lot(_bare_id(each.asked)))

    def suite(
        self,
        name: str,
        sets: Sequence[Sequence[Candidate]],
        passages: Mapping[str, Passage],
        hashes: Mapping[str, str],
    ) -> Suite:
        """The first of each set in turn, over what they need and distractors by lot."""
        chosen = in_turn(*(some[: self.limit] for some in sets))
        if not chosen:
            raise UsageError(
                f"The suite {name} has no questions on {self.split}.", help="Take another --split."
            )
        needed = frozenset().union(*(each.needs for each in chosen))
        questions = tuple(each.asked for each in chosen)
        return Suite(name, questions, self._filled(passages, needed), hashes)

    def _filled(
        self, passages: Mapping[str, Passage], needed: AbstractSet[str]
    ) -> tuple[Passage, ...]:
        if self.passages is None:
            return tuple(passages.values())
        others = sorted(passages.keys() - needed, key=self._lot)
        kept = needed | set(others[: max(0, self.passages - len(needed))])
        return tuple(passage for id, passage in passages.items() if id in kept)

    def _lot(self, id: str) -> tuple[float, str]:
        return lot(str(self.seed), id), id


def in_turn(*sets: Sequence[Candidate]) -> list[Candidate]:
    """One of each set, then the next of each, until all are empty."""
    return [each for each in chain.from_iterable(zip_longest(*sets)) if each is not None]


def paired(some: Sequence[Candidate], others: Sequence[Candidate]) -> list[Candidate]:
    """As many of the one kind as of the other, by turns."""
    return list(chain.from_iterable(zip(some, others, strict=False)))


def _bare_id(asked: Asked) -> str:
    """Without the set's name: the lots fall as those of the retrieval bench do."""
    return asked.id.removeprefix(f"{asked.set}/")
