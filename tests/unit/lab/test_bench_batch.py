"""Claims that are made for a batch, and what counts as lost, doubled and checked again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from upheld_lab.bench.batch.command import BatchFiles, Command
from upheld_lab.bench.batch.embedding import made_groups
from upheld_lab.bench.batch.kills import Continued, Kill, continued, places
from upheld_lab.bench.batch.run import bars, rows
from upheld_lab.bench.batch.speed import BatchSpeed
from upheld_lab.bench.costs.speed import Compared
from upheld_lab.bench.verify.made_answers import AnswerWriter


def test_claims_are_distinct_and_the_same_each_time() -> None:
    claims = AnswerWriter(3).claims(400)
    assert len({each.text for each in claims}) == len(claims) == 400
    assert claims == AnswerWriter(3).claims(400)
    assert claims[:50] == AnswerWriter(3).claims(50)
    assert claims != AnswerWriter(4).claims(400)
    assert {each.source.count(". ") for each in claims} == {2}


def test_a_batch_is_written_and_read_back(tmp_path: Path) -> None:
    files = BatchFiles(tmp_path / "batch", "local")
    files.write(AnswerWriter().claims(3))
    assert files.answer_ids() == ["claim-0", "claim-1", "claim-2"]
    assert (files.checked_ids(), files.begun()) == ([], [])
    files.out.write_text('{"id": "claim-1"}\n{"id": "claim-2", "error": "no"}\n{"id": "cl')
    files.notes.write_text("claim-1 12.5\nclaim-2 11.0\n")
    assert files.checked_ids() == ["claim-1"]
    assert files.begun() == ["claim-1", "claim-2"]
    assert files.first_begun() == 11.0
    files.write(AnswerWriter().claims(1))
    assert (files.checked_ids(), files.begun()) == ([], [])


def test_kills_are_spread_at_random_and_not_at_the_ends() -> None:
    assert places(5_000, 3, seed=1) == sorted(places(5_000, 3, seed=1))
    drawn = [place for seed in range(50) for place in places(60, 3, seed)]
    assert min(drawn) >= 6
    assert max(drawn) < 48


def test_what_was_under_way_may_be_begun_again_and_nothing_else() -> None:
    ids = ["a", "b", "c", "d"]
    kill = Kill(frozenset("a"), begun=2, unwritten=1, processes_left=0)
    good = continued(ids, ["a", "b", "c", "d"], ["a", "b", "b", "c", "d"], [kill])
    assert good == Continued((kill,), lost=0, doubled=0, checked_again=0)
    bad = continued(ids, ["a", "b", "b"], ["a", "b", "a", "b"], [kill])
    assert (bad.lost, bad.doubled, bad.checked_again) == (2, 1, 1)


def test_a_command_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    sleeping = "import time; time.sleep(600)"
    starts = (
        "import subprocess, sys; "
        f"one = subprocess.Popen([sys.executable, '-c', '{sleeping}'], start_new_session=True); "
        "print('ready', flush=True); one.wait()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", starts], stdout=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    command = Command(process, BatchFiles(tmp_path, "local"))
    assert command.kill(patience=0.1) == 1  # of another session: it does not end by itself
    assert process.stdout.read() == b""  # closed: nobody holds it
    process.stdout.close()


def test_the_report_has_rates_and_kills() -> None:
    speed = BatchSpeed(Compared(0.02, 0.019, 1.0), "one by one", 2.0, 9.0)
    kill = Kill(frozenset("ab"), begun=3, unwritten=1, processes_left=0)
    ended = Continued((kill,), 0, 0, 0)
    local = bars(speed, None, ended)
    assert local["batch_over_bare"] == pytest.approx(0.95)
    assert "ray_two_over_one" not in local
    workers = Compared(0.01, 0.018, 1.2)
    assert bars(speed, workers, ended)["ray_two_over_one"] == pytest.approx(1.8)
    first, second, third = rows(speed, workers, ended)
    assert (first["in workers"], second["void"]) == (50, True)
    assert (third["verdicts written"], third["begun and not written"]) == (2, 1)


def test_groups_have_all_passages() -> None:
    groups = list(made_groups(40))
    assert [len(each.cut[0].passages) for each in groups] == [16, 16, 8]
