"""Hand-made drafts with verdicts, for the stages that only read them."""

from __future__ import annotations

from upheld.types import (
    Cause,
    Citation,
    Claim,
    Draft,
    Evidence,
    Hit,
    Passage,
    Question,
    Support,
    Verdict,
    content_hash,
    passage_id,
)

DOCUMENTS = {
    "museum": "The museum opened in 1881 on Cromwell Road.",
    "whale": "A blue whale named Hope hangs in its main hall.",
    "entry": "Entry is free on every day of the year.",
    "leader": "Dr. Okafor has led the house since 2016.",
}
ASK = Question("When did the museum open?")


def passage(name: str) -> Passage:
    text = DOCUMENTS[name]
    version = content_hash(text)
    place = passage_id(name, version, 0, len(text))
    return Passage(place, text, name, version, 0, len(text))


def citation(name: str, support: Support = Support.SUPPORTED) -> Citation:
    of = passage(name)
    return Citation(of.id, name, of.document_version, 0, of.end, of.text, support)


def claim(
    text: str,
    support: Support = Support.SUPPORTED,
    *citations: Citation,
    found_for: tuple[Citation, ...] = (),
    found_against: tuple[Citation, ...] = (),
    reason: str = "no source says this",
    cause: Cause | None = None,
) -> Claim:
    verdict = Verdict(support, None, found_for, found_against, "tests", reason, cause)
    return Claim(text, citations, verdict)


def draft(
    *claims: Claim,
    question: Question = ASK,
    names: tuple[str, ...] = ("museum", "whale", "entry", "leader"),
) -> Draft:
    hits = (Hit(passage(name), 1.0 / rank, "q") for rank, name in enumerate(names, 1))
    return Draft(question, claims, Evidence(tuple(hits)))
