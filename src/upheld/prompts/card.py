"""The card of a trained model: on which prompts it was trained, by their fingerprints."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from upheld.errors import UsageError
from upheld.prompts.prompt import load


class ModelCard(BaseModel):
    """What `upheld train` notes about a language model that it made."""

    model_config = ConfigDict(frozen=True, extra="allow")

    name: str
    base: str  # the model that it was made from
    upheld: str  # the version that made it
    prompts: dict[str, str]  # fingerprints by name

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
