"""What must wait for what in each method: the dependency tables, and the longest way through them.

Written down from the algorithms, not from what was observed: a method that waits where it need not
takes longer than its table. Loops are unrolled as the scene of the same name has them. What a run
has asked before costs nothing, and has no step: CRAG's grade of passages that were reranked, the
last check of a draft that the method has checked. Every answer ends with `relevance` and
`similarity`, which score its claims, with the citations that the check fixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache

from upheld_lab.bench.costs.scripted_ports import Latency


class Port(Enum):
    """What a step waits for: the calls that it makes, one after the other."""

    LLM = ("llm",)
    SEARCH = ("embed", "search")
    GRADE = ("grade",)
    EMBED = ("embed",)
    ENTAIL = ("entail",)  # one rung of a check: what claims cite, or else what there is besides


LLM, SEARCH, GRADE, EMBED, ENTAIL = Port


@dataclass(frozen=True, slots=True)
class Step:
    """A step, and the names of those that it waits for."""

    port: Port
    after: tuple[str, ...] = ()


Table = Mapping[str, Step]


def table(**steps: tuple[Port | str, ...]) -> Table:
    """`write=(LLM, "plan", "order")`: it waits for the language model, after these two."""
    read = {}
    for name, (port, *after) in steps.items():
        assert isinstance(port, Port)
        read[name] = Step(port, tuple(str(each) for each in after))
    return read


def critical_path(steps: Table, latency: Latency) -> tuple[float, ...]:
    """Seconds of the calls on the longest way, in order."""

    @cache
    def until(name: str) -> tuple[float, ...]:
        step = steps[name]
        before = max(map(until, step.after), key=sum, default=())
        return (*before, *(getattr(latency, call) for call in step.port.value))

    return max(map(until, steps), key=sum)


PATHS: Mapping[str, Table] = {
    "rag: one answer": table(
        search=(SEARCH,),
        rerank=(GRADE, "search"),
        write=(LLM, "rerank"),
        check=(ENTAIL, "write"),
        relevance=(GRADE, "check"),
        similarity=(EMBED, "check"),
    ),
    "crag: correct": table(
        search=(SEARCH,),
        rerank=(GRADE, "search"),
        distil=(GRADE, "rerank"),
        write=(LLM, "distil"),
        check=(ENTAIL, "write"),
        relevance=(GRADE, "check"),
        similarity=(EMBED, "check"),
    ),
    "crag: incorrect, looks wider": table(
        search=(SEARCH,),
        rerank=(GRADE, "search"),
        rewrite=(LLM, "rerank"),
        fallback_search=(SEARCH, "rewrite"),
        distil_external=(GRADE, "fallback_search"),
        write=(LLM, "distil_external"),
        check=(ENTAIL, "write"),
        relevance=(GRADE, "check"),
        similarity=(EMBED, "check"),
    ),
    "crag: ambiguous, both": table(
        search=(SEARCH,),
        rerank=(GRADE, "search"),
        distil_internal=(GRADE, "rerank"),
        rewrite=(LLM, "rerank"),
        fallback_search=(SEARCH, "rewrite"),
        distil_external=(GRADE, "fallback_search"),
        write=(LLM, "distil_internal", "distil_external"),
        check=(ENTAIL, "write"),
        relevance=(GRADE, "check"),
        similarity=(EMBED, "check"),
    ),
    "cov_rag: one revision, the best is kept": table(
        search=(SEARCH,),
        rerank=(GRADE, "search"),
        write=(LLM, "rerank"),
        verify=(LLM, "write"),
        search_again=(SEARCH, "verify"),
        rerank_again=(GRADE, "search_again"),
        write_again=(LLM, "rerank_again"),
        verify_again=(LLM, "write_again"),  # which answer is the better
        check=(ENTAIL, "verify_again"),
        relevance=(GRADE, "check"),
        similarity=(EMBED, "check"),
    ),
    "cov_rag: one revision, preset paper": table(
        search=(SEARCH,),
        rerank=(GRADE, "search"),
        write=(LLM, "rerank"),
        verify=(LLM, "write"),
        search_again=(SEARCH, "verify"),
        rerank_again=(GRADE, "search_again"),
        write_again=(LLM, "rerank_again"),
        check=(ENTAIL, "write_again"),
        relevance=(GRADE, "check"),
        similarity=(EMBED, "check"),
    ),
    "a2r: K = 2, feedback computed": table(
        search=(SEARCH,),
        rerank=(GRADE, "search"),
        write=(LLM, "rerank"),
        check_0=(ENTAIL, "write"),  # no other passage has as many of its words
        refine_1=(LLM, "check_0"),
        check_1=(ENTAIL, "refine_1"),
        refine_2=(LLM, "check_1"),
        check_2=(ENTAIL, "refine_2"),
        relevance=(GRADE, "check_2"),
        similarity=(EMBED, "check_2"),
    ),
    "a2r: K = 2, preset paper": table(
        search=(SEARCH,),
        rerank=(GRADE, "search"),
        write=(LLM, "rerank"),
        check_0=(ENTAIL, "write"),
        phrase_0=(LLM, "check_0"),
        refine_1=(LLM, "phrase_0"),
        check_1=(ENTAIL, "refine_1"),
        phrase_1=(LLM, "check_1"),
        refine_2=(LLM, "phrase_1"),
        check_2=(ENTAIL, "refine_2"),
        final=(LLM, "check_2"),  # says what refine_2 said: checked already
        relevance=(GRADE, "final"),
        similarity=(EMBED, "final"),
    ),
    "coq: N = 5": table(
        search=(SEARCH,),
        ask_1=(LLM,),
        order_1=(GRADE, "search", "ask_1"),
        write_1=(LLM, "order_1"),
        ask_2=(LLM, "write_1"),
        order_2=(GRADE, "search", "ask_2"),
        write_2=(LLM, "order_2", "write_1"),
        ask_3=(LLM, "write_2"),
        order_3=(GRADE, "search", "ask_3"),
        write_3=(LLM, "order_3", "write_2"),
        ask_4=(LLM, "write_3"),
        order_4=(GRADE, "search", "ask_4"),
        write_4=(LLM, "order_4", "write_3"),
        ask_5=(LLM, "write_4"),
        order_5=(GRADE, "search", "ask_5"),
        write_5=(LLM, "order_5", "write_4"),
        check=(ENTAIL, "write_5"),
        relevance=(GRADE, "check"),
        similarity=(EMBED, "check"),
    ),
    "uoq: N = 5": table(
        search=(SEARCH,),
        plan=(LLM,),
        order=(GRADE, "search", "plan"),  # for each sub-question, all at once
        write=(LLM, "order"),  # as many, all at once
        check=(ENTAIL, "write"),
        relevance=(GRADE, "check"),
        similarity=(EMBED, "check"),
    ),
    "fave: N = 5, S = 8": table(
        search=(SEARCH,),
        plan=(LLM,),
        order=(GRADE, "search", "plan"),
        relevant=(LLM, "search", "plan"),  # each session, all at once; if there is what to answer
        write=(LLM, "order", "relevant"),
        check=(ENTAIL, "write"),
        relevance=(GRADE, "check"),
        similarity=(EMBED, "check"),
    ),
    "upheld: three facets, two repairs": table(
        search=(SEARCH,),
        rerank=(GRADE, "search"),
        plan=(LLM,),
        # From here on each facet by itself, all at once.
        search_facet=(SEARCH, "plan"),
        rerank_facet=(GRADE, "search_facet"),
        distil_internal=(GRADE, "rerank_facet"),
        rewrite=(LLM, "rerank_facet"),
        fallback_search=(SEARCH, "rewrite"),
        distil_external=(GRADE, "fallback_search"),
        write=(LLM, "distil_internal", "distil_external"),
        check=(ENTAIL, "write"),  # no evidence of another facet has as many of a claim's words
        # The two repairs, at once.
        restate_contradicted=(LLM, "check"),
        check_contradicted=(ENTAIL, "restate_contradicted"),
        search_claim=(SEARCH, "check"),
        rerank_claim=(GRADE, "search_claim"),
        hold=(ENTAIL, "rerank_claim"),  # the claim as it is, against what is new
        restate_unsupported=(LLM, "hold"),
        check_unsupported=(ENTAIL, "restate_unsupported"),
        relevance=(GRADE, "check_contradicted", "check_unsupported"),
        similarity=(EMBED, "check_contradicted", "check_unsupported"),
    ),
    "upheld: simple, verifies at once": table(
        search=(SEARCH,),
        rerank=(GRADE, "search"),
        distil=(GRADE, "rerank"),
        write=(LLM, "distil"),
        check=(ENTAIL, "write"),
        relevance=(GRADE, "check"),
        similarity=(EMBED, "check"),
    ),
}
