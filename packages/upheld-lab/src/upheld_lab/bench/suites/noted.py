"""What people noted about the pack's questions, as a suite has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from upheld_lab.bench.corpus import SETS, BenchQuestion, Corpus
from upheld_lab.bench.metrics import answer_in, normalise
from upheld_lab.bench.suites.draw import Candidate
from upheld_lab.bench.suites.suite import Asked

_YES_NO = {"yes": True, "no": False}
_YES_NO_SETS = frozenset({"hotpotqa"})  # elsewhere a "yes" is a word that a text has


def asked(set: str, id: str, text: str, answers: Iterable[str], gold: frozenset[str]) -> Asked:
    """An answerable question; a yes/no one keeps no wordings, for "no" stands in many answers."""
    wordings = tuple(answers)
    yes = _YES_NO.get(normalise(" ".join(wordings))) if set in _YES_NO_SETS else None
    if yes is not None:
        wordings = ()
    return Asked(f"{set}/{id}", set, text.strip(), wordings, gold=gold, answerable=True, yes=yes)


def candidate(question: BenchQuestion) -> Candidate:
    """A question of the corpus: it needs its gold."""
    noted = asked(question.set, question.id, question.text, question.answers, question.gold)
    return Candidate(noted, question.gold, question.split)


def corpus_hashes(corpus: Corpus, sets: Iterable[str]) -> Mapping[str, str]:
    """The hashes of the passages and of these sets."""
    names = ["passages.jsonl.gz", *(f"{SETS[name]}.jsonl.gz" for name in sets)]
    return {name: corpus.hashes[name] for name in names}


def falsehoods(wrong: Iterable[str], right: Iterable[str]) -> tuple[str, ...]:
    """Wrong answers that can be told apart: not those that stand in a right one."""
    right = tuple(right)
    return tuple(
        dict.fromkeys(
            each
            for each in wrong
            if normalise(each) and not any(answer_in(one, [each]) for one in right)
        )
    )
