"""Two runs of the same questions, or two methods of one: what differs, and whether it is noise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from upheld.errors import UsageError
from upheld_lab.bench.page.bar_words import TOO_FEW
from upheld_lab.bench.page.browse import Came, came
from upheld_lab.bench.page.columns import BY_NAME, COLUMNS, JUDGE, Kind
from upheld_lab.bench.page.depends import flat
from upheld_lab.bench.page.equal_coverage import AtEqualCoverage, at_equal_coverage
from upheld_lab.bench.page.paired import FEWEST, difference, holm
from upheld_lab.bench.page.run_data import ALL, Cut
from upheld_lab.bench.page.run_report import between, figure
from upheld_lab.bench.report import Row
from upheld_lab.bench.runs.records import Outcome

BEFORE, AFTER = "before", "after"
OF_COURSE = ("date", "command", "resumed")  # differ between any two runs


@dataclass(frozen=True, slots=True)
class Change:
    """A figure of one variant in both runs; `noise` unless the paired test is sure.

    `too_few`: the test passes, but on too few questions to be sure of it.
    """

    variant: str
    score: str
    before: float
    after: float
    difference: float
    low: float
    high: float
    p: float
    n: int
    noise: bool
    too_few: bool = False


@dataclass(frozen=True, slots=True)
class ChangedAnswer:
    """An answer with other words, or with another fate."""

    question: str
    variant: str
    before: str
    after: str
    came_before: Came
    came_after: Came


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed from one run to the other, on what both have finished."""

    questions: int
    variants: tuple[str, ...]
    says: tuple[str, ...]  # in plain sentences
    changes: tuple[Change, ...]
    answers: tuple[ChangedAnswer, ...]
    settings: Mapping[str, tuple[str | None, str | None]]  # what the runs depend on that differs
    equal_coverage: Mapping[str, tuple[AtEqualCoverage, ...]]  # by variant


def compare(before: Cut, after: Cut) -> Comparison:
    """The second run minus the first, on the same questions."""
    variants = tuple(each for each in before.variants if each in after.variants)
    common = {asked.id: asked.text for asked in before.questions}
    questions = [asked.id for asked in after.questions if common.get(asked.id) == asked.text]
    if not variants or not questions:
        raise UsageError(
            "The two runs have no question that a method answered in both.",
            help="Compare runs of the same --suite, --split and --seed, with a method in common.",
        )
    changes = tuple(
        change for each in variants for change in _changes(before, after, each, questions)
    )
    answers = tuple(_changed_answers(before, after, variants, questions))
    equal = {
        each: tuple(at_equal_coverage(_side_by_side(before, after, each, questions), AFTER, BEFORE))
        for each in variants
    }
    return Comparison(
        len(questions),
        variants,
        (
            *_sentences(variants, questions, changes, answers),
            *(told for each in variants for told in _at_equal_coverage(each, equal[each])),
        ),
        changes,
        answers,
        _changed_settings(before, after),
        equal,
    )


def one_method(cut: Cut, method: str, name: str) -> Cut:
    """A run with one of its methods alone, under a name that it can be compared by."""
    if method not in cut.variants:
        raise UsageError(
            f"The run has no method '{method}'.", help=f"It has: {', '.join(cut.variants)}."
        )
    ids = [asked.id for asked in cut.questions]
    return replace(
        cut,
        variants=(name,),
        outcomes={(id, name): cut.outcomes[id, method] for id in ids},
        scores={(id, name): cut.scores[id, method] for id in ids},
    )


def as_rows(comparison: Comparison) -> tuple[Row, ...]:
    """Figures that differ, for a terminal."""
    return tuple(
        {
            "method": each.variant,
            "figure": BY_NAME[each.score].label,
            "before": figure(each.before),
            "after": figure(each.after),
            "difference": f"{each.difference:+.3f} {between(each.low, each.high)}",
            "p": f"{each.p:.4f}",
            "n": each.n,
            "": TOO_FEW if each.too_few else "noise" if each.noise else "changed",
        }
        for each in comparison.changes
        if each.difference
    )


def _changes(before: Cut, after: Cut, variant: str, questions: Sequence[str]) -> Iterator[Change]:
    """All tests of a variant are corrected together (Holm): one of many differs by chance alone.

    A judge's figures are left out: places are among the answers of one run.
    """
    both = _side_by_side(before, after, variant, questions)
    found = [
        difference(both, ALL, column.name, AFTER, BEFORE)
        for column in COLUMNS
        if column.kind is not Kind.ABSTENTION and column.group != JUDGE
    ]
    for each in holm([told for told in found if told is not None]):
        yield Change(
            variant, each.score, each.their, each.our,
            each.difference, each.low, each.high, each.p, each.n,
            not (each.sure or each.too_few), each.too_few,
        )  # fmt: skip


def _side_by_side(before: Cut, after: Cut, variant: str, questions: Sequence[str]) -> Cut:
    """One variant of two runs as two variants of one."""
    sides = {BEFORE: before, AFTER: after}
    pairs = [(id, side) for id in questions for side in sides]
    return Cut(
        {},
        tuple(sides),
        len(questions),
        tuple(asked for asked in after.questions if asked.id in set(questions)),
        {(id, side): sides[side].outcomes[id, variant] for id, side in pairs},
        {(id, side): sides[side].scores[id, variant] for id, side in pairs},
    )


def _changed_answers(
    before: Cut, after: Cut, variants: Sequence[str], questions: Sequence[str]
) -> Iterator[ChangedAnswer]:
    for id in questions:
        for variant in variants:
            one, other = (each.outcomes[id, variant] for each in (before, after))
            told = ChangedAnswer(
                id,
                variant,
                _words(one),
                _words(other),
                came(one, before.scores[id, variant]),
                came(other, after.scores[id, variant]),
            )
            if (told.before, told.came_before) != (told.after, told.came_after):
                yield told


def _words(outcome: Outcome) -> str:
    """What it says, and not how it came about."""
    if outcome.answer is None:
        return outcome.error or ""
    return " ".join(claim.text for claim in outcome.answer.claims) or outcome.answer.text


def _changed_settings(before: Cut, after: Cut) -> dict[str, tuple[str | None, str | None]]:
    one, other = dict(flat(before.manifest)), dict(flat(after.manifest))
    return {
        name: (one.get(name), other.get(name))
        for name in (*one, *(name for name in other if name not in one))
        if one.get(name) != other.get(name) and not name.startswith(OF_COURSE)
    }


def _sentences(
    variants: Sequence[str],
    questions: Sequence[str],
    changes: Sequence[Change],
    answers: Sequence[ChangedAnswer],
) -> Iterator[str]:
    total = len(questions) * len(variants)
    better = sum(each.came_after is Came.RIGHT != each.came_before for each in answers)
    worse = sum(each.came_before is Came.RIGHT != each.came_after for each in answers)
    yield (
        f"{len(questions)} questions and {len(variants)} methods were compared; "
        f"{len(answers)} of {total} answers changed, {better} to right, {worse} from right."
    )
    for variant in variants:
        of = [each for each in changes if each.variant == variant and each.difference]
        sure = [_sentence(each) for each in of if not (each.noise or each.too_few)]
        few = [_sentence(each) for each in of if each.too_few]
        if sure:
            yield f"{variant}: more than noise: {'; '.join(sure)}."
        elif few:
            yield f"{variant}: {TOO_FEW} questions (under {FEWEST}) to be sure: {'; '.join(few)}."
        elif of:
            nearest = min(of, key=lambda each: each.p)
            yield f"{variant}: all differences may be noise; the least so: {_sentence(nearest)}."
        else:
            yield f"{variant}: no figure changed."


def _sentence(change: Change) -> str:
    way = "rose" if change.difference > 0 else "fell"
    return (
        f"{BY_NAME[change.score].label} {way} from {figure(change.before)} to "
        f"{figure(change.after)} (p = {change.p:.4f})"
    )


def _at_equal_coverage(variant: str, found: Sequence[AtEqualCoverage]) -> Iterator[str]:
    """Where the two differ: at the coverage that both reach, who is right more often?"""
    for each in found:
        if each.difference or each.low != each.high:
            sure = "more than noise" if each.sure else TOO_FEW if each.too_few else "may be noise"
            yield (
                f"{variant}, both cut to a coverage of {figure(each.coverage)}: "
                f"{BY_NAME[each.score].label} {figure(each.their)} before, {figure(each.our)} "
                f"after, {each.difference:+.3f} {between(each.low, each.high)}: {sure}."
            )
