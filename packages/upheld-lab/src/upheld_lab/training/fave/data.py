"""FaVe's training data: sessions to learn from, then pairs of sessions to prefer one of."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from upheld._internal.concurrency import all_of
from upheld.resources.open import Resources
from upheld_lab.bench.report import Watch
from upheld_lab.bench.split import SIDES, Split
from upheld_lab.training.fave.decompositions import PlannedQuestion, examples
from upheld_lab.training.fave.sessions import (
    Feedback,
    Planned,
    ScoredSession,
    pairs_of,
    scored_sessions,
)
from upheld_lab.training.language_model.examples import (
    write_examples,
    write_preferences,
)

EXAMPLES, PAIRS, SESSIONS = "examples.jsonl", "pairs.jsonl", "sessions.jsonl"
PROMPTS = ("session",)
_AT_ONCE = 2  # questions: one is searched for while the server writes the eight sessions of another


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

    The sessions of a question are kept with their scores as they come: a run that was stopped goes
    on, unless another planner or feedback is asked for.
    """
    planner = parts.planner or parts.llm
    assert planner is not None, "sessions are planned by a language model"
    source = {"planner": planner.identity, "feedback": feedback.value}
    path, room = out / SESSIONS, asyncio.Semaphore(_AT_ONCE)
    kept = _continued(path, source)

    async def one(question: Planned) -> None:
        async with room:
            scored = await scored_sessions(question, parts, feedback)
        kept[question.id] = scored
        row = {
            "question": question.id,
            "split": question.split.value,
            "gold": len(question.gold),
            "sessions": [{"questions": each.questions, "found": each.score} for each in scored],
        }
        with path.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(row | source, ensure_ascii=False) + "\n")
        watch("sessions", len(kept), len(questions))

    await all_of(one(each) for each in questions if each.id not in kept)
    pairs = [pair for each in questions for pair in pairs_of(each, kept[each.id])]
    write_preferences(pairs, out / PAIRS)
    counts = Counter(f"{each.split}/differ by {min(each.difference, 2)}" for each in pairs)
    (out / "counts.json").write_text(json.dumps(dict(sorted(counts.items())), indent=1))
    return dict(sorted(counts.items()))


def _continued(path: Path, source: Mapping[str, str]) -> dict[str, list[ScoredSession]]:
    """The sessions that an earlier run kept; a file with those of another source is begun anew."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    if any(row.get(name) != value for row in rows for name, value in source.items()):
        path.write_text("")
        return {}
    return {
        row["question"]: [
            ScoredSession(tuple(each["questions"]), each["found"]) for each in row["sessions"]
        ]
        for row in rows
    }


def _count(questions: Sequence[PlannedQuestion], side: Split) -> int:
    return sum(each.split is side for each in questions)
