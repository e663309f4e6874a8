"""Prompts: one Markdown file each, filled with values that stay data."""

from __future__ import annotations

from upheld.prompts.prompt import Prompt, as_data, fence, load, parse

__all__ = ["Prompt", "as_data", "fence", "load", "parse"]
