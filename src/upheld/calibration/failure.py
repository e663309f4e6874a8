"""In words: why nothing could be certified, and what may help."""

from __future__ import annotations

from upheld.calibration.learn_then_test import Calibration, labels_needed


def why_nothing(found: Calibration) -> str:
    """What was seen that stands against a guarantee."""
    if found.start is None:
        return f"There are too few claims: {found.claims}, of which {found.tested} test."
    first = next(step for step in found.curve if step.threshold == found.start)
    return (
        f"At the first threshold tested, {found.start:.3f}, {first.errors} of {first.kept} "
        f"claims were not supported: it may be {first.upper_bound:.1%}, more than "
        f"{found.alpha * 100:g}%."
    )


def help_for(found: Calibration) -> str:
    """How many labels would do, where more of them may help."""
    needed = labels_needed(found)
    if needed is None:
        return "More labels would hardly help; a larger alpha may."
    return (
        f"A fresh set of about {needed} labels would probably do: new questions, all drawn "
        "anew. With labels added to these after looking, the guarantee would not hold."
    )
