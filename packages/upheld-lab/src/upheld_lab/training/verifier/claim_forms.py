"""True claims from a sentence of a passage: as it stands, compressed, paraphrased, with its name.

What is left out of a sentence is never needed for the rest to be true.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

from upheld_lab.training.verifier.lexicon import VERB, plain_title
from upheld_lab.training.verifier.rewordings import reworded
from upheld_lab.training.verifier.synthetic import faithful

_SHORTEST = 5  # words
_ASIDE = re.compile(r"\s*\([^()]*\)")
_RELATIVE = re.compile(r", (?:which|who|where|whose) [^,;.]+(?=,|\.$)")
# Only when something happened: "Under German law," and "In some towns," limit what follows.
_LEADING = re.compile(r"^(?:In|On|By|Since|During) [^,.;]{0,25}\d{4}s?, (?!\d)(?=\w)")
_TRAILING = re.compile(
    r", (?!\w+ing (?:\w+ )?(?:and|or) )"  # no list of two such words
    r"(?:\w+ing|along with|together with|as well as|including|after|while|although|though|"
    r"despite|following) [^;]+(?=\.$)"
)
_SECOND = re.compile(r"(?:,|;) (?:and|but|while) [^;]+(?=\.$)")
_PERSON = re.compile(r"^(?:He|She) (?=[a-z])")
_THING = re.compile(r"^(?:It|They) (?=[a-z])")
_BORN = re.compile(r"\bborn\b|\d{4}\)? ?[-–—] ")
_CUTS = (_RELATIVE, _LEADING, _TRAILING, _SECOND)


def true_claim(
    sentence: str,
    title: str,
    paraphrases: Mapping[str, str],
    dice: random.Random,
    before: Sequence[str] = (),
) -> str:
    """A claim that the sentence entails; `before` are the sentences of its passage up to it."""
    claim = sentence
    paraphrase = paraphrases.get(sentence, "")
    if paraphrase and faithful(sentence, paraphrase) and dice.random() < 0.8:
        claim = paraphrase
    elif dice.random() < 0.6:
        claim = compressed(sentence, dice)
    if claim != paraphrase and dice.random() < 0.75:
        claim = reworded(claim, dice)
    return named(claim, title, dice, before)


def compressed(sentence: str, dice: random.Random) -> str:
    """Without asides, and without one or two of its subordinate parts.

    >>> compressed("In 1990, Ann Lee (born 1950) moved to Rome.", random.Random(1))
    'Ann Lee moved to Rome.'
    """
    claim = _ASIDE.sub("", sentence)
    for cut in dice.sample(_CUTS, 2):
        found = cut.search(claim)
        if found is None or (cut is _SECOND and not VERB.search(found.group())):
            continue  # the last of a list is no sentence of its own
        shorter = claim[: found.start()] + claim[found.end() :]
        whole = shorter[:1].isalnum() and _is_balanced(shorter) and VERB.search(shorter)
        if len(shorter.split()) >= _SHORTEST and whole:
            claim = shorter
    return claim[:1].upper() + claim[1:]


def named(claim: str, title: str, dice: random.Random, before: Sequence[str] = ()) -> str:
    """Mostly with the article's subject in the pronoun's place: claims stand alone in answers.

    Only where the sentence before speaks of the subject, and for "he" and "she" the passage tells
    of somebody's life.
    """
    subject = plain_title(title)
    if not subject.istitle() or not before or dice.random() > 0.7:
        return claim
    speaks = subject.split()[-1] in before[-1] or re.match(r"(?:He|She|It|They)\b", before[-1])
    form = _PERSON if _BORN.search(before[0]) else _THING
    return form.sub(lambda _: f"{subject} ", claim, count=1) if speaks else claim


def _is_balanced(text: str) -> bool:
    return all(text.count(one) == text.count(other) for one, other in ("()", "[]", "“”")) and (
        text.count('"') % 2 == 0
    )
