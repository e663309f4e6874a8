"""Take over a report of `upheld bench growth --json`: the plan's rates, the page and its picture.

python scripts/use_growth_report.py report.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from upheld_lab.bench.report import Report, markdown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROOT = Path(__file__).parents[1]
RATES = ROOT / "packages/upheld-lab/src/upheld_lab/plan/rates.json"
PAGE = ROOT / "docs/results/growth.md"
PICTURE = ROOT / "docs/assets/growth.svg"
TABLES = "<!-- what follows is written by scripts/use_growth_report.py -->"
KINDS = ("hybrid", "bm25", "nearest", "hybrid, one label")

Row = dict[str, Any]


def main(file: str) -> None:
    """Write all three."""
    read = json.loads(Path(file).read_text(encoding="utf-8"))
    report = Report(read["bench"], read["bars"], tuple(read["rows"]), read["manifest"])
    sizes = [row for row in report.rows if "passages" in row]
    _write_rates(sizes, report.manifest["command"])
    _draw(sizes, [row for row in report.rows if "real" in row])
    said = PAGE.read_text(encoding="utf-8").partition(TABLES)[0]
    PAGE.write_text(f"{said}{TABLES}\n\n{markdown(report)}", encoding="utf-8")


def _write_rates(sizes: list[Row], command: str) -> None:
    rates = json.loads(RATES.read_text(encoding="utf-8"))
    rates["sizes"] = [
        {
            "passages": row["passages"],
            "stored_bytes": row["bytes a passage"] * row["passages"],
            "memory_mb": row["memory MB"],
            "build_s": row["write s"] + row["maintain s"],
            "hybrid_p50_ms": row["hybrid p50"],
            "hybrid_p95_ms": row["hybrid p95"],
            "hybrid_core_ms": row["hybrid core ms"],
        }
        for row in sizes
        if row["place"] == "folder"
    ]
    rates["made_by"]["sizes"] = command
    counted = [row for row in sizes if "requests a search" in row]
    if counted:
        rates["s3_requests_per_search"] = counted[-1]["requests a search"]
    rates = _rounded(rates)
    RATES.write_text(json.dumps(rates, indent=2) + "\n", encoding="utf-8")


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
    main(sys.argv[1])
