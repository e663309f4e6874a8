"""P(judgment = true): how probable a checker finds it that an answer is right.

The checker (CoV-RAG) verifies the answer as it would verify a draft. Its probability is read from
the token with which the judgment begins, and is one feature of P(right). How much it weighs was
fitted to that one checker and stands on its card: a checker without weights changes no P(right).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from upheld.answer.render import p_right_of
from upheld.errors import LLMError
from upheld.ports import LLM, Embedder, Grader, Message, Sampling, Token
from upheld.prompts import load
from upheld.prompts.card import JudgmentWeights
from upheld.prompts.prompt import as_written, opening, places
from upheld.run.calls import generate
from upheld.run.trace import current_run
from upheld.types import Claim, Draft, Evidence, Hit, Passage, Question, located
from upheld.verification.chain import Chain, ChainVerify, Judgment
from upheld.verification.relevance import score_relevance

_ALTERNATIVES = 10  # tokens of which the probability is asked for
_BEFORE = '"judgment":'


@dataclass(frozen=True, kw_only=True)
class JoinJudgment:
    """Joins P(judgment = true) with P(right) of a draft; one LLM call."""

    checker: LLM
    weights: JudgmentWeights
    grader: Grader | None
    embedder: Embedder | None

    async def __call__(self, draft: Draft) -> Draft:
        """The draft with P(right) of both; as it was where nothing was known or the model fails."""
        known = draft
        if draft.p_right is None:
            known = await score_relevance(draft, self.grader, self.embedder)
        before = p_right_of(known)
        if before is None or not draft.claims:
            return draft
        try:
            judged = await probability_of_true(
                self.checker, draft.question, draft.claims, draft.evidence.passages
            )
        except LLMError as error:
            current_run().degrade("P(right) is without the checker's judgment", error)
            return draft
        return replace(draft, p_right=self.weights.joined(before, judged))


async def probability_of_true(
    checker: LLM, question: Question, claims: Sequence[Claim], passages: Sequence[Passage]
) -> float:
    """P(judgment = true) of an answer, shown with the passages that it cites; LLMError if it fails.

    Half where the reply has no judgment.
    """
    known = located(passages)
    ids = dict.fromkeys(each.passage_id for claim in claims for each in claim.citations)
    hits = tuple(Hit(known[id], 0.0, question.text) for id in ids if id in known)
    draft = Draft(question, tuple(claims), Evidence(hits))
    turn = load("chain_verify").render(answer=as_written(draft, places(draft)))
    return await probability_after((*opening(load("write"), draft), *turn), checker)


async def probability_after(messages: Sequence[Message], checker: LLM) -> float:
    """P(judgment = true) of the draft that these messages ask to verify."""
    sampling = Sampling(max_tokens=ChainVerify.max_tokens, logprobs=_ALTERNATIVES)
    reply = await generate(checker, "chain_verify", messages, Chain, sampling)
    return p_true(reply.generations[0].tokens)


def p_true(tokens: Sequence[Token]) -> float:
    """P("true") over all judgments, from the first token in which they differ."""
    said = ""
    for token in tokens:
        if _BEFORE in said and (word := _begins(token.text)):
            weight = dict.fromkeys(Judgment, 0.0)
            for text, logprob in {**dict(token.alternatives), token.text: token.logprob}.items():
                if alternative := _begins(text):
                    weight[alternative] += math.exp(logprob)
            whole = sum(weight.values())
            return weight[Judgment.TRUE] / whole if whole else float(word is Judgment.TRUE)
        said += token.text
    return 0.5


def _begins(text: str) -> Judgment | None:
    letters = text.strip(" \t\n\"'[],:").casefold()
    return next((each for each in Judgment if letters and each.value.startswith(letters)), None)
