"""The conversation with the writer, taken up again: later calls share the whole of its prefix.

The messages that asked for the answer, then the answer as the model wrote it, then what is asked
of it now. A server that keeps its prefix cache reads only the last turn anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from upheld.ports import Message
from upheld.prompts.prompt import Prompt, fence
from upheld.types import Claim, Draft, Passage, unique_passages

_NO_PASSAGES = "(none were found)"


def opening(write: Prompt, draft: Draft) -> tuple[Message, ...]:
    """The messages with which the writer was asked for this draft."""
    shown = numbered(unique_passages(draft.evidence.passages))
    return write.render(passages=shown or _NO_PASSAGES, question=draft.question.text.strip())


def places(draft: Draft) -> dict[str, int]:
    """The numbers under which the draft's passages are shown, by passage id."""
    shown = unique_passages(draft.evidence.passages)
    return {passage.id: number for number, passage in enumerate(shown, start=1)}


def as_written(draft: Draft, numbers: Mapping[str, int]) -> str:
    """The draft in the form in which the writer is asked to write, under these numbers."""
    claims = [{"sources": cited(each, numbers), "text": each.text} for each in draft.claims]
    return json.dumps({"claims": claims}, ensure_ascii=False)


def cited(claim: Claim, numbers: Mapping[str, int]) -> list[int]:
    """The numbers that a claim cites, each once; passages that are not shown have none."""
    ids = dict.fromkeys(citation.passage_id for citation in claim.citations)
    return [numbers[each] for each in ids if each in numbers]


def numbered(passages: Sequence[Passage]) -> str:
    """The passages as the model sees them: [1]..[n], each inside its own fence."""
    return "\n\n".join(
        f"[{number}]\n{fence(passage.searchable)}" for number, passage in enumerate(passages, 1)
    )
