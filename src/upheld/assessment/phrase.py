"""Phrase (A2R, equation 3): the model words the feedback, which is computed, for the writer.

Scores and what is enough stay as computed, in front of its words, and it speaks only to what is
not enough: so it cannot praise what fails (the paper's Table 7), nor find fault with what passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from pydantic import BaseModel, Field, create_model
from pydantic.config import JsonDict

from upheld.assessment.feedback import Remark, as_text
from upheld.errors import LLMError
from upheld.ports import LLM, Sampling
from upheld.prompts import Prompt, fence, load
from upheld.prompts.conversation import as_written, opening, places
from upheld.run.calls import generate
from upheld.run.trace import current_run
from upheld.types import Draft


class Advice(BaseModel):
    """What to change, for each point that is not enough, in order."""

    advice: list[str]


@lru_cache
def advice_on(points: int) -> type[Advice]:
    """`Advice` whose schema has a decoder write on each of so many points, and stop."""
    bounds: JsonDict = {
        "items": {"type": "string", "maxLength": 300},
        "minItems": points,
        "maxItems": points,
    }
    return create_model(
        "Advice", __base__=Advice, advice=(list[str], Field(json_schema_extra=bounds))
    )


@dataclass(frozen=True, kw_only=True)
class Phrase:
    """Remarks in, remarks in the model's words out; where it fails, they stay as they are."""

    llm: LLM
    write: Prompt = field(default_factory=lambda: load("write"))  # the writer's: a shared prefix
    prompt: Prompt = field(default_factory=lambda: load("phrase"))
    max_tokens: int = 640  # four points at their longest, two characters a token

    async def __call__(self, draft: Draft, remarks: Sequence[Remark]) -> tuple[Remark, ...]:
        points = [each for each in remarks if not each.enough]
        if not points:
            return tuple(remarks)  # there is nothing to advise
        turn = self.prompt.render(
            answer=as_written(draft, places(draft)), feedback=fence(as_text(remarks))
        )
        messages = (*opening(self.write, draft), *turn)
        output, sampling = advice_on(len(points)), Sampling(max_tokens=self.max_tokens)
        try:
            reply = await generate(self.llm, "phrase", messages, output, sampling)
        except LLMError as error:
            reason = str(error).splitlines()[0]
            current_run().degrade(f"the feedback stands as it was computed: {reason}")
            return tuple(remarks)
        said = dict(zip(points, reply.value.advice, strict=False))
        return tuple(worded(each, said.get(each, "")) for each in remarks)


def worded(remark: Remark, words: str) -> Remark:
    """The remark in these words, on one line; without any, in its own."""
    line = " ".join(words.split())
    return replace(remark, findings=(line,)) if line else remark
