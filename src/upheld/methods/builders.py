"""The methods of the papers and our own from shared stages: one short function for each."""

from __future__ import annotations

from dataclasses import replace

from upheld.assessment.feedback import Phrase
from upheld.generation.extract_likely import ExtractiveAnswerer
from upheld.generation.fallback import WriteOrQuote
from upheld.generation.join import ShortAnswer
from upheld.generation.refine import Refine, Restate
from upheld.generation.writers import BestOf, WriteAfter
from upheld.methods.a2r import A2R
from upheld.methods.build import StageFactory
from upheld.methods.by_diagnosis.conflict_detector import ConflictDetector
from upheld.methods.by_diagnosis.final_checks import FinalChecks, RelevanceGate
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
from upheld.retrieval.bridge import Bridge
from upheld.retrieval.grade import Grade
from upheld.retrieval.rerank import Order, Rerank
from upheld.retrieval.rewrite import Rewrite
from upheld.verification.chain import ChainVerify, ReviseFirst


def build_method(kit: StageFactory, chosen: Parameters) -> Method:
    """The method that these parameters belong to."""
    match chosen:
        case CragParameters():
            return crag(kit, chosen)
        case CovRagParameters():
            return cov_rag(kit, chosen)
        case A2rParameters():
            return a2r(kit, chosen)
        case CoqParameters():
            return coq(kit, chosen)
        case FaveParameters():
            return fave(kit, chosen)
        case UpheldParameters():
            return upheld(kit, chosen)
        case _:
            raise TypeError(f"no method has {type(chosen).__name__}")


def crag(kit: StageFactory, chosen: CragParameters) -> CRAG:
    """Corrective RAG."""
    return CRAG(
        search=kit.search(),
        grade=thresholds(kit.parts.grade, chosen.upper, chosen.lower),
        distil=kit.distil(chosen.strips),
        rewrite=kit.asking(lambda llm: Rewrite(llm=llm), chosen.rewrite),
        fallback_search=kit.fallback_search(chosen.fallback_search),
        write=kit.write,
    )


def thresholds(fitted: Grade, upper: float | None, lower: float | None) -> Grade:
    """The fitted ones, but for what was given."""
    return replace(
        fitted,
        upper=fitted.upper if upper is None else upper,
        lower=fitted.lower if lower is None else lower,
    )


def cov_rag(kit: StageFactory, chosen: CovRagParameters) -> CoVRAG:
    """Chain of verification."""
    return CoVRAG(
        search=kit.search(),
        write=kit.write,
        verify=kit.asking(lambda llm: ChainVerify(llm=llm, chain=chosen.chain)),
        revise_first=kit.asking(lambda llm: ReviseFirst(llm=llm), chosen.revise is Position.START),
        revise=chosen.revise,
        sigma=chosen.sigma,
        rounds=chosen.rounds,
        keep=chosen.keep,
    )


def a2r(kit: StageFactory, chosen: A2rParameters) -> A2R:
    """Ask, assess, refine."""
    return A2R(
        search=kit.search(),
        write=kit.write,
        refine=kit.asking(lambda llm: Refine(llm=llm, max_tokens=kit.answer_tokens)),
        check=kit.check,
        phrase=kit.asking(lambda llm: Phrase(llm=llm), chosen.feedback is Feedback.PHRASED),
        rounds=chosen.rounds,
        intrinsic=chosen.intrinsic,
        test_before=chosen.test_before,
        final=chosen.final,
        hand_over=chosen.hand_over,
        keep=chosen.keep,
    )


def coq(kit: StageFactory, chosen: CoqParameters) -> CoQ:
    """Chain of query, with or without its selector."""
    chooses = chosen.selector is not By.OFF
    select = kit.asking(lambda llm: selector(llm, chosen.selector), chooses)
    return CoQ(
        search=kit.found(chosen.candidates),
        next_question=kit.asking(
            lambda llm: NextQuestion(llm=llm, samples=chosen.samples if chooses else 1)
        ),
        order=Order(grader=kit.grader, limit=chosen.per_question),
        write=WriteAfter(write=kit.claims, quote=kit.quote),
        select=select or CoQ.select,
        short_answer=kit.asking(lambda llm: ShortAnswer(llm=llm), chosen.short),
        max_questions=chosen.steps,
        queries_see_answers=chosen.queries_see_answers,
        answers_see_answers=chosen.answers_see_answers,
    )


def fave(kit: StageFactory, chosen: FaveParameters) -> FaVe:
    """Factored and verified search; union of queries, where it is one session."""
    write = kit.write
    if chosen.best_of > 1 and kit.claims is not None:
        best = BestOf(write=kit.claims, check=kit.check, samples=chosen.best_of)
        write = WriteOrQuote(write=best, quote=kit.quote)
    return FaVe(
        search=kit.found(chosen.candidates),
        plan=kit.asking(
            lambda llm: Plan(
                llm=llm,
                sessions=chosen.sessions,
                max_questions=chosen.steps,
                max_tokens=96 * chosen.steps,  # a question at its longest, two letters a token
            )
        ),
        order=Order(grader=kit.grader, limit=chosen.per_question),
        select=Select(llm=kit.parts.llm, by=chosen.select, delta=chosen.delta),
        write=write,
        short_answer=kit.asking(lambda llm: ShortAnswer(llm=llm), chosen.short),
    )


def upheld(kit: StageFactory, chosen: UpheldParameters) -> ByDiagnosis:
    """Our own; without a language model a facet is answered from the few passages likeliest to."""
    writes = kit.parts.llm is not None
    fallback_search = kit.fallback_search(chosen.fallback_search)
    return ByDiagnosis(
        search=kit.search(),
        # Where one can look no further, verdicts and the last look judge what comes of it.
        grade=kit.parts.grade if fallback_search else None,
        distil=kit.distil(chosen.strips and writes),  # quotes are sentences: strips only hide some
        rewrite=kit.asking(lambda llm: Rewrite(llm=llm)),
        fallback_search=fallback_search,
        plan=kit.asking(
            lambda llm: Plan(llm=llm, sessions=1, temperature=0.0, top_k=None, max_questions=4),
            chosen.facets,
        ),
        write=kit.write if writes else extractive_answerer(kit, chosen.bridges),
        restate=kit.asking(
            lambda llm: Restate(llm=llm, max_tokens=min(Restate.max_tokens, kit.answer_tokens))
        ),
        check=kit.check,
        final_checks=final_checks(kit, chosen),
        rounds=chosen.rounds,
        unsupported=chosen.unsupported,
    )


def extractive_answerer(kit: StageFactory, bridges: bool) -> ExtractiveAnswerer:
    """Quotes of few passages, and of what these name; fitted on dev: docs/decisions/011 and 017."""
    grader = kit.parts.grade.grader
    bridge = Bridge(search=kit.found(Bridge.candidates), grader=grader)
    return ExtractiveAnswerer(
        quote=replace(kit.quote, max_sentences=6, keep_within=0.3, abstain_below=0.2),
        bridge=bridge if bridges and grader else None,
    )


def final_checks(kit: StageFactory, chosen: UpheldParameters) -> FinalChecks:
    """Rivals are looked for in all that the search found, which this run has graded already."""
    grader = kit.parts.grade.grader
    deeper = chosen.model_copy(update={"passages": Rerank.candidates})
    return FinalChecks(
        relevance_gate=RelevanceGate(
            grader=grader if chosen.relevance_gate else None,
            embedder=kit.parts.embedder,
            quote=kit.asking(lambda _: extractive_answerer(kit, chosen.bridges)),
            check=kit.check,
        ),
        detect_conflicts=ConflictDetector(
            search=replace(kit, chosen=deeper).search(),
            grader=grader if chosen.detect_conflicts else None,
        ),
    )
