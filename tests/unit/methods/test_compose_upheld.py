"""Which stages `upheld` is put together from, by what there is."""

from __future__ import annotations

from pathlib import Path

from tests.unit.fake_kb import QUESTION, WRITTEN, kb
from upheld.methods.build import build
from upheld.methods.by_diagnosis.method import ByDiagnosis
from upheld.methods.registry import parameters


async def test_where_one_can_look_no_further_nothing_is_held_back_before_it_is_written(
    tmp_path: Path,
) -> None:
    async with await kb(tmp_path, lambda *_: WRITTEN) as opened:
        answer = await opened.ask(QUESTION, method="upheld")
    stages = [event.stage for event in answer.trace]
    assert "write" in stages
    assert "action" not in stages


async def test_documents_that_answer_otherwise_are_looked_for_only_where_that_is_wanted(
    tmp_path: Path,
) -> None:
    async with await kb(tmp_path, lambda *_: WRITTEN) as opened:
        usual = build(opened._parts, opened.scope(), parameters("upheld", {}))
        wanted = build(
            opened._parts, opened.scope(), parameters("upheld", {"detect_conflicts": "true"})
        )
    assert isinstance(usual, ByDiagnosis)
    assert isinstance(wanted, ByDiagnosis)
    assert usual.final_checks.detect_conflicts.grader is None
    assert wanted.final_checks.detect_conflicts.grader is opened._parts.grade.grader is not None
