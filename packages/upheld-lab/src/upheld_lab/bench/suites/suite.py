"""The nouns of a suite: a question with what people noted about it, and what it is asked of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from upheld.types import Passage


@dataclass(frozen=True, slots=True)
class GoldText:
    """What a right answer contains: one of the values, or a wording of each quote.

    Where the answer is yes or no, an answer that says either is right by that alone.
    """

    values: tuple[str, ...] = ()
    quotes: tuple[tuple[str, ...], ...] = ()  # all wanted, each with other places that say it
    yes: bool | None = None
    reference: str = ""  # a right answer in a person's words, for readers and judges


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and what is known about it; what nobody noted is empty or None."""

    id: str  # unique in a suite: "nq/1234"
    set: str  # the data set it comes from
    text: str
    answers: tuple[str, ...] = ()  # wordings of the answer: one is enough
    parts: tuple[tuple[str, ...], ...] = ()  # of a list: each item with its wordings, all wanted
    gold: frozenset[str] = frozenset()  # passages that people marked as answering it
    answerable: bool | None = None
    facts: tuple[str, ...] = ()  # statements that a full answer makes, for claim recall
    yes: bool | None = None  # the answer to a yes/no question
    false_answers: tuple[str, ...] = ()  # what planted or mistaken passages say
    false_passages: frozenset[str] = frozenset()
    gold_text: GoldText | None = None


@dataclass(frozen=True, slots=True)
class Suite:
    """Questions in the order in which they are asked, over one corpus."""

    name: str
    questions: tuple[Asked, ...]  # sets interleaved: a run cut anywhere has some of each
    passages: tuple[Passage, ...]  # each a document of its own, unsplit
    hashes: Mapping[str, str]  # of the files it was read from, for the manifest
