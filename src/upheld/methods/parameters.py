"""The parameters of each method: typed, checked, and listed by `upheld methods`.

An ablation of a paper is a value here, so that it runs from the command line:

    upheld ask "…" --method fave --set sessions=4 --set select=r_d
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from upheld.methods.by_diagnosis.unsupported_policy import UnsupportedPolicy
from upheld.methods.cov_rag import Position
from upheld.methods.keep import Keep
from upheld.planning.select import By
from upheld.types import SearchMode
from upheld.verification.chain import Sigma


class Feedback(StrEnum):
    """Who puts the findings of the check into words: code, or the language model."""

    COMPUTED = "computed"
    PHRASED = "phrased"


class Parameters(BaseModel):
    """Parameters that every method has."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    search: SearchMode = Field(SearchMode.HYBRID, description="which index is asked")
    rerank: bool = Field(True, description="order what was found by the grader")
    passages: int = Field(5, ge=1, le=50, description="passages that the writer is given")


class CragParameters(Parameters):
    """Corrective RAG."""

    strips: bool = Field(True, description="keep only the strips that help")
    rewrite: bool = Field(True, description="fall back with key phrases instead of the question")
    fallback_search: bool = Field(True, description="search elsewhere where passages are bad")
    upper: float | None = Field(None, ge=-1, le=1, description="above: correct; else as fitted")
    lower: float | None = Field(None, ge=-1, le=1, description="below: incorrect; else as fitted")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.upper is not None and self.lower is not None and self.lower > self.upper:
            raise ValueError("lower stands above upper")
        return self


class CovRagParameters(Parameters):
    """Chain of verification."""

    revise: Position = Field(Position.END, description="where the question is revised")
    chain: bool = Field(True, description="score and judge before revising; off: revise at once")
    rounds: int = Field(1, ge=0, le=5, description="revisions at most; the paper has one")
    sigma: Sigma = Field(Sigma.NON_EMPTY, description="when a revised question is searched for")
    keep: Keep = Field(Keep.BEST, description="the best-scored answer, or the last as in the paper")


class A2rParameters(Parameters):
    """Ask, assess, refine."""

    rounds: int = Field(2, ge=0, le=5, description="K: refinements at most")
    intrinsic: bool = Field(False, description="the model judges itself, without any metric")
    test_before: bool = Field(True, description="stop before refining what is good already")
    final: bool = Field(False, description="one more answer from the whole history")
    feedback: Feedback = Field(Feedback.COMPUTED, description="findings as they are, or phrased")
    hand_over: bool = Field(True, description="search again for what no passage speaks of")
    keep: Keep = Field(Keep.BEST, description="the best-scored answer, or the last as in the paper")


class CoqParameters(Parameters):
    """Chain of query."""

    steps: int = Field(5, ge=1, le=8, description="N: sub-questions at most")
    queries_see_answers: bool = Field(True, description="C1: the next question knows the answers")
    answers_see_answers: bool = Field(True, description="C2: an answer knows those before it")
    selector: By = Field(By.OFF, description="of several next questions, answer the best only")
    samples: int = Field(8, ge=2, le=8, description="next questions to choose from")
    candidates: int = Field(20, ge=2, le=100, description="passages that sub-questions share")
    per_question: int = Field(2, ge=1, le=10, description="M: passages of one sub-question")
    short: bool = Field(False, description="one more call: yes, no or a name from the answers")


class FaveParameters(Parameters):
    """Factored and verified search."""

    sessions: int = Field(8, ge=1, le=8, description="S: search sessions that are sampled")
    steps: int = Field(5, ge=1, le=8, description="N: sub-questions of a session at most")
    select: By = Field(By.BOTH, description="what sessions are compared by")
    delta: int = Field(5, ge=1, le=8, description="sub-questions that serve, beyond which r_q is 1")
    candidates: int = Field(20, ge=2, le=100, description="passages that sub-questions share")
    per_question: int = Field(2, ge=1, le=10, description="M: passages of one sub-question")
    best_of: int = Field(1, ge=1, le=8, description="answers sampled; best citation recall wins")
    short: bool = Field(False, description="one more call: yes, no or a name from the answers")


class UoqParameters(FaveParameters):
    """Union of queries: FaVe with one session, and so without a choice among them."""

    sessions: int = Field(1, ge=1, le=8, description="S: search sessions that are sampled")
    select: By = Field(By.OFF, description="what sessions are compared by")


class UpheldParameters(Parameters):
    """Our own."""

    rounds: int = Field(2, ge=0, le=5, description="rounds of repair at most")
    facets: bool = Field(True, description="plan where the question has several parts")
    strips: bool = Field(True, description="keep only strips that help, if it can fall back")
    fallback_search: bool = Field(True, description="search elsewhere where passages are bad")
    bridges: bool = Field(True, description="quote also what a quoted passage names")
    relevance_gate: bool = Field(True, description="quote or withhold what answers weakly")
    # Off: of the 14 it reported on manuals, none was a conflict (docs/decisions/013-rivals.md).
    detect_conflicts: bool = Field(
        False, description="report documents that answer otherwise; often wrong"
    )
    unsupported: UnsupportedPolicy = Field(
        UnsupportedPolicy.MARK, description="what no source upholds"
    )
