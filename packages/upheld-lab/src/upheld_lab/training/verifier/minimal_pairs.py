"""Minimal pairs: two claims about one passage, or one claim about two, with opposite labels.

A twin differs in one thing only, made by one editor with material of the same passage. Half of the
reversible edits are made in the passage instead of the claim, so that the wording of a claim does
not tell its label.
"""

# ruff: noqa: E501  (one entry of a list, or one form, is one line)

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from upheld.text.words import content_stems
from upheld_lab.bench.verify.labels import Label
from upheld_lab.training.verifier import tables
from upheld_lab.training.verifier.claim_forms import true_claim
from upheld_lab.training.verifier.edits import Context, Edit, edits
from upheld_lab.training.verifier.facts import Fact
from upheld_lab.training.verifier.frames import DENIED, fill, framed
from upheld_lab.training.verifier.pairs import Pair, marked, premise
from upheld_lab.training.verifier.windows import windows

SOURCE = "minimal-pairs"
# What each sentence is used for; the rest of the draws are edits of a single claim.
FRAMED, JOINED, TWO_SOURCES, DENIED_NEIGHBOUR = 0.16, 0.08, 0.10, 0.04
# An edit may hit on something that another sentence of the passage says.
_MAY_BE_TRUE = frozenset({"name", "place", "number", "date", "number_words", "unit"})
_PRONOUN = re.compile(
    r"\b(?:he|she|it|they|his|her|its|their|him|them|this|these)\b", re.IGNORECASE
)
_CONVERTED = re.compile(r"\d[^()]*\([^()]*\d")  # "40 km (25 miles)": the old value is still there
# Made in the claim alone, these would tell the label of a joined claim.
_TELLING = frozenset({"negation", "modality", "quantifier"})


@dataclass(frozen=True, slots=True)
class Twin:
    """An entailed claim with its premise, and one with a premise that does not entail it."""

    kind: str
    true_premise: str
    true_claim: str
    false_premise: str
    false_claim: str
    label: Label  # of the false claim
    document: str


def minimal_pairs(
    facts: Sequence[Fact], paraphrases: Mapping[str, str], seed: int, *, each: int = 2
) -> Iterator[Twin]:
    """So many twins of each sentence, of different kinds where possible."""
    dice = random.Random(seed)  # noqa: S311  (training data, no secret)
    makers = _Makers(facts, paraphrases, dice)
    for at in range(len(facts)):
        seen = set[str]()
        for _ in range(each):
            twin = makers.twin(at, seen)
            if twin is not None:
                seen.add(twin.kind)
                yield twin


def table_pairs(
    passages: Sequence[Mapping[str, str]], seed: int, *, each: int = 4
) -> Iterator[Twin]:
    """Twins from tables, several draws of each."""
    dice = random.Random(seed)  # noqa: S311  (the same)
    for row in passages:
        for _ in range(each):
            for found in tables.twins(row["text"], dice):
                told = premise(row["title"].partition(" | ")[0], found.rows)
                yield Twin(
                    found.kind, told, found.true, told, found.false, found.label, row["title"]
                )


def as_pairs(twins: Sequence[Twin], first: int = 0) -> list[Pair]:
    """Two rows a twin, with its number."""
    return [
        row
        for number, twin in enumerate(twins, start=first)
        for row in (
            Pair(
                twin.true_premise, twin.true_claim, Label.ENTAILS, SOURCE, twin.document,
                twin=number, kind=twin.kind,
            ),
            Pair(
                twin.false_premise, twin.false_claim, twin.label, SOURCE, twin.document,
                twin=number, kind=twin.kind,
            ),
        )
    ]  # fmt: skip


def counted(twins: Sequence[Twin]) -> dict[str, int]:
    """Twins by kind, for the data card."""
    return dict(sorted(Counter(twin.kind for twin in twins).items()))


class _Makers:
    """The ways to make a twin, over one list of facts."""

    def __init__(
        self, facts: Sequence[Fact], paraphrases: Mapping[str, str], dice: random.Random
    ) -> None:
        self._facts, self._paraphrases, self._dice = facts, paraphrases, dice
        self._same: dict[str, list[Fact]] = {}
        self._alike: dict[str, list[str]] = {}  # titles of things of one sort
        for fact in facts:
            self._same.setdefault(fact.document, []).append(fact)
            if noun := _noun(fact):
                self._alike.setdefault(noun, []).append(fact.title)

    def twin(self, at: int, seen: set[str]) -> Twin | None:
        fact, draw = self._facts[at], self._dice.random()
        if (draw := draw - FRAMED) < 0:
            return self._framed(fact)
        if (draw := draw - JOINED) < 0:
            return self._joined(fact)
        if (draw := draw - TWO_SOURCES) < 0:
            return self._two_sources(fact, self._facts[at - 1 - int(self._dice.random() * 50)])
        if (draw := draw - DENIED_NEIGHBOUR) < 0:
            return self._denied_neighbour(fact)
        return self._edited(fact, self._facts[at - 1], seen)

    def _claim(self, fact: Fact) -> str:
        before = fact.sentences[: max(0, fact.at)]
        return true_claim(fact.claim, fact.title, self._paraphrases, self._dice, before)

    def _edited(self, fact: Fact, other: Fact, seen: set[str]) -> Twin | None:
        claim, window = self._claim(fact), self._window(fact)
        found = self._false(claim, fact, other, seen)
        if found is None:
            return None
        false, edit = found
        told = _told(fact, window)
        if edit.denied and self._dice.random() < 0.67:
            return self._denied_edit(fact, claim, window, edit)
        if edit.reversible and self._dice.random() < 0.5:
            changed = edit.apply(fact.claim)
            if changed is not None and not self._still_said(edit, fact, window):
                told = _told(fact, window, changed)
                return Twin(edit.kind, told, false, told, claim, edit.label, fact.document)
        return Twin(edit.kind, told, claim, told, false, edit.label, fact.document)

    @staticmethod
    def _still_said(edit: Edit, fact: Fact, window: tuple[int, int]) -> bool:
        """Whether title or neighbours, or a conversion in brackets, have the old value too."""
        if edit.kind not in _MAY_BE_TRUE:
            return False
        around = " ".join((fact.title, *_others(fact, window)))
        names = [word for old, _ in edit.changes for word in old.split() if word[:1].isupper()]
        if any(part in around for part in (*(old for old, _ in edit.changes), *names)):
            return True
        return edit.kind in {"number", "unit"} and bool(_CONVERTED.search(fact.claim))

    def _denied_edit(
        self, fact: Fact, claim: str, window: tuple[int, int], edit: Edit
    ) -> Twin | None:
        """The passage has the strong word or what denies it: then the other one is false.

        Without these, "all", "always" and "must" would stand in false claims only.
        """
        ((weak, strong),) = edit.changes
        # Each of the three words is right as often as it is wrong; "need not" leaves "may" open.
        opposed = strong if edit.denied == "need not" else weak
        words = self._dice.choice(((strong, edit.denied), (edit.denied, opposed)))
        right, wrong = (replace(edit, changes=((weak, word),)) for word in words)
        changed, true, false = right.apply(fact.claim), right.apply(claim), wrong.apply(claim)
        if changed is None or true is None or false is None:
            return None
        told = _told(fact, window, changed)
        return Twin(edit.kind, told, true, told, false, Label.CONTRADICTS, fact.document)

    def _false(
        self, claim: str, fact: Fact, other: Fact, seen: set[str]
    ) -> tuple[str, Edit] | None:
        alike = self._alike.get(_noun(fact), [])
        unlike = self._dice.choice(alike) if alike else other.title
        context = Context(" ".join(fact.sentences), fact.title, unlike)
        for edit in edits(claim, context, self._dice):
            if edit.kind in seen:
                continue
            false = edit.apply(claim)
            if false is None or (edit.kind in _MAY_BE_TRUE and _may_be_true(edit, false, fact)):
                continue
            return false, edit
        return None

    def _framed(self, fact: Fact) -> Twin | None:
        claim, window = self._claim(fact), self._window(fact)
        found = next(framed(fact.claim, claim, self._dice), None)
        if found is None:
            return None
        return Twin(
            found.kind,
            _told(fact, window, found.true_sentence, found.true_heading),
            found.true_claim,
            _told(fact, window, found.false_sentence, found.heading),
            found.false_claim,
            found.label,
            fact.document,
        )

    def _denied_neighbour(self, fact: Fact) -> Twin | None:
        """One sentence is denied, the one beside it is not."""
        others = [each for each in self._same[fact.document] if each.at != fact.at]
        others = [each for each in others if each.sentences == fact.sentences]
        if not others:
            return None
        other = self._dice.choice(others)
        denied = fill(self._dice.choice(DENIED), other.claim)
        parts = list(fact.sentences)
        parts[other.at] = denied
        first, last = min(fact.at, other.at), max(fact.at, other.at)
        told = premise(fact.title, " ".join(parts[max(0, first - 1) : last + 1][:6]))
        if denied not in told or fact.claim not in told:
            return None
        return Twin(
            "retraction", told, self._claim(fact), told, self._claim(other), Label.CONTRADICTS,
            fact.document,
        )  # fmt: skip

    def _joined(self, fact: Fact) -> Twin | None:
        """Two sentences of a passage in one claim, one of them wrong in the false one."""
        others = [
            each
            for each in self._same[fact.document]
            if each.sentences == fact.sentences and 0 < abs(each.at - fact.at) <= 4
        ]
        if not others:
            return None
        other = self._dice.choice(others)
        one, two = self._claim(fact), self._claim(other)
        wrong = self._false(two, other, fact, set(_TELLING))
        if wrong is None:
            return None
        first, last = min(fact.at, other.at), max(fact.at, other.at)
        told = premise(fact.title, " ".join(fact.sentences[max(0, first - 1) : last + 2]))
        true, false = self._merged(one, two, wrong[0])
        return Twin("joined_sentences", told, true, told, false, Label.NOT_ENTAILED, fact.document)

    def _two_sources(self, fact: Fact, other: Fact) -> Twin | None:
        """Two passages in one claim: with both it is entailed; with an error or one, it is not."""
        if other.document == fact.document:
            return None
        one, two = self._claim(fact), self._claim(other)
        if _PRONOUN.search(one) or _PRONOUN.search(two):
            return None  # it would be taken for the other passage's subject
        shown = [_told(fact, self._window(fact, 45)), _told(other, self._window(other, 45))]
        if self._dice.random() < 0.5:
            shown.reverse()
        told = marked(shown)
        if self._dice.random() < 0.35:
            true, _ = self._merged(one, two, two)
            left = self._dice.choice(shown)
            label = Label.NEUTRAL
            return Twin("joined_sources", told, true, left, true, label, fact.document)
        wrong = self._false(two, other, fact, set(_TELLING))
        if wrong is None:
            return None
        true, false = self._merged(one, two, wrong[0])
        return Twin("joined_sources", told, true, told, false, Label.NOT_ENTAILED, fact.document)

    def _merged(self, one: str, two: str, wrong: str) -> tuple[str, str]:
        """A claim of two parts, right and with its second part wrong; the parts in any order."""
        glue = self._dice.choice((", and ", "; ", ", while "))
        turned = self._dice.random() < 0.5

        def merged(second: str) -> str:
            first, last = (second, one) if turned else (one, second)
            return f"{first.rstrip('. ')}{glue}{_lowered(last)}"

        return merged(two), merged(wrong)

    def _window(self, fact: Fact, words: int | None = None) -> tuple[int, int]:
        """Neighbouring sentences that hold the fact; of any length, as passages are."""
        size = words or self._dice.choice([30, 50, 80, 110])
        holding = [(a, b) for a, b in windows(fact.sentences, size) if a <= fact.at < b]
        return self._dice.choice(holding)


def _told(fact: Fact, window: tuple[int, int], instead: str = "", heading: str = "") -> str:
    """The premise: title, heading and the window, with another sentence in the fact's place."""
    parts = list(fact.sentences)
    parts[fact.at] = instead or parts[fact.at]
    return premise(fact.title, " ".join(parts[window[0] : window[1]]), heading)


_SORT = re.compile(
    r"\b(?:is|was) (?:an?|the) (?:[\w-]+ ){0,6}?([a-z]+)"
    r"(?=[,.;]| (?:of|in|by|from|for|who|which|that|on|at|with|and|based|located|written|directed)\b)"
)


def _noun(fact: Fact) -> str:
    """The sort of thing that a passage is about, from "is a …" in its first sentence."""
    found = _SORT.search(fact.sentences[0])
    return found[1] if found else ""


def _others(fact: Fact, window: tuple[int, int]) -> list[str]:
    return [fact.sentences[at] for at in range(*window) if at != fact.at]


def _may_be_true(edit: Edit, false: str, fact: Fact) -> bool:
    """Whether a sentence of the passage says what the edited claim says.

    A shortened claim may be edited into what was cut from it: so the whole sentence is tried too.
    """
    if edit.kind == "name" and any(new in fact.claim for _, new in edit.changes):
        return True
    whole = edit.apply(fact.claim)
    return _said(false, fact.sentences) or (whole is not None and _said(whole, fact.sentences))


def _said(claim: str, sentences: Sequence[str]) -> bool:
    """Whether one sentence has all content words of the claim: then it may be true after all."""
    stems = content_stems(claim)
    return any(stems <= _stems(sentence) for sentence in sentences)


@lru_cache(maxsize=512)
def _stems(sentence: str) -> frozenset[str]:
    return frozenset(content_stems(sentence))


def _lowered(text: str) -> str:
    first = text.partition(" ")[0]
    plain = {"The", "A", "An", "It", "He", "She", "They", "This", "In", "On", "At", "His", "Her"}
    return text[:1].lower() + text[1:] if first in plain else text
