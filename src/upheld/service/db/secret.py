"""What a key looks like: `uph_PREFIX_SECRET`, of which we keep the prefix and a hash."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass

from pydantic import SecretStr

SECRET_BYTES = 32  # 256 bits: a plain hash is enough, there is nothing to guess
PREFIX_BYTES = 8  # names a key in lists and logs; says nothing about the secret
_SHAPE = re.compile(r"uph_([0-9a-f]{16})_([A-Za-z0-9_-]{43})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Token:
    """A key as its holder sends it, taken apart."""

    prefix: str
    secret_hash: bytes


def new_token() -> SecretStr:
    """A key that nobody has seen yet."""
    prefix, secret = secrets.token_hex(PREFIX_BYTES), secrets.token_urlsafe(SECRET_BYTES)
    return SecretStr(f"uph_{prefix}_{secret}")


def take_apart(text: str) -> Token:
    """Any text at all: what is no key gets a prefix that no key has."""
    found = _SHAPE.fullmatch(text)
    prefix, secret = found.groups() if found else ("", text)
    return Token(prefix, hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest())
