"""`upheld label`: a person's verdicts on claims of our own answers, to calibrate on."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.padding import Padding
from rich.text import Text

from upheld.ask_options import AskOptions
from upheld.calibration.labelled import (
    LabelledClaim,
    append_label,
    draw,
    read_labels,
    same_question,
)
from upheld.cli import options, show
from upheld.errors import UsageError
from upheld.types import Answer, Citation, Claim

_ASKED = "Do these words support it?  [y]es  [n]o  [s]kip  [q]uit: "


def label(
    questions: Annotated[Path, typer.Option(help="A file with one question per line.")],
    out: Annotated[Path, typer.Option(help="A file that labels are appended to.")],
    kb: options.Kb = None,
    collection: options.Collection = None,
    method: Annotated[str | None, typer.Option(help="How to answer.", show_default="rag")] = None,
    llm: options.LlmUrl = None,
    model: options.LlmModel = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Stop after this many labels.")] = None,
) -> None:
    """Show one claim of each answer with its evidence, and record whether it is supported.

    You can stop at any time and continue later. Judge by the documents, not by what you know.

    Examples:

        upheld label --kb kb --questions questions.txt --out labels.jsonl

        upheld label --kb kb --questions questions.txt --out labels.jsonl --limit 50
    """
    asked = _questions(questions)
    done = {each.cluster for each in read_labels(out)} if out.exists() else set()
    left = [each for each in asked if same_question(each) not in done]
    with options.opened(kb, collection=collection, llm_url=llm, llm_model=model) as opened:
        made = label_claims(
            left,
            ask=partial(opened.ask, method=method, options=AskOptions(calibrated=False)),
            read=input,
            record=partial(append_label, out),
            who=_who(),
            limit=limit,
        )
    show.out.print(Text.assemble((f"{made} labelled", "green"), f", {made + len(done)} in {out}"))


def label_claims(
    questions: Iterable[str],
    *,
    ask: Callable[[str], Answer],
    read: Callable[[str], str],
    record: Callable[[LabelledClaim], None],
    who: str,
    limit: int | None = None,
) -> int:
    """Ask, draw, show and record until the questions end or the person does; how many were made.

    The person sees neither the verdict nor the score: a label that follows them tells nothing.
    """
    made = 0
    for question in questions:
        if limit is not None and made >= limit:
            break
        answer = ask(question)
        if answer.degraded:  # such answers get no guarantee, so they tell nothing about it either
            show.out.print(Text(f"left out: {question} ({answer.degraded[0]})", style="yellow"))
            continue
        claim = draw(answer)
        if claim is None:
            show.out.print(Text(f"no claim of this answer was checked: {question}", style="dim"))
            continue
        evidence = _evidence(claim)
        _show(answer, claim, evidence)
        said = _key(read)
        if said == "q":
            break
        if said == "s":
            continue
        assert claim.verdict.probability is not None  # `draw` takes only such claims
        record(
            LabelledClaim(
                question=question,
                answer=answer.id,
                claim=claim.text,
                evidence=tuple(citation.quote for citation in evidence),
                score=claim.verdict.probability,
                verdict=claim.verdict.support,
                supported=said == "y",
                pipeline=answer.pipeline,
                who=who,
                when=datetime.now(UTC),
            )
        )
        made += 1
    return made


def _key(read: Callable[[str], str]) -> str:
    """One of y, n, s, q; the end of the input is q."""
    while True:
        try:
            said = read(_ASKED).strip().lower()[:1]
        except (EOFError, KeyboardInterrupt):
            return "q"
        if said and said in "ynsq":
            return said


def _evidence(claim: Claim) -> tuple[Citation, ...]:
    """All words that were held against the claim, each once; for and against look alike."""
    verdict = claim.verdict
    found = (*claim.citations, *verdict.evidence_for, *verdict.evidence_against)
    places = {(each.document_id, each.start, each.end): each for each in found if each.quote}
    return tuple(places[place] for place in sorted(places))


def _show(answer: Answer, claim: Claim, evidence: Sequence[Citation]) -> None:
    """The question, the claim, and each passage with the quoted words in colour."""
    show.out.rule(style="dim")
    show.out.print(Text(answer.question, style="dim"))
    show.out.print(Text(claim.text, style="bold"))
    for passage in answer.sources:
        quoted = [each for each in evidence if each.passage_id == passage.id]
        if quoted:
            text = Text(passage.text, style="dim")
            for each in quoted:
                start, end = each.start - passage.start, each.end - passage.start
                text.stylize("not dim cyan", start, end)
            show.out.print(Padding(Text(passage.title or passage.uri, style="dim"), (1, 0, 0, 4)))
            show.out.print(Padding(text, (0, 0, 0, 4)))
    known = {passage.id for passage in answer.sources}
    for each in evidence:
        if each.passage_id not in known:  # a passage that was read, but is not cited
            show.out.print(Padding(Text(each.quote, style="cyan"), (1, 0, 0, 4)))
    if not evidence:
        show.out.print(Text("    no evidence was found for it", style="dim"))


def _questions(path: Path) -> list[str]:
    """The questions of a file, each once, in their order."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The questions {path} cannot be read: {error}") from error
    found: dict[str, str] = {}
    for line in filter(str.strip, lines):
        found.setdefault(same_question(line), line.strip())
    if not found:
        raise UsageError(f"There is no question in {path}.", help="Write one question per line.")
    return list(found.values())


def _who() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no such name on this machine
        return "unknown"
