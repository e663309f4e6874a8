"""Answers from a store of your own: notes in SQLite, found by its full-text search.

python examples/own_index.py
"""

import asyncio
import re
import sqlite3

from upheld import Evidence, Hit, Passage, Question, Upheld
from upheld.types import content_hash, passage_id


class Notes:
    """A searcher: anything that is called with a question and gives evidence, best first."""

    def __init__(self, path: str = ":memory:") -> None:
        self.rows = sqlite3.connect(path, check_same_thread=False)
        self.rows.execute("CREATE VIRTUAL TABLE IF NOT EXISTS notes USING fts5(name, body)")

    def add(self, name: str, body: str) -> None:
        """Keep a note."""
        self.rows.execute("INSERT INTO notes VALUES (?, ?)", (name, body))

    async def __call__(self, question: Question) -> Evidence:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question.text))
        found = await asyncio.to_thread(self._find, words)
        hits = (Hit(_passage(name, body), -rank, question.text) for name, body, rank in found)
        return Evidence(tuple(hits))

    def _find(self, words: str) -> list[tuple[str, str, float]]:
        query = "SELECT name, body, rank FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT 20"
        return self.rows.execute(query, (words,)).fetchall() if words else []


def _passage(name: str, body: str) -> Passage:
    """The whole note as one passage: what answers cite, by its exact place."""
    version = content_hash(body)
    return Passage(
        id=passage_id(name, version, 0, len(body)),
        text=body,
        document_id=name,
        document_version=version,
        start=0,
        end=len(body),
        title=name,
        uri=f"notes:{name}",
    )


if __name__ == "__main__":
    notes = Notes()
    notes.add("Ferry", "The crossing takes 35 minutes. Dogs travel free of charge.")
    notes.add("Museum", "The museum is closed on Mondays. Children pay half.")
    with Upheld.open("kb", searcher=notes) as kb:
        answer = kb.ask("How long does the crossing take?")
        print(answer)
        print(answer.claims[0].verdict.support, answer.claims[0].citations[0].uri)
