"""Stages from question to sub-questions: plan, select, next question, facets; none searches."""
