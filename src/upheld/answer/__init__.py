"""Turn a draft into an answer: citations, marks, what is shown and guaranteed. No model calls."""
