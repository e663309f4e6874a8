"""All scores of one outcome, by name: by gold, by the models at hand, and what it cost."""

from __future__ import annotations

from upheld.answer.render import NOTHING_WRITTEN
from upheld.ports import Entailment
from upheld.types import Answer, Status
from upheld_lab.bench.runs.records import Outcome, Scores
from upheld_lab.bench.scores.by_chain import chain_scores
from upheld_lab.bench.scores.by_gold import gold_scores, shown_scores, word_scores
from upheld_lab.bench.scores.by_model import CitationCheck, KnowledgeCheck
from upheld_lab.bench.scores.cost import Prices, cached_share, cost
from upheld_lab.bench.scores.entails import EntailsBy
from upheld_lab.bench.scores.shown import method_of
from upheld_lab.bench.suites.suite import Asked


async def score(
    asked: Asked,
    outcome: Outcome,
    scorer: Entailment | None = None,
    verifier: Entailment | None = None,
    prices: Prices | None = None,
) -> Scores:
    """Every score; an outcome that ended in an error is an answer without claims."""
    answer, variant = answer_of(asked, outcome), outcome.variant
    cited, known = CitationCheck.of(asked, answer), KnowledgeCheck.of(asked, answer)
    by_scorer = by_verifier = None
    if scorer is not None:
        by_scorer = await EntailsBy(scorer)((*cited.to_ask(), *known.to_ask()))
    if verifier is not None:
        by_verifier = await EntailsBy(verifier)(cited.to_ask())
    return {
        **shown_scores(asked, answer, variant),
        **word_scores(asked, answer, variant),
        **gold_scores(asked, answer, variant, outcome.found),
        **known.scores(by_scorer),
        **cited.scores(by_scorer),
        **cited.scores(by_verifier, "_by_verifier"),
        **chain_scores(asked, outcome.verified),
        **_spent(outcome, prices),
    }


def answer_of(asked: Asked, outcome: Outcome) -> Answer:
    """What came of it; after an error, that nothing could be written."""
    failed = Status.FAILED
    method = method_of(outcome.variant)
    return outcome.answer or Answer("", asked.text, failed, method, NOTHING_WRITTEN[failed])


def _spent(outcome: Outcome, prices: Prices | None) -> Scores:
    """What it cost; nobody knows what an outcome that ended in an error did."""
    usage = None if outcome.answer is None else outcome.answer.usage
    seconds = None if outcome.untimed else outcome.seconds
    if usage is None:
        names = ("requests", "completions", "prompt_tokens", "completion_tokens")
        return {**dict.fromkeys((*names, "cached_share", "cost")), "seconds": seconds}
    return {
        "requests": float(usage.requests),
        "completions": float(usage.completions),
        "prompt_tokens": float(usage.prompt_tokens),
        "completion_tokens": float(usage.completion_tokens),
        "cached_share": cached_share(usage),
        "cost": None if prices is None else cost(usage, prices),
        "seconds": seconds,
    }
