"""Facets: split a question into parts, only if its wording shows that it has several.

The rules are conservative on purpose: splitting a simple question costs an LLM call and harms the
answer, while a question with parts that is not split is still answered as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from upheld.planning.plan import Plan, Session
from upheld.run.calls import or_default_if_over_budget
from upheld.run.trace import current_run
from upheld.text.words import words
from upheld.types import Question

# Quoted text is taken as a name: joining words inside it do not count.
_QUOTE_OPENS = re.compile(r"[\"“«]|(?<!\w)['‘]")
_QUOTE_CLOSES = {
    '"': re.compile('"'),
    "“": re.compile("”"),
    "«": re.compile("»"),
    "'": re.compile("['’]"),
    "‘": re.compile("['’]"),
}
_LETTER = re.compile(r"\w")
_ASKS = r"(?:who|whom|whose|what|when|where|which|why|how)"
_VERB = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|must)"
_JOINS = re.compile(rf"\b(?:and|as well as|but|then)(?: also| then)? ({_ASKS}|{_VERB})\b", re.I)
_COMPARES = re.compile(
    r"\b(?:compare[sd]?|comparison|contrast(?:s|ed)?|versus|vs|(?:differences?|similarit(?:y|ies))"
    r" between|differ(?:s|ed|ent)? from|have in common)\b"
    r"|^(?:which|who|what)\b[^,?]*,[^,?]+\bor\b",  # "Which is older, the museum or the church?"
    re.I,
)
_BOTH = re.compile(r"\bboth\b", re.I)
_AND = re.compile(r"\band\b", re.I)
# "the height, weight and age": a list in lower case. A list of names may be one thing's name.
_LISTS = re.compile(r"\w,(?: [a-z'’-]+){1,5}(?:,? (?:and|or)|,(?: [a-z'’-]+){1,5},)(?: [a-z'’-]+)")
_NUMBERS = re.compile(r"(?:^|\s)\(?(?:[1-9]|[a-d])[.)]\s")
_CLAUSES = re.compile(r"[,;:]|\b(?:and|but|because|while|whereas|if|since|although|so)\b", re.I)
_LEAST_BEFORE = 3  # words: "when and where was", "what is and is not" ask for one thing
_LEAST_QUESTION = 3  # words: "Really?" and "Why not?" add nothing to look for
_LONG = 30  # words: so long a question with at least `_JOINTS` clauses has parts
_JOINTS = 3


def facets_hinted(question: str) -> bool:
    """Whether the wording of a question shows that it asks for several things."""
    text = " ".join("".join(_unquoted(question)).split())
    asked = [each for each in re.split(r"[?？;]", text) if len(words(each)) >= _LEAST_QUESTION]
    return (
        (len(asked) > 1 and bool(re.search(r"[?？]", text)))
        or any(_has_parts(each.strip()) for each in asked)
        or len(_NUMBERS.findall(text)) > 1
    )


def _unquoted(text: str) -> Iterator[str]:
    """Yield the text with " it " for every quotation; unclosed quotation marks are left."""
    unclosed: set[str] = set()  # opening marks without a closing one in the rest of the text
    end = at = 0
    while opens := _QUOTE_OPENS.search(text, at):
        at = opens.end()
        closes = None
        if opens[0] not in unclosed:
            closes = _QUOTE_CLOSES[opens[0]].search(text, at)
            if closes is None:
                unclosed.add(opens[0])
        single = opens[0] in "'‘"
        if closes is None or (single and _LETTER.match(text, closes.end())):
            continue
        yield from (text[end : opens.start()], " it ")
        end = at = closes.end()
    yield text[end:]


def _has_parts(asked: str) -> bool:
    both = _BOTH.search(asked)
    return (
        any(len(words(asked[: join.start()])) >= _LEAST_BEFORE for join in _JOINS.finditer(asked))
        or bool(_COMPARES.search(asked))
        or (both is not None and _AND.search(asked, both.end() + 1) is not None)
        or bool(_LISTS.search(asked))
        or (len(words(asked)) >= _LONG and len(_CLAUSES.findall(asked)) >= _JOINTS)
    )


async def facets_of(question: Question, plan: Plan | None, most: int) -> Session:
    """Return the parts of a question, at most `most`; the question alone if it has none.

    If parts are likely but there is no `plan`, or no budget for it, the run is marked degraded
    and the question returned alone.
    """
    if not facets_hinted(question.text):
        return (question,)
    if plan is None:
        current_run().degrade("no plan was made for a question with several parts")
        return (question,)
    session = (await or_default_if_over_budget(plan(question), ((question,),)))[0][:most]
    return session if len(session) > 1 else (question,)
