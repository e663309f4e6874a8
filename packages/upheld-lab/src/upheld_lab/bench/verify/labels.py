"""What every source's own labels mean to us: the one place where they are mapped.

Positive is fully supported. Partly supported is not supported. Rows without evidence, and rows
whose annotators did not decide, have no label here and are dropped by whoever reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType


class Label(IntEnum):
    """What a premise does to a claim; the first three are the model's outputs, in this order."""

    ENTAILS = 0
    CONTRADICTS = 1
    NEUTRAL = 2
    NOT_ENTAILED = 3  # two-way sources: contradicted or neutral, nobody said which

    @property
    def supported(self) -> bool:
        return self is Label.ENTAILS


def _frozen(**labels: Label) -> Mapping[str, Label]:
    return MappingProxyType(labels)


NLI = _frozen(  # e_nli: snli, cf-snli, fool-me-twice, fever-symmetric; two-way: the others
    entailment=Label.ENTAILS,
    contradiction=Label.CONTRADICTS,
    neutral=Label.NEUTRAL,
    not_entailment=Label.NOT_ENTAILED,
)
SCIFACT = _frozen(SUPPORT=Label.ENTAILS, REFUTE=Label.CONTRADICTS)  # no evidence: NEUTRAL
WICE = _frozen(
    supported=Label.ENTAILS,
    partially_supported=Label.NOT_ENTAILED,
    not_supported=Label.NOT_ENTAILED,
)
EXPERTQA = _frozen(  # Missing, N/A and empty have no evidence or no judgement: dropped
    Complete=Label.ENTAILS, Partial=Label.NOT_ENTAILED, Incomplete=Label.NOT_ENTAILED
)
BEGIN: Mapping[str, Label] = MappingProxyType(  # Generic answers claim nothing: dropped
    {"Fully attributable": Label.ENTAILS, "Not fully attributable": Label.NOT_ENTAILED}
)
FACTCHECKGPT: Mapping[str, Label] = MappingProxyType(
    {
        "completely-support": Label.ENTAILS,
        "partially-support": Label.NOT_ENTAILED,
        "refute": Label.CONTRADICTS,
        "irrelevant": Label.NEUTRAL,
    }
)
