"""ALCE's scores worked by hand; each quirk of the published script is there in one mode only."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.unit.graded_answers import A, B, C, D, answer, claim, entails_if, passage
from upheld_lab.bench.scores.citations import (
    Sentence,
    as_meant,
    as_published,
    citation_scores,
    marks_inside,
    to_ask,
)
from upheld_lab.bench.scores.entails import Entails, Held
from upheld_lab.bench.scores.precision_recall import PrecisionRecall

DOCUMENTS = (A, B, C, D)
EVERYTHING = entails_if(lambda _claim, _ids: True)


async def cited_well(sentences: Sequence[Sentence], entails: Entails) -> PrecisionRecall:
    return citation_scores(sentences, await entails(to_ask(sentences)))


async def test_recall_is_over_sentences_and_precision_over_citations() -> None:
    """Three sentences. Owls: a and b, of which a alone is enough and b fails alone, so b does not
    count. Bats: b and c, which only together say it, so both count. Rats: d, which does not say it.
    Recall: 2 of 3 sentences. Precision: a, b, c of a, b, b, c, d count but for the first b: 3/5."""
    entailing = {"Owls fly.": [{"a"}, {"a", "b"}], "Bats fly.": [{"b", "c"}], "Rats fly.": []}
    entails = entails_if(lambda said, ids: ids in entailing[said])
    found = answer(claim("Owls fly.", A, B), claim("Bats fly.", B, C), claim("Rats fly.", D))
    wanted = PrecisionRecall(precision=3 / 5, recall=2 / 3)
    assert await cited_well(as_meant(found), entails) == wanted
    text = "Owls fly [1][2]. Bats fly [2][3]. Rats fly [4]."
    assert await cited_well(as_published(text, DOCUMENTS), entails) == wanted


async def test_all_that_an_answer_needs_is_asked_at_once_and_nothing_twice_over() -> None:
    asked: list[Held] = []
    await cited_well((Sentence("Owls fly.", (A,)),), entails_if(lambda *_: True, asked))
    assert asked == [Held("Owls fly.", (A,))]  # one citation: alone and together are one question
    asked.clear()
    await cited_well((Sentence("Owls fly.", (A, B)),), entails_if(lambda *_: False, asked))
    assert set(asked) == {Held("Owls fly.", cited) for cited in ((A, B), (A,), (B,))}


@pytest.mark.parametrize("sentences", [(), (Sentence("Owls fly."),)])
async def test_no_sentences_and_no_citations_are_0(sentences: tuple[Sentence, ...]) -> None:
    assert await cited_well(sentences, EVERYTHING) == PrecisionRecall(0, 0)


def test_our_marks_are_put_where_the_published_script_looks_for_them() -> None:
    ours = answer(claim("Owls fly.", A, B), claim("Do bats?", C)).text
    assert ours == "Owls fly. [1][2] Do bats? [3]"
    assert marks_inside(ours) == "Owls fly [1][2]. Do bats [3]?"
    assert marks_inside("Plain. Text [1].") == "Plain. Text [1]."


# --- quirks: `as_published` has them, `as_meant` has not -----------------------------------------


def test_a_list_in_one_mark_counts_its_first_number() -> None:
    (read,) = as_published("Owls fly [1, 2].", DOCUMENTS)
    assert read == Sentence("Owls fly, 2.", (A,))  # and the rest stays in the sentence
    (meant,) = as_meant(answer(claim("Owls fly [1, 2].", A, B)))
    assert meant == Sentence("Owls fly.", (A, B))


def test_mark_0_is_the_last_document() -> None:
    assert as_published("Owls fly [0].", DOCUMENTS)[0].cited == (D,)
    # A claim names its passage; there is no number to be off by one.
    assert as_meant(answer(claim("Owls fly [0].", A)))[0].cited == (A,)


def test_text_ends_with_its_first_line() -> None:
    read = as_published("\nOwls fly [1].\nBats fly [2].", DOCUMENTS)
    assert read == (Sentence("Owls fly.", (A,)),)
    lines = answer(claim("Owls fly.\nAt night.", A), claim("Bats fly.", B))
    assert [each.claim for each in as_meant(lines)] == ["Owls fly.\nAt night.", "Bats fly."]


async def test_one_mark_out_of_range_takes_the_sentence_its_citations() -> None:
    """Published: recall 0, and precision is over the other sentence alone: 1 of 1. Meant: the good
    citation still has recall, and the one that leads nowhere counts against precision: 2 of 3."""
    read = as_published("Owls fly [1][9]. Bats fly [2].", DOCUMENTS)
    assert read == (Sentence("Owls fly."), Sentence("Bats fly.", (B,)))
    assert await cited_well(read, EVERYTHING) == PrecisionRecall(precision=1, recall=1 / 2)
    lost = answer(claim("Owls fly.", A, passage("nowhere")), claim("Bats fly.", B))
    scores = await cited_well(as_meant(lost), EVERYTHING)
    assert scores == PrecisionRecall(precision=2 / 3, recall=1)


async def test_marks_after_the_third_are_not_looked_at() -> None:
    """Only d says it, and d is the fourth. Meant: of four citations d counts alone; the others
    fail alone and are not needed, so precision is 1/4."""
    entails = entails_if(lambda _claim, ids: "d" in ids)
    read = as_published("Owls fly [1][2][3][4].", DOCUMENTS)
    assert read[0].cited == (A, B, C)
    assert await cited_well(read, entails) == PrecisionRecall(0, 0)
    meant = as_meant(answer(claim("Owls fly.", A, B, C, D)))
    assert await cited_well(meant, entails) == PrecisionRecall(precision=1 / 4, recall=1)


async def test_a_repeated_mark_is_two_citations() -> None:
    """Owls rests on a, Bats on b, which does not say it: 1 of 2, or 2 of 3 with a counted twice."""
    entails = entails_if(lambda said, _ids: said == "Owls fly.")
    read = as_published("Owls fly [1][1]. Bats fly [2].", DOCUMENTS)
    assert (await cited_well(read, entails)).precision == 2 / 3
    meant = as_meant(answer(claim("Owls fly.", A, A), claim("Bats fly.", B)))
    assert (await cited_well(meant, entails)).precision == 1 / 2


def test_square_brackets_and_bars_go_with_the_marks() -> None:
    assert as_published("Owls [sic] fly | [1].", DOCUMENTS)[0].claim == "Owls [sic fly."
    assert as_meant(answer(claim("Owls [sic] fly.", A)))[0].claim == "Owls [sic] fly."


def test_an_answer_without_documents_has_no_citations() -> None:
    assert as_published("Owls fly [0].", ()) == (Sentence("Owls fly."),)


# --- lists ---------------------------------------------------------------------------------------


def test_items_of_a_list_are_held_with_the_question() -> None:
    read = as_published("Owls [1], Bats [2][3], Rats.", DOCUMENTS, "What flies?")
    assert read == (
        Sentence("What flies? Owls", (A,)),
        Sentence("What flies? Bats", (B, C)),
        Sentence("What flies? Rats"),
    )
    meant = as_meant(answer(claim("Owls", A), claim("Bats, and more", B)), "What flies?")
    assert meant == (
        Sentence("What flies? Owls", (A,)),
        Sentence("What flies? Bats, and more", (B,)),
    )
