"""How an answer is printed: signs, marks, quotes, reasons, probabilities, counts."""

from __future__ import annotations

import re

import pytest

from tests.messages import only_says
from upheld.answer.render import render
from upheld.cli import show
from upheld.run.trace import Run
from upheld.types import (
    Answer,
    Cause,
    Citation,
    Claim,
    Conflict,
    Draft,
    Evidence,
    Hit,
    Passage,
    Place,
    Question,
    Status,
)
from upheld.verification.verify import Verify
from upheld.verification.verify_draft import VerifyDraft
from upheld_lab.testing.fake_entailment import FakeEntailment

TOWER = "It was built in 1869. It opens to visitors at nine."
FERRY = "The ferry leaves the harbour at noon. Dogs are not allowed on the ferry."


def passage(name: str, text: str) -> Passage:
    return Passage(name, text, f"doc-{name}", "v", 0, len(text), title=name, uri=f"{name}.txt")


def claim(text: str, name: str, quote: str) -> Claim:
    start = (TOWER if name == "tower" else FERRY).index(quote)
    return Claim(text, (Citation(name, f"doc-{name}", "v", start, start + len(quote), quote),))


async def answered(
    model: FakeEntailment | None, *claims: Claim, keep_supported: bool = False
) -> Answer:
    passages = (passage("tower", TOWER), passage("ferry", FERRY))
    evidence = Evidence(tuple(Hit(each, 1.0, "q") for each in passages))
    checked = await VerifyDraft(verify=Verify(model=model))(Draft(Question("q"), claims, evidence))
    return render(checked, method="rag", run=Run(), keep_supported=keep_supported)


QUOTED = claim("It opens to visitors at nine.", "tower", "It opens to visitors at nine.")
TOLD = claim("The ferry leaves at noon.", "ferry", "The ferry leaves the harbour at noon.")
DENIED = claim("Dogs are allowed on the ferry.", "tower", "It was built in 1869.")
INVENTED = claim("Gulls nest under the roof.", "tower", "It was built in 1869.")


def shown(answer: Answer, capsys: pytest.CaptureFixture[str]) -> list[str]:
    show.show_answer(answer)
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


async def test_every_verdict_with_what_decided_it(capsys: pytest.CaptureFixture[str]) -> None:
    hello = Claim("Hello!")
    answer = await answered(FakeEntailment(), hello, QUOTED, TOLD, DENIED, INVENTED)
    told, denied, invented = (f"{claim.verdict.probability:.2f}" for claim in answer.claims[2:])
    contradicted, unsupported = (claim.verdict for claim in answer.claims[3:])
    assert contradicted.cause is Cause.CONTRADICTED
    assert unsupported.cause is Cause.NOT_ENTAILED
    lines = shown(answer, capsys)
    exact_quote = lines.pop(2)  # it is not repeated, its source is named
    assert exact_quote.startswith("    ")
    assert exact_quote.endswith(" [1]")
    assert "opens" not in exact_quote
    *sources, counts = lines[-3:]
    assert lines[:-3] == [
        "  Hello!",
        "✓ It opens to visitors at nine. [1]",
        f"✓ The ferry leaves at noon. [2] {told}",
        "    “The ferry leaves the harbour at noon.” [2]",
        f"✗ Dogs are allowed on the ferry. [1] {denied}",
        "    ≠ “Dogs are not allowed on the ferry.” [2]",
        f"    {contradicted.reason}",
        f"? Gulls nest under the roof. [1] {invented}",
        f"    {unsupported.reason}",
        "",
    ]
    assert re.fullmatch(r"\[1\] tower\s.*\btower\.txt\b.* 0–21, 22–51", sources[0])
    assert re.fullmatch(r"\[2\] ferry\s.*\bferry\.txt\b.* 0–37, 38–72", sources[1])
    assert counts == "✓ 2 supported  ✗ 1 contradicted  ? 1 unsupported  1 not checkworthy"


async def test_what_was_not_checked_shows_what_it_cites_and_why(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer = await answered(None, TOLD)
    lines = shown(answer, capsys)
    assert lines[0] == "· The ferry leaves at noon. [1]"
    # The quote is introduced, so that it does not look like evidence that was found.
    assert re.fullmatch(r" {4}\w+ “The ferry leaves the harbour at noon\.” \[1\]", lines[1])
    assert answer.claims[0].verdict.cause is Cause.NO_MODEL
    assert lines[2] == f"    {answer.claims[0].verdict.reason}"
    assert lines[-1] == "· 1 not checked"


async def test_an_answer_without_a_supported_claim_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer = await answered(FakeEntailment(), DENIED, INVENTED, keep_supported=True)
    assert answer.status is Status.ABSTAINED
    assert only_says(answer.degraded, "keep_supported", "2 claims", "1 contradicted, 1 unsupported")
    first, *rest = shown(answer, capsys)
    assert answer.text
    assert first == answer.text
    assert " ".join(rest) == f"note: {answer.degraded[0]}"


def test_sources_that_disagree_are_shown_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    passages = (passage("tower", TOWER), passage("ferry", FERRY))
    one = Citation("tower", "doc-tower", "v", 0, 21, "It was built in 1869.")
    other = Citation("ferry", "doc-ferry", "v", 0, 37, "The ferry leaves the harbour at noon.")
    answer = Answer(
        id="a",
        question="q",
        status=Status.ANSWERED,
        method="upheld",
        text="",
        sources=passages,
        conflicts=(Conflict("It was built in 1869.", one, other),),
    )
    show.show_answer(answer)
    shown = " ".join(capsys.readouterr().out.split())
    both = "“It was built in 1869.” [1] — “The ferry leaves the harbour at noon.” [2]"
    assert re.search(rf"disagree\W+{re.escape(both)}", shown)


async def test_a_source_names_the_headings_and_pages_of_what_is_quoted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Not those under which its passage begins."""
    text = "It is tall. The lift is closed. The stairs are open."
    places = (Place(12, 3, ("Visits", "Lift")), Place(32, 4, ("Visits", "Stairs")))
    tower = Passage(
        "tower", text, "d", "v", 0, len(text), "Tower", "t.pdf", 2, ("History",), places=places
    )
    claims = tuple(Claim(text[a:b], (tower.cite(a, b),)) for a, b in ((12, 31), (32, 52)))
    draft = Draft(Question("q"), claims, Evidence((Hit(tower, 1.0, "q"),)))
    lines = shown(render(draft, method="quote", run=Run()), capsys)
    (source,) = (line for line in lines if line.startswith("[1] Tower"))
    headings = r"Visits › Lift, \w+ 3; Visits › Stairs, \w+ 4"
    assert re.fullmatch(rf"\[1\] Tower — {headings}\s+t\.pdf\b\D+12–31, 32–52", source)
