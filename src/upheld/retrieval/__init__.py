"""Stages from question to evidence: search, rerank, grade, distil, correct; none writes text."""
