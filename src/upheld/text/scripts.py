"""Which languages a text can be in, judged by its letters alone.

It sees that Russian or Chinese is not English. It cannot tell Ukrainian from Russian: languages
that share a script look alike to it. Those that share the Latin one are told apart in `languages`.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import lru_cache

from upheld._internal.cache import kept

_SCRIPTS = {
    "CYRILLIC": {"ru", "uk", "bg", "sr", "mk", "be", "kk"},
    "GREEK": {"el"},
    "ARABIC": {"ar", "fa", "ur", "ps"},
    "HEBREW": {"he", "yi"},
    "DEVANAGARI": {"hi", "mr", "ne"},
    "BENGALI": {"bn", "as"},
    "TAMIL": {"ta"},
    "THAI": {"th"},
    "HANGUL": {"ko"},
    "CJK": {"zh", "ja"},
    "HIRAGANA": {"ja"},
    "KATAKANA": {"ja"},
    "GEORGIAN": {"ka"},
    "ARMENIAN": {"hy"},
}
_OTHERS = frozenset().union(*_SCRIPTS.values())


@kept(128, longest=500_000)  # every claim asks the same sources
def foreign_share(text: str, languages: frozenset[str]) -> float:
    """The share of letters that stand in no script of these languages."""
    if text.isascii() and _fits("LATIN", languages):
        return 0.0
    letters = Counter(_script(character) for character in text if character.isalpha())
    known = sum(count for script, count in letters.items() if _fits(script, languages))
    total = letters.total()
    return 1 - known / total if total else 0.0


def _fits(script: str, languages: frozenset[str]) -> bool:
    if script == "LATIN":
        return bool(languages - _OTHERS)
    return bool(languages & _SCRIPTS.get(script, set()))


@lru_cache(maxsize=4096)  # of single letters: nobody's words
def _script(letter: str) -> str:
    name = unicodedata.name(letter, "UNKNOWN")
    # "ª", "µ" and full-width letters are Latin in other clothes.
    return (
        "LATIN"
        if "LATIN" in name or name.startswith(("FEMININE", "MASCULINE", "MICRO"))
        else name.split()[0]
    )
