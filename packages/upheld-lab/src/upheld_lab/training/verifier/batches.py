"""Pairs as token ids, in batches of like length and bounded size; twins in the same batch."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MAX_TOKENS = 256
BUCKET = 100  # batches' worth of pairs that are sorted by length together
AT_ONCE = 10_000  # pairs that are tokenized together: the library needs 20 kB for each


class Readable(Protocol):
    """Two texts and the output that is right for them."""

    @property
    def premise(self) -> str: ...

    @property
    def claim(self) -> str: ...

    @property
    def label(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Encoded:
    """A pair as the model reads it."""

    ids: tuple[int, ...]
    segments: tuple[int, ...]  # 0 premise, 1 claim
    label: int
    twin: int = -1  # shared by the two rows of a twin


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs padded to one length."""

    ids: npt.NDArray[np.int64]
    mask: npt.NDArray[np.int64]
    segments: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int64]
    twins: npt.NDArray[np.int64]  # rows of the true and the false claim of each twin


def pair_tokenizer(folder: Path, tokens: int = MAX_TOKENS) -> Any:
    """The published tokenizer; a long premise is cut, the claim never."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(tokens, strategy="only_first")
    return tokenizer


def encode(pairs: Sequence[Readable], tokenizer: Any) -> list[Encoded]:
    """Token ids of pairs, in order; claims are held to half of what the model reads."""
    starts = range(0, len(pairs), AT_ONCE)
    return [one for at in starts for one in _encode(pairs[at : at + AT_ONCE], tokenizer)]


def _encode(pairs: Sequence[Readable], tokenizer: Any) -> list[Encoded]:
    claims = _held([pair.claim for pair in pairs], tokenizer)
    texts = [(pair.premise, claim) for pair, claim in zip(pairs, claims, strict=True)]
    return [
        Encoded(
            tuple(code.ids),
            _segments(code.sequence_ids),
            int(pair.label),
            getattr(pair, "twin", -1),
        )
        for pair, code in zip(pairs, tokenizer.encode_batch(texts), strict=True)
    ]


def _held(claims: Sequence[str], tokenizer: Any) -> list[str]:
    most = tokenizer.truncation["max_length"] // 2
    codes = tokenizer.encode_batch(list(claims), add_special_tokens=False)
    return [
        claim if len(code.ids) <= most else claim[: code.offsets[most - 1][1]]
        for claim, code in zip(claims, codes, strict=True)
    ]


def _segments(sequence_ids: Sequence[int | None]) -> tuple[int, ...]:
    """Everything from the claim's first token on is 1, whatever the tokenizer says."""
    first = sequence_ids.index(1) if 1 in sequence_ids else len(sequence_ids)
    return (0,) * first + (1,) * (len(sequence_ids) - first)


def batches(encoded: Sequence[Encoded], tokens: int, seed: int) -> Iterator[Batch]:
    """One pass in an order of its own: shuffled, sorted inside buckets, shuffled again."""
    dice = random.Random(seed)  # noqa: S311  (an order, no secret)
    units = _units(encoded)
    dice.shuffle(units)
    longest = {unit: max(len(encoded[i].ids) for i in unit) for unit in units}
    mean = sum(longest[unit] * len(unit) for unit in units) / len(encoded)
    size = max(1, int(BUCKET * tokens / mean))
    for first in range(0, len(units), size):
        bucket = sorted(units[first : first + size], key=lambda unit: longest[unit])
        groups = list(grouped([(longest[unit], len(unit)) for unit in bucket], tokens))
        dice.shuffle(groups)
        for group in groups:
            yield padded([encoded[i] for at in group for i in bucket[at]])


def _units(encoded: Sequence[Encoded]) -> list[tuple[int, ...]]:
    """Rows that stay together: the two of a twin, or one."""
    twins: dict[int, list[int]] = {}
    for place, one in enumerate(encoded):
        twins.setdefault(one.twin if one.twin >= 0 else -2 - place, []).append(place)
    return [tuple(places) for places in twins.values()]


def grouped(units: Sequence[tuple[int, int]], tokens: int) -> Iterator[list[int]]:
    """Places of units (length, rows), sorted by length, in groups of so many padded tokens."""
    group, rows = list[int](), 0
    for place, (length, size) in enumerate(units):
        if group and (rows + size) * length > tokens:
            yield group
            group, rows = [], 0
        group.append(place)
        rows += size
    if group:
        yield group


def padded(chosen: Sequence[Encoded]) -> Batch:
    """Rectangles as long as the longest."""
    import numpy as np

    ids = np.zeros((len(chosen), max(len(one.ids) for one in chosen)), np.int64)
    mask, segments = np.zeros_like(ids), np.zeros_like(ids)
    for row, one in enumerate(chosen):
        ids[row, : len(one.ids)] = one.ids
        mask[row, : len(one.ids)] = 1
        segments[row, : len(one.ids)] = one.segments
    labels = np.array([one.label for one in chosen], np.int64)
    return Batch(ids, mask, segments, labels, np.array(_twins(chosen), np.int64).reshape(-1, 2))


def _twins(chosen: Sequence[Encoded]) -> list[tuple[int, int]]:
    """The rows of true and false claims whose twin is in the batch too."""
    rows: dict[int, dict[bool, int]] = {}
    for row, one in enumerate(chosen):
        if one.twin >= 0:
            rows.setdefault(one.twin, {})[one.label == 0] = row
    return [(pair[True], pair[False]) for pair in rows.values() if len(pair) == 2]
