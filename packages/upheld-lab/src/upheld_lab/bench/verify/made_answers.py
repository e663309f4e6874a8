"""Answers with their sources, made and not found: seeded, in plain English, each a new text.

A passage is about 120 words on one building of an invented town; every passage of an answer tells
the same kind of facts, so that a passage which does not say a thing says something like it.
"""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass, replace

from upheld.types import Passage, content_hash

PASSAGES = 5
_BUILDINGS = (
    "bridge",
    "library",
    "lighthouse",
    "market hall",
    "mill",
    "museum",
    "school",
    "theatre",
)
_TOWNS = [
    "".join(parts)
    for parts in itertools.product(
        ("Ash", "Black", "Brad", "East", "Fair", "Harrow", "Kings", "Lang", "Mill", "Red", "Stan"),
        ("bourne", "bridge", "bury", "field", "ford", "ham", "ley", "mouth", "ton", "well", "wick"),
    )
]
_FIRST = (
    "Agnes",
    "Edward",
    "Eleanor",
    "George",
    "Harriet",
    "Henry",
    "Margaret",
    "Thomas",
    "William",
)
_LAST = ("Barlow", "Carter", "Fletcher", "Hughes", "Mason", "Porter", "Shaw", "Turner", "Whitlock")
_STONES = ("brick", "flint", "granite", "limestone", "red sandstone", "slate", "timber")
_CRAFTS = ("a baker", "a clockmaker", "a cooper", "a mason", "a saddler", "a weaver")
_GOODS = ("coal", "corn", "herring", "leather", "paper", "salt", "wool")
# What a passage says, and how an answer puts it.
_FACTS = (
    (
        "The {building} of {town} was built in {built} by {builder}, who came from {home}.",
        "{builder} built the {building} of {town} in {built}.",
    ),
    (
        "Its walls are of {stone} and stand {high} metres high, more than any other there.",
        "The walls of the {building} in {town} are {high} metres high and made of {stone}.",
    ),
    (
        "The work took {took} years and was paid for by merchants who traded in {goods}.",
        "Traders in {goods} paid for the {building} of {town}.",
    ),
    (
        "A fire in {burnt} destroyed the roof, and for {shut} years nobody was allowed inside.",
        "The {building} of {town} lost its roof to a fire in {burnt}.",
    ),
    (
        "It was repaired under {keeper}, who added a second door and a narrow stair to the river.",
        "{keeper} had the {building} of {town} repaired and gave it a second door.",
    ),
    (
        "Since {listed} it has belonged to the council, which lets it to local clubs in winter.",
        "The council has owned the {building} of {town} since {listed}.",
    ),
    (
        "Some {visitors} people come each year, most of them in the first two weeks of August.",
        "About {visitors} people visit the {building} of {town} every year.",
    ),
    (
        "Visitors pay {price} pounds at the gate, but children under ten and residents go in free.",
        "Children under ten do not pay to see the {building} of {town}.",
    ),
    (
        "By the door it shows the tools of {craft}, found under the floor in {found} by a plumber.",
        "Tools of {craft} were found under the floor of the {building} of {town}.",
    ),
)


@dataclass(frozen=True, slots=True)
class MadeAnswer:
    """An answer of six sentences with marks, and the five passages that the marks count."""

    text: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class MadeClaim:
    """One sentence, and a source of three sentences that says it, or something like it."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class _Subject:
    """A building: what there is to say of it, and which of it its passage says."""

    names: dict[str, str]
    facts: tuple[int, ...]

    def passage(self, number: int) -> Passage:
        text = " ".join(_FACTS[fact][0].format(**self.names) for fact in self.facts)
        title = "The {building} of {town}".format(**self.names)
        name = f"passage-{number}"
        return Passage(name, text, name, content_hash(text), 0, len(text), title=title)

    def claim(self, fact: int) -> str:
        return _FACTS[fact][1].format(**self.names)


class AnswerWriter:
    """Writes answers: four claims are in what they cite, one is elsewhere, one is nowhere."""

    def __init__(self, seed: int = 0) -> None:
        self._dice = random.Random(seed)  # noqa: S311  # reproducible on purpose

    def answer(self) -> MadeAnswer:
        """One answer; its buildings, people and years are drawn anew each time."""
        towns = self._dice.sample(_TOWNS, k=PASSAGES + 1)
        *told, untold = map(self._subject, towns)
        right, wrong, other = self._dice.sample(range(PASSAGES), k=3)
        plan = [
            (told[0], (1,)),
            (told[1], (2,)),
            (told[2], (3, 4)),
            (told[right], (right + 1, other + 1)),
            (told[right], (wrong + 1,)),
            (untold, (other + 1,)),
        ]
        used: set[int] = set()
        said = []
        for subject, cited in plan:
            fact = self._dice.choice([fact for fact in subject.facts if fact not in used])
            used.add(fact)
            marks = " ".join(f"[{number}]" for number in cited)
            said.append(f"{subject.claim(fact)} {marks}")
        passages = tuple(each.passage(number) for number, each in enumerate(told, start=1))
        return MadeAnswer(" ".join(said), passages)

    def claims(self, count: int) -> list[MadeClaim]:
        """So many claims, no two with the same words; about half are in their sources."""
        made: dict[str, MadeClaim] = {}
        while len(made) < count:
            claim = self._claim()
            made.setdefault(claim.text, claim)
        return list(made.values())

    def _claim(self) -> MadeClaim:
        subject, other = (self._subject(town) for town in [self._dice.choice(_TOWNS)] * 2)
        facts = (0, *sorted(self._dice.sample(subject.facts[1:], k=2)))
        building = subject.names["building"]
        said = self._dice.choice(
            (subject, replace(other, names={**other.names, "building": building}))
        )
        source = replace(subject, facts=facts).passage(1).text
        return MadeClaim(said.claim(self._dice.choice(facts)), source)

    def _subject(self, town: str) -> _Subject:
        pick, between = self._dice.choice, self._dice.randint
        built = between(1680, 1840)
        names = {
            "building": pick(_BUILDINGS),
            "town": town,
            "home": pick(_TOWNS),
            "builder": self._person(),
            "keeper": self._person(),
            "stone": pick(_STONES),
            "goods": pick(_GOODS),
            "built": str(built),
            "burnt": str(built + between(10, 60)),
            "listed": str(between(1905, 1985)),
            "high": str(between(9, 45)),
            "took": pick(("two", "three", "four", "five", "six")),
            "shut": pick(("seven", "eight", "nine", "twelve")),
            "craft": pick(_CRAFTS),
            "found": str(between(1990, 2020)),
            "visitors": f"{between(2, 60)},{between(1, 9)}00",
            "price": pick(("two", "three", "four", "five", "six")),
        }
        more = self._dice.sample(range(1, len(_FACTS)), k=between(5, len(_FACTS) - 1))
        return _Subject(names, (0, *sorted(more)))

    def _person(self) -> str:
        return f"{self._dice.choice(_FIRST)} {self._dice.choice(_LAST)}"
