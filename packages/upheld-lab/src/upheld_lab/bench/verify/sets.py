"""The labelled claims that verification is measured on, each with the passages it is held against.

Dev files come as their calibration half; the other half trains.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from upheld.errors import NotFoundError
from upheld_lab.bench.pack import lot, rows
from upheld_lab.bench.verify import labels
from upheld_lab.bench.verify.labels import Label

_MARK = re.compile(r"\s*\[\d+\]")
_SOURCE_LINE = re.compile(r"^\s*(?:\[\d+\])?\s*(?:https?://\S+)?\s*")
_META = "(meta data) TITLE:"


@dataclass(frozen=True, slots=True)
class Case:
    """A claim, the passages at hand as title and text, and what people said."""

    set: str
    claim: str
    passages: tuple[tuple[str, str], ...]
    label: Label
    document: str  # what must not stand on both sides of a split
    question: str = ""  # what the claim answers, where the set tells
    before: str = ""  # the sentence before it


def need_pack(data: Path) -> None:
    """Whoever names a wrong folder is told before anything is measured."""
    if not (data / "c_verification").is_dir():
        raise NotFoundError(
            f"There is no c_verification under {data}.",
            help="--data is the folder of the data pack.",
        )


def load(name: str, data: Path) -> list[Case]:
    """The cases of one set, in the order of its file."""
    return list(_READERS[name](data))


def wice(rows_of: Path) -> Iterator[Case]:
    """Claims of Wikipedia against the whole page they cite; a paragraph to a sentence."""
    for row in rows(rows_of):
        title, sentences = wice_page(row)
        text = "\n\n".join(sentences)
        label = labels.WICE[row["label"]]
        yield Case("wice", row["claim"], ((title, text),), label, title + sentences[0][:80])


def wice_page(row: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The title of a page, and its sentences with the title's place left empty of its mark."""
    first = row["evidence"][0]
    title = first.removeprefix(_META).strip() if first.startswith(_META) else ""
    return title, [title or first, *row["evidence"][1:]] if title else list(row["evidence"])


def scifact(data: Path, part: str) -> Iterator[Case]:
    """Scientific claims against each abstract they cite."""
    folder = data / "c_verification"
    abstracts = {row["doc_id"]: row for row in rows(folder / "scifact_corpus.jsonl.gz")}
    for row in rows(folder / f"scifact_claims_{part}.jsonl.gz"):
        for id in row["cited_doc_ids"]:
            evidence = row["evidence"].get(str(id), [])
            label = labels.SCIFACT[evidence[0]["label"]] if evidence else Label.NEUTRAL
            text = "\n\n".join(abstracts[id]["abstract"])
            passage = (abstracts[id]["title"], text)
            yield Case("scifact", row["claim"], (passage,), label, f"scifact:{id}")


def expertqa(rows_of: Path) -> Iterator[Case]:
    """Sentences of answers to experts' questions against the evidence they cite."""
    for row in rows(rows_of):
        for answer in row["answers"].values():
            before = ""
            for claim in answer["claims"]:
                texts = [_SOURCE_LINE.sub("", evidence, count=1) for evidence in claim["evidence"]]
                passages = tuple(("", text) for text in texts if text.strip())
                label = labels.EXPERTQA.get(claim["support"] or "")
                text, asked = _MARK.sub("", claim["claim_string"]).strip(), row["question"]
                if passages and label is not None:
                    yield Case("expertqa", text, passages, label, asked, asked, before)
                before = text


def factcheckgpt(data: Path) -> Iterator[Case]:
    """Claims of chat answers against passages found on the web."""
    path = data / "c_verification" / "factcheckgpt_claim_evidence_stance.jsonl.gz"
    found = [row for row in rows(path) if row["evidence"].strip()]
    groups = joined_by([(row["claim"], row["evidence"]) for row in found])
    for row, group in zip(found, groups, strict=True):
        label = labels.FACTCHECKGPT[row["stance"]]
        yield Case("factcheckgpt", row["claim"], (("", row["evidence"]),), label, group)


def joined_by(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """For each pair, a name that pairs share if they are linked by either of their parts.

    >>> one, two, three, four = joined_by([("a", "x"), ("b", "x"), ("b", "y"), ("c", "z")])
    >>> one == two == three != four
    True
    """
    above: dict[str, str] = {}

    def top(part: str) -> str:
        while above.setdefault(part, part) != part:
            part = above[part]
        return part

    for one, other in pairs:
        above[top(f"other {other}")] = top(one)
    return [top(one) for one, _ in pairs]


def begin(path: Path) -> Iterator[Case]:
    """Replies of dialogue systems against the knowledge they were given."""
    import gzip

    with gzip.open(path, "rt", encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            _, _, knowledge, message, response, label = line.rstrip("\n").split("\t")
            if label in labels.BEGIN and knowledge.strip():
                passages, meant = (("", knowledge),), labels.BEGIN[label]
                yield Case("begin", response, passages, meant, knowledge[:80], message)


def nli(path: Path, name: str, *sources: str) -> Iterator[Case]:
    """Rows of the merged NLI files by source."""
    for row in rows(path):
        if row["source"].startswith(sources):
            title, text = titled(row["source"], row["premise"])
            label = labels.NLI[row["label"]]
            # A group is an article in one source, and a row in the others.
            article = row.get("group") if row["source"] == "fool-me-twice" else None
            document = article or row["premise"][:200]
            yield Case(name, row["hypothesis"], ((title, text),), label, document)


def titled(source: str, premise: str) -> tuple[str, str]:
    """The title that two of the merged sources put before the text."""
    mark = {"fever-nli": " . ", "fool-me-twice": ": "}.get(source)
    title, found, text = premise.partition(mark) if mark else ("", "", premise)
    return (title, text) if found and len(title) <= 80 else ("", premise)


def for_training(document: str) -> bool:
    """Whether a document of a dev file trains; the others calibrate."""
    return lot("dev half", document) < 0.5


def _half(cases: Iterator[Case]) -> Iterator[Case]:
    """The half of a dev file that calibrates."""
    return (case for case in cases if not for_training(case.document))


def _nli(part: str, name: str, *sources: str) -> Callable[[Path], Iterator[Case]]:
    return lambda data: nli(data / "e_nli" / f"nli_open_{part}.jsonl.gz", name, *sources)


def _file(read: Callable[[Path], Iterator[Case]], name: str) -> Callable[[Path], Iterator[Case]]:
    return lambda data: read(data / "c_verification" / name)


SEVEN = (  # what the headline figure is the mean of
    "wice",
    "scifact",
    "expertqa",
    "factcheckgpt",
    "fool_me_twice",
    "fever_symmetric",
    "summedits",
)
APART = ("begin", "mnli", "snli", "cf_snli", "fever_nli")
TEST_SETS = SEVEN + APART
CALIBRATION_SETS = (
    "wice_dev",
    "expertqa_dev",
    "begin_dev_wow",
    "begin_dev_tc",
    "begin_dev_cmu",
    "summedits_dev",
    "fever_nli_dev",
    "mnli_dev",
    "snli_dev",
)

_READERS: Mapping[str, Callable[[Path], Iterator[Case]]] = MappingProxyType(
    {
        "wice": _file(wice, "wice_claim_test.jsonl.gz"),
        "scifact": lambda data: scifact(data, "dev"),
        "expertqa": _file(expertqa, "expertqa_rand_test.jsonl.gz"),
        "factcheckgpt": factcheckgpt,
        "fool_me_twice": _nli("test", "fool_me_twice", "fool-me-twice"),
        "fever_symmetric": _nli("test", "fever_symmetric", "fever-symmetric"),
        "summedits": _nli("test", "summedits", "summedits"),
        "begin": _file(begin, "begin_test_wow.tsv.gz"),
        "mnli": _nli("test", "mnli", "mnli"),
        "snli": _nli("test", "snli", "snli"),
        "cf_snli": _nli("test", "cf_snli", "cf-snli"),
        "fever_nli": _nli("test", "fever_nli", "fever-nli"),
        "wice_dev": lambda data: _half(_file(wice, "wice_claim_dev.jsonl.gz")(data)),
        "expertqa_dev": lambda data: _half(_file(expertqa, "expertqa_rand_val.jsonl.gz")(data)),
        "begin_dev_wow": lambda data: _half(_file(begin, "begin_dev_wow.tsv.gz")(data)),
        "begin_dev_tc": lambda data: _half(_file(begin, "begin_dev_tc.tsv.gz")(data)),
        "begin_dev_cmu": lambda data: _half(_file(begin, "begin_dev_cmu.tsv.gz")(data)),
        "summedits_dev": _nli("dev", "summedits_dev", "summedits"),
        "fever_nli_dev": _nli("dev", "fever_nli_dev", "fever-nli"),
        "mnli_dev": _nli("dev", "mnli_dev", "mnli"),
        "snli_dev": _nli("dev", "snli_dev", "snli", "cf-snli"),
    }
)
