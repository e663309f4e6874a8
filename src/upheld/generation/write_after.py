"""Write after: a writer that sees earlier answers (FaVe's chain C2; chain-of-query, prompt B)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from upheld.generation.fallback import Write, WriteOrQuote
from upheld.generation.write import WriteClaims
from upheld.prompts import Prompt, load
from upheld.prompts.conversation import as_written, places
from upheld.types import Draft, Evidence, Question


@dataclass(frozen=True, kw_only=True)
class WriteAfter:
    """Earlier answers stand as earlier turns, without their passages; with none, a plain writer."""

    write: WriteClaims | None  # None: there is no language model
    quote: Write
    prompt: Prompt = field(default_factory=lambda: load("answered"))

    async def __call__(
        self, question: Question, evidence: Evidence, earlier: Sequence[Draft] = ()
    ) -> Draft:
        if self.write is None:
            return await self.quote(question, evidence)
        turns = (
            self.prompt.render(question=each.question.text, answer=as_written(each, places(each)))
            for each in earlier
        )
        seeing = replace(self.write, before=tuple(chain.from_iterable(turns)))
        return await WriteOrQuote(write=seeing, quote=self.quote)(question, evidence)
