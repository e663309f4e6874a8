"""True sentences in other words, by rules: synonyms, other forms of dates and figures, turned clauses.

Each rule keeps the meaning in nearly every sentence where its form is found; both claims of a twin
get the same rewording, so that none tells a label.
"""

# ruff: noqa: E501  (one form of a clause is one line)

from __future__ import annotations

import random
import re
from collections import defaultdict

_MOST = 4  # words changed in one sentence
_SYNONYMS = """founded/established|constructed/built|located in/situated in|began/started|currently/at present
|currently/now|approximately/about|approximately/roughly|prior to/before|numerous/many
|purchased/bought|known as/called
|is composed of/consists of|consists of/is made up of|in order to/to|several/a number of
|obtained/got|was released/came out|film/movie|primarily/mainly|mainly/primarily|mostly/mainly
|largest/biggest|often/frequently|frequently/often|subsequently/later|because of/owing to
|due to/because of|such as/like|assisted/helped|resides in/lives in|comprises/contains
|encompasses/covers|written by/penned by|created by/made by|adjacent to/next to
|throughout/all over|famous/well known|well-known/famous|renowned/famous|additional/further
|requires/needs|utilizes/uses|utilized/used|manufactured/made|manufacturer/maker
|initially/at first|originally/at first|ceased/stopped|concluded/ended|completed/finished
|selected as/chosen as|relocated to/moved to|close to/near|near/not far from
|home ground/home stadium|home games/home matches|consecutive/successive|annual/yearly
|annually/every year|each year/every year|inhabitants/residents|a variety of/various
|the majority of/most of|at the age of/aged
|best known for/most famous for|best known as/most famous as|graduated from/took a degree at
|died/passed away|is situated/lies|is located/lies|are located/lie
|was named after/got its name from|is named after/takes its name from
|was established/came into being|was abolished/ceased to exist|was opened/opened
|was built/was put up|was demolished/was torn down|was replaced by/gave way to
|was succeeded by/was followed by|first appeared/made a first appearance|is used as/serves as
|can be found/is found|contains/has|entire/whole|important/significant|significant/important
|usually/as a rule|nearly/almost|almost/nearly|together with/along with
|along with/together with|as well as/and also|in addition to/besides|despite/in spite of
|although/even though|established/founded|built/constructed|movie/film
|bought/purchased
|headquartered in/with its head office in|is a member of/belongs to|was a member of/belonged to
|is part of/belongs to|is owned by/belongs to|was awarded/got|was appointed/became
|was elected/was voted in|published/brought out|launched/started
|renamed/given the new name|formerly/once|former/one-time
|consisting of/made up of|received/got|ranked/placed|hosts/is host to|operates/runs
|connects/links|extends/stretches|borders/is next to|surrounded by/enclosed by
|announced/made known"""
_OTHERS: dict[str, list[str]] = defaultdict(list)
for _pair in _SYNONYMS.replace("\n", "").split("|"):
    _OTHERS[_pair.partition("/")[0]].append(_pair.partition("/")[2])
_WORDS = re.compile(
    rf"(?<![\w'’-])(?:{'|'.join(sorted(map(re.escape, _OTHERS), key=len, reverse=True))})(?![\w'’-])"
)
_COUNTS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]  # fmt: skip
_COUNT = re.compile(rf"(?<![\w-])(?:{'|'.join(_COUNTS)})(?= [a-z]+s\b)")

_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_NAME = r"[A-Z][\w'’.-]+(?: (?:of |de |the |and )?[A-Z][\w'’.-]+){0,4}"
_DATES = (
    (re.compile(rf"\b({_MONTH}) (\d{{1,2}}), (\d{{4}})\b,?"), r"\2 \1 \3"),
    (re.compile(rf"\b(\d{{1,2}}) ({_MONTH}) (\d{{4}})\b"), r"\2 \1, \3"),
    (re.compile(r"\b(\d+) percent\b"), r"\1%"),
    (re.compile(r"\b(\d+)%"), r"\1 percent"),
)
_TURNS = tuple(
    (re.compile(form), into)
    for form, into in (
        (rf"^({_NAME}) was directed by ({_NAME})\.$", r"\2 directed \1."),
        (rf"^({_NAME}) was written by ({_NAME})\.$", r"\2 wrote \1."),
        (rf"^({_NAME}) was founded by ({_NAME})\.$", r"\2 founded \1."),
        (rf"^({_NAME}) was born in ({_NAME})\.$", r"\2 is the birthplace of \1."),
        (rf"^The film was directed by ({_NAME})\.$", r"\1 directed the film."),
        (rf"^It was directed by ({_NAME})\.$", r"Its director was \1."),
        (rf"^It was written by ({_NAME})\.$", r"Its author was \1."),
        (
            r"^The population was ([\d,]+) (?:as of|in|at) the (\d{4}) census\.$",
            r"\1 people lived there according to the \2 census.",
        ),
        (
            r"^As of the (\d{4}) census, the population was ([\d,]+)\.$",
            r"The \1 census counted \2 inhabitants.",
        ),
        (rf"^({_NAME}) is (?:located|situated) in ({_NAME})\.$", r"\2 is where \1 is."),
        (rf"^({_NAME}) is the capital of ({_NAME})\.$", r"The capital of \2 is \1."),
        (rf"^Its capital is ({_NAME})\.$", r"\1 is its capital."),
        (r"^In (\d{4}), (.+)\.$", r"\2 in \1."),
        (rf"^On ({_MONTH} \d{{1,2}}), (?!\d{{4}})(.+)\.$", r"\2 on \1."),
        (rf"^({_NAME}) won the ([^,]+) in (\d{{4}})\.$", r"The winner of the \2 in \3 was \1."),
        (rf"^({_NAME}) died in ({_NAME})\.$", r"\2 is where \1 died."),
        (rf"^({_NAME}) lives in ({_NAME})\.$", r"The home of \1 is in \2."),
        (rf"^({_NAME}) is (an? [^,.]+) (?:from|of) ({_NAME})\.$", r"\1, \2, comes from \3."),
        (rf"^({_NAME}) is (an? [^,.]+) directed by ({_NAME})\.$", r"\3 directed \1, \2."),
        (rf"^({_NAME}) is (an? [^,.]+) by ({_NAME})\.$", r"\2 by \3 is called \1."),
        (rf"^({_NAME}) \(born ([^()]+)\) is (.+)\.$", r"Born \2, \1 is \3."),
        (
            r"^The team (?:plays|play) its home games at (.+)\.$",
            r"Home games of the team are played at \1.",
        ),
    )
)


def reworded(sentence: str, dice: random.Random) -> str:
    """The sentence with some of its words and forms changed; now and then as it was.

    >>> reworded("It was opened on May 3, 1954.", random.Random(1))
    'It opened on 3 May 1954.'
    """
    turned = sentence
    for form, into in _TURNS:
        turned = form.sub(into, sentence)
        if turned != sentence:
            break
    sentence = _numbers(turned, dice)
    found = list(_WORDS.finditer(sentence))
    for match in sorted(dice.sample(found, min(_MOST, len(found))), key=lambda m: -m.start()):
        new = dice.choice(_OTHERS[match[0]])
        article = re.search(r"\b(an?) $", sentence[: match.start()], re.I)
        if article and (article[1].lower() == "an") != (new[0] in "aeiou"):
            continue
        sentence = sentence[: match.start()] + new + sentence[match.end() :]
    return sentence[:1].upper() + sentence[1:]


def _numbers(sentence: str, dice: random.Random) -> str:
    """Dates and shares in their other form, all alike; a count in digits."""
    for form, into in _DATES:
        turned = form.sub(into, sentence)
        if turned != sentence:
            sentence = turned
            break
    if dice.random() < 0.4:
        sentence = _COUNT.sub(lambda match: str(_COUNTS.index(match[0]) + 2), sentence)
    return sentence
