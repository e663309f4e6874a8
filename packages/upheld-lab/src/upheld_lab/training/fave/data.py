"""FaVe's training data: sessions to learn from, then pairs of sessions to prefer one of."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from upheld.resources.open import Resources
from upheld_lab.bench.report import Watch
from upheld_lab.bench.split import SIDES, Split
from upheld_lab.training.fave.decompositions import PlannedQuestion, examples
from upheld_lab.training.fave.sessions import Feedback, Planned, pairs_of, scored_sessions
from upheld_lab.training.language_model.examples import (
    Preference,
    write_examples,
    write_lines,
    write_preferences,
)

EXAMPLES, PAIRS, SESSIONS = "examples.jsonl", "pairs.jsonl", "sessions.jsonl"
PROMPTS = ("session",)


def make_examples(questions: Sequence[PlannedQuestion], out: Path) -> dict[str, int]:
    """Write the sessions that people planned, for SFT; return how many of each side."""
    made = list(examples(questions))
    write_examples(made, out / EXAMPLES)
    counts = Counter(f"{each.split}/sessions" for each in made)
    counts.update({f"{side}/questions": _count(questions, side) for side in SIDES})
    return dict(sorted(counts.items()))


async def make_pairs(
    questions: Sequence[Planned],
    parts: Resources,
    out: Path,
    watch: Watch,
    feedback: Feedback = Feedback.FACTS,
) -> dict[str, int]:
    """Write pairs of sessions of the planner that the parts name; return how many by difference.

    Every session with its score is written too: the mean says how good the planner is.
    """
    pairs, sessions = list[Preference](), list[dict[str, object]]()
    for place, question in enumerate(questions, start=1):
        scored = await scored_sessions(question, parts, feedback)
        pairs += pairs_of(question, scored)
        sessions += [
            {
                "question": question.id,
                "split": question.split.value,
                "questions": each.questions,
                "found": each.score,
                "gold": len(question.gold),
            }
            for each in scored
        ]
        watch("sessions", place, len(questions))
    write_preferences(pairs, out / PAIRS)
    write_lines(sessions, out / SESSIONS)
    counts = Counter(f"{each.split}/differ by {min(each.difference, 2)}" for each in pairs)
    (out / "counts.json").write_text(json.dumps(dict(sorted(counts.items())), indent=1))
    return dict(sorted(counts.items()))


def _count(questions: Sequence[PlannedQuestion], side: Split) -> int:
    return sum(each.split is side for each in questions)
