from __future__ import annotations

import time
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from upheld.ingest import count
from upheld.ingest.count import CharacterCounter, TokenCounter
from upheld.ingest.read.document import canonical
from upheld_models import embedder_tokenizer


@cache
def counter() -> TokenCounter:
    return TokenCounter.from_file(embedder_tokenizer())


def tokenised(text: str) -> int:
    return len(counter().tokenizer.encode(text, add_special_tokens=False))


@given(st.text(max_size=200).map(canonical))
def test_counting_by_words_is_tokenising(text: str) -> None:
    assert counter()(text) == tokenised(text)


@pytest.mark.parametrize(
    "text",
    [
        "don't stop",
        "naïve café 25°C x→y",
        "中文字符 한국어",
        "😀👍🏽 a_b",
        "A" * 150,
        "",
        "$3.50/€4",
    ],
)
def test_odd_words_count_as_tokenised(text: str) -> None:
    assert counter()(text) == tokenised(text)


def test_padding_and_truncation_do_not_count() -> None:
    assert counter()("word " * 1000) == 1000
    assert counter()("word") == 1


def test_words_that_only_one_document_has_are_not_cached() -> None:
    small = TokenCounter.from_file(embedder_tokenizer())
    text = "The vault opens with xq7-Zanzibarqz, code 4711, for J.Bloggs@example.org: hurry!"
    assert small(text) == small(text) == tokenised(text)
    assert {"The", "vault", "opens", "hurry!"} <= set(small.known)
    assert not any(
        part in word for word in small.known for part in ("xq", "anzi", "4711", "oggs", "@e")
    )


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count, "_MOST_WORDS", 10)
    small = TokenCounter.from_file(embedder_tokenizer())
    words = " ".join(f"{word}{mark}" for word in ("one", "tower", "nine") for mark in "!?,.;:()[]")
    assert small(words) == tokenised(words)
    assert 0 < len(small.known) <= 12


def test_other_tokenizers_count_by_themselves(tmp_path_factory: pytest.TempPathFactory) -> None:
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 1, "?": 2}, unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    path = tmp_path_factory.mktemp("other") / "tokenizer.json"
    tokenizer.save(str(path))
    assert TokenCounter.from_file(path)("a b é") == 3


def test_characters_estimate_tokens() -> None:
    estimate = CharacterCounter()
    assert estimate("abcd efgh") == 3
    assert estimate("漢字") == 2
    assert estimate("") == 0


def test_a_word_of_a_megabyte_is_counted_bit_by_bit_and_not_remembered() -> None:
    fresh = TokenCounter.from_file(embedder_tokenizer())
    for word in ("a," * 500_000, "a" * 1_000_000, "\u00e9" * 1_000_000):
        began = time.thread_time()
        assert fresh(word) > 0
        assert time.thread_time() - began < 5
    assert max(map(len, fresh.known)) <= 2_000
    assert fresh("a," * 500_000) == 1_000_000
