"""Words and forms that editors look for, and what they turn them into."""

# ruff: noqa: E501  (one entry of a list, or one form, is one line)

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
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
_ABOUT = "".join(  # with these, another figure may be true as well
    rf"(?<!{re.escape(word)} )"
    for word in re.findall(
        r"\S+",
        "top over about than $ least most to nearly almost around some approximately roughly every "
        "under No. number numbers",
    )
)
NUMBER_WORD = re.compile(rf"{_ABOUT}\b(?:{'|'.join(NUMBER_WORDS)})\b(?!-)(?= [a-z])")
# A figure that counts or measures something: not a part of a name, no day of a month.
COUNTED = re.compile(
    rf"{_ABOUT}(?<![\w.,:/–-])\d+(?:,\d{{3}})*(?:\.\d+)?(?![\w-])(?![.,]\d)"
    r"(?! (?:to|and|through) \d)(?= (?:[a-z]{2,}|m\b|%)|%)"
)
PLURAL = re.compile(  # a figure with what it counts, which can have a bound
    rf"{_ABOUT}(?<!the )(?<!of )(?<!top )(?<![\w.,:$£€/-])\d+(?:,\d{{3}})*(?= (?:[a-z]+ )?[a-z]{{3,}}s\b)(?! years? old)"
)
_CAPITAL = r"[A-Z][a-zà-öø-ÿ'’-]*[a-zà-öø-ÿ]"
NAME = re.compile(rf"(?<![\w-]){_CAPITAL}(?: (?:of |de |van |von |the )?{_CAPITAL}){{0,3}}")
PLACE = re.compile(
    rf"\b(?:in|near) (?!(?:{'|'.join(MONTHS)}|Division|Group|Season|Series|Part|Act|World|English|French|German|Spanish|Latin)\b)"
    rf"({_CAPITAL}(?: {_CAPITAL})?)(?=[,.;)]| (?:in|on|and|from|with|to|where|by|as|for|during)\b)(?!, [A-Z][a-z]+[,.])"
)
REGION = re.compile(  # may hold the other place, or be none
    r"Europe|Asia|Africa|America|Ocean|Region|ern\b|Central|World|Law|Athletics|ism\b|Science|Arts"
)
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
        "thousand million|acres hectares|hectares acres|tonnes kilograms",
        "litres gallons millilitres|MB GB kB|GB MB TB|kW MW W|volts amperes",
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
COMPARISON = _any_of(COMPARISONS, r"(?=(?: \w+)? than\b)(?! than [\d£$€]| than \w+ty\b)")
ORDERS = _both_ways("""before/after|preceded/followed|preceding/following|prior to/following
|predecessor/successor|earlier/later""")
ORDER = re.compile(  # times and events; "named after" and "after all" are neither
    r"(?<!named )(?<!modeled )(?<!modelled )(?<!look )(?<!and )(?<!shortly )(?<!soon )"
    r"\b(?:(?:before|after|prior to|following)(?= (?:the|his|her|its|their|he|she|it|they|"
    r"[a-z]+ing)\b)|(?:preceded|followed)(?= by\b)|(?:predecessor|successor)\b|"
    r"(?<=days )(?:earlier|later)|(?<=months )(?:earlier|later)|(?<=years )(?:earlier|later))\b"
)
OPPOSITES = _both_ways("""increase/decrease|increases/decreases|increased/decreased
|increasing/decreasing|high/low|large/small|largest/smallest|north/south|northern/southern
|northeast/southwest|northwest/southeast|east/west|eastern/western|oldest/youngest|won/lost
|promotes/inhibits|enhances/reduces|enhanced/reduced|improves/worsens|improved/worsened
|positive/negative|early/late|public/private|accepted/rejected|approved/rejected
|success/failure|successful/unsuccessful|begins/ends|began/ended|opened/closed|opens/closes
|presence/absence|above/below|long/short|longest/shortest|rural/urban|allowed/forbidden
|permitted/prohibited|safe/unsafe|legal/illegal|active/inactive|complete/incomplete
|dependent/independent|direct/indirect|formal/informal|likely/unlikely|upper/lower
|inside/outside|included/excluded|rises/falls|rose/fell|gained/lost|enabled/disabled
|optional/compulsory|voluntary/mandatory|temporary/permanent|majority/minority|buy/sell
|bought/sold|strong/weak|rich/poor|warm/cold|dry/wet|highest/lowest|male/female
|modern/ancient|popular/unpopular|heavy/light|wide/narrow|hot/cold
|domestic/foreign|indoor/outdoor|professional/amateur|fictional/real
|living/extinct|common/rare|smaller/larger|outer/inner|top/bottom|favourable/unfavourable""")
# Case counts, since "North" is part of a name; "high school" and "as long as" mean other things.
OPPOSITE = re.compile(
    rf"(?<!as )(?<!so )(?<!very )(?<!-)(?<!to the )\b(?:{'|'.join(sorted(OPPOSITES, key=len, reverse=True))})\b"
    r"(?! than\b|-| school| agent| known| as\b| name| [A-Z]| time| in the nation)"
)
# Weak word: the strong one that it does not entail, and what denies the strong one.
QUANTIFIERS: Mapping[str, Sequence[tuple[str, str]]] = MappingProxyType(
    {
        "some": (("all", "no"),), "many": (("all", "few"), ("most", "few")),
        "most of": (("all of", "few of"),), "several": (("all", "no"),),
        "half of": (("all of", "none of"),), "nearly all": (("all", "no"),),
        "almost all": (("all", "no"),), "partly": (("entirely", "hardly"),),
        "mainly": (("exclusively", "hardly"),), "mostly": (("exclusively", "hardly"),),
        "partially": (("entirely", "hardly"),), "primarily": (("exclusively", "hardly"),),
        "some of": (("all of", "none of"),),
        "largely": (("entirely", "hardly"),),
    }
)  # fmt: skip
# Before what is counted: "most populous", "second half of" and "one of several" are no amounts.
QUANTIFIER = re.compile(
    rf"(?<!the )(?<!at )(?<!of )(?<!second )(?<!latter )(?<!first )(?<!other )"
    rf"\b(?:{'|'.join(sorted(QUANTIFIERS, key=len, reverse=True))})\b"
    r"(?! of\b)(?=(?<=ly) [a-z]| (?:(?:the|its|his|her|their|these) )?(?:[a-z]+ )?[a-z]{3,}(?<!ou)s\b)"
    r"(?! (?:other|others|dozen|hundreds|thousands|years|times|as|is|was|has)\b)"
)
MODALITIES: Mapping[str, Sequence[tuple[str, str]]] = MappingProxyType(
    {
        "may": (("must", "need not"), ("will", "will not")), "might": (("will", "will not"),),
        "could": (("had to", "did not"),), "can": (("must", "cannot"), ("will", "will not")),
        "should": (("must", "need not"),), "often": (("always", "never"), ("always", "rarely")),
        "usually": (("always", "never"), ("always", "rarely")),
        "sometimes": (("always", "never"),), "typically": (("always", "never"),),
        "generally": (("always", "rarely"),), "suggests": (("proves", "disproves"),),
        "possibly": (("certainly", "certainly not"),),
        "probably": (("certainly", "certainly not"),), "allowed to": (("required to", "forbidden to"),),
        "expected to": (("certain to", "unlikely to"),), "recommended": (("required", "forbidden"),),
        "planned to": (("bound to", "unable to"),), "reportedly": (("certainly", "never"),),
        "allegedly": (("demonstrably", "never"),), "commonly": (("always", "rarely"),),
    }
)  # fmt: skip
MODALITY = re.compile(
    rf"\b(?:{'|'.join(sorted(MODALITIES, key=len, reverse=True))})\b"
    r"(?! (?:have|be able|not|also|only)\b)(?! \d|,|\.)"
)

_SENTENCE_START = re.compile(r"(?:^|[.!?]['\"”’)]* )$")


@lru_cache(maxsize=64)
def counted(text: str) -> list[str]:
    """Figures that count or measure something; years, and parts of names, do neither."""
    found = []
    for match in COUNTED.finditer(text):
        before = text[: match.start()].split()[-1:] or [""]
        if not YEAR.fullmatch(match[0]) and (not before[0][:1].isupper() or before[0] in _STARTERS):
            found.append(match[0])
    return found


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


_BY = r"(?:directed|written|produced|composed|designed|founded|edited|performed|published|built|created|owned|developed|sponsored|distributed|released|led|coached|managed|hosted)"
MAKER = re.compile(
    rf"\b{_BY}(?: and {_BY})? by (?:the )?({_CAPITAL}(?: {_CAPITAL}){{0,2}})(?=[,.;]| and (?:{_BY[3:-1]}|starring|stars)\b)"
)
DEED = re.compile(  # who did it to whom, at the beginning of a sentence
    rf"^(?!(?:He|She|It|They|The|His|Her|In|This|That) )({_CAPITAL}(?: {_CAPITAL}){{0,2}}) (?:(?:was|were) )?(?:defeated|beat|succeeded|replaced|"
    r"killed|appointed|taught|hired|recruited|signed|influenced|inspired|bought|acquired|attacked|"
    r"conquered|invaded|nominated|criticised|criticized|followed|preceded|led|owns|owned|"
    rf"assassinated|overthrew|overtook)(?: by)? ({_CAPITAL}(?: {_CAPITAL}){{0,2}})(?![\w'’-])"
)
_NO_PERSON = frozenset(
    [
        "Championship",
        "Cup",
        "League",
        "River",
        "Series",
        "County",
        "University",
        "College",
        "School",
        "Street",
        "Park",
        "War",
        "Games",
        "Award",
        "Awards",
        "Season",
        "Festival",
        "Church",
        "Station",
        "City",
        "Island",
        "Islands",
        "State",
        "States",
        "Party",
        "Union",
        "Court",
        "House",
        "Army",
        "Navy",
        "Force",
        "Records",
        "Museum",
        "Theatre",
        "Theater",
        "Center",
        "Centre",
        "National",
        "Company",
        "Conference",
        "Division",
        "Team",
        "Football",
        "Olympics",
        "World",
        "Lake",
        "Mountain",
        "Mountains",
        "Road",
        "Bridge",
        "Airport",
        "Empire",
        "Kingdom",
        "Republic",
        "District",
        "Province",
        "Region",
        "Council",
        "Society",
        "Institute",
        "Prize",
        "Medal",
        "Order",
        "Act",
        "Bowl",
        "Open",
        "Tour",
        "Stadium",
        "Field",
        "Hall",
        "Hospital",
        "Press",
        "Music",
        "Film",
        "Day",
        "North",
        "South",
        "East",
        "West",
        "New",
        "United",
        "American",
        "British",
        "Best",
        "St",
        "Miss",
        "Mount",
        "Fort",
        "Port",
        "Los",
        "San",
        "Caribbean",
    ]
)


@lru_cache(maxsize=64)
def people(text: str) -> list[str]:
    """Names of two or three words that may be people: none of what places and bodies are called."""
    return [
        name
        for name in names(text)
        if 2 <= len(name.split()) <= 3
        and not _NO_PERSON & set(name.split())
        and not re.search(r" (?:of|the) ", name)
        and f"the {name}" not in text
        and f"The {name}" not in text
    ]


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
