"""Words and forms that editors look for, and what they turn them into."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
NUMBER_WORDS = [
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
]

NUMBER = re.compile(r"(?<![\w.,-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w-])(?![.,]\d)")
YEAR = re.compile(r"(?<![\w,.-])(?:1[5-9]|20)\d\d(?![\w-])(?![.,]\d)")
MONTH = re.compile(rf"\b(?:{'|'.join(MONTHS)})\b(?= \d|,| of|\.|$)")
NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(NUMBER_WORDS)})\b(?!-)", re.I)
_CAPITAL = r"[A-Z][a-zà-öø-ÿ'’-]+"
NAME = re.compile(rf"(?<![\w-]){_CAPITAL}(?: (?:of |de |van |von |the )?{_CAPITAL}){{0,3}}")
PLACE = re.compile(rf"\b(?:in|at|from|near|to) ({_CAPITAL}(?: {_CAPITAL}){{0,2}})(?![\w'])")
AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|could|will|would|does|did|should)\b"
    r"(?! (?:not|never|no|n't|only)\b)"
)
NOT = re.compile(
    r"\b(is|are|was|were|has|have|had|can|could|will|would|does|did|should) not\b(?! only)"
)
VERB = re.compile(
    r"\b(?:is|are|was|were|has|had|\w{3,}ed|\w{3,}es|became|won|beat|led|wrote|made|built|gave|"
    r"took|met|sold|left|held|began|ran|knew|saw|taught|bought|founded)\b"
)
TOWARDS = frozenset(
    ["by", "against", "over", "to", "from", "for", "under", "before", "after", "than", "about"]
)

UNITS: Sequence[Sequence[str]] = tuple(
    group.split()
    for group in (
        "kilometres miles metres|kilometers miles meters|km miles m|metres feet centimetres",
        "meters feet centimeters|kg pounds grams|kilograms pounds grams|mg g kg|grams kilograms",
        "seconds minutes hours|minutes hours seconds|hours days minutes|days weeks hours",
        "weeks months days|months years weeks|years months decades|dollars euros pounds",
        "euros dollars pounds|pounds euros dollars|million billion thousand|billion million",
        "thousand million|percent points|acres hectares|hectares acres|tonnes kilograms",
        "litres gallons millilitres|degrees percent|MB GB kB|GB MB TB|kW MW W|volts amperes",
    )
    for group in group.split("|")
)
UNIT: Mapping[str, str] = MappingProxyType({group[0]: group[1] for group in reversed(UNITS)})
FIGURE_WITH_UNIT = re.compile(
    rf"(?<![\w.,])\d[\d,.]* (?:{'|'.join(sorted(UNIT, key=len, reverse=True))})\b"
)


def _both_ways(text: str) -> Mapping[str, str]:
    """Pairs divided by `|`, the two sides by `/`, each turned into the other."""
    found: dict[str, str] = {}
    for pair in text.replace("\n", " ").split("|"):
        one, other = (side.strip() for side in pair.split("/"))
        found.setdefault(one, other)
        found.setdefault(other, one)
    return MappingProxyType(found)


def _any_of(words: Mapping[str, object], behind: str = "") -> re.Pattern[str]:
    longest = sorted(words, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest))})\b{behind}", re.I)


BOUNDS = _both_ways("""at least/at most|no more than/no fewer than|more than/fewer than
|not more than/not less than|less than/more than|up to/at least|minimum/maximum|no later than/
no earlier than|a minimum of/a maximum of""")
BOUND = _any_of(BOUNDS, r"(?= (?:of )?(?:\d|[a-z]+ (?:hundred|thousand|million|percent|years)))")
COMPARISONS = _both_ways("""more/less|higher/lower|larger/smaller|greater/lesser|faster/slower
|older/younger|longer/shorter|better/worse|earlier/later|heavier/lighter|cheaper/dearer
|stronger/weaker|wider/narrower|deeper/shallower|closer/farther|richer/poorer|warmer/colder""")
COMPARISON = _any_of(COMPARISONS, r"(?=(?: \w+)? than\b)")
ORDERS = _both_ways("""before/after|earlier/later|previously/subsequently|first/last
|preceded/followed|prior to/following|former/future|predecessor/successor""")
ORDER = _any_of(ORDERS)
OPPOSITES = _both_ways("""increase/decrease|increases/decreases|increased/decreased
|increasing/decreasing|high/low|large/small|north/south|northern/southern|east/west
|eastern/western|oldest/youngest|won/lost|promotes/inhibits|enhances/reduces|enhanced/reduced
|improves/worsens|improved/worsened|positive/negative|early/late|best/worst|public/private
|major/minor|accepted/rejected|approved/rejected|success/failure|successful/unsuccessful
|begins/ends|began/ended|opened/closed|opens/closes|presence/absence|above/below|left/right
|long/short|longest/shortest|rural/urban|allowed/forbidden|permitted/prohibited|safe/unsafe
|legal/illegal|active/inactive|complete/incomplete|dependent/independent|direct/indirect
|formal/informal|likely/unlikely|possible/impossible|common/rare|upper/lower
|inside/outside|included/excluded|rises/falls|rose/fell|gained/lost|joined/left|enabled/disabled
|optional/compulsory|voluntary/mandatory|temporary/permanent|majority/minority|married/divorced
|buy/sell|bought/sold|strong/weak|rich/poor|warm/cold|dry/wet|empty/full|free/paid""")
OPPOSITE = _any_of(OPPOSITES, r"(?! than\b)")
QUANTIFIERS: Mapping[str, str | Sequence[str]] = MappingProxyType(
    {
        "some": ("all", "no"), "many": ("all", "few"), "most of": ("all of", "few of"),
        "several": "all", "both": "neither", "few": "many", "a few": "all", "half of": "all of",
        "none of": "some of", "nearly all": "all", "almost all": "all", "majority": "minority",
        "partly": "entirely", "mainly": "exclusively", "mostly": "exclusively",
    }
)  # fmt: skip
QUANTIFIER = _any_of(QUANTIFIERS, r"(?! (?:other|dozen|hundred|thousand|more|years|times)\b)")
MODALITIES: Mapping[str, str | Sequence[str]] = MappingProxyType(
    {
        "may": ("must", "will"), "might": "will", "could": ("must", "will"), "can": "must",
        "should": "must", "often": "always", "usually": "always", "sometimes": "always",
        "suggests": "proves", "suggest": "prove", "possibly": "certainly", "planned": "carried out",
        "probably": "certainly", "likely": "certain", "proposed": "adopted", "allowed": "required",
        "expected": "certain", "recommended": "required", "generally": "always",
    }
)  # fmt: skip
MODALITY = _any_of(MODALITIES, r"(?! (?:have|be able)\b)(?! \d|,|\.)")  # "May 5" is no verb

_SENTENCE_START = re.compile(r"(?:^|[.!?]['\"”’)]* )$")


def names(text: str) -> list[str]:
    """Names in the order of the text, without months and without words that begin a sentence."""
    found = []
    for match in NAME.finditer(text):
        first = match[0].split()[0]
        starts = _SENTENCE_START.search(text[max(0, match.start() - 4) : match.start()])
        if starts and (" " not in match[0] or first in _STARTERS):
            continue
        if not MONTH.search(match[0]) and first not in _STARTERS:
            found.append(match[0])
    return found


_STARTERS = frozenset(
    [
        "The",
        "A",
        "An",
        "In",
        "On",
        "At",
        "It",
        "He",
        "She",
        "They",
        "This",
        "That",
        "These",
        "Those",
        "After",
        "Before",
        "During",
        "Its",
        "His",
        "Her",
        "Their",
        "For",
        "From",
        "With",
        "When",
        "While",
        "As",
        "By",
        "But",
        "And",
        "Or",
        "If",
        "Since",
        "Most",
        "Many",
        "Some",
        "All",
        "Both",
        "There",
    ]
)
_ASIDE = re.compile(r"\s*\([^)]*\)")


def plain_title(title: str) -> str:
    """The title of an article as a sentence would name it: without what tells namesakes apart."""
    return _ASIDE.sub("", title.partition(" | ")[0]).strip()
