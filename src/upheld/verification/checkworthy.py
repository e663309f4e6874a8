"""Find sentences that need no check because they state nothing, each with its typed cause.

The rules are narrow on purpose. A sentence that is wrongly exempted escapes every check, while one
that is wrongly checked is only shown as unsupported. So a heading, or the text after a remark such
as "the documents do not mention", may name a thing but must not state anything about it.

Entries of a list of sources (marks, titles, addresses) need no check either. Anything else below
"Sources:" is checked like any other sentence, so that a false claim cannot hide there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from upheld._internal.cache import cached_in_run
from upheld.text.figures import figures
from upheld.text.sentences import sentences
from upheld.text.words import words
from upheld.types import Cause, Passage
from upheld.verification.claims import spoken

_LONGEST_HEADING = 8  # words
_ENDS = (".", "!", "?", "…", "。", "！", "？")
_MARKED = re.compile(r"\s*(?:#.*|\*\*[^*]+\*\*:?\s*)", re.DOTALL)
_DOCUMENTS = (
    r"(?:the|these|those|your|my|none of the|no)?\s*+"
    r"(?:provided|given|available|supplied|cited)?\s*+"
    r"(?:documents?|sources?|passages?|contexts?|texts?|excerpts?|materials?|information)"
    r"(?: (?:provided|given|available|supplied|above))?"
)
_TELLS = (
    r"(?:answer|say|mention|contain|provide|specify|state|discuss|address|give|include|tell|cover"
    r"|explain|describe|indicate)s?"
)
_GREETING = re.compile(
    r"(?:(?:hello|hi|hey|greetings|welcome|good (?:morning|afternoon|evening|day))"
    r"(?: there| again)?"
    r"|(?:sure|certainly|of course|absolutely|great|okay|ok)(?: thing)?"
    r"|(?:that is |that's |what )?an? (?:good|great|excellent|interesting) question"
    r"|(?:good|great|excellent|interesting) question"
    r"|(?:many )?thank(?:s| you)(?: (?:so|very) much)?(?: for (?:asking|your question))?"
    r"|you(?: are|'re) welcome"
    r"|(?:best|kind|warm) regards)$"
)
_META = re.compile(
    rf"(?:{_DOCUMENTS} (?:(?:do|does|did) ?(?:not|n't)|don't|doesn't|didn't|cannot|can't) {_TELLS}"
    r"|(?:there is|i found|i have) (?:no|not enough|insufficient) information(?: to answer)?"
    r"|no answer could be written"
    r"|(?:here|below) (?:is|are) (?:(?:the|an?|my|some) )?(?:(?:short|brief|full) )?"
    r"(?:answer|summary|overview|list|details|points)"
    rf"|based on {_DOCUMENTS})\b"
)
_HEDGE = re.compile(
    r"(?:i(?: am|'m) (?:sorry|afraid|not (?:sure|certain))"
    r"|i (?:do not|don't) know"
    r"|i (?:cannot|can't|could not|couldn't|am unable to|was unable to)"
    r" (?:find|say|tell|verify|confirm|answer)"
    r"|(?:i )?hope (?:this|that|it) helps"
    r"|(?:please )?let me know if you(?:'d| would)? (?:have|need|want|like)"
    r"|please (?:note|consult|check|verify|see))\b"
)
# Kinds of words in a phrase that only names a thing. Any other word is an `x`; a statement needs
# two of those, a subject and a verb.
_KINDS = {
    "d": "the a an your our my",
    "a": """additional any brief common full further general given important key known main more
        opening other possible provided quick relevant short specific useful""",
    "n": """advantages answer answers background benefits conclusion context definition details
        differences disadvantages documents evidence example examples facts findings history hours
        information introduction limitations list materials note notes overview passages points
        prices question questions reasons references results risks sources steps summary text texts
        title""",
    "p": "about at for from in on to with",
    "l": "and of or",
}
_KIND = {word: kind for kind, listed in _KINDS.items() for word in listed.split()}
_THING = re.compile("[da]*x?n*(?:p[da]*x?n*)*")
_ANSWERS = frozenset({"yes", "no", "not", "none", "never", "always", "true", "false"})


@cached_in_run(1_000)  # called each time that the claim is checked
def not_checkworthy(text: str) -> Cause | None:
    """Return why a claim needs no check, or None if it must be checked.

    A claim of several sentences must be checked if one of them must.
    """
    causes = [_of_sentence(each) for each in sentences(text)] or [Cause.NO_WORDS]
    return None if None in causes else causes[0]


def _of_sentence(text: str) -> Cause | None:
    said = spoken(text)
    if not words(said):
        return Cause.NO_WORDS
    if said.rstrip("\"'”’)*").endswith(("?", "？")):
        return Cause.QUESTION
    if figures(said):
        return None  # a figure is always a statement
    if _is_heading(text, said):
        return Cause.HEADING
    plain = said.casefold().replace("’", "'").strip(" .!…:*_\"'")
    for cause, opening in ((Cause.GREETING, _GREETING), (Cause.META, _META), (Cause.HEDGE, _HEDGE)):
        if (match := opening.match(plain)) and only_names(plain[match.end() :]):
            return cause
    return None


def _is_heading(text: str, said: str) -> bool:
    shown_as_one = said.endswith(":") or (_MARKED.fullmatch(text) and not said.endswith(_ENDS))
    told = words(said)
    return (
        bool(shown_as_one)
        and len(told) <= _LONGEST_HEADING
        and _ANSWERS.isdisjoint(told)
        and only_names(said.rstrip(":").casefold())
    )


def only_names(phrase: str) -> bool:
    """Return whether a phrase only names things ("history of the harbour") and states nothing.

    Each part may have one unknown word, where a noun would be: "prices" may come after it but not
    before it, since "prices doubled" is a statement.
    """
    if re.search(r"[^\w\s&'-]", phrase):
        return False  # the phrase continues after a comma, a colon or a dash
    kinds = "".join(_KIND.get(word, "x") for word in words(phrase.replace("&", " and ")))
    return all(_THING.fullmatch(part) and part.count("x") <= 1 for part in kinds.split("l"))


_LONGEST = 500  # characters; longer text is not an entry
_ADDRESS = re.compile(
    r"[<(\[]{0,2}(?:(?:https?|ftp|file|s3)://|www\.|doi:|mailto:)\S+\Z", re.IGNORECASE
)
_FILE = re.compile(
    r"[\w./\\~()<\[-]+\.(?:pdf|html?|md|txt|docx?|pptx?|xlsx?|csv|tsv|epub|json|xml|rst)[.,;:)>\]]*\Z",
    re.IGNORECASE,
)
_PAGE = re.compile(r"(?:\bp(?:p|ages?|\.)?\.?|§)\s?\d{1,5}(?:\s?[-–]\s?\d{1,5})?\Z", re.IGNORECASE)
_AROUND = " \t.,;:–—-|/()[]<>{}\"'“”‘’«»*_`"


def is_reference(line: str, titles: Collection[str]) -> bool:
    """Return whether a line of a list of sources only names a source and states nothing."""
    if len(line) > _LONGEST:
        return False
    told = " ".join(token for token in spoken(line).split() if not _is_address(token))
    phrase = told.strip(_AROUND)
    phrase = _PAGE.sub("", phrase).strip(_AROUND)
    if not words(phrase) or _folded(phrase) in titles:
        return True
    return not figures(phrase) and only_names(phrase.casefold())


def titles_of(passages: Iterable[Passage]) -> frozenset[str]:
    """The names of the sources: titles, addresses, file names and ids."""
    return frozenset(
        _folded(name)
        for each in passages
        for name in (each.title, each.uri, each.uri.rpartition("/")[2], each.document_id)
        if words(name)
    )


def _folded(name: str) -> str:
    return " ".join(spoken(name).casefold().split()).strip(_AROUND)


def _is_address(token: str) -> bool:
    return _ADDRESS.match(token) is not None or _FILE.match(token) is not None
