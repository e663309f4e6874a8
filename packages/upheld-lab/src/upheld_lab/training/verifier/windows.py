"""Long premises as the verify stage cuts them, here in words: no tokenizer is at hand yet."""

from __future__ import annotations

from collections.abc import Sequence

from upheld.text import windows as stage
from upheld.text.words import content_stems

WINDOW_WORDS = 120  # about 160 word pieces: with title and claim inside 256


def windows(sentences: Sequence[str], words: int = WINDOW_WORDS) -> list[tuple[int, int]]:
    """Ranges of sentences of at most so many words, each sharing a sentence with the next."""
    return stage.windows([len(sentence.split()) for sentence in sentences], words)


def gathered(sentences: Sequence[str], claim: str, words: int = WINDOW_WORDS) -> list[int]:
    """The sentences that share most with the claim, in the order of the text, window-sized.

    Evidence that stands pages apart is in no window; it is in this one.
    """
    wanted = content_stems(claim)
    stems = [content_stems(sentence) for sentence in sentences]
    left, total, chosen = set(wanted), 0, list[int]()
    sizes = [len(sentence.split()) for sentence in sentences]
    remaining = set(range(len(sentences)))
    while remaining:
        # New words count full, words already covered a quarter: first coverage, then agreement.
        gains = {
            i: (len(stems[i] & left) + 0.25 * len(stems[i] & wanted)) / (1 + len(stems[i])) ** 0.25
            for i in remaining
        }
        best = max(gains, key=lambda i: (gains[i], -i))
        if gains[best] == 0 or (chosen and total + sizes[best] > words):
            break
        chosen.append(best)
        remaining.discard(best)
        left -= stems[best]
        total += sizes[best]
    return sorted(chosen) or list(range(min(1, len(sentences))))
