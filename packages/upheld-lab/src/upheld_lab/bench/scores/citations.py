"""ALCE's citation recall and precision (Gao et al. 2023), as published and with its quirks mended.

recall: the share of sentences that the passages they cite, together, entail.
precision: the share of citations that count. One counts if its sentence has recall, unless it
fails to entail the sentence alone and the others do without it.

`as_published` reads the text as the published script does; `as_meant` reads typed claims. Only the
splitting into sentences is ours in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from upheld.text.marks import without_marks
from upheld.text.sentences import sentences
from upheld.types import Answer, Passage, located
from upheld_lab.bench.scores.entails import Held
from upheld_lab.bench.scores.precision_recall import PrecisionRecall, precision_recall

_AT_MOST = 3  # citations of a sentence that the published script looks at
_MARK = re.compile(r"\[\d+")
_OUR_MARKS = re.compile(r"([.!?][\"”'’)]*)((?:\s?\[\d+\])+)")


@dataclass(frozen=True, slots=True)
class Sentence:
    """What is to be entailed, and by what."""

    claim: str
    cited: tuple[Passage, ...] = ()
    lost: int = 0  # citations that lead nowhere


def marks_inside(text: str) -> str:
    """Our text as ALCE's prompts teach models to write: marks before the full stop.

    Behind it they would be read as the next sentence's.
    """
    return _OUR_MARKS.sub(lambda found: f" {found[2].lstrip()}{found[1]}", text)


def as_published(
    text: str, documents: Sequence[Passage], question: str | None = None
) -> tuple[Sentence, ...]:
    """Sentences as the published script reads them; with a question, the items of a list.

    Its quirks: only the first line counts; a mark is `[` and a number, so that `[1, 2]` is 1 and
    leaves ", 2" in the sentence, and `[0]` is the last document; one mark out of range and the
    sentence has no citation at all; a repeated mark is two; three marks are looked at.
    """
    line = text.strip().split("\n")[0]
    if question is None:
        read = sentences(line)
    else:
        read = [f"{question} {item}" for item in items_of(line)]
    return tuple(_published(sentence, documents) for sentence in read)


def as_meant(answer: Answer, question: str | None = None) -> tuple[Sentence, ...]:
    """A sentence for every claim with all that it cites, each passage once."""
    known = located(answer.sources)
    found: list[Sentence] = []
    for claim in answer.claims:
        ids = dict.fromkeys(citation.passage_id for citation in claim.citations)
        cited = tuple(known[id] for id in ids if id in known)
        said = without_marks(claim.text)
        hypothesis = said if question is None else f"{question} {said}"
        found.append(Sentence(hypothesis, cited, len(ids) - len(cited)))
    return tuple(found)


def items_of(text: str) -> list[str]:
    """The items of a list as QAMPARI's answers have them: parted by commas, a stop at the end."""
    return [item.strip() for item in text.rstrip().rstrip(".").rstrip(",").split(",")]


def to_ask(sentences: Iterable[Sentence]) -> Iterator[Held]:
    """All that the scores of these sentences can depend on."""
    for sentence in sentences:
        if not sentence.cited:
            continue
        yield Held(sentence.claim, sentence.cited)
        if len(sentence.cited) > 1:
            for passage in sentence.cited:
                yield Held(sentence.claim, (passage,))
                yield Held(sentence.claim, _without(passage, sentence.cited))


def citation_scores(sentences: Sequence[Sentence], entailed: AbstractSet[Held]) -> PrecisionRecall:
    """Both scores of one answer; without sentences or citations they are 0."""
    recalled = [each for each in sentences if Held(each.claim, each.cited) in entailed]
    counted = sum(len(each.cited) + each.lost for each in sentences)
    good = sum(_counts(passage, each, entailed) for each in recalled for passage in each.cited)
    return PrecisionRecall(
        precision=precision_recall(good, counted, 0).precision,
        recall=precision_recall(len(recalled), 0, len(sentences)).recall,
    )


def _published(sentence: str, documents: Sequence[Passage]) -> Sentence:
    places = [int(mark[1:]) - 1 for mark in _MARK.findall(sentence)]
    bare = _MARK.sub("", re.sub(rf" {_MARK.pattern}", "", sentence))
    claim = bare.replace(" |", "").replace("]", "").strip()
    if not documents or any(place >= len(documents) for place in places):
        return Sentence(claim)
    return Sentence(claim, tuple(documents[place] for place in places[:_AT_MOST]))


def _counts(passage: Passage, sentence: Sentence, entailed: AbstractSet[Held]) -> bool:
    """Of a sentence with recall: whether it needs this passage, or could rest on it alone."""
    return (
        Held(sentence.claim, (passage,)) in entailed
        or Held(sentence.claim, _without(passage, sentence.cited)) not in entailed
    )


def _without(passage: Passage, cited: tuple[Passage, ...]) -> tuple[Passage, ...]:
    place = cited.index(passage)
    return cited[:place] + cited[place + 1 :]
