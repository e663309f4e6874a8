"""A verifier around a verifier, for whoever changes only how it comes to its judgements."""

from __future__ import annotations

from dataclasses import dataclass

from upheld.ports import Entailment


@dataclass
class AroundEntailment:
    """All of `upheld.ports.Entailment` but `judge` and `close`."""

    model: Entailment

    @property
    def identity(self) -> str:
        return self.model.identity

    @property
    def languages(self) -> frozenset[str]:
        return self.model.languages

    @property
    def room(self) -> int:
        return self.model.room

    def count_tokens(self, text: str) -> int:
        return self.model.count_tokens(text)
