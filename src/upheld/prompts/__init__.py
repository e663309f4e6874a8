"""Prompts: one Markdown file each, filled with values that stay data."""

from __future__ import annotations

from upheld.prompts.data import as_data, fence
from upheld.prompts.prompt import Prompt, load, parse

__all__ = ["Prompt", "as_data", "fence", "load", "parse"]
