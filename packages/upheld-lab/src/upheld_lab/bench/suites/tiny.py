"""The suite `tiny`: written by us about an invented coast, so that a run works anywhere.

It has no sides: the same questions are asked on each split, over all of its passages.
"""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources

from upheld.types import Passage, content_hash
from upheld_lab.bench.suites.draw import Draw
from upheld_lab.bench.suites.own import SPLIT, read_sets
from upheld_lab.bench.suites.suite import Suite

FILES = ("passages.jsonl", "questions.jsonl")


def load_tiny(draw: Draw) -> Suite:
    """Facts, hops, lists, yes/no, unanswerable questions, conflicts and planted falsehoods."""
    folder = resources.files("upheld_lab.bench.suites") / "tiny"
    texts = {name: (folder / name).read_text(encoding="utf-8") for name in FILES}
    passages = [_passage(**json.loads(line)) for line in texts["passages.jsonl"].splitlines()]
    everywhere = replace(draw, split=SPLIT, passages=None)
    return everywhere.suite(
        "tiny",
        [everywhere.order(some) for some in read_sets(texts["questions.jsonl"], "tiny").values()],
        {each.id: each for each in passages},
        {f"tiny/{name}": content_hash(text) for name, text in texts.items()},
    )


def _passage(id: str, title: str, text: str) -> Passage:
    return Passage(id, text, id, content_hash(text), 0, len(text), title=title)
