"""How probable "yes" was, where a model said yes or no: FaVe's r_q for CoQ (section 4.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from upheld.ports import Token

# Servers tell probabilities as they are before the schema narrows the choice: "Yes" and " no" take
# places beside what the schema admits, so that two alternatives would not do.
ALTERNATIVES = 10


def yes_chances(tokens: Sequence[Token]) -> list[float]:
    """P("yes") among yes and no, for every token that begins one of the two."""
    return [_chance(token) for token in tokens if _begins(token.text)]


def _chance(token: Token) -> float:
    weight = {"yes": 0.0, "no": 0.0}
    # A dictionary, as the token itself need not be among the likeliest, but mostly is.
    for text, logprob in {**dict(token.alternatives), token.text: token.logprob}.items():
        if word := _begins(text):
            weight[word] += math.exp(logprob)
    whole = sum(weight.values())
    return weight["yes"] / whole if whole else float(_begins(token.text) == "yes")


def _begins(text: str) -> str:
    """The word, yes or no, that these letters may begin; empty if neither."""
    letters = text.strip(" \t\n\"'[],:").casefold()
    return next((word for word in ("yes", "no") if letters and word.startswith(letters)), "")
