"""Tokens with a mask of what is learnt, and batches of about equal length."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from upheld.errors import UsageError
from upheld.ports import Message
from upheld_lab.training.language_model.examples import Example, conversation

_SORTED_TOGETHER = (
    50  # batches that are sorted by length at a time: the rest of the order is by lot
)


class ChatTokenizer(Protocol):
    """What a tokenizer of `transformers` offers."""

    def apply_chat_template(self, conversation: Any, **options: Any) -> Any: ...


@dataclass(frozen=True, slots=True)
class Encoded:
    """Token ids, and how many of the last of them are learnt."""

    ids: tuple[int, ...]
    learnt: int

    @property
    def mask(self) -> list[int]:
        """1 for the tokens of the reply, 0 for those before it."""
        return [0] * (len(self.ids) - self.learnt) + [1] * self.learnt


def encode(tokenizer: ChatTokenizer, messages: Sequence[Message], reply: str) -> Encoded:
    """Encode by the model's own chat template; only the reply and its end of turn are learnt.

    Raises `UsageError` if the template writes the messages in another way once a reply follows.
    """
    before = conversation(messages)
    options = {"tokenize": True, "return_dict": False}
    prompt = list(tokenizer.apply_chat_template(before, add_generation_prompt=True, **options))
    whole = tokenizer.apply_chat_template(
        [*before, {"role": "assistant", "content": reply}], **options
    )
    if list(whole[: len(prompt)]) != prompt:
        raise UsageError("The chat template changes the messages when a reply follows them.")
    return Encoded(tuple(whole), len(whole) - len(prompt))


def encode_examples(
    tokenizer: ChatTokenizer, examples: Sequence[Example], max_tokens: int
) -> list[Encoded]:
    """Encode examples; longer ones are left out, since a cut reply would teach to stop early."""
    every = (encode(tokenizer, each.messages, each.reply) for each in examples)
    return [each for each in every if len(each.ids) <= max_tokens]


def bucketed(lengths: Sequence[int], batch: int, seed: int) -> list[int]:
    """An order of examples in which the `batch` that follow one another are about equally long.

    The order is fixed by the seed alone, so that a run which goes on meets the same batches.
    """
    dice = random.Random(seed)  # noqa: S311  (an order, no secret)
    places = list(range(len(lengths)))
    dice.shuffle(places)
    together = _SORTED_TOGETHER * batch
    batches = list[list[int]]()
    for first in range(0, len(places), together):
        part = sorted(places[first : first + together], key=lambda place: -lengths[place])
        batches += [part[start : start + batch] for start in range(0, len(part), batch)]
    # A batch that is not full comes last: one in the middle would shift all that follow.
    full = [each for each in batches if len(each) == batch]
    dice.shuffle(full)
    rest = [each for each in batches if len(each) < batch]
    return [place for each in (*full, *rest) for place in each]


def fingerprint(*parts: object) -> str:
    """What tells one run's data from another's: batches are found again by their number only."""
    digest = hashlib.sha256()
    for each in parts:
        digest.update(f"{each}\n".encode())
    return digest.hexdigest()
