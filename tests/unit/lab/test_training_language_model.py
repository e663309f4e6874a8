"""What language models are fed: files, masks, batches of equal length; and what a run costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from upheld.errors import NotFoundError, UsageError
from upheld.ports import Message
from upheld_lab.bench.split import Split
from upheld_lab.training.language_model.batches import (
    bucketed,
    encode,
    encode_examples,
    fingerprint,
)
from upheld_lab.training.language_model.cost import Cost, duration
from upheld_lab.training.language_model.examples import (
    Example,
    Preference,
    read_examples,
    read_preferences,
    write_examples,
    write_preferences,
)

MESSAGES = (Message("system", "Be brief."), Message("user", "Wo?\n„Hier“"))


class Letters:
    """A tokenizer whose tokens are letters, with turns like those of ChatML."""

    def apply_chat_template(
        self, conversation: Any, *, add_generation_prompt: bool = False, **_: Any
    ) -> list[int]:
        text = "".join(f"<{each['role']}>{each['content']}|" for each in conversation)
        return [ord(letter) for letter in text + "<assistant>" * add_generation_prompt]


class Rewriting(Letters):
    """Drops the system turn as soon as a reply follows."""

    def apply_chat_template(
        self, conversation: Any, *, add_generation_prompt: bool = False, **options: Any
    ) -> list[int]:
        some = conversation if add_generation_prompt else conversation[1:]
        return super().apply_chat_template(
            some, add_generation_prompt=add_generation_prompt, **options
        )


def example(reply: str = "Hier.") -> Example:
    return Example(MESSAGES, reply, "answer", "right", Split.DEV, "article", "q/1", 2)


def test_examples_and_pairs_are_read_as_they_were_written(tmp_path: Path) -> None:
    write_examples([example()], tmp_path / "e.jsonl")
    assert read_examples(tmp_path / "e.jsonl") == [example()]
    pair = Preference(MESSAGES, "a", "b", Split.TRAIN, "article", "q", 2)
    write_preferences([pair], tmp_path / "p.jsonl")
    assert read_preferences(tmp_path / "p.jsonl") == [pair]
    with pytest.raises(NotFoundError, match="upheld train data"):
        read_examples(tmp_path / "none.jsonl")


def test_only_the_reply_and_its_end_are_learnt() -> None:
    encoded = encode(Letters(), MESSAGES, "Hier.")
    learnt = [id for id, counts in zip(encoded.ids, encoded.mask, strict=True) if counts]
    assert "".join(map(chr, learnt)) == "Hier.|"
    assert "".join(map(chr, encoded.ids)).startswith("<system>Be brief.|<user>Wo?")


def test_a_template_that_rewrites_messages_is_refused() -> None:
    with pytest.raises(UsageError, match="template"):
        encode(Rewriting(), MESSAGES, "Hier.")


def test_long_examples_are_left_out_and_never_cut() -> None:
    size = len(encode(Letters(), MESSAGES, "Hier.").ids)
    some = [example(), example("Hier und dort.")]
    assert [len(each.ids) for each in encode_examples(Letters(), some, size)] == [size]


@pytest.mark.parametrize("count", [0, 1, 7, 403])
def test_batches_hold_every_example_once_and_are_about_equally_long(count: int) -> None:
    lengths = [(37 * place) % 500 + 10 for place in range(count)]
    order = bucketed(lengths, 4, seed=1)
    assert sorted(order) == list(range(count))
    assert order == bucketed(lengths, 4, seed=1)
    if count > 100:
        assert order != bucketed(lengths, 4, seed=2)
        spreads = [
            max(part) - min(part)
            for start in range(0, count - 4, 4)
            if (part := [lengths[place] for place in order[start : start + 4]])
        ]
        assert sum(spreads) / len(spreads) < 20  # by lot: 300
        longest_first = [lengths[place] for place in order[:40]]
        assert longest_first != sorted(longest_first, reverse=True)


def test_the_cost_is_told_with_gpu_hours_by_formula() -> None:
    cost = Cost(weights=135_000_000, examples=8_000, tokens=10_000_000, passes=1, seconds=7_200)
    assert cost.operations == 4 * 135e6 * 10e6
    assert cost.gpu_hours("A100") == pytest.approx(5.4e15 / (312e12 * 0.35) / 3600)
    assert cost.gpu_hours("H100") < cost.gpu_hours("A100")
    twice = Cost(135_000_000, 8_000, 10_000_000, passes=2)
    assert twice.operations == 6 * 135e6 * 10e6  # the reference model reads every token, too
    assert "8,000 examples" in str(cost)
    assert "2.0 h on this machine" in str(cost)
    assert "machine" not in str(twice)


def test_durations_and_fingerprints() -> None:
    assert [duration(each) for each in (9, 600, 9_000)] == ["9 s", "10 min", "2.5 h"]
    assert fingerprint("a", 1) == fingerprint("a", 1) != fingerprint("a", 2)
