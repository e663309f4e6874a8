"""Detect text in a language that the verifier was not trained on, by script and function words.

`foreign_share` compares scripts: Russian or Chinese is not English, but Ukrainian and Russian look
alike. `is_foreign` distinguishes languages in Latin script by their function words: a text is
foreign if it has more of another language than of English, since tables, names and formulae have
few of any.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache

from upheld._internal.cache import cached_in_run
from upheld.text.patterns import found
from upheld.text.words import FUNCTION_WORDS

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


@cached_in_run(128, longest=500_000)  # every claim is checked against the same sources
def foreign_share(text: str, languages: frozenset[str]) -> float:
    """Return the share of letters that belong to no script of these languages."""
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


@lru_cache(maxsize=4096)  # may outlive the run: single letters are no private text
def _script(letter: str) -> str:
    name = unicodedata.name(letter, "UNKNOWN")
    # "ª", "µ" and full-width letters count as Latin.
    return (
        "LATIN"
        if "LATIN" in name or name.startswith(("FEMININE", "MASCULINE", "MICRO"))
        else name.split()[0]
    )


_WORD = re.compile(r"[^\W\d_]+")
_FEWEST_WORDS = 8  # shorter texts have too few function words to decide
_FEWEST_SIGNS = 2  # different function words: a single one may be part of a name or a title
_SMALL = {
    "fr": """à au aux avec ce ces cette comme dans de des du elle en est et il ils je la le les leur
        mais ne nous on ont ou où par pas plus pour qu que qui sa sans se selon ses son sont sur un
        une vous été était""",
    "de": """als am an auch auf aus bei bis das dass dem den der des die durch ein eine einem einen
        einer er es für haben hat im in ist mehr mit nach nicht noch nur oder sich sie sind so über
        um und unter vom von vor war was werden wie wird wurde zu zum zur""",
    "es": """a al como con cuando de del desde el en entre era es esta este está fue ha la las lo
        los me más muy no para pero por porque que se sin sobre son su sus también un una y""",
    "it": """a al alla alle anche che come con da dal dalla dei del della delle di è era fu gli ha
        hanno i il in la le lo ma nel nella non ogni per più questo sono sul sulla tra un una""",
    "nl": """aan als bij dan dat de deze die dit door een elke en er had heeft het hij in is maar
        meer met na naar niet nog of om onder ook op over te tot uit van voor waren was wat we werd
        wordt ze zich zijn""",
    "sv": """att av den det där efter eller en ett från för genom han har hon i inte jag kan man med
        men mot när och om på sig sin som så till under ut vad var vi vid är över""",
    "pt": """a ao as até com como da das de do dos e ela em entre era está foi há mais mas muito na
        nas no nos não o os ou para pela pelo por quando que se sem seu sua são um uma à às é""",
}  # fmt: skip
_FOREIGN = {language: frozenset(listed.split()) for language, listed in _SMALL.items()}
# Function words of other languages that also occur in English texts: in names, Latin or English.
_NO_SIGN = FUNCTION_WORDS.union(
    _WORD.findall(
        """al come con da de del den der des di die dos du e en era et ha hat la lo ma man men met o
        par per plus pour sans sin son su van var von war y"""
    )
)


@cached_in_run(128, longest=500_000)  # every claim is checked against the same sources
def is_foreign(text: str, languages: frozenset[str]) -> bool:
    """Whether a text is probably not English, if `languages` of the model is English only.

    False for models of other languages and for texts of fewer than 8 words. Detects French,
    German, Spanish, Italian, Dutch, Swedish and Portuguese.
    """
    told = found(_WORD, text)
    if languages != {"en"} or len(told) < _FEWEST_WORDS:
        return False
    english = sum(word.casefold() in FUNCTION_WORDS for word in told)
    told[0] = told[0].casefold()  # other capitalised words may be names: Los Angeles, El Niño
    different = set(told)
    return any(
        len(different & small - _NO_SIGN) >= _FEWEST_SIGNS
        and sum(word in small for word in told) > english
        for small in _FOREIGN.values()
    )
