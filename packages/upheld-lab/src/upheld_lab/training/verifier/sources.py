"""Pairs labelled by people: the merged NLI files, SciFact, and the training half of dev files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from upheld.text.sentences import sentences
from upheld_lab.bench.pack import lot, rows
from upheld_lab.bench.verify import labels
from upheld_lab.bench.verify.labels import Label
from upheld_lab.bench.verify.sets import Case, begin, expertqa, for_training, titled, wice_page
from upheld_lab.training.verifier.pairs import Pair, premise
from upheld_lab.training.verifier.windows import gathered, windows


def nli(data: Path, *sources: str) -> Iterator[Pair]:
    """Rows of the merged training file by source; long premises as the sentences nearest."""
    for row in rows(data / "e_nli" / "nli_open_train.jsonl.gz"):
        if row["source"].startswith(sources):
            title, text = titled(row["source"], row["premise"])
            label = labels.NLI[row["label"]]
            document = row.get("group") or row["premise"][:80]
            claim, source, whole = row["hypothesis"], row["source"], row["premise"]
            for piece in _pieces(text, claim):
                yield Pair(premise(title, piece), claim, label, source, document, whole)


def scifact(data: Path) -> Iterator[Pair]:
    """Windows that hold a whole rationale have its label; other windows are neutral."""
    folder = data / "c_verification"
    abstracts = {row["doc_id"]: row for row in rows(folder / "scifact_corpus.jsonl.gz")}
    held_out = {
        id for row in rows(folder / "scifact_claims_dev.jsonl.gz") for id in row["cited_doc_ids"]
    }
    for row in rows(folder / "scifact_claims_train.jsonl.gz"):
        for id in set(row["cited_doc_ids"]) - held_out:
            abstract = abstracts[id]
            yield from _of_abstract(row["claim"], abstract, row["evidence"].get(str(id), []))


def _of_abstract(
    claim: str, abstract: Mapping[str, Any], evidence: Sequence[Mapping[str, Any]]
) -> Iterator[Pair]:
    parts, title, document = (
        abstract["abstract"],
        abstract["title"],
        f"scifact:{abstract['doc_id']}",
    )
    rationales = [frozenset(item["sentences"]) for item in evidence]
    touched = frozenset[int]().union(*rationales)
    label = labels.SCIFACT[evidence[0]["label"]] if evidence else Label.NEUTRAL
    ranges = [frozenset(range(a, b)) for size in (60, 120) for a, b in windows(parts, size)]
    ranges += [frozenset(gathered(parts, claim, 90)), *rationales]
    for range_ in dict.fromkeys(ranges):
        text = premise(title, " ".join(parts[i] for i in sorted(range_)))
        if any(rationale <= range_ for rationale in rationales):
            yield Pair(text, claim, label, "scifact", document)
        elif not range_ & touched and lot(claim, text) < 0.7:  # parts of a rationale: unclear
            yield Pair(text, claim, Label.NEUTRAL, "scifact", document)


def wice(data: Path) -> Iterator[Pair]:
    """A window is positive if it holds all that one annotator needed."""
    for row in rows(data / "c_verification" / "wice_claim_dev.jsonl.gz"):
        title, parts = wice_page(row)
        document = title + parts[0][:80]
        if not for_training(document):
            continue
        label = labels.WICE[row["label"]]
        needed = [frozenset(ids) for ids in row["supporting_sentences"] if ids]
        touched = frozenset[int]().union(*needed)
        for chosen in _wice_ranges(parts, row["claim"], needed):
            text = premise(title, " ".join(parts[i] for i in sorted(chosen)))
            if label is not Label.ENTAILS or any(ids <= chosen for ids in needed):
                yield Pair(text, row["claim"], label, "wice", document)
            elif not chosen & touched:
                yield Pair(text, row["claim"], Label.NEUTRAL, "wice", document)


def _wice_ranges(
    parts: Sequence[str], claim: str, needed: Sequence[frozenset[int]]
) -> list[frozenset[int]]:
    """The gathered sentences, what annotators marked with and without neighbours, two windows."""
    fits = [ids for ids in needed if sum(len(parts[i].split()) for i in ids) <= 140]
    beside = [
        frozenset(j for i in ids for j in (i - 1, i, i + 1) if 0 <= j < len(parts)) for ids in fits
    ]
    beside = [ids for ids in beside if sum(len(parts[i].split()) for i in ids) <= 150]
    plain = [frozenset(range(a, b)) for a, b in windows(parts)]
    plain.sort(key=lambda ids: lot(claim, str(sorted(ids))))
    marked = [*fits[:3], *beside[:2]]
    near = [frozenset(gathered(parts, claim, words)) for words in (80, 120)]
    return list(dict.fromkeys([*near, *marked, *plain[:2]]))


def dev_halves(data: Path) -> Iterator[Pair]:
    """The training halves of ExpertQA and BEGIN."""
    folder = data / "c_verification"
    yield from _cases(expertqa(folder / "expertqa_rand_val.jsonl.gz"), "expertqa")
    for part in ("wow", "tc", "cmu"):
        yield from _cases(begin(folder / f"begin_dev_{part}.tsv.gz"), "begin")


def _cases(cases: Iterable[Case], source: str) -> Iterator[Pair]:
    for case in cases:
        if not for_training(case.document):
            continue
        text = "\n".join(text for _, text in case.passages)
        for piece in _pieces(text, case.claim):
            yield Pair(piece, case.claim, case.label, source, case.document)


def _pieces(text: str, claim: str) -> list[str]:
    """The text where it is short; else its sentences nearest to the claim."""
    if len(text.split()) <= 130:
        return [text]
    parts = sentences(text)
    return [" ".join(parts[i] for i in gathered(parts, claim, 130))]
