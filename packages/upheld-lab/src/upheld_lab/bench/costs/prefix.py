"""`upheld bench prefix`: how much of what a later call shows is read from the server's cache.

Verification, feedback and refinement take the writer's conversation up again; a server with a
prefix cache reads only what is new in them. The figures are the server's own.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from upheld.client import AsyncUpheld
from upheld.types import Event, Usage, new_id
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.report import Report, Row, Watch

# Each page is about as long as a passage may be, so that prompts are as long as in real use.
PAGES = {
    "ferry": """The ferry sails from Saltmarsh harbour to Wren Island five times a day in summer and
twice a day in winter. The crossing takes 35 minutes. The first boat leaves Saltmarsh at 7:15 and
the last boat returns from the island at 18:40. Dogs travel free of charge but must be kept on a
lead. Bicycles cost two pounds each way, and cars are not carried at all. When the wind is above
force seven the ferry does not sail, and tickets for that day are refunded in full. The present
boat, the Marigold, was launched in 2011 and carries 120 passengers. She replaced the Cormorant,
which had served the island for 38 years.""",
    "lighthouse": """The lighthouse of Wren Island stands on Harrow Point, the northern tip of the
island. It was built between 1868 and 1871 by the engineer Agnes Tolliver, who also designed the
harbour wall at Saltmarsh. The lighthouse opens to visitors at 9:30 in the morning from April to
September, and at 11:00 in the winter months. The climb to the lamp room has 142 steps and there is
no lift. The first lamp burned colza oil and could be seen for 14 nautical miles. In 1934 it was
replaced by an electric lamp with a range of 21 nautical miles. Since 1992 the light has been
automatic, and the last keeper, Martin Oakes, left the island in March of that year.""",
    "museum": """The museum of Wren Island opened in 1881 in the old sail loft beside the harbour.
Entry to the museum is free on every day of the year, and a guided tour costs three pounds. Ruth
Okafor has led the museum since 2016. Its largest room shows the boats of the island, among them a
rowing boat of 1790 that was found under the floor of a barn. A second room is about the lighthouse
and its keepers. The museum burned down in 1907 and was built again within two years, paid for by
the fishermen of Saltmarsh. About nine thousand people visit the museum in a usual year.""",
    "birds": """Wren Island has one of the largest colonies of puffins on the coast. In 2023 the
warden counted 2,340 pairs of puffins, about a tenth more than in the year before. Puffins arrive in
April, nest in burrows above the western cliffs, and leave in early August. From May to July the
path along the western cliffs is closed to visitors. Beside puffins there are razorbills, guillemots
and a few storm petrels, which come ashore only at night. Rats were removed from the island in 2009,
after which the storm petrels came back. The warden's hut was once the house of the lighthouse
keepers.""",
    "harbour": """Saltmarsh harbour was dug in 1840 and deepened in 1912 for the herring fleet. The
harbour wall was designed by Agnes Tolliver and finished in 1866; it is 310 metres long. Forty boats
still fish from Saltmarsh, most of them for crab and lobster. The fish market is held on Tuesdays
and Fridays from six in the morning. The ferry to Wren Island has its own berth at the eastern end
of the wall, and tickets are sold in the old customs house. The harbour master is responsible for
the tide gate, which is closed when a high tide and a storm come together.""",
    "history": """People have lived on Wren Island since the Bronze Age, and about 1,200 lived there
in 1850. Today there are 214 inhabitants. A storm in November 1893 sank eleven boats of the island
in one night. The school was closed in 1971 and opened again in 2004 with nine pupils. Electricity
came to the island by a cable from Saltmarsh in 1958; before that, there were windmills and lamps.
The island was sold by its last owner, the Countess of Hale, in 1926 and has belonged to those who
live there ever since. Its council has seven members and meets in the museum.""",
}
QUESTIONS = (
    "Who designed the harbour wall at Saltmarsh, and when was it finished?",
    "How long does the ferry crossing take, and what do bicycles cost?",
    "Why did the storm petrels come back to Wren Island?",
    "When did the museum of Wren Island open, and who has led it since 2016?",
)


LATER = ("chain_verify", "phrase", "refine", "final")  # calls about an answer that was written
# With everything that the papers' loops do, so that every such call is made.
ASKED: Mapping[str, Mapping[str, Any]] = {
    "cov_rag": {"rounds": 1},
    "a2r": {"rounds": 2, "feedback": "phrased", "test_before": False, "final": True},
}


@dataclass(frozen=True, slots=True)
class Server:
    """Which language model is asked, and where."""

    url: str
    model: str


async def bench_prefix(server: Server, watch: Watch, questions: int = len(QUESTIONS)) -> Report:
    """The share of prompt tokens of later calls that came from the cache, by method and stage."""
    rows: list[Row] = []
    total = Usage()
    for done, (method, parameters) in enumerate(ASKED.items()):
        watch("methods", done, len(ASKED))
        with tempfile.TemporaryDirectory() as folder:
            events = await _asked(server, Path(folder), method, parameters, questions)
        for stage in ("write", *LATER):
            if calls := [event.usage for event in events if event.stage == stage]:
                used = sum(calls, Usage())
                rows.append(_row(method, stage, used))
                total += used if stage in LATER else Usage()
    watch("methods", len(ASKED), len(ASKED))
    rows.append(_row("both", "later calls", total))
    facts = manifest(model=server.model, questions=questions)
    return Report("prefix", {"cached_share": share(total)}, tuple(rows), facts)


def share(used: Usage) -> float:
    """Of the prompt's tokens, those that were read from the cache."""
    return used.cached_tokens / used.prompt_tokens if used.prompt_tokens else 0.0


async def _asked(
    server: Server, folder: Path, method: str, parameters: Mapping[str, Any], questions: int
) -> list[Event]:
    """The trace of every question, on pages that this server has not seen before."""
    files = _written(folder, pages(new_id()[:8]))
    events: list[Event] = []
    async with await AsyncUpheld.open(
        folder / "kb", llm_url=server.url, llm_model=server.model, llm_timeout=600
    ) as kb:
        await kb.add(files)
        for question in QUESTIONS[:questions]:
            answer = await kb.ask(question, method=method, parameters=parameters)
            events += answer.trace
    return events


def pages(edition: str) -> dict[str, str]:
    """The pages under titles of their own: else an earlier run would have filled the cache."""
    return {name: f"# Wren Island {edition}: {name}\n\n{text}\n" for name, text in PAGES.items()}


def _written(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    files = {folder / f"{name}.md": text for name, text in texts.items()}
    for file, text in files.items():
        file.write_text(text, encoding="utf-8")
    return list(files)


def _row(method: str, stage: str, used: Usage) -> Row:
    return {
        "method": method,
        "stage": stage,
        "calls": used.requests,
        "prompt tokens": used.prompt_tokens,
        "cached": used.cached_tokens,
        "share": share(used),
    }
