"""How long `ask` takes without a language model, by question: median and 95th percentile.

python scripts/measure_ask_time.py KB QUESTIONS

QUESTIONS is a file with one question a line. To compare two versions, index the same documents with
each, and run this with the `src` folders of each first in PYTHONPATH, by turns.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

from upheld import Upheld


def main() -> None:
    """Ask the first question to warm up, then all."""
    kb = Upheld.open(sys.argv[1])
    questions = Path(sys.argv[2]).read_text(encoding="utf-8").splitlines()
    kb.ask(questions[0])
    seconds, cores = list[float](), list[float]()
    for question in questions:
        began, used = time.perf_counter(), time.process_time()
        kb.ask(question)
        seconds.append(time.perf_counter() - began)
        cores.append(time.process_time() - used)
    print(
        json.dumps(
            {
                "questions": len(questions),
                **{f"p{at}_s": round(float(np.percentile(seconds, at)), 3) for at in (50, 95)},
                **{f"p{at}_core_s": round(float(np.percentile(cores, at)), 3) for at in (50, 95)},
            }
        )
    )


if __name__ == "__main__":
    main()
