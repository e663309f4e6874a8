"""Servers that integration tests share."""

from __future__ import annotations

from tests.servers.llama import llama_server

__all__ = ["llama_server"]
