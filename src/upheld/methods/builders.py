"""The methods of the papers and our own from shared stages: one short function for each."""

from __future__ import annotations

from dataclasses import replace

from upheld.assessment.feedback import Phrase
from upheld.generation.extractive_answerer import ExtractiveAnswerer
from upheld.generation.fallback import WriteOrQuote
from upheld.generation.refine import Refine, Restate
from upheld.generation.write import TOKENS_PER_CLAIM
from upheld.generation.writers import BestOf, WriteAfter
from upheld.methods.a2r import A2R
from upheld.methods.build import StageFactory
from upheld.methods.by_diagnosis.conflict_detector import ConflictDetector
from upheld.methods.by_diagnosis.final_checks import FinalChecks, GatedMethod, RelevanceGate
from upheld.methods.by_diagnosis.method import ByDiagnosis
from upheld.methods.coq import CoQ, selector
from upheld.methods.cov_rag import CoVRAG, Position
from upheld.methods.crag import CRAG
from upheld.methods.fave import FaVe
from upheld.methods.parameters import (
    A2rParameters,
    CoqParameters,
    CovRagParameters,
    CragParameters,
    FaveParameters,
    Feedback,
    Parameters,
    UpheldParameters,
)
from upheld.methods.registry import Method
from upheld.planning.next_question import NextQuestion
from upheld.planning.plan import Plan
from upheld.planning.select import By, Select
from upheld.prompts import load
from upheld.resources.open import Resources
from upheld.retrieval.bridge import Bridge
from upheld.retrieval.grade import Grade
from upheld.retrieval.rerank import Order, Rerank
from upheld.retrieval.rewrite import Rewrite
from upheld.verification.chain import ChainVerify, ReviseFirst
from upheld.verification.judgment import JoinJudgment

DETAILED_TOKENS = 10 * TOKENS_PER_CLAIM  # the longest answer that A2R's paper prints (Table 9)


def build_method(stages: StageFactory, chosen: Parameters) -> Method:
    """The method that these parameters belong to."""
    match chosen:
        case CragParameters():
            return crag(stages, chosen)
        case CovRagParameters():
            return cov_rag(stages, chosen)
        case A2rParameters():
            return a2r(stages, chosen)
        case CoqParameters():
            return coq(stages, chosen)
        case FaveParameters():
            return fave(stages, chosen)
        case UpheldParameters():
            return upheld(stages, chosen)
        case _:
            raise TypeError(f"no method has {type(chosen).__name__}")


def crag(stages: StageFactory, chosen: CragParameters) -> CRAG:
    """Corrective RAG."""
    return CRAG(
        search=stages.search(),
        grade=thresholds(stages.resources.grade, chosen.upper, chosen.lower),
        distil=stages.distil(chosen.strips),
        rewrite=stages.with_llm(lambda llm: Rewrite(llm=llm), chosen.rewrite),
        fallback_search=stages.fallback_search(chosen.fallback_search),
        write=stages.write,
    )


def thresholds(fitted: Grade, upper: float | None, lower: float | None) -> Grade:
    """The fitted ones, but for what was given."""
    return replace(
        fitted,
        upper=fitted.upper if upper is None else upper,
        lower=fitted.lower if lower is None else lower,
    )


def cov_rag(stages: StageFactory, chosen: CovRagParameters) -> CoVRAG:
    """Chain of verification."""
    return CoVRAG(
        search=stages.search(),
        fallback_search=stages.fallback_search(chosen.fallback_search),
        write=stages.write,
        verify=stages.with_checker(lambda llm: ChainVerify(llm=llm, chain=chosen.chain)),
        revise_first=stages.with_checker(
            lambda llm: ReviseFirst(llm=llm), chosen.revise is Position.START
        ),
        revise=chosen.revise,
        sigma=chosen.sigma,
        rounds=chosen.rounds,
        keep=chosen.keep,
    )


def a2r(stages: StageFactory, chosen: A2rParameters) -> A2R:
    """Ask, assess, refine."""
    if chosen.detailed:
        stages = replace(stages, rules=load("write_detailed"), longest_answer=DETAILED_TOKENS)
    return A2R(
        search=stages.search(),
        write=stages.write,
        refine=stages.with_llm(
            lambda llm: Refine(llm=llm, write=stages.rules, max_tokens=stages.answer_tokens)
        ),
        check=replace(stages.check, fixes_citations=False),
        phrase=stages.with_llm(
            lambda llm: Phrase(llm=llm, write=stages.rules), chosen.feedback is Feedback.PHRASED
        ),
        rounds=chosen.rounds,
        intrinsic=chosen.intrinsic,
        test_before=chosen.test_before,
        final=chosen.final,
        fix_citations=chosen.fix_citations,
        hand_over=chosen.hand_over,
        keep=chosen.keep,
    )


def coq(stages: StageFactory, chosen: CoqParameters) -> CoQ:
    """Chain of query, with or without its selector."""
    stages = replace(stages, rules=load("write_step"))  # prompt B, with its demonstration
    chooses = chosen.selector is not By.OFF
    select = stages.with_planner(lambda llm: selector(llm, chosen.selector), chooses)
    return CoQ(
        search=stages.found(chosen.candidates),
        next_question=stages.with_planner(
            lambda llm: NextQuestion(llm=llm, samples=chosen.samples if chooses else 1)
        ),
        order=Order(grader=stages.grader, limit=chosen.per_question),
        write=WriteAfter(write=stages.claims, quote=stages.quote),
        select=select or CoQ.select,
        max_questions=chosen.steps,
        queries_see_answers=chosen.queries_see_answers,
        answers_see_answers=chosen.answers_see_answers,
    )


def fave(stages: StageFactory, chosen: FaveParameters) -> FaVe:
    """Factored and verified search; union of queries, where it is one session."""
    stages = replace(stages, rules=load("write_step"))  # prompt B, with its demonstration
    write = stages.write
    if chosen.best_of > 1 and stages.claims is not None:
        check = replace(stages.check, fixes_citations=False)
        best = BestOf(write=stages.claims, check=check, samples=chosen.best_of)
        write = WriteOrQuote(write=best, quote=stages.quote)
    return FaVe(
        search=stages.found(chosen.candidates),
        plan=stages.with_planner(
            lambda llm: Plan(
                llm=llm,
                sessions=chosen.sessions,
                max_questions=chosen.steps,
                max_tokens=96 * chosen.steps,  # a question at its longest, two letters a token
            )
        ),
        order=Order(grader=stages.grader, limit=chosen.per_question),
        select=Select(
            llm=stages.with_planner(lambda llm: llm), by=chosen.select, delta=chosen.delta
        ),
        write=write,
    )


def upheld(stages: StageFactory, chosen: UpheldParameters) -> ByDiagnosis:
    """Our own; without a language model a facet is answered from the few passages likeliest to."""
    writes = stages.resources.llm is not None
    fallback_search = stages.fallback_search(chosen.fallback_search)
    return ByDiagnosis(
        search=stages.search(),
        # Where one can look no further, verdicts and the last look judge what comes of it.
        grade=stages.resources.grade if fallback_search else None,
        distil=stages.distil(
            chosen.strips and writes
        ),  # quotes are sentences: strips only hide some
        rewrite=stages.with_llm(lambda llm: Rewrite(llm=llm)),
        fallback_search=fallback_search,
        plan=stages.with_planner(
            lambda llm: Plan(
                llm=llm,
                prompt=load("plan"),  # it takes no answer for granted
                sessions=1,
                temperature=0.0,
                top_k=None,
                max_questions=4,
            ),
            chosen.facets,
        ),
        write=stages.write if writes else extractive_answerer(stages, chosen.bridges),
        restate=stages.with_llm(
            lambda llm: Restate(llm=llm, max_tokens=min(Restate.max_tokens, stages.answer_tokens))
        ),
        check=stages.check,
        final_checks=final_checks(stages, chosen),
        rounds=chosen.rounds,
        unsupported=chosen.unsupported,
    )


def extractive_answerer(stages: StageFactory, bridges: bool) -> ExtractiveAnswerer:
    """Quotes of few passages, and of what these name; fitted on dev: docs/decisions/011 and 017."""
    grader = stages.resources.grade.grader
    bridge = Bridge(search=stages.found(Bridge.candidates), grader=grader)
    return ExtractiveAnswerer(
        quote=stages.quote,
        bridge=bridge if bridges and grader else None,
    )


def final_checks(stages: StageFactory, chosen: UpheldParameters) -> FinalChecks:
    """Conflicts are looked for in all that the search found, which this run has graded already."""
    grader = stages.resources.grade.grader
    deeper = chosen.model_copy(update={"passages": Rerank.candidates})
    gate = relevance_gate(stages, chosen.bridges)
    return FinalChecks(
        relevance_gate=gate if chosen.relevance_gate else replace(gate, grader=None),
        detect_conflicts=ConflictDetector(
            search=replace(stages, chosen=deeper).search(),
            grader=grader if chosen.detect_conflicts else None,
        ),
        join_judgment=join_judgment(stages.resources),
    )


def join_judgment(parts: Resources) -> JoinJudgment | None:
    """P(judgment = true) as a feature of P(right), where a checker's card says what it weighs."""
    if parts.checker is None or parts.judgment is None:
        return None
    return JoinJudgment(
        checker=parts.checker,
        weights=parts.judgment,
        grader=parts.grade.grader,
        embedder=parts.embedder,
    )


def relevance_gate(stages: StageFactory, bridges: bool) -> RelevanceGate:
    """The gate of our own method, which quotes as that does where nobody writes."""
    return RelevanceGate(
        grader=stages.resources.grade.grader,
        embedder=stages.resources.embedder,
        quote=stages.with_llm(lambda _: extractive_answerer(stages, bridges)),
        check=stages.check,
    )


def gated(stages: StageFactory, method: Method) -> GatedMethod:
    """Any other method, with the checks and the gate of our own as they are by default."""
    bridges = UpheldParameters.model_validate({}).bridges
    return GatedMethod(
        method=method, check=stages.check, relevance_gate=relevance_gate(stages, bridges)
    )
