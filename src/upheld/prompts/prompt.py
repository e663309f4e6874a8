"""Prompts: a file is loaded and filled, and a conversation with the writer taken up again.

A file names its placeholders first, then has one section for each message:

    values: passages question

    # system
    Answer from the passages.

    # user
    $passages

    Question: $question

Text from outside is made so that a model can read it but nothing in it can act.

Later calls send the messages that asked for the answer, then the answer as the model wrote it, then
what is asked of it now: a server that keeps its prefix cache reads only the last turn anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from string import Template
from typing import Literal, cast, get_args

from upheld.errors import UsageError
from upheld.ports import Message
from upheld.text.patterns import replaced
from upheld.types import Claim, Draft, Passage, content_hash, unique_passages

# Turn markers of the chat templates in use. Servers tokenize the whole conversation at once, so
# that a marker inside a passage would end the user's turn and begin another.
_MARKER = re.compile(r"<(?=[|｜]|/?s>|<SYS>|</SYS>|(?:start|end)_of_turn>)|\[(?=/?INST\])")
_LONE_SURROGATES = re.compile(r"[\ud800-\udfff]{1,1000}+")  # cannot be sent as UTF-8
_BACKTICKS = re.compile(r"`+")


def as_data(text: str) -> str:
    """The text with a space in every turn marker: it reads the same and does nothing."""
    inert = replaced(_MARKER, text, lambda marker: marker + " ")
    return replaced(_LONE_SURROGATES, inert, lambda run: "\ufffd" * len(run))


def fence(text: str) -> str:
    """The text between fences longer than any in it, so that it cannot end its own fence."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}\n{text}\n{ticks}"


Role = Literal["system", "user", "assistant"]

_HEAD = re.compile(r"values:(?P<values>[a-z_ ]*)\n")
_SECTION = re.compile(rf"(?m)^# ({'|'.join(get_args(Role))})[ \t]*\n")
_NAME = re.compile(r"[a-z][a-z_]*")


@dataclass(frozen=True, slots=True)
class Prompt:
    """Messages with placeholders; `render` fills all of them or raises."""

    name: str
    values: frozenset[str]
    sections: tuple[tuple[Role, str], ...]

    @property
    def fingerprint(self) -> str:
        """A hash of the messages, to tell whether a model was trained on these words."""
        return content_hash(json.dumps(self.sections))[:16]

    def render(self, **values: str) -> tuple[Message, ...]:
        """The messages, with every value put in once and read by nobody as part of the prompt."""
        if values.keys() != self.values:
            raise UsageError(
                f"the prompt {self.name!r} takes {_listed(self.values)}, not {_listed(values)}"
            )
        data = {name: as_data(value) for name, value in values.items()}
        return tuple(Message(role, Template(body).substitute(data)) for role, body in self.sections)


@lru_cache
def load(name: str, package: str = "upheld.prompts") -> Prompt:
    """The prompt of that name that comes with a package."""
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is not the name of a prompt")
    file = resources.files(package) / f"{name}.md"
    try:
        return parse(name, file.read_text("utf-8"))
    except OSError as missing:  # a name may also be too long for a file
        raise UsageError(f"there is no prompt {name!r}") from missing


def parse(name: str, text: str) -> Prompt:
    """A prompt from the text of its file; what it declares must be what it uses."""
    head = _HEAD.match(text)
    if head is None:
        raise UsageError(f"the prompt {name!r} does not begin with `values: …`")
    before, *parts = _SECTION.split(text[head.end() :])
    if before.strip() or not parts:
        raise UsageError(f"the prompt {name!r} has text outside of its sections, or none")
    sections = tuple(
        (cast("Role", role), body.strip())
        for role, body in zip(parts[::2], parts[1::2], strict=True)
    )
    declared = frozenset(head["values"].split())
    used: set[str] = set()
    for _, body in sections:
        template = Template(body)
        if not template.is_valid():
            raise UsageError(f"the prompt {name!r} has a stray $; write $$ for the sign itself")
        used.update(template.get_identifiers())
    if used != declared:
        raise UsageError(
            f"the prompt {name!r} declares {_listed(declared)} and uses {_listed(used)}"
        )
    return Prompt(name, declared, sections)


def _listed(names: object) -> str:
    ordered = sorted(cast("set[str]", names))
    return ", ".join(ordered) if ordered else "nothing"


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
