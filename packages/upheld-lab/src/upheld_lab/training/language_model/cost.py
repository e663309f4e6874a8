"""What a run costs, before it starts: tokens, operations, time here, and hours on one GPU.

Training passes every token through every weight: 2 operations for a weight and a token forwards,
and backwards 2 for the gradient of the activations and 2 for that of the weights. LoRA leaves out
the last, but for its own few weights. Attention over the context comes on top, and is small below a
few thousand tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

FORWARD, BACKWARD = 2, 2  # operations for a weight and a token; LoRA
# Dense bf16, as the maker states it (data sheets of A100 SXM and H100 SXM).
GPUS = {"A100": 312e12, "H100": 989e12}
UTILISATION = 0.35  # of that; models under a billion weights reach less


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a run."""

    weights: int
    examples: int
    tokens: int  # padded, over all epochs
    passes: int  # of each token: DPO reads it with the reference model, too
    seconds: float | None = None  # on this machine, by a timed step; None: not timed

    @property
    def operations(self) -> float:
        """Floating point operations of the whole run."""
        forward_only = self.passes - 1
        return self.weights * self.tokens * float(FORWARD + BACKWARD + FORWARD * forward_only)

    def gpu_hours(self, gpu: str) -> float:
        """Hours on one such GPU."""
        return self.operations / (GPUS[gpu] * UTILISATION) / 3600

    def __str__(self) -> str:
        hours = ", ".join(f"{name} {self.gpu_hours(name):.2g} h" for name in GPUS)
        here = "" if self.seconds is None else f"; about {duration(self.seconds)} on this machine"
        return (
            f"{self.examples:,} examples, {self.tokens:,} tokens, {self.weights / 1e6:,.0f} "
            f"million weights: {self.operations:.2g} operations; "
            f"one GPU at {UTILISATION:.0%}: {hours}{here}"
        )


def duration(seconds: float) -> str:
    """Seconds as a person would say them.

    >>> duration(5400)
    '1.5 h'
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
