"""What a key looks like, and what is kept of it."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from upheld_service.db.keys import new_token, take_apart


def test_a_key_has_a_prefix_that_is_kept_and_a_secret_of_256_bits_that_is_hashed() -> None:
    text = new_token().get_secret_value()
    start, prefix, secret = text.split("_", 2)
    token = take_apart(text)
    assert (start, token.prefix) == ("uph", prefix)
    assert token.secret_hash == hashlib.sha256(secret.encode()).digest()
    assert len(secret) == 43  # 32 bytes in base 64


def test_no_two_keys_are_alike() -> None:
    made = [take_apart(new_token().get_secret_value()) for _ in range(100)]
    assert len({token.prefix for token in made}) == 100
    assert len({token.secret_hash for token in made}) == 100


def test_a_key_is_not_shown_by_accident() -> None:
    token = new_token()
    assert token.get_secret_value() not in f"{token!r} {token}"


@given(st.text())
def test_any_other_text_has_a_prefix_that_no_key_has(text: str) -> None:
    token = take_apart(text)
    assert token.prefix == ""
    assert len(token.secret_hash) == 32


def test_a_key_with_a_line_end_is_no_key() -> None:
    assert take_apart(new_token().get_secret_value() + "\n").prefix == ""
