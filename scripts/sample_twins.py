"""Sample the minimal pairs that train the verifier, count them, and look for leaks of style.

    python scripts/sample_twins.py PACK KEPT sample OUT [EACH] [KIND ...]  50 twins of each kind
    python scripts/sample_twins.py PACK KEPT count                     all pairs, by source and kind
    python scripts/sample_twins.py PACK KEPT style                     labels guessed from claims

PACK is the data pack, KEPT the file of paraphrases. `style` trains a classifier that sees the
words of a claim and no premise, on 20,000 twins, and tests it on 4,000 others: an AUC above 0.65
says that the wording of a kind gives its labels away.
"""

from __future__ import annotations

import json
import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from upheld_lab.training.verifier.backtranslate import paraphrases
from upheld_lab.training.verifier.data import VERIFIER, feed, twins
from upheld_lab.training.verifier.leaks import all_test_texts
from upheld_lab.training.verifier.minimal_pairs import Twin
from upheld_lab.training.verifier.sound import sound
from upheld_lab.training.verifier.style import aucs

TRAINED_ON, TESTED_ON = 20_000, 4_000


def by_kind(made: Sequence[Twin]) -> dict[str, list[Twin]]:
    """Twins by the kind of their error, in random order."""
    kinds: dict[str, list[Twin]] = defaultdict(list)
    for twin in made:
        kinds[twin.kind].append(twin)
    for found in kinds.values():
        random.Random(7).shuffle(found)  # noqa: S311  (a sample)
    return dict(sorted(kinds.items()))


def shown(number: int, twin: Twin) -> str:
    """A twin to read."""
    lines = [f"--- {twin.kind} {number} ({twin.label.name.lower()})", f"P {twin.true_premise}"]
    if twin.false_premise != twin.true_premise:
        lines.append(f"Q {twin.false_premise}")
    lines += [f"T {twin.true_claim}"]
    lines += [f"F {twin.false_claim}"] if twin.false_claim != twin.true_claim else ["F (same)"]
    return "\n".join(lines)


def main(pack: str, kept: str, what: str, *rest: str) -> None:
    """Sample, count or look for leaks of style."""
    data = Path(pack)
    if what == "count":
        fed = feed(VERIFIER, data, Path(kept))
        counts = {"kept": fed.kept, "dropped": fed.dropped, "sharing": fed.sharing}
        print(json.dumps(counts, indent=1))
        return
    made = twins(VERIFIER, data, sound(paraphrases(Path(kept))), all_test_texts(data), seed=0)
    if what == "style":
        dice = random.Random(11)  # noqa: S311  (a sample)
        drawn = dice.sample(made, min(len(made), TRAINED_ON + TESTED_ON))
        for kind, (auc, tested) in aucs(drawn[:-TESTED_ON], drawn[-TESTED_ON:]).items():
            print(f"{kind:<20} {auc:.2f}  {tested}")
        return
    each = int(rest[1]) if len(rest) > 1 else 50
    texts = [
        shown(number, twin)
        for kind, found in by_kind(made).items()
        if not rest[2:] or kind in rest[2:]
        for number, twin in enumerate(found[:each], start=1)
    ]
    Path(rest[0]).write_text("\n".join(texts) + "\n", encoding="utf-8")
    print({kind: len(found) for kind, found in by_kind(made).items()}, len(made))


if __name__ == "__main__":
    main(*sys.argv[1:])
