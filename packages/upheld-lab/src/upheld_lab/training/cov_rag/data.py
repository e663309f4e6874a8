"""CoV-RAG's training data (section 2.3): D1 to answer, D2' to verify, rendered as the library asks.

    D1      question, passages -> the right draft
    D2      the same, for the baseline that is trained to answer only
    D2'     question, passages, draft -> the chain; half of the drafts are wrong

One draft for a question of D2, so that every arm has as many examples. With a language model, some
drafts of D2' are its own: the paper's seed model, trained on D1.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from upheld.errors import LLMError
from upheld.generation.write import WriteClaims, WrittenClaim
from upheld.ports import LLM, Message
from upheld.prompts import load
from upheld.prompts.prompt import as_written, cited, opening, places
from upheld.run.trace import start_run
from upheld.types import Draft
from upheld_lab.bench.pack import lot
from upheld_lab.bench.report import Watch
from upheld_lab.bench.split import SIDES, Split
from upheld_lab.training.cov_rag.damage import damage
from upheld_lab.training.cov_rag.drafts import SPOILS, Others, Shown, Written, damaged, right
from upheld_lab.training.cov_rag.labels import chain_of, direct_of, truthfulness
from upheld_lab.training.language_model.examples import Example, write_examples, write_lines
from upheld_lab.training.sources import GoldQuestion, Source

EXAMPLES, COUNTS, TO_CHECK = "examples.jsonl", "counts.json", "to_check.jsonl"
PROMPTS = ("write", "chain_verify", "direct_revise")
RIGHT = 0.6  # of the drafts to verify; of those that are not empty, half are "true" then
FROM_MODEL = 0.4  # of them, where there is a model to write them
DAMAGED = 0.3  # of the wrong drafts, where the damaged question finds something else
REMOVED = 0.05  # questions whose gold passage is taken away: the right draft is an empty list
CHECKED = 100  # labels that somebody reads


@dataclass(frozen=True, slots=True)
class Recipe:
    """How much is made, and of what."""

    questions: int = 8_000  # that train; a fifth as many choose
    passages: int = 5  # shown for a question, as in the paper
    seed: int = 0


async def make_data(
    source: Source, recipe: Recipe, out: Path, watch: Watch, llm: LLM | None = None
) -> dict[str, int]:
    """Write examples of both sides, and labels to check by hand; return the counts of examples."""
    every = await source.questions()
    examples, judged = list[Example](), list[Written]()
    for side, count in zip(SIDES, (recipe.questions, recipe.questions // 5), strict=True):
        chosen = [each for each in every if each.split is side][:count]
        for made, to_verify in await _made(source, chosen, side, recipe, watch, llm):
            examples.append(answering(made, half=1 if to_verify is None else 2))
            if to_verify is not None:
                examples += verifying(to_verify)
                judged.append(to_verify)
    counts = Counter(f"{each.split}/D{each.half}/{each.task}/{each.kind}" for each in examples)
    write_examples(examples, out / EXAMPLES)
    write_lines(map(_to_check, judged[:CHECKED]), out / TO_CHECK)
    (out / COUNTS).write_text(json.dumps(dict(sorted(counts.items())), indent=1))
    return dict(sorted(counts.items()))


async def _made(
    source: Source,
    questions: Sequence[GoldQuestion],
    side: Split,
    recipe: Recipe,
    watch: Watch,
    llm: LLM | None,
) -> list[tuple[Written, Written | None]]:
    """For every usable question the right draft, and in D2 a draft to verify."""
    dice = random.Random(f"{recipe.seed}/{side}")  # noqa: S311  (training data, no secret)
    spoilt = [damage(each.text, dice) for each in questions]
    shown = await _shown(source, questions, [each.text for each in questions], side, recipe)
    shown = [_without_gold(each) if _is_removed(each) else each for each in shown]
    worse = await _shown(source, questions, spoilt, side, recipe)
    by_article = _answers_by_article(questions)
    second = second_half(each.article for each in questions)
    found = list[tuple[Written, Written | None]]()
    for place, (one, other) in enumerate(zip(shown, worse, strict=True)):
        watch(f"drafts of {side}", place + 1, len(questions))
        made = right(one, dice)
        if made is None:
            continue
        if one.question.article not in second:
            found.append((made, None))
            continue
        elsewhere = shown[dice.randrange(len(shown))]
        others = Others(
            by_article[one.question.article],
            elsewhere if elsewhere.question.article != one.question.article else None,
            other if one.gold and not other.gold else None,
        )
        own = None
        if llm is not None and dice.random() < FROM_MODEL:
            own = await written_by(llm, one)
        to_verify = own or _drawn(one, others, dice)
        if to_verify is not None:
            found.append((made, to_verify))
    return found


async def _shown(
    source: Source,
    questions: Sequence[GoldQuestion],
    queries: Sequence[str],
    side: Split,
    recipe: Recipe,
) -> list[Shown]:
    found = await source.search(queries, side, recipe.passages)
    return [Shown(*each) for each in zip(questions, queries, found, strict=True)]


def _is_removed(shown: Shown) -> bool:
    return lot("removed", shown.question.id) < REMOVED and _without_gold(shown).is_unanswered


def _without_gold(shown: Shown) -> Shown:
    others = tuple(each for each in shown.passages if each.id not in shown.question.gold)
    return replace(shown, passages=others)


def _drawn(shown: Shown, others: Others, dice: random.Random) -> Written | None:
    """A draft to verify: right, or spoilt in one of the ways that apply."""
    if dice.random() < RIGHT and (made := right(shown, dice)) is not None:
        return made
    ways = dice.sample(SPOILS, len(SPOILS))
    if dice.random() < DAMAGED:  # the only drafts that teach to revise
        ways.insert(0, damaged)
    for spoil in ways:
        if (spoilt := spoil(shown, dice, others)) is not None:
            return spoilt
    return None


async def written_by(llm: LLM, shown: Shown) -> Written | None:
    """The draft that a model writes from these passages; None if it fails."""
    asked = Written(shown, (), "").draft
    write = WriteClaims(llm=llm, max_passages=len(shown.passages))
    with start_run():
        try:
            draft = await write(asked.question, asked.evidence)
        except LLMError:
            return None
    numbers = places(draft)
    claims = tuple(
        WrittenClaim(sources=cited(each, numbers), text=each.text) for each in draft.claims
    )
    made = Written(shown, claims, "model")
    return replace(made, truthful=truthfulness(made))


def second_half(articles: Iterable[str]) -> frozenset[str]:
    """The articles of D2: questions on one are in the same half, and both have about as many."""
    second, ahead = list[str](), 0  # questions that D1 is ahead by
    for name, count in Counter(articles).most_common():
        if ahead > 0:
            second.append(name)
        ahead += -count if ahead > 0 else count
    return frozenset(second)


def answering(made: Written, half: int) -> Example:
    """To answer: the writer's messages, and the draft as the writer is to write it."""
    draft = made.draft
    return _example(made, opening(load("write"), draft), _as_written(draft), "answer", half)


def verifying(made: Written) -> Iterator[Example]:
    """To verify the draft: with the chain, and without it."""
    draft = made.draft
    before = opening(load("write"), draft)
    for task, prompt, reply in (
        ("chain", "chain_verify", chain_of(made).model_dump(mode="json")),
        ("direct", "direct_revise", direct_of(made).model_dump(mode="json")),
    ):
        turn = load(prompt).render(answer=_as_written(draft))
        yield _example(made, (*before, *turn), json.dumps(reply, ensure_ascii=False), task, half=2)


def _as_written(draft: Draft) -> str:
    return as_written(draft, places(draft))


def _example(
    made: Written, messages: tuple[Message, ...], reply: str, task: str, half: int
) -> Example:
    asked = made.shown.question
    return Example(messages, reply, task, made.kind, asked.split, asked.article, asked.id, half)


def _answers_by_article(questions: Sequence[GoldQuestion]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in questions:
        found.setdefault(each.article, []).extend(sorted(each.answers, key=len)[:1])
    return found


def _to_check(made: Written) -> dict[str, object]:
    """A label with all that is needed to say whether it is right."""
    return {
        "question": made.shown.text,
        "answers": list(made.shown.question.answers),
        "gold": made.shown.gold,
        "passages": [each.searchable for each in made.shown.passages],
        "draft": [each.model_dump() for each in made.claims],
        "kind": made.kind,
        "label": chain_of(made).model_dump(mode="json"),
        "right": None,  # true or false, by hand
    }
