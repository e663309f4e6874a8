"""Made-up articles with questions, gold and a search by shared words, for training data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from upheld.text.words import terms
from upheld.types import Passage
from upheld_lab.bench.split import SIDES, Split, article, split_of_article
from upheld_lab.training.sources import GoldQuestion, without_leaks

NAMES = (
    "Vell", "Orrin", "Harrow", "Skerry", "Marl", "Dunmore", "Ashby", "Calder", "Fenwick", "Tarn",
    "Brae", "Lowick", "Selby", "Wick", "Yarrow", "Kelso", "Stroma", "Unst", "Rona", "Oban",
)  # fmt: skip


def built(name: str) -> str:
    return str(1800 + 7 * NAMES.index(name))


def keeper(name: str) -> str:
    return f"Ada {NAMES[(NAMES.index(name) + 3) % len(NAMES)]}son"


def articles() -> list[Passage]:
    """Two passages on each lighthouse: one tells when and by whom, the other of birds."""
    found = []
    for name in NAMES:
        for number, text in enumerate(
            (
                f"The lighthouse of {name} stands on a rock in the northern sea. "
                f"The lighthouse of {name} was built in {built(name)} by a crew of masons. "
                f"Its first keeper was {keeper(name)}, who had been a sailor before.",
                f"Many birds nest below the lighthouse of {name} in the early summer. "
                "Visitors come by ferry and stay until the evening boat leaves the pier.",
            )
        ):
            id = f"{name}-{number}"
            found.append(Passage(id, text, id, "v", 0, len(text), title=f"Lighthouse of {name}"))
    return found


class Lighthouses:
    """A source with three questions on each lighthouse; the last has no answer."""

    async def questions(self, sides: Sequence[Split] = SIDES) -> list[GoldQuestion]:
        return without_leaks((each for name in NAMES for each in asked(name)), sides)

    async def search(
        self, queries: Sequence[str], side: Split, limit: int
    ) -> list[tuple[Passage, ...]]:
        of_side = [each for each in articles() if split_of_article(each.title) is side]
        return [
            tuple(
                sorted(of_side, key=lambda each: -len(terms(each.searchable) & terms(query)))[
                    :limit
                ]
            )
            for query in queries
        ]

    async def passages(self, ids: Iterable[str]) -> dict[str, Passage]:
        wanted = frozenset(ids)
        return {each.id: each for each in articles() if each.id in wanted}


def asked(name: str) -> list[GoldQuestion]:
    title = article(f"Lighthouse of {name}")
    side, gold, none = split_of_article(title), frozenset({f"{name}-0"}), frozenset[str]()
    year, who = (built(name),), (keeper(name),)
    return [
        GoldQuestion(f"{name}/when", f"When was the {name} light built?", year, gold, title, side),
        GoldQuestion(f"{name}/who", f"Who was the first keeper of {name}?", who, gold, title, side),
        GoldQuestion(f"{name}/cost", f"What did {name} cost to build?", (), none, title, side),
    ]
