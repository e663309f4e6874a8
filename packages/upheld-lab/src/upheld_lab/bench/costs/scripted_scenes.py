"""The scenes that methods are counted and timed in: a question, and what the model says to it.

Each leads its method down a branch that costs the most, or the least; `happens` says so, and a run
in which it did not happen is an error, not a figure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

from upheld.ask_options import AskOptions
from upheld.types import Answer
from upheld_lab.bench.costs.scripted import Lines, scripted
from upheld_lab.bench.costs.scripted_ports import Latency, Memory, TimedLLM

HERE = {
    "opening": "The museum opened in 1881 on Cromwell Road. Crowds queued for hours on the first "
    "morning. A brass band played at the gate.",
    "whale": "A blue whale hangs in the main hall of the museum. The skeleton weighs four tonnes.",
    "entry": "Entry to the museum is free on every day. Lockers for coats cost two pounds.",
    "leader": "Okafor has led the museum since 2016. Before that Okafor taught geology.",
    "night": "Children may sleep in the museum for one night. Torches are lent at the door.",
    "garden": "A garden with ponds surrounds the museum. Frogs live in the ponds.",
    "meteor": "The museum shows the largest meteorite of the country. A farmer dug it up.",
    "shop": "The shop of the museum sells fossils. Some fossils are older than the hills.",
}
ELSEWHERE = {
    "opera": "Bellini composed the opera Norma in 1831. The opera was first sung in Milan.",
    "guide": "Visitors of the museum get a printed guide. The guide names every hall.",
}
OPEN = "When was the museum opened?"
OPENED = "The museum opened in 1881."
LATE = "The museum opened in 1882."
MONDAY = "The museum opened on a Monday."
TUESDAY = "The museum opened on a Tuesday."
QUEUED = "Crowds queued for hours."
LED = "Okafor has led the museum."
FREE = "Entry to the museum is free."
VISITORS = (  # some of their words stand nowhere: what is found for them is neither good nor bad
    "When was the museum opened to visitors?",
    "Who has led the museum for visitors?",
    "What is the entry to the museum for visitors?",
)
WHY = "Why do families like the museum?"
ASKED = {
    "What hangs in the main hall of the museum?": "A blue whale hangs in the main hall.",
    "Is the entry to the museum free?": FREE,
    "May children sleep in the museum?": "Children may sleep in the museum.",
    "What surrounds the museum?": "A garden surrounds the museum.",
    "Which meteorite does the museum show?": "The museum shows the largest meteorite.",
    "What sells the shop of the museum?": "The shop sells fossils.",
    "What lives in the ponds?": "Frogs live in the ponds.",
    "What do lockers for coats cost?": "Lockers for coats cost two pounds.",
}
FIVE = tuple(ASKED)[:5]
ANSWERS = {question: ([text],) for question, text in ASKED.items()}


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A method, how it is told to run, and the paper's completions for the same."""

    method: str
    branch: str
    question: str
    lines: Lines
    happens: Mapping[str, int]  # steps that the trace must hold, at least so often
    paper: str
    source: str  # of the paper's count
    preset: str | None = None
    apart: str = ""  # the bar that it counts for, where that is not its method's

    @property
    def name(self) -> str:
        return f"{self.method}: {self.branch}"

    def demand(self, answer: Answer) -> None:
        """That the branch was taken, and that no part of the run had to be done without."""
        counted = Counter(event.stage for event in answer.trace)
        if missing := Counter(self.happens) - counted:
            raise AssertionError(f"{self.name}: not in the trace: {dict(missing)}")
        if answer.degraded:
            raise AssertionError(f"{self.name}: {'; '.join(answer.degraded)}")


SCENES = (
    Scene(
        method="rag",
        branch="one answer",
        question=OPEN,
        lines=Lines(answers={OPEN: ([OPENED],)}),
        happens={"search": 1, "write": 1},
        paper="1",
        source="the baseline of all four papers",
    ),
    Scene(
        method="crag",
        branch="correct",
        question=OPEN,
        lines=Lines(answers={OPEN: ([OPENED],)}),
        happens={"search": 1, "distil": 1, "write": 1},
        paper="1",
        source="2401.15884, figure 2",
    ),
    Scene(
        method="crag",
        branch="incorrect, looks wider",
        question="Who composed the opera Norma?",
        lines=Lines(
            answers={"Who composed the opera Norma?": (["Bellini composed the opera Norma."],)},
            phrases=("Norma", "opera", "composer"),
        ),
        happens={"rewrite": 1, "search": 2, "write": 1},
        paper="2",
        source="2401.15884, figure 2: rewrite, generate",
    ),
    Scene(
        method="crag",
        branch="ambiguous, both",
        question=VISITORS[0],
        lines=Lines(answers={VISITORS[0]: ([OPENED],)}, phrases=("museum", "visitors", "opening")),
        happens={"rewrite": 1, "search": 2, "distil": 2, "write": 1},
        paper="2",
        source="2401.15884, figure 2: rewrite, generate",
    ),
    Scene(
        method="cov_rag",
        branch="one revision, the best is kept",
        question=OPEN,
        lines=Lines(
            answers={OPEN: ([MONDAY], [OPENED])},
            revised={MONDAY: "On which road did the museum open in 1881?"},
        ),
        happens={"search": 2, "write": 2, "chain_verify": 2},
        paper="3",
        source="2410.05801, algorithm 1, lines 3, 4, 8",
    ),
    Scene(
        method="cov_rag",
        branch="one revision, preset paper",
        preset="paper",
        apart="cov_rag_paper",
        question=OPEN,
        lines=Lines(
            answers={OPEN: ([MONDAY], [OPENED])},
            revised={MONDAY: "On which road did the museum open in 1881?"},
        ),
        happens={"search": 2, "write": 2, "chain_verify": 1},
        paper="3",
        source="2410.05801, algorithm 1, lines 3, 4, 8",
    ),
    Scene(
        method="a2r",
        branch="K = 2, feedback computed",
        question=OPEN,
        lines=Lines(answers={OPEN: ([MONDAY],)}, again={MONDAY: [TUESDAY], TUESDAY: [OPENED]}),
        happens={"write": 1, "refine": 2},
        paper="6",
        source="A2R, algorithm 1 and eq. 5: 2 + 2K",
    ),
    Scene(
        method="a2r",
        branch="K = 2, preset paper",
        preset="paper",
        apart="a2r_paper",
        question=OPEN,
        lines=Lines(
            answers={OPEN: ([MONDAY],)},
            again={MONDAY: [TUESDAY], TUESDAY: [OPENED], OPENED: [OPENED]},
        ),
        happens={"write": 1, "phrase": 2, "refine": 2, "final": 1},
        paper="6",
        source="A2R, algorithm 1 and eq. 5: 2 + 2K",
    ),
    Scene(
        method="coq",
        branch="N = 5",
        question=WHY,
        lines=Lines(answers=ANSWERS, steps=FIVE),
        happens={"next_question": 5, "write": 5},
        paper="10",
        source="2025.findings-acl.993, figure 1a: 2N",
    ),
    Scene(
        method="uoq",
        branch="N = 5",
        question=WHY,
        lines=Lines(answers=ANSWERS, sessions=(FIVE,)),
        happens={"plan": 1, "write": 5},
        paper="6",
        source="2025.findings-acl.993, section 3.1: 1 + N",
    ),
    Scene(
        method="fave",
        branch="N = 5, S = 8",
        question=WHY,
        lines=Lines(answers=ANSWERS, sessions=tuple(islice(combinations(ASKED, 5), 8))),
        happens={"plan": 1, "relevant": 8, "select": 1, "write": 5},
        paper="53",
        source="2025.findings-acl.993, algorithm 1: S + SN + N",
    ),
    Scene(
        method="upheld",
        branch="three facets, two repairs",
        question=f"{VISITORS[0]} {VISITORS[1]} {VISITORS[2]}",
        lines=Lines(
            sessions=(VISITORS,),
            answers=dict(zip(VISITORS, (([LATE],), ([LED],), ([FREE, MONDAY],)), strict=True)),
            again={LATE: [OPENED], MONDAY: [QUEUED]},
            phrases=("museum", "visitors"),
        ),
        happens={"plan": 1, "rewrite": 3, "write": 3, "repair": 2, "restate": 2},
        paper="–",
        source="our own",
    ),
    Scene(
        method="upheld",
        branch="simple, verifies at once",
        apart="upheld_simple",
        question=OPEN,
        # In the question's words: what bears weakly on it would be quoted instead.
        lines=Lines(answers={OPEN: (["The museum was opened in 1881."],)}),
        happens={"search": 1, "write": 1, "verify": 1},
        paper="–",
        source="our own",
    ),
)


async def staged(
    scene: Scene, latency: Latency, memory: Memory | None = None
) -> tuple[Callable[[], Coroutine[Any, Any, Answer]], TimedLLM]:
    """The scene, ready to be asked once, and the language model that counts."""
    known = Memory(dict) if memory is None else memory
    kb, llm = await scripted(HERE, ELSEWHERE, scene.lines, latency, known)

    async def ask() -> Answer:
        answer = await kb.ask(
            scene.question,
            method=scene.method,
            preset=scene.preset,
            options=AskOptions(calibrated=False),
        )
        scene.demand(answer)
        return answer

    return ask, llm
