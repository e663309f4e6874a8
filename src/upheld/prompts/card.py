"""The card of a trained model: on which prompts it was trained, and what its judgment weighs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from upheld._internal.probability import grade_logit, sigmoid
from upheld.errors import UsageError
from upheld.prompts.prompt import load


class JudgmentWeights(BaseModel, frozen=True):
    """How P(right) and a checker's P(judgment = true) are joined: a logistic fit to that checker.

    `python -m upheld_lab.fits judgments --card` fits them on answers with gold.
    """

    p_right: float
    judgment: float
    shift: float

    def joined(self, p_right: float, judgment: float) -> float:
        """P(right), given both probabilities."""
        return sigmoid(
            self.p_right * grade_logit(p_right) + self.judgment * grade_logit(judgment) + self.shift
        )


class ModelCard(BaseModel):
    """What `upheld train` notes about a language model that it made."""

    model_config = ConfigDict(frozen=True, extra="allow")

    name: str
    base: str  # the model that it was made from
    upheld: str  # the version that made it
    prompts: dict[str, str]  # fingerprints by name
    judgment: JudgmentWeights | None = None  # of a checker, once they are fitted

    @property
    def changed_prompts(self) -> tuple[str, ...]:
        """The prompts that have other words now, or are gone."""
        return tuple(name for name, known in self.prompts.items() if fingerprint(name) != known)


def fingerprint(name: str) -> str | None:
    """The fingerprint of a prompt of this version; None if there is no such prompt."""
    try:
        return load(name).fingerprint
    except UsageError:
        return None


def read_card(path: Path) -> ModelCard:
    """Read card.json; raises `UsageError` if it is missing or is no card."""
    try:
        return ModelCard.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # a ValidationError is a ValueError
        reason = str(error).partition("\n")[0]
        raise UsageError(f"{path} is no model card: {reason}") from error


def judgment_weights(cards: Iterable[Path]) -> JudgmentWeights | None:
    """The weights on the first card that has some; raises `UsageError` for what is no card."""
    return next((each for each in (read_card(path).judgment for path in cards) if each), None)
