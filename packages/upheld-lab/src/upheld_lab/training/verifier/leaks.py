"""No text of a test set may train: the texts, and the rule."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from upheld.text.sentences import sentences
from upheld_lab.bench.pack import rows
from upheld_lab.bench.verify.labels import Label
from upheld_lab.bench.verify.sets import TEST_SETS, Case, load
from upheld_lab.training.verifier.pairs import Pair

_WORD = re.compile(r"\w+")
_TELLING = 6  # words: a shorter sentence ("He died in 1950.") may stand anywhere


def normalised(text: str) -> str:
    """Case, punctuation and spacing do not make a text another one."""
    return " ".join(_WORD.findall(text.casefold()))


@dataclass(frozen=True, slots=True)
class TestTexts:
    """What the test sets hold, normalised."""

    __test__ = False  # not a test class, whatever pytest thinks of its name

    premises: frozenset[str]
    claims: frozenset[str]
    sentences: frozenset[str]

    def hold(self, pair: Pair) -> bool:
        """Whether the premise or the claim of a pair occurs in a test set."""
        claim = normalised(pair.claim)
        return (
            normalised(pair.premise) in self.premises
            or normalised(pair.whole) in self.premises
            or claim in self.claims
            or (len(claim.split()) >= _TELLING and claim in self.sentences)
        )

    def share_a_sentence(self, parts: Iterable[str]) -> bool:
        """Whether a telling sentence of a passage stands in a test premise or is a test claim."""
        telling = (text for text in map(normalised, parts) if len(text.split()) >= _TELLING)
        return any(text in self.sentences or text in self.claims for text in telling)


def test_texts(cases: Iterable[Case]) -> TestTexts:
    """The texts of test cases: whole passages, with and without title, and their sentences."""
    premises, claims, parts = set[str](), set[str](), set[str]()
    for case in cases:
        claims.add(normalised(case.claim))
        for title, text in case.passages:
            premises.update((normalised(text), normalised(f"{title}\n{text}")))
            parts.update(map(normalised, sentences(text)))
    telling = frozenset(part for part in parts if len(part.split()) >= _TELLING)
    return TestTexts(frozenset(premises), frozenset(claims), telling)


test_texts.__test__ = False  # type: ignore[attr-defined]  # the same


def all_test_texts(data: Path) -> TestTexts:
    """The texts of every test file of the pack."""
    return test_texts(
        chain((case for name in TEST_SETS for case in load(name, data)), _grounded_tests(data))
    )


def _grounded_tests(data: Path) -> Iterator[Case]:
    """What may never train: test rows, rows for measuring only, and sentences made to deceive."""
    folder = data / "g_grounded"
    for name in ("test", "eval_only"):
        for row in rows(folder / f"{name}.jsonl.gz"):
            passages = tuple(("", text) for text in row["premise"])
            yield Case(name, row["claim"], passages, Label.NOT_ENTAILED, row["group"])
    with (folder / "deceptive.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            passage = ("", row["source"])
            yield Case("deceptive", row["answer"], (passage,), Label.NOT_ENTAILED, "")


def sharing(pairs: Iterable[Pair], tests: TestTexts) -> Counter[str]:
    """How many pairs of each source have a premise with a telling sentence of a test premise.

    They train (the premise as a whole is another one), and are counted so that figures on sets
    with the same origin can be read with that in mind.
    """
    return Counter(
        pair.source
        for pair in pairs
        if tests.share_a_sentence(sentences(pair.premise.partition("\n")[2] or pair.premise))
    )


def without_leaks(pairs: Sequence[Pair], tests: TestTexts) -> tuple[list[Pair], Counter[str]]:
    """The pairs that may train, and how many of each source may not."""
    kept, dropped = list[Pair](), Counter[str]()
    for pair in pairs:
        if tests.hold(pair):
            dropped[pair.source] += 1
        else:
            kept.append(pair)
    return kept, dropped
