"""Start-Revise (CoV-RAG, Table 4): the ablation that revises before anything has been searched."""

from __future__ import annotations

from dataclasses import dataclass, field

from upheld.errors import LLMError
from upheld.ports import LLM, Sampling
from upheld.prompts import Prompt, load
from upheld.run.calls import generate
from upheld.run.trace import current_run
from upheld.types import Question
from upheld.verification.chain_values import Direct, revision


@dataclass(frozen=True, kw_only=True)
class ReviseFirst:
    """A question in, a better one to search with out; where the model fails, the question."""

    llm: LLM
    prompt: Prompt = field(default_factory=lambda: load("revise_first"))
    max_tokens: int = 160

    async def __call__(self, question: Question) -> Question:
        messages = self.prompt.render(question=question.text.strip())
        sampling = Sampling(max_tokens=self.max_tokens)
        try:
            reply = await generate(self.llm, "revise", messages, Direct, sampling)
        except LLMError as error:
            current_run().degrade(f"the question was not revised: {str(error).splitlines()[0]}")
            return question
        revised = revision(reply.value.revised_question, question)
        return Question(revised, parent=question.id) if revised else question
