"""`upheld bench calls`: what each method asks of the language model, beside its paper's count.

Real methods as `ask` composes them, on fakes; the model keeps to a script and counts. Depth is the
longest chain of calls that wait for each other: on a clock that jumps, a call takes one tick and
everything else none.
"""

from __future__ import annotations

from upheld_lab.bench.costs.scripted_clock import took
from upheld_lab.bench.costs.scripted_ports import Latency
from upheld_lab.bench.costs.scripted_scenes import SCENES, Scene, staged
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.report import Report, Row, Watch

TICK = Latency(llm=1.0)


async def bench_calls(watch: Watch) -> Report:
    """One row a branch; the bars are the dearest branch of each method as it is by default."""
    rows: list[Row] = []
    bars: dict[str, float] = {}
    for done, scene in enumerate(SCENES, start=1):
        row = await counted(scene)
        rows.append(row)
        for what in ("completions", "depth"):
            name = f"{what}.{scene.apart or scene.method}"
            bars[name] = max(bars.get(name, 0), row[what])
        watch("methods", done, len(SCENES))
    return Report("calls", bars, tuple(rows), manifest())


async def counted(scene: Scene) -> Row:
    """What the model counted; an error if the run has counted otherwise."""
    ask, llm = await staged(scene, TICK)
    answer, ticks = await took(ask)
    completions = sum(call.sampling.samples for call in llm.calls)
    used = answer.usage
    if (used.requests, used.completions) != (len(llm.calls), completions):
        raise AssertionError(f"{scene.name}: the run counted {used}")
    return {
        "method": scene.method,
        "branch": scene.branch,
        "requests": len(llm.calls),
        "completions": completions,
        "paper": scene.paper,
        "depth": round(ticks),
        "prompt tokens": used.prompt_tokens,
        "completion tokens": used.completion_tokens,
        "searches": used.searches,
        "pairs": used.pairs_checked,
        "paper's count": scene.source,
    }
