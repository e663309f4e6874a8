"""Long premises as windows of whole sentences, so that the claim is never cut."""

from __future__ import annotations

from collections.abc import Sequence

from upheld.words import content_stems

WINDOW_WORDS = 120  # about 160 word pieces: with title and claim inside 256
STRIDE = 2  # a window starts half a window after the one before it


def windows(sentences: Sequence[str], words: int = WINDOW_WORDS) -> list[tuple[int, int]]:
    """Ranges of sentences of at most so many words, each overlapping the next by half."""
    sizes = [len(sentence.split()) for sentence in sentences]
    found: list[tuple[int, int]] = []
    first = 0
    while first < len(sentences):
        last, total = first, 0
        while last < len(sentences) and (last == first or total + sizes[last] <= words):
            total += sizes[last]
            last += 1
        found.append((first, last))
        if last == len(sentences):
            break
        skipped = 0
        while first < last - 1 and skipped + sizes[first] <= words / STRIDE:
            skipped += sizes[first]
            first += 1
        if skipped == 0:
            first += 1
    return found


def cut(sentence: str, words: int = WINDOW_WORDS) -> list[str]:
    """A sentence longer than a window in pieces that are not."""
    pieces = sentence.split()
    if len(pieces) <= words:
        return [sentence]
    return [" ".join(pieces[at : at + words]) for at in range(0, len(pieces), words)]


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
