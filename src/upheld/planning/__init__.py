"""Question to sub-questions: plan, select, next question, facets. Nothing is searched here."""
