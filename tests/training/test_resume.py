"""A run that is killed at a random moment and resumed ends with the weights of one that was not."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.training.tiny import tiny_recipe

pytestmark = pytest.mark.campaign  # needs the extra `train`

RUN = [sys.executable, "-m", "tests.training.tiny"]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.training.tiny import tiny_base

    return tiny_base(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def whole(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nobody stopped."""
    work = tmp_path_factory.mktemp("whole")
    assert started(base, work).wait(120) == 0
    return work


def finished(work: Path) -> bool:
    log = work / "log.jsonl"
    return log.exists() and '"done": true' in log.read_text()


def weights(work: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    tensors = load_file(work / "checkpoint" / "state.safetensors")
    return {name: each for name, each in tensors.items() if name.startswith("model.")}


def started(base: Path, work: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*RUN, str(base), str(work)])


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM])
def test_the_same_weights_as_without_the_kill(
    base: Path, whole: Path, tmp_path: Path, sign: signal.Signals
) -> None:
    cut = tmp_path / "cut"
    kills = 0
    while not finished(cut):
        run = started(base, cut)
        wait_for_step(cut, run, kills)
        if run.poll() is None:
            os.kill(run.pid, sign)
            kills += 1
        run.wait(120)
    assert kills >= 2
    one, other = weights(whole), weights(cut)
    assert one.keys() == other.keys()
    assert all(bool((one[name] == other[name]).all()) for name in one)


def wait_for_step(work: Path, run: subprocess.Popen[bytes], kills: int) -> None:
    """Until it has begun, and a random moment more."""
    if kills >= 3:
        run.wait(120)
        return
    log = work / "log.jsonl"
    lines = len(log.read_text().splitlines()) if log.exists() else 0
    while run.poll() is None and (not log.exists() or len(log.read_text().splitlines()) <= lines):
        time.sleep(0.02)
    time.sleep(random.uniform(0.05, 0.5))


def test_a_checkpoint_is_tensors_and_json(whole: Path) -> None:
    folder = whole / "checkpoint"
    assert {each.name for each in folder.iterdir()} == {"state.safetensors", "state.json"}
    facts = json.loads((folder / "state.json").read_text())
    assert facts["tokens"] >= tiny_recipe().tokens


def test_other_pairs_are_refused(base: Path, whole: Path) -> None:
    again = subprocess.run(
        [*RUN, str(base), str(whole), "other"], check=False, capture_output=True, text=True
    )
    assert again.returncode != 0
    assert "other pairs" in again.stderr
