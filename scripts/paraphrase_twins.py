"""Paraphrase the sentences that minimal pairs are made from, in the order they are used.

    python scripts/paraphrase_twins.py PACK TRANSLATORS KEPT [MINUTES]

PACK is the data pack, TRANSLATORS the folder with ct2_en_fr and ct2_fr_en, KEPT the file that
paraphrases are added to. It goes on where it stopped. Only train-side sentences are read.
"""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path

from upheld_lab.training.verifier import facts
from upheld_lab.training.verifier.backtranslate import backtranslate
from upheld_lab.training.verifier.leaks import all_test_texts

MOST = 60_000  # sentences; later ones stand in twins that are seldom drawn


def main(pack: str, translators: str, kept: str, minutes: str = "600") -> None:
    """Paraphrase until the time is up or there is nothing left."""
    data = Path(pack)
    tests = all_test_texts(data)
    wanted = islice(facts.every_sentence(data, "verifier", tests), MOST)
    file = Path(kept)
    file.parent.mkdir(parents=True, exist_ok=True)
    made = backtranslate(
        [fact.claim for fact in wanted], Path(translators), file, 60 * float(minutes)
    )
    print(f"{made:,} sentences have a paraphrase.")


if __name__ == "__main__":
    main(*sys.argv[1:])
