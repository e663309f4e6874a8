"""Words that mean the same or the opposite, so that two sentences can be compared word by word.

A concept is a group of words with nearly the same meaning; a word on the other side of `/` has the
same concept with the opposite sign. "Dogs are forbidden" and "Dogs are not allowed" then agree.
The list is general English: common adjectives, verbs and prepositions, no words of any field.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

import Stemmer

_OPPOSITES = """
allow permit authorise authorize lawful legal / forbid forbade forbidden prohibit ban disallow
optional voluntary / compulsory mandatory obligatory
accept approve adopt agree consent endorse / reject refuse decline deny dismiss defeat
confirm uphold prove verify affirm / refute disprove retract withdraw revoke debunk contradict
true correct accurate / false wrong incorrect untrue inaccurate mistaken erroneous
rise rose risen increase grow grew climb gain / fall fell fallen decrease drop shrink reduce
begin began begun start commence launch / stop finish cease terminate
open / close shut
include contain comprise / exclude omit lack
keep kept retain remain stay / discard delete remove destroy
succeed success successful / fail failure
win won / lose lost
before prior precede earlier ahead / after follow subsequent later afterwards
above over exceed / below under beneath
more / less fewer
high higher highest / low lowest
large larger largest big bigger biggest great greater greatest / small smaller smallest little
long longer longest / short shorter shortest brief
old older oldest / young younger youngest new newer newest
fast faster quick quickly rapid rapidly / slow slower slowly gradual gradually
good better best / bad worse worst
cheap cheaper cheapest / expensive dear dearer costly
strong stronger / weak weaker
heavy heavier / light lighter
wide wider broad / narrow narrower
hot warm hotter warmer / cold cool colder cooler
wet moist humid / dry
full / empty
early / late
near nearby nearest / far distant farthest
north northern / south southern
east eastern / west western
inside indoors indoor inner internal / outside outdoors outdoor outer external
upper top upstream / bottom downstream
always often frequent frequently usually / never rarely seldom hardly
common usual / rare unusual uncommon
public / private
permanent permanently / temporary temporarily provisional
safe harmless / dangerous unsafe harmful hazardous
present presence / absent absence missing
active enabled enable / inactive disabled disable
valid / invalid expired void
able possible / unable impossible
likely probable / unlikely improbable
certain sure definite / uncertain unsure doubtful
positive favourable favorable / negative unfavourable unfavorable
complete entire whole / incomplete partial
direct / indirect
majority / minority
buy bought purchase / sell sold
lend / borrow
arrive arrival enter / depart departure exit
encourage advise recommend support / discourage oppose
improve benefit / worsen harm damage
happy satisfied content pleased / unhappy dissatisfied discontent
rich / poor
summer / winter
maximum ceiling / minimum floor
domestic / foreign
"""
_SAME = """
need require necessary
help assist
choose chose chosen select pick
cost price fee charge
pay paid payment
show display indicate
fix repair mend
change alter modify amend
give gave given provide offer supply
produce create
build built construct
use employ
say said state tell told report announce
ask request
think thought believe
happen occur
worker employee staff
doctor physician
boss manager head
car vehicle
child children kid
person people
error mistake fault
job work task
part piece portion
rule regulation
also too
area region zone
answer reply respond
check inspect examine test review
collect gather
store save
call name
live reside
test exam trial
"""
_stemmer = Stemmer.Stemmer("english")


class Concept(NamedTuple):
    """What a word stands for, and the side of a pair of opposites that it is on."""

    name: str
    sign: int = 1


def _groups() -> dict[str, Concept]:
    found: dict[str, Concept] = {}
    for line in (*_OPPOSITES.strip().splitlines(), *_SAME.strip().splitlines()):
        name = line.split()[0]
        for sign, side in zip((1, -1), line.split(" / "), strict=False):
            for stem in _stemmer.stemWords(side.split()):
                found.setdefault(stem, Concept(name, sign))
    return found


_CONCEPTS = MappingProxyType(_groups())


def concept(stem: str) -> Concept:
    """Return the concept of a stemmed word; a word of no group is a concept of its own."""
    return _CONCEPTS.get(stem) or Concept(stem)


def is_listed(stem: str) -> bool:
    """Return whether a stem belongs to a group of the list."""
    return stem in _CONCEPTS
