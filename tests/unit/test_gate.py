"""The gate runs every test once: what is in no target would never fail."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
# Each target of the gate has one folder of tests.
TARGETS = dict(re.findall(r"^(test-\w+):.*\n\t\$\(BIN\)/pytest \$\(\w+\) (\S+)$", MAKEFILE, re.M))


# Of all folders, what several hosts need the whole machine for; what torch comes with for.
HOSTS, TRAIN = "test-hosts", "test-train"


def test_every_test_file_belongs_to_one_target() -> None:
    training = ROOT / "tests" / "training"
    for path in (ROOT / "tests").rglob("test_*.py"):
        of = [name for name, folder in TARGETS.items() if path.is_relative_to(ROOT / folder)]
        assert len(of) == (not path.is_relative_to(training)), f"{path} is run by {of}"


def test_all_targets_together_are_make_test() -> None:
    together = re.search(r"^test: (.+)$", MAKEFILE, re.M)
    assert together is not None
    assert sorted(together[1].split()) == sorted([*TARGETS, HOSTS, TRAIN])
    assert re.search(rf"^{TRAIN}:.*\n\t.*/pytest .* tests/training$", MAKEFILE, re.M)
    assert re.search(
        rf'^{HOSTS}:.*\n\t.*-m "hosts and not campaign".* tests/integration$', MAKEFILE, re.M
    )
    assert "not hosts" in MAKEFILE


def test_the_gate_and_the_workflow_run_all_targets() -> None:
    gate = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    for target in ("check", "docs", *TARGETS, HOSTS, TRAIN):
        assert re.search(rf"^step make .*\b{target}\b", gate, re.M), target
        assert re.search(rf"\btargets: \[.*\b{target}\b", workflow), target
