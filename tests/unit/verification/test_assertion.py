"""What a source denies, alleges, leaves open or expects does not support the bare statement."""

from __future__ import annotations

import pytest

from upheld.types import Cause, Passage
from upheld.verification.rules import ConsistencyRules
from upheld.verification.source import Part, Premise, Source

MYTHS = "# Common myths about the harbour\n\n"


def objected(claim: str, text: str, title: str = "", path: tuple[str, ...] = ()) -> str | None:
    """The words that the rules hold against a claim, with how they are put off."""
    passage = Passage("p", text, "p", "v", 0, len(text), title=title, heading_path=path)
    veto = ConsistencyRules()(claim, Premise(text, (Part(Source(passage), ((0, len(text)),)),)))
    if veto is None:
        return None
    assert veto.cause is Cause.NOT_ASSERTED, veto
    return veto.reason.removeprefix("in its source this is ")


@pytest.mark.parametrize(
    ("claim", "text", "assertion"),
    [
        ("Dogs may swim here.", "It is false that dogs may swim here.", "denied"),
        ("The mayor took bribes.", "It is not true that the mayor took bribes.", "denied"),
        ("The mayor took bribes.", "It's a common myth that the mayor took bribes.", "denied"),
        ("The mayor took bribes.", "The mayor denied that he took bribes.", "denied"),
        ("The mayor took bribes.", "The mayor denied taking bribes.", "denied"),
        ("The mayor took bribes.", "The claim that the mayor took bribes is false.", "denied"),
        ("The mayor took bribes.", "That the mayor took bribes is a lie.", "denied"),
        ("The mayor took bribes.", "A paper falsely claimed the mayor took bribes.", "denied"),
        ("The mayor took bribes.", "There is no evidence that the mayor took bribes.", "denied"),
        ("The tower is tall.", "The tower is tall. That is not true.", "denied"),
        ("The tower is tall.", "The tower is tall. However, this was later disproved.", "denied"),
        ("The tower is tall.", "The tower is tall. Wrong! It is low.", "denied"),
        ("The mayor lied.", "The mayor lied. This claim is false, the court found.", "denied"),
        ("The mayor took bribes.", "Critics alleged that the mayor took bribes.", "only alleged"),
        ("The mayor took bribes.", "The mayor allegedly took bribes.", "only alleged"),
        ("The mayor took bribes.", "They accused the mayor of taking bribes.", "only alleged"),
        ("The mayor took bribes.", "The mayor took bribes, his rivals claimed.", "only alleged"),
        ("The mayor took bribes.", "Rumour has it that the mayor took bribes.", "only alleged"),
        ("Tea helps sleep.", "Whether tea helps sleep is unclear.", "left open"),
        ("Tea helps sleep.", "It is not known whether tea helps sleep.", "left open"),
        ("The bridge is open.", "The bridge will be open next year.", "yet to come"),
        ("The bridge is open.", "Next year the bridge will be open.", "yet to come"),
        ("The bridge was opened.", "The bridge is expected to be opened.", "yet to come"),
        ("The harbour is deep.", f"{MYTHS}The harbour is deep. Giants dug it.", "denied"),
        ("Giants dug the harbour.", f"{MYTHS}## Giants dug the harbour\n\nLong ago.", "denied"),
        (
            "The well is dry.",
            "These claims are wrong:\n\n- The well is dry.\n- It rains.",
            "denied",
        ),
        ("The well is dry.", "Myth: the well is dry.\n\nFact: it has water.", "denied"),
    ],
)
def test_words_that_a_source_puts_off_do_not_count(claim: str, text: str, assertion: str) -> None:
    found = objected(claim, text)
    assert found is not None
    assert found.startswith(assertion)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        # The claim has the same qualification.
        ("Critics alleged that the mayor took bribes.", "Critics alleged that he took bribes."),
        ("It is false that dogs may swim.", "It is not true that dogs may swim."),
        ("Dogs are not allowed.", "It is false that dogs are allowed."),
        ("The bridge will open next year.", "The bridge will be open next year."),
        ("The bridge opens in 2031.", "The bridge will be open next year, in 2031."),
        # Something else is put off.
        ("The mayor built a bridge.", "The mayor, who denied that he lied, built a bridge."),
        ("The mayor built a bridge.", "The mayor built a bridge, which allegedly cost a fortune."),
        ("The court cleared him.", "Critics alleged that he lied, but the court cleared him."),
        ("The lake freezes.", "It is a myth that the lake is deep. The lake freezes."),
        # The source says it as well.
        ("The mayor lied.", "Critics alleged that the mayor lied. In court, the mayor lied."),
        # Words that only look like it.
        ("The house was painted.", "The house was painted. It was the wrong colour."),
        ("The hall was full.", "The hall was full. No seat was left."),
        ("Salt dissolves in water.", "Salt will dissolve in water."),
        ("He was late.", "He was late. That was due to the rain."),
        ("The harbour is deep.", f"{MYTHS}It has no floor. In fact, the harbour is deep."),
        ("The harbour is deep.", f"{MYTHS}It has no floor.\n\n# Facts\n\nThe harbour is deep."),
        ("Zeus threw lightning.", "# Greek myth\n\nZeus threw lightning."),
    ],
)
def test_what_a_source_says_itself_counts(claim: str, text: str) -> None:
    assert objected(claim, text) is None


def test_titles_and_headings_tell_what_is_a_myth() -> None:
    said = "The harbour is deep."
    assert objected(said, said, title="Popular misconceptions about the sea") is not None
    assert objected(said, said, path=("The sea", "Myths about the harbour")) is not None
    assert objected(said, said, title="The wrong harbour") is None
