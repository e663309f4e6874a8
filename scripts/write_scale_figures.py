"""Take over reports of the bench (`--json`): the plan's rates, the pages of growth and scale.

python scripts/write_scale_figures.py growth.json ingest.json verify.json

Rows of several runs of `bench growth` may be joined by hand: a row with `"alone": false` was built
while other work ran on the machine, and its build time is left out.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from upheld_lab.bench.report import Report, markdown
from upheld_lab.plan.prices import EXAMPLE, Prices
from upheld_lab.plan.rates import Growth, Rates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROOT = Path(__file__).parents[1]
RATES = ROOT / "packages/upheld-lab/src/upheld_lab/plan/rates.json"
GROWTH_PAGE = ROOT / "docs/results/growth.md"
SCALE_PAGE = ROOT / "docs/scale.md"
PICTURE = ROOT / "docs/assets/growth.svg"
WRITTEN = "<!-- what follows is written by scripts/write_scale_figures.py -->"
END = "<!-- until here -->"
KINDS = ("hybrid", "bm25", "nearest", "hybrid, one label")
COST_PASSAGES = 1_000_000
COST_HEAD = (
    "method",
    "searches",
    "pairs",
    "search, core s",
    "small models, core s",
    "service, core s",
    "tokens read",
    "tokens written",
    "machines",
    "language model",
)

Row = dict[str, Any]


def main(growth_file: str, ingest_file: str, verify_file: str) -> None:
    """Write all of them."""
    growth, ingest, verify = map(_report, (growth_file, ingest_file, verify_file))
    sizes = [row for row in growth.rows if "passages" in row]
    _write_rates(sizes, growth, ingest, verify)
    _draw(sizes, [row for row in growth.rows if "real" in row])
    said = GROWTH_PAGE.read_text(encoding="utf-8").partition(WRITTEN)[0]
    made_by = markdown(growth).strip().splitlines()[-1]
    page = f"{said}{WRITTEN}\n\n{_by_size(growth.bars, sizes)}\n\n{made_by}\n"
    GROWTH_PAGE.write_text(page, encoding="utf-8")
    _write_costs()


def _report(file: str) -> Report:
    read = json.loads(Path(file).read_text(encoding="utf-8"))
    return Report(read["bench"], read["bars"], tuple(read["rows"]), read["manifest"])


def _write_rates(sizes: list[Row], growth: Report, ingest: Report, verify: Report) -> None:
    rates = json.loads(RATES.read_text(encoding="utf-8"))
    machine = growth.manifest["machine"]
    vnni = "with" if "avx512_vnni" in machine["features"] else "without"
    rates["machine"] = f"{machine['processor']} {vnni} VNNI, {machine['cores']} cores, local disk"
    rates["sizes"] = [
        {
            "passages": row["passages"],
            "stored_bytes": row["bytes a passage"] * row["passages"],
            "memory_mb": row["memory MB"],
            "build_s": row["write s"] + row["maintain s"] if row.get("alone", True) else None,
            "hybrid_p50_ms": row["hybrid p50"],
            "hybrid_p95_ms": row["hybrid p95"],
            "hybrid_core_ms": row["hybrid core ms"],
        }
        for row in sizes
        if row["place"] == "folder"
    ]
    read = ingest.rows[0]
    rates["embedded_per_core_s"] = read["of the embedder alone"] / machine["cores"]
    rates["embed_question_core_ms"] = read["a question embedded, core ms"]
    rates["pairs_per_core_s"] = verify.bars["pairs_per_s"] / machine["cores"]
    rates["made_by"] |= {
        "sizes": growth.manifest["command"],
        "embedding": ingest.manifest["command"],
        "pairs_per_core_s": verify.manifest["command"],
    }
    counted = [row for row in sizes if "requests a search" in row]
    if counted:
        rates["s3_requests_per_search"] = counted[-1]["requests a search"]
    rates = _rounded(rates)
    RATES.write_text(json.dumps(rates, indent=2) + "\n", encoding="utf-8")


def _by_size(bars: dict[str, float], sizes: list[Row]) -> str:
    """Return the bars, and what was measured with a column for each size."""
    lines = ["| bar | value |", "|---|---|"] if bars else []
    lines += [f"| `{name}` | {value:.4g} |" for name, value in bars.items()]
    columns = " | ".join(f"{row['place']}, {row['passages']:,}" for row in sizes)
    lines += [
        "",
        f"| milliseconds, unless it says more | {columns} |",
        "|---" * len(sizes) + "|---|",
    ]
    names = dict.fromkeys(
        name for row in sizes for name in row if name not in ("place", "passages", "alone")
    )
    for name in names:
        cells = (f"{row[name]:.4g}" if name in row else "" for row in sizes)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines).strip()


def _write_costs() -> None:
    """Put the cost of a thousand questions, by method and stage, into the page about scale."""
    rates = Rates.model_validate_json(RATES.read_text(encoding="utf-8"))
    prices = Prices.model_validate_json(EXAMPLE)
    search_ms = Growth.through(rates.sizes).hybrid_core_ms.at(COST_PASSAGES)
    core_second = prices.machine_hour / prices.machine_cores / 3600
    lines = [" | ".join(COST_HEAD), " | ".join("---" for _ in COST_HEAD)]
    for name, method in rates.methods.items():
        stages = (
            method.searches * (search_ms + rates.embed_question_core_ms),
            method.pairs / rates.pairs_per_core_s * 1e3,
            rates.service_core_ms,
        )  # milliseconds of a question are seconds of a thousand
        read, written = method.prompt_tokens * 1e3, method.written_tokens * 1e3
        tokens = read * prices.million_prompt_tokens + written * prices.million_written_tokens
        cells = (
            f"`{name}`",
            f"{method.searches:g}",
            f"{method.pairs:g}",
            *(f"{each:,.0f}" for each in stages),
            f"{read:,.0f}",
            f"{written:,.0f}",
            f"${sum(stages) * core_second:.3f}",
            f"${tokens / 1e6:.3f}",
        )
        lines.append(" | ".join(cells))
    before, _, rest = SCALE_PAGE.read_text(encoding="utf-8").partition(WRITTEN)
    after = rest.partition(END)[2]
    table = "\n".join(f"| {line} |" for line in lines)
    SCALE_PAGE.write_text(f"{before}{WRITTEN}\n\n{table}\n\n{END}{after}", encoding="utf-8")


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _draw(sizes: list[Row], histogram: list[Row]) -> None:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "growth", "font.size": 10}):
        figure = Figure(figsize=(10, 6.4), layout="constrained")
        (times, memory), (recall, near) = figure.subplots(2, 2)
        for place, style in (("folder", "-o"), ("s3", "--s")):
            rows = [row for row in sizes if row["place"] == place]
            for number, kind in enumerate(KINDS if rows else ()):
                _line(times, rows, f"{kind} p50", f"{kind}, {place}", style, f"C{number}")
            if rows:
                _line(memory, rows, "memory MB", f"memory, {place}", style, "C0")
                _line(recall, rows, "recall@10", f"all passages, {place}", style, "C0")
                _line(recall, rows, "recall@10, one label", f"one label, {place}", style, "C1")
        times.set(title="one search, p50", ylabel="ms", xscale="log", yscale="log")
        memory.set(title="memory of a searching process", ylabel="MB", xscale="log")
        recall.set(title="recall@10 against exact search", xscale="log", ylim=(0.9, 1.005))
        for axes in (times, memory, recall):
            axes.set_xlabel("passages")
        edges = [row["cosine of the nearest from"] for row in histogram]
        for name in ("real", "mixed"):
            near.step(edges, [row[name] for row in histogram], where="post", label=name)
        near.set(title="nearest neighbour: real and mixed vectors", xlabel="cosine", ylabel="share")
        for axes in (times, memory, recall, near):
            axes.grid(alpha=0.3)
            axes.legend(fontsize=8, frameon=False)
        memory.set_ylim(bottom=0)
        figure.savefig(PICTURE, format="svg", metadata={"Date": None})


def _line(axes: Axes, rows: list[Row], column: str, label: str, style: str, colour: str) -> None:
    axes.plot(
        [row["passages"] for row in rows],
        [row[column] for row in rows],
        style,
        color=colour,
        label=label,
        markersize=4,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
