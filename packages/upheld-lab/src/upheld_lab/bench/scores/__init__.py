"""Scores: pure functions from an answer and what is known of its question to numbers."""
