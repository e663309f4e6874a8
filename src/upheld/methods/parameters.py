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

    search: SearchMode = Field(SearchMode.HYBRID, description="how passages are searched")
    rerank: bool = Field(True, description="rerank passages by the grader")
    passages: int = Field(5, ge=1, le=50, description="passages that the answer is written from")
    relevance_gate: bool = Field(
        default=False,
        description="abstain, or quote the sources, where no claim is supported and relevant",
    )
    short: bool = Field(
        default=False, description="one more call: yes, no or a few words come first"
    )


class CragParameters(Parameters):
    """Corrective RAG."""

    strips: bool = Field(True, description="keep only the strips that help")
    rewrite: bool = Field(True, description="fall back with key phrases instead of the question")
    fallback_search: bool = Field(True, description="search elsewhere if no passage is relevant")
    upper: float | None = Field(
        None, ge=-1, le=1, description="grades above it are correct; default: fitted"
    )
    lower: float | None = Field(
        None, ge=-1, le=1, description="grades below it are incorrect; default: fitted"
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.upper is not None and self.lower is not None and self.lower > self.upper:
            raise ValueError("lower is greater than upper")
        return self


class CovRagParameters(Parameters):
    """Chain of verification."""

    revise: Position = Field(Position.END, description="where the question is revised")
    chain: bool = Field(True, description="score and judge before revising; off: revise at once")
    fallback_search: bool = Field(
        False, description="search elsewhere, too, with the revised question"
    )
    rounds: int = Field(1, ge=0, le=5, description="revisions at most; the paper has one")
    sigma: Sigma = Field(Sigma.NON_EMPTY, description="when a revised question is searched for")
    keep: Keep = Field(Keep.BEST, description="the best-scored answer, or the last as in the paper")


class A2rParameters(Parameters):
    """Ask, assess, refine."""

    detailed: bool = Field(True, description="a detailed answer; off: a few claims")
    rounds: int = Field(2, ge=0, le=5, description="K: refinements at most")
    intrinsic: bool = Field(False, description="the model judges itself, without any metric")
    test_before: bool = Field(True, description="do not refine a draft that is good already")
    final: bool = Field(False, description="one more answer from the whole history")
    feedback: Feedback = Field(Feedback.COMPUTED, description="findings as they are, or phrased")
    fix_citations: bool = Field(True, description="fix marks instead of refining for them alone")
    hand_over: bool = Field(True, description="search again for parts that no passage covers")
    keep: Keep = Field(Keep.BEST, description="the best-scored answer, or the last as in the paper")


class CoqParameters(Parameters):
    """Chain of query."""

    steps: int = Field(5, ge=1, le=8, description="N: sub-questions at most")
    queries_see_answers: bool = Field(
        True, description="C1: the next question is written with the answers so far"
    )
    answers_see_answers: bool = Field(
        True, description="C2: an answer is written with the answers so far"
    )
    selector: By = Field(By.OFF, description="of several next questions, answer the best only")
    samples: int = Field(8, ge=2, le=8, description="next questions to choose from")
    candidates: int = Field(20, ge=2, le=100, description="passages that sub-questions share")
    per_question: int = Field(2, ge=1, le=10, description="M: passages of one sub-question")


class FaveParameters(Parameters):
    """Factored and verified search."""

    sessions: int = Field(8, ge=1, le=8, description="S: search sessions that are sampled")
    steps: int = Field(5, ge=1, le=8, description="N: sub-questions of a session at most")
    select: By = Field(By.BOTH, description="the score that sessions are compared by")
    delta: int = Field(5, ge=1, le=8, description="useful sub-questions from which on r_q is 1")
    candidates: int = Field(20, ge=2, le=100, description="passages that sub-questions share")
    per_question: int = Field(2, ge=1, le=10, description="M: passages of one sub-question")
    best_of: int = Field(1, ge=1, le=8, description="answers sampled; best citation recall wins")


class UoqParameters(FaveParameters):
    """Union of queries: FaVe with one session, and so without a choice among them."""

    sessions: int = Field(1, ge=1, le=8, description="S: search sessions that are sampled")
    select: By = Field(By.OFF, description="the score that sessions are compared by")


class UpheldParameters(Parameters):
    """Our own."""

    rounds: int = Field(2, ge=0, le=5, description="rounds of repair at most")
    facets: bool = Field(True, description="plan where the question has several parts")
    strips: bool = Field(
        True, description="keep only strips that help, if there is a fallback search"
    )
    fallback_search: bool = Field(True, description="search elsewhere if no passage is relevant")
    bridges: bool = Field(True, description="also quote passages that a quoted passage names")
    relevance_gate: bool = Field(True, description="quote or withhold answers of low relevance")
    # Off: of the 14 it reported on manuals, none was a conflict (docs/decisions/013-rivals.md).
    detect_conflicts: bool = Field(
        False, description="also report documents that disagree in other words; often wrong"
    )
    unsupported: UnsupportedPolicy = Field(UnsupportedPolicy.MARK, description="unsupported claims")
