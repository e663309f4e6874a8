"""CoV-RAG's figures of its own chain, for one question, by what people noted; no model has a say.

A question that nothing answers is left out of all but the format: there is nothing to find, so that
no revision could be a good one.
"""

from __future__ import annotations

from collections.abc import Sequence

from upheld.types import Passage
from upheld_lab.bench.metrics import answer_in
from upheld_lab.bench.runs.records import Scores, Verified
from upheld_lab.bench.scores.by_gold import is_wrong
from upheld_lab.bench.scores.chain import Checked, judged_rightly, revised_rightly
from upheld_lab.bench.suites.suite import Asked

_NAMES = ("chain_judgement", "chain_revision", "chain_format", "chain_reference_delta")


def chain_scores(asked: Asked, verified: Verified | None) -> Scores:
    """None of all where no chain of verification spoke."""
    scores: Scores = dict.fromkeys(_NAMES)
    if verified is None:
        return scores
    scores["chain_format"] = float(verified.judgment is not None)
    wrong = None if asked.answerable is False else is_wrong(asked, verified.answer)
    before, found = (has_answer(asked, each) for each in (verified.references, verified.found))
    if wrong is not None:
        checked = Checked(
            verified.judgment, bool(verified.revised), not wrong, bool(before), bool(found)
        )
        scores["chain_judgement"] = float(judged_rightly(checked))
        scores["chain_revision"] = None if before is None else float(revised_rightly(checked))
    if before is not None and found is not None:
        after = found if verified.found else before  # who finds nothing keeps what there was
        scores["chain_reference_delta"] = float(after) - float(before)
    return scores


def has_answer(asked: Asked, passages: Sequence[Passage]) -> bool | None:
    """Whether some passage is gold or has a wording of the answer; None where nobody can tell."""
    wordings = [*asked.answers, *(each for part in asked.parts for each in part)]
    if asked.yes is not None:
        wordings = []  # the word "no" in a passage answers nothing
    if asked.answerable is False or not (asked.gold or wordings):
        return None
    return any(
        not asked.gold.isdisjoint((each.id, each.document_id)) or answer_in(each.text, wordings)
        for each in passages
    )
