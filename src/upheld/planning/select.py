"""Select: choose the session that is relevant and can be answered from passages (FaVe step 3).

    r_q = min(sum of r_q,i, delta) / delta    r_q,i: is the sub-question relevant (LLM: yes 1, no 0)
    r_d = mean of r_d,i                       r_d,i: relevance of its best passage, in (0, 1)
    r   = (r_q + r_d) / 2                     the best session wins

Departure from the paper: one relevance call for a session instead of one for each sub-question.

For CoQ, r_q,i is the probability of "yes" instead of 1 or 0 (FaVe, section 4.4).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Literal

from pydantic import BaseModel, Field, create_model
from pydantic.config import JsonDict

from upheld._internal.concurrency import all_of
from upheld._internal.probability import from_score
from upheld.errors import BudgetExceededError, LLMError
from upheld.planning.plan import Session
from upheld.ports import LLM, Generation, Sampling, Token
from upheld.prompts import Prompt, fence, load
from upheld.run.calls import generate
from upheld.run.trace import current_run, span
from upheld.types import Evidence, Question

# Servers report probabilities from before the schema masks tokens: "Yes" and " no" are listed too,
# so that two alternatives would not be enough.
ALTERNATIVES = 10


def yes_probabilities(tokens: Sequence[Token]) -> list[float]:
    """Return P(yes) / (P(yes) + P(no)) for every token that begins "yes" or "no"."""
    return [_probability_of_yes(token) for token in tokens if _begins(token.text)]


def _probability_of_yes(token: Token) -> float:
    weight = {"yes": 0.0, "no": 0.0}
    # A dictionary, so that the token itself counts once: it is mostly among its alternatives.
    for text, logprob in {**dict(token.alternatives), token.text: token.logprob}.items():
        if word := _begins(text):
            weight[word] += math.exp(logprob)
    whole = sum(weight.values())
    return weight["yes"] / whole if whole else float(_begins(token.text) == "yes")


def _begins(text: str) -> str:
    """Return "yes" or "no", whichever the text may be the beginning of; "" if neither."""
    letters = text.strip(" \t\n\"'[],:").casefold()
    return next((word for word in ("yes", "no") if letters and word.startswith(letters)), "")


class By(StrEnum):
    """The scores that sessions are compared by; the paper uses only `r_d` with strong models."""

    OFF = "off"
    R_Q = "r_q"
    R_D = "r_d"
    BOTH = "both"


class Serves(BaseModel):
    """Yes or no for every sub-question, in order."""

    serves: list[Literal["yes", "no"]]


@lru_cache
def serves_for(count: int) -> type[Serves]:
    """Return `Serves` with a schema for exactly `count` sub-questions."""
    bounds: JsonDict = {"minItems": count, "maxItems": count}
    answers = (list[Literal["yes", "no"]], Field(json_schema_extra=bounds))
    return create_model("Serves", __base__=Serves, serves=answers)


@dataclass(frozen=True, kw_only=True)
class Select:
    """Chooses the best session; a session whose relevance check fails gets r_q = 0.

    `relevance` computes r_q, which needs no passages and can run while they are reranked; calling
    the object then chooses the session.
    """

    llm: LLM | None  # None: r_q is not used
    by: By = By.BOTH
    delta: int = 5  # as in the paper: an answer often has five distinct claims
    probable: bool = False  # use P("yes") for r_q,i, as for CoQ: else r_q outweighs r_d (4.4)
    prompt: Prompt = field(default_factory=lambda: load("relevant"))
    max_tokens: int = 64

    async def relevance(self, question: Question, sessions: Sequence[Session]) -> tuple[float, ...]:
        """Return r_q of every session; empty if it is not used, or for a single session."""
        if self.llm is None or self.by in (By.OFF, By.R_D) or len(sessions) < 2:
            return ()
        asked = (self._r_q(self.llm, question, each) for each in sessions)
        return tuple(await all_of(asked))

    def __call__(
        self, sessions: Sequence[Session], relevance: Sequence[float], found: Mapping[str, Evidence]
    ) -> Session:
        """Choose a session; `found` maps the id of a sub-question to its ranked evidence."""
        parts: dict[By, Sequence[float]] = {}
        if relevance:
            parts[By.R_Q] = relevance
        if self.by in (By.R_D, By.BOTH) and len(sessions) > 1:
            parts[By.R_D] = [r_d(each, found) for each in sessions]
        if not parts:
            return sessions[0]
        scores = [sum(r) / len(r) for r in zip(*parts.values(), strict=True)]
        best = scores.index(max(scores))
        told = (f"{name} {values[best]:.2f}" for name, values in parts.items())
        with span("select", note=f"session {best + 1} of {len(sessions)}: {', '.join(told)}"):
            return sessions[best]

    async def _r_q(self, llm: LLM, question: Question, session: Session) -> float:
        asked = "\n".join(f"{number}. {each.text}" for number, each in enumerate(session, 1))
        messages = self.prompt.render(question=question.text.strip(), questions=fence(asked))
        logprobs = ALTERNATIVES if self.probable else 0
        sampling = Sampling(max_tokens=self.max_tokens, logprobs=logprobs)
        try:
            reply = await generate(llm, "relevant", messages, serves_for(len(session)), sampling)
        except (LLMError, BudgetExceededError) as error:
            current_run().meter.check_time()
            current_run().degrade("a search session was not checked", error)
            return 0.0
        serving = self._serving(reply.generations[0])[: len(session)]
        return min(sum(serving), self.delta) / self.delta

    def _serving(self, said: Generation[Serves]) -> list[float]:
        """Return r_q,i for every sub-question."""
        if self.probable:
            probabilities = yes_probabilities(said.tokens)
            if len(probabilities) == len(said.value.serves):
                return probabilities
            current_run().degrade("the language model gave no probabilities: yes is 1, no is 0")
        return [float(each == "yes") for each in said.value.serves]


def r_d(session: Session, found: Mapping[str, Evidence]) -> float:
    """Return r_d: the mean, over sub-questions, of the best passage's relevance in (0, 1).

    A sub-question without a graded passage counts as 0.
    """
    probabilities: list[float] = []
    for each in session:
        best = next(iter(found.get(each.id, Evidence())), None)
        if best is not None and best.relevance is None:
            current_run().degrade("search sessions were compared without grades of their passages")
        relevance = -1.0 if best is None or best.relevance is None else best.relevance
        probabilities.append(from_score(relevance))
    return sum(probabilities) / len(probabilities)
