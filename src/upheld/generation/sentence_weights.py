"""Weights of the sentence chooser: docs/decisions/030-choosing-the-sentence.md.

`python -m upheld_lab.fits sentences` prints them. They belong to the shipped grader and embedder.
"""

from __future__ import annotations

# The grader and the embedder whose scores these are the weights of.
FITTED_FOR = ("upheld-grader-int8:461436492965", "all-MiniLM-L6-v2-int8:5a3026c819c7")
# Of features that compare the sentences of one question.
SENTENCE = {
    "grade": 0.5366,
    "cosine": 2.1927,
    "passage": 0.5503,
    "search": 4.9978,
    "words": 1.9025,
    "kind": 1.2589,
    "default": 2.3864,
    "colon": -2.3167,
}
# Of features of the best sentence, for the probability that the answer is right.
RIGHT = {"best": 0.0617, "margin": 0.3074, "cosine": 3.2715, "grade": 0.1337, "shift": -3.1862}
KEEP_WITHIN = 4.0  # log odds below the best sentence; worse ones are not quoted after it
ABSTAIN_BELOW = 0.25  # P(right) below which nothing is shown
