"""Stages from evidence to draft: the LLM writer, the extractive answerer, refinement; no search."""
