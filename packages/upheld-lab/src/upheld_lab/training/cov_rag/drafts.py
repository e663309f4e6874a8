"""Drafts to learn from and drafts to judge: right by construction, or wrong in one known way.

Right: the gold answer as a statement, or the gold sentence, with the number of the gold passage.
The wrong ones are the paper's (section 2.3): repetition, wrong marks, errors of retrieval; and
changed facts, and abstaining although a passage has the answer. Where nothing that is shown holds
the answer, the right draft is an empty list.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from upheld.generation.write import Claims, WrittenClaim, cited
from upheld.text.sentences import sentences
from upheld.text.words import terms, words
from upheld.types import Draft, Evidence, Hit, Passage, Question
from upheld_lab.bench.metrics import answer_in
from upheld_lab.training.grader.candidates import is_telling
from upheld_lab.training.sources import GoldQuestion
from upheld_lab.training.verifier.questions import statement

LONGEST = 300  # characters of a claim, as in the writer's schema
CONCISE = 0.75  # the conciseness that a right draft has at least
CONCISE_WORDS = 60  # two long sentences; above it, conciseness falls
_FIGURE = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Shown:
    """A question as it is asked, with the passages that are shown for it."""

    question: GoldQuestion
    text: str  # other than the question's own where it was damaged
    passages: tuple[Passage, ...]

    @property
    def gold(self) -> list[int]:
        """The numbers of the gold passages among those shown."""
        ids = (each.id for each in self.passages)
        return [number for number, id in enumerate(ids, start=1) if id in self.question.gold]

    @property
    def silent(self) -> list[int]:
        """The numbers of passages that neither are gold nor hold the answer."""
        return [
            number
            for number, each in enumerate(self.passages, start=1)
            if number not in self.gold and not holds_answer(each, self.question)
        ]

    @property
    def is_unanswered(self) -> bool:
        """Whether nothing that is shown holds the answer."""
        return len(self.silent) == len(self.passages)


@dataclass(frozen=True, slots=True)
class Written:
    """Claims as a model would write them, and how they were made."""

    shown: Shown
    claims: tuple[WrittenClaim, ...]
    kind: str
    truthful: float = 1.0  # known by construction
    revised: str = ""  # the question that finds the gold passage where the asked one does not

    @property
    def text(self) -> str:
        return " ".join(each.text for each in self.claims)

    @property
    def draft(self) -> Draft:
        """The draft that the library's writer makes of these claims."""
        hits = tuple(Hit(each, 0.0, self.shown.text) for each in self.shown.passages)
        claims, _ = cited(Claims(claims=list(self.claims)), self.shown.passages)
        return Draft(Question(self.shown.text), claims, Evidence(hits))


def holds_answer(passage: Passage, question: GoldQuestion) -> bool:
    """Whether an answer stands in a passage; a digit or a yes stands anywhere, so it is no sign."""
    return answer_in(passage.searchable, filter(is_telling, question.answers))


def right_texts(shown: Shown) -> list[tuple[int, str]]:
    """The right claims that can be made, each with the number of its gold passage."""
    found = []
    answer = min(shown.question.answers, key=len, default="")
    said = statement(shown.question.text, answer)
    for number in shown.gold:
        passage = shown.passages[number - 1]
        if "?" not in said and answer_in(passage.text, [answer]):
            found.append((number, said))
        holding = [
            each for each in sentences(passage.text) if answer_in(each, shown.question.answers)
        ]
        wanted = terms(shown.question.text)
        if holding:
            best = max(holding, key=lambda each: len(terms(each) & wanted))
            found.append((number, " ".join(best.split())))
    return [(number, text) for number, text in found if len(text) <= LONGEST]


def right(shown: Shown, dice: random.Random) -> Written | None:
    """A right answer with its mark; an empty list where nothing that is shown holds the answer.

    None where it is not known what is right: another passage than gold holds the answer.
    """
    if shown.gold:
        texts = right_texts(shown)
        if not texts:
            return None
        number, text = dice.choice(texts)
        return _written(shown, "right", number, text)
    return Written(shown, (), "unanswered") if shown.is_unanswered else None


Spoil = Callable[[Shown, random.Random, "Others"], Written | None]


@dataclass(frozen=True, slots=True)
class Others:
    """What other questions of the same side offer: wrong answers, and wrong passages."""

    answers: Sequence[str]
    shown: Shown | None = None  # of a question on another article
    damaged: Shown | None = None  # what the damaged question found, if not gold


def repeated(shown: Shown, dice: random.Random, _: Others) -> Written | None:
    """The right claim, with a phrase of it, or its end, said again and again."""
    made = right(shown, dice)
    if made is None or not made.claims:
        return None
    (claim,) = made.claims
    said = claim.text.rstrip(".").split()
    start = dice.randrange(max(1, len(said) - 4))
    end = start + dice.randint(2, 5) if dice.random() < 0.5 else len(said)
    before, phrase, after = said[:end], said[start:end], said[end:]
    while conciseness(text := f"{' '.join(before + after)}.") >= CONCISE:
        before += phrase
    return _written(shown, "repeated", claim.sources[0], text) if len(text) <= LONGEST else None


def changed(shown: Shown, dice: random.Random, others: Others) -> Written | None:
    """The right claim with another answer of the same form in the answer's place."""
    made = right(shown, dice)
    if made is None or not made.claims:
        return None
    (claim,) = made.claims
    said = [each for each in shown.question.answers if each in claim.text]
    if not said:
        return None
    old = max(said, key=len)
    like = [each for each in others.answers if _is_like(each, old)]
    if not like:
        return None
    text = claim.text.replace(old, dice.choice(like))
    if answer_in(text, shown.question.answers) or len(text) > LONGEST:
        return None
    return replace(_written(shown, "changed", claim.sources[0], text), truthful=0.0)


def wrong_marks(shown: Shown, dice: random.Random, _: Others) -> Written | None:
    """The right claim with the numbers of passages that do not say it."""
    made = right(shown, dice)
    if made is None or not made.claims or not shown.silent:
        return None
    marks = sorted(dice.sample(shown.silent, dice.randint(1, min(2, len(shown.silent)))))
    (claim,) = made.claims
    return Written(shown, (WrittenClaim(sources=marks, text=claim.text),), "wrong_marks")


def wrong_passages(shown: Shown, dice: random.Random, others: Others) -> Written | None:
    """The passages of another question, and a sentence of them as the answer."""
    if others.shown is None:
        return None
    swapped = replace(shown, passages=others.shown.passages)
    return None if swapped.gold else quoting(swapped, dice, "wrong_passages")


def damaged(shown: Shown, dice: random.Random, others: Others) -> Written | None:
    """What a damaged question finds, with a sentence of it or nothing as the answer."""
    if others.damaged is None or not shown.gold:
        return None
    made = None
    if dice.random() < 0.5:
        made = quoting(others.damaged, dice, "damaged")
    elif others.damaged.is_unanswered:
        made = Written(others.damaged, (), "damaged")
    return None if made is None else replace(made, revised=shown.question.text)


def missed(shown: Shown, _: random.Random, __: Others) -> Written | None:
    """An empty list although a passage has the answer."""
    return Written(shown, (), "missed") if shown.gold else None


def beside(shown: Shown, dice: random.Random, _: Others) -> Written | None:
    """A sentence of a passage that does not hold the answer."""
    return quoting(shown, dice, "beside")


SPOILS: tuple[Spoil, ...] = (
    repeated, changed, wrong_marks, wrong_passages, damaged, missed, beside,
)  # fmt: skip


def quoting(shown: Shown, dice: random.Random, kind: str) -> Written | None:
    """The sentence of silent passages that is nearest to the question: true, but no answer."""
    wanted = terms(shown.text)
    parts = [
        (number, each)
        for number in shown.silent
        for each in sentences(shown.passages[number - 1].text)
        if 20 <= len(each) <= LONGEST and not answer_in(each, shown.question.answers)
    ]
    if not parts:
        return None
    dice.shuffle(parts)  # of equally near ones, any
    number, text = max(parts, key=lambda part: len(terms(part[1]) & wanted))
    return _written(shown, kind, number, " ".join(text.split()))


def conciseness(text: str) -> float:
    """The share of pairs of words that come for the first time, less for a long text."""
    told = words(text)
    pairs = list(pairwise(told))
    if not pairs:
        return 1.0
    return len(set(pairs)) / len(pairs) * min(1.0, CONCISE_WORDS / len(told))


def _written(shown: Shown, kind: str, number: int, text: str) -> Written:
    return Written(shown, (WrittenClaim(sources=[number], text=text),), kind)


def _is_like(one: str, other: str) -> bool:
    """Whether one answer could stand for the other: both figures, or both about as long names."""
    if one.casefold() in other.casefold() or other.casefold() in one.casefold():
        return False
    figures = bool(_FIGURE.search(one)) == bool(_FIGURE.search(other))
    return figures and abs(len(one.split()) - len(other.split())) <= 1
