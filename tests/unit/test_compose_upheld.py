"""Which stages `upheld` is put together from, by what there is."""

from __future__ import annotations

from pathlib import Path

from tests.unit.fake_kb import QUESTION, WRITTEN, kb


async def test_where_one_can_look_no_further_nothing_is_held_back_before_it_is_written(
    tmp_path: Path,
) -> None:
    async with await kb(tmp_path, lambda *_: WRITTEN) as opened:
        answer = await opened.ask(QUESTION, method="upheld")
    stages = [event.stage for event in answer.trace]
    assert "write" in stages
    assert "action" not in stages
