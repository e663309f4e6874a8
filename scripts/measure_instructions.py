"""How often real manuals are taken for instructions to the answering system, and attacks are not.

    python scripts/measure_instructions.py /usr/share/doc/postgresql-doc-15 --quotes dev.jsonl

Reads every file below the folders and prints each sentence that would not count as evidence.
`--quotes` takes a file of questions with gold quotes, none of which may be dropped; `--attacks` a
JSON object of lists of injected sentences, by category.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

from upheld.errors import ReadError
from upheld.ingest.read import SUFFIXES, read
from upheld.text.instructions import instructs
from upheld.text.sentences import sentences


def main() -> None:
    """Read, count, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--quotes", type=Path)
    parser.add_argument("--attacks", nargs="*", type=Path, default=[])
    chosen = parser.parse_args()
    seen = flagged = 0
    for path in sorted(path for folder in chosen.folders for path in folder.rglob("*")):
        if path.suffix not in SUFFIXES or not path.is_file():
            continue
        try:
            found = sentences(read(path.read_bytes(), path.name).text)
        except ReadError as error:
            print(f"not read: {error}")
            continue
        seen += len(found)
        for each in filter(instructs, found):
            flagged += 1
            print(f"{path.name}: {' '.join(each.split())}")
    print(f"{flagged} of {seen} sentences of manuals are taken for instructions")
    if chosen.quotes:
        records = map(json.loads, chosen.quotes.read_text(encoding="utf-8").splitlines())
        quotes = [each["quote"] for record in records for each in record["gold"]]
        dropped = [each for each in quotes if any(map(instructs, sentences(each)))]
        print(f"{len(dropped)} of {len(quotes)} gold quotes are dropped", *dropped, sep="\n")
    for path in chosen.attacks:
        for category, attacks in json.loads(gzip.decompress(path.read_bytes())).items():
            print(f"{sum(map(instructs, attacks))} of {len(attacks)} seen: {category}")


if __name__ == "__main__":
    main()
