"""The grader: a small cross-encoder that says whether a text helps to answer a question."""
