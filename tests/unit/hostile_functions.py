"""Which functions take text of users, found in the source, and how each is called with one text.

The list is made from the modules that handle text. A public function with a parameter of text must
stand in `CALLS` or, with a reason, in `NO_TEXT_OF_USERS`; one whose parameters are all `str` is
called with the text for each of them. Private functions are reached through the public ones.
Coroutines wait for models or stores: their text work is done by functions here.
"""

from __future__ import annotations

import ast
import importlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

import upheld
import upheld_service
from tests.unit.hostile_measures import Call
from upheld.assessment.assess import Aspect, assess, parts_of, unspoken
from upheld.assessment.feedback import Remark, worded
from upheld.edge.openai.reply import estimated
from upheld.errors import ReadError
from upheld.generation.candidates import sentences_of, shared_words
from upheld.generation.write import Claims, WrittenClaim, cite, cited, complete_claims
from upheld.ingest.chunk import Chunker, places_of, whole_passage
from upheld.ingest.count import CharacterCounter, TokenCounter
from upheld.ingest.read.document import Heading, ReadDocument
from upheld.ingest.read.html import read_html
from upheld.ingest.read.markdown import read_markdown
from upheld.ingest.read.selectors import closing
from upheld.ingest.read.text import decode, read_text
from upheld.methods.by_diagnosis.conflict_detector import disagrees, new_entities
from upheld.planning.plan import session_of
from upheld.prompts.prompt import numbered
from upheld.retrieval.bridge import names as bridge_names
from upheld.retrieval.rewrite import keyword_query
from upheld.text import figures, names, patterns
from upheld.text.answer_kinds import AnswerKind, has_kind
from upheld.text.assertion import Assertion, carries, unasserted
from upheld.text.instructions import as_evidence, blanked
from upheld.text.languages import foreign_share, is_foreign
from upheld.text.marks import indexed_in, indexed_words, without_marks
from upheld.text.names import Names
from upheld.text.notation import in_notation_of
from upheld.text.sentences import join_around_code, join_blocks, join_sentences, sentences_of_block
from upheld.text.windows import pieces
from upheld.types import Claim, Document, Draft, Evidence, Hit, Passage, Question, Support, Verdict
from upheld.verification.alignment import align
from upheld.verification.chain import revision
from upheld.verification.checkworthy import is_reference, titles_of
from upheld.verification.exact_quote import find_quote, quotable
from upheld.verification.rules import ConsistencyRules
from upheld.verification.source import Part, Premise, Source
from upheld.verification.table_rows import is_row, other_rows, table_rows
from upheld.verification.verify import Verify
from upheld.verification.verify_answer import as_passages
from upheld_service.mcp.text import evidence_text

ROOT = Path(upheld.__file__).parent
ROOT_OF_SERVICE = Path(upheld_service.__file__).parent
MODULES = (
    "*.py",
    "_internal/child_process.py",
    "_internal/terminal.py",
    "answer/**/*.py",
    "assessment/**/*.py",
    "generation/**/*.py",
    "methods/by_diagnosis/**/*.py",
    "planning/**/*.py",
    "retrieval/**/*.py",
    "text/**/*.py",
    "verification/**/*.py",
    "ingest/**/*.py",
    "prompts/*.py",
    "cli/show.py",
    "edge/web/addresses.py",
    "edge/openai/reply.py",
    "edge/web/page_url.py",
    "edge/web/robots.py",
    "edge/web/searx.py",
)
MODULES_OF_SERVICE = (
    "http/field_limits.py",
    "http/error_bodies.py",
    "openai/*.py",
    "mcp/text.py",
)
# At the top of the package: settings, ports and the composition root, which pass text on.
NOT_ABOUT_TEXT = frozenset(
    re.findall(
        r"\w+",
        """__init__ __main__ client errors fusion ports settings sync_client types version""",
    )
)
_TEXT = re.compile(r"\b(?:str|bytes|Passage|ReadDocument)\b")
_NO_TEXT = re.compile(r"re\.(?:Match|Pattern)\[str\]|Mapping\[str, \w+\]|dict\[str, \w+\]")


@dataclass(frozen=True, slots=True)
class TextFunction:
    """A function with a parameter of text; `plain` if every parameter without default is `str`."""

    module: str
    name: str
    parameters: int
    plain: bool

    @property
    def public(self) -> bool:
        return not any(part.startswith("_") for part in self.name.split(".") if part != "__call__")

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"

    def call(self) -> Call | None:
        """How it is called, or None where that is not known."""
        if (known := CALLS.get(str(self))) is not None:
            return known
        if not self.plain or not self.public or str(self) in NO_TEXT_OF_USERS:
            return None
        function = getattr(importlib.import_module(self.module), self.name)
        return lambda text: function(*[text] * self.parameters)


def text_functions() -> list[TextFunction]:
    """Every function of the modules that handle text."""
    globs = {ROOT: MODULES, ROOT_OF_SERVICE: MODULES_OF_SERVICE}
    paths = sorted(
        {path for root, some in globs.items() for glob in some for path in root.glob(glob)}
    )
    handling = (p for p in paths if p.parent != ROOT or p.stem not in NOT_ABOUT_TEXT)
    return [each for path in handling for each in _of_module(path)]


def _of_module(path: Path) -> Iterator[TextFunction]:
    root = ROOT if path.is_relative_to(ROOT) else ROOT_OF_SERVICE
    parts = path.relative_to(root.parent).with_suffix("").parts
    module = ".".join(parts).removesuffix(".__init__")
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            yield from _of_function(module, node.name, node, is_method=False)
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    name = f"{node.name}.{inner.name}"
                    yield from _of_function(module, name, inner, is_method=True)


def _of_function(
    module: str, name: str, node: ast.FunctionDef, *, is_method: bool
) -> Iterator[TextFunction]:
    given = node.args
    positional = [*given.posonlyargs, *given.args]
    required = positional[: len(positional) - len(given.defaults)]
    every = [*positional, *given.kwonlyargs, *filter(None, [given.vararg])]
    told = [ast.unparse(each.annotation) if each.annotation else "" for each in every]
    if any(_TEXT.search(_NO_TEXT.sub("", each)) for each in told):
        bare = [ast.unparse(each.annotation) if each.annotation else "" for each in required]
        needs_key = None in given.kw_defaults
        plain = not is_method and not needs_key and bool(bare) and set(bare) == {"str"}
        yield TextFunction(module, name, len(bare), plain)


def passage(text: str) -> Passage:
    """A passage of this text."""
    return Passage("p", text, "p", "v", 0, len(text))


def read(text: str) -> ReadDocument:
    """A document of this text, with a heading and a page on every tenth line."""
    starts = [match.end() for match in re.finditer(r"\n", text)][::10]
    headings = tuple(Heading(start, 1 + at % 6, "h") for at, start in enumerate(starts))
    return ReadDocument(text, "t", (0, *starts), headings)


def spans(text: str) -> list[tuple[int, int]]:
    """About its sentences, at next to no cost."""
    return [match.span() for match in re.finditer(r"[^.\n]++[.\n]?+", text)]


def source(text: str) -> Source:
    """A source of this text."""
    return Source(passage(text))


def found(*texts: str) -> Evidence:
    """Search results with these texts."""
    return Evidence(tuple(Hit(passage(text), 1.0, "q") for text in texts))


def readable(function: Callable[[bytes, str], Any], text: str) -> Any:
    """What a reader gives; a text that it refuses is as good."""
    try:
        return function(text.encode(), "a.txt")
    except ReadError:
        return None


def token_counter() -> TokenCounter:
    """Counts with a small vocabulary of the kind that the embedder has."""
    vocabulary = {"[UNK]": 0, **{chr(code): code for code in range(33, 127)}}
    vocabulary |= {f"##{each}": len(vocabulary) + at for at, each in enumerate([*vocabulary])}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = BertNormalizer(), BertPreTokenizer()
    return TokenCounter(tokenizer, lambda part: len(tokenizer.encode(part).ids))


CHUNK, COUNT, COUNT_TOKENS = Chunker(), CharacterCounter(), token_counter()
ENGLISH = frozenset({"en"})
QUESTION = Question("When does it open?")
REMARK = Remark(Aspect.SUPPORT, 0.5, False)

CALLS: dict[str, Call] = {
    "upheld.text.sentences.join_blocks": lambda text: join_blocks(text, spans(text)),
    "upheld.text.sentences.join_sentences": lambda text: join_sentences(text, spans(text)),
    "upheld.text.sentences.join_around_code": lambda text: join_around_code(
        text,
        [[span] for span in spans(text)[:3_000]],  # a joined block is as long as that
    ),
    "upheld.edge.openai.reply.estimated": lambda text: estimated(1, [text]),
    "upheld.ingest.chunk.Chunker.__call__": lambda text: CHUNK(
        Document("d", "u", "t", text, "h", "p"), read(text)
    ),
    "upheld.ingest.chunk.places_of": lambda text: places_of(read(text), text),
    "upheld.ingest.chunk.whole_passage": lambda text: whole_passage(
        Document("d", "u", "t", text, "h", "p"), read(text)
    ),
    "upheld.ingest.count.CharacterCounter.__call__": COUNT,
    "upheld.ingest.count.TokenCounter.__call__": COUNT_TOKENS,
    "upheld.ingest.read.html.read_html": lambda text: readable(
        read_html, f"<html><body><p>An opening sentence.</p><p>{text}</p></body></html>"
    ),
    "upheld.ingest.read.markdown.read_markdown": lambda text: readable(read_markdown, text),
    "upheld.ingest.read.selectors.closing": lambda text: closing(text, 0),
    "upheld.ingest.read.text.decode": lambda text: readable(decode, text),
    "upheld.ingest.read.text.read_text": lambda text: readable(read_text, text),
    "upheld.text.marks.indexed_in": lambda text: indexed_in(text, [indexed_words(text)]),
    "upheld.text.marks.without_marks": lambda text: without_marks(text, indexed_words(text)),
    "upheld.text.patterns.found": lambda text: patterns.found(re.compile(r"\w+"), text),
    "upheld.text.patterns.matches": lambda text: list(patterns.matches(re.compile(r"\w+"), text)),
    "upheld.text.patterns.normalized": lambda text: patterns.normalized("NFKD", text),
    "upheld.text.patterns.replaced": lambda text: patterns.replaced(
        re.compile(r"\w"), text, str.upper
    ),
    "upheld.text.patterns.search": lambda text: patterns.search(re.compile("\x01"), text),
    "upheld.text.sentences.sentences_of_block": lambda text: sentences_of_block(text, 0, len(text)),
    "upheld_service.mcp.text.evidence_text": lambda text: evidence_text(found(text), ()),
    "upheld.assessment.assess.assess": lambda text: assess(
        Draft(Question(text[:4_000]), (Claim(text, verdict=Verdict(Support.SUPPORTED)),))
    ),
    "upheld.retrieval.bridge.names": lambda text: bridge_names(
        passage(text), replace(passage("a"), title=text[:150])
    ),
    "upheld.text.instructions.as_evidence": lambda text: as_evidence(passage(text)),
    "upheld.text.instructions.blanked": lambda text: blanked(text, [(0, len(text))]),
    "upheld.verification.checkworthy.is_reference": lambda text: is_reference(text, ()),
    "upheld.verification.checkworthy.titles_of": lambda text: titles_of([passage(text)]),
    "upheld.text.assertion.carries": lambda text: [carries(text, each) for each in Assertion],
    "upheld.text.assertion.unasserted": lambda text: unasserted(text, spans(text)),
    "upheld.text.figures.absent": lambda text: figures.absent(text, frozenset({"7"})),
    "upheld.verification.rules.ConsistencyRules.__call__": lambda text: ConsistencyRules()(
        text, Premise(text, (Part(source(text), ()),))
    ),
    "upheld.text.languages.is_foreign": lambda text: is_foreign(text, ENGLISH),
    "upheld.text.names.Names.of": lambda text: names.absent("Ada Byron", Names.of(text)),
    "upheld.text.names.absent": lambda text: names.absent(text, Names.of(text.lower())),
    "upheld.text.notation.in_notation_of": lambda text: in_notation_of(text, text[:4_000]),
    "upheld.verification.exact_quote.find_quote": lambda text: find_quote(
        text[:50_000] + " q", quotable(passage(text))
    ),
    "upheld.verification.exact_quote.quotable": lambda text: quotable(passage(text)),
    "upheld.text.languages.foreign_share": lambda text: foreign_share(text, ENGLISH),
    "upheld.verification.source.Source.closest": lambda text: source(text).closest(text[:4_000]),
    "upheld.verification.table_rows.is_row": lambda text: is_row(text, len(text)),
    "upheld.verification.table_rows.table_rows": lambda text: table_rows(text, spans(text)),
    "upheld.verification.table_rows.other_rows": lambda text: other_rows(
        text[:4_000], table_rows(text, spans(text))
    ),
    "upheld.verification.alignment.align": lambda text: align(text[:4_000], [source(text)]),
    "upheld.verification.source.Source.contradicting": lambda text: source(text).contradicting(
        text[:4_000]
    ),
    "upheld.verification.source.Source.focused": lambda text: source(text).focused(
        text[:4_000], 100, len
    ),
    "upheld.verification.source.Source.gathered": lambda text: source(text).gathered(
        text[:4_000], 400, COUNT
    ),
    "upheld.verification.source.Source.terms_of": lambda text: source(text).terms_of(text),
    "upheld.text.windows.pieces": lambda text: pieces(text, spans(text), 100, COUNT),
    "upheld.generation.write.cite": lambda text: cite("It opens at nine.", passage(text)),
    "upheld.assessment.assess.parts_of": lambda text: parts_of(text[:4_000]),  # of a question
    "upheld.assessment.assess.unspoken": lambda text: unspoken(parts_of(text[:4_000]), [text]),
    "upheld.methods.by_diagnosis.conflict_detector.new_entities": lambda text: new_entities(
        text, text[:4_000]
    ),
    "upheld.methods.by_diagnosis.conflict_detector.disagrees": lambda text: disagrees(
        text[:4_000], text[4_000:8_000], text[:4_000]
    ),
    "upheld.assessment.feedback.worded": lambda text: worded(REMARK, text),
    "upheld.planning.plan.session_of": lambda text: session_of(QUESTION, text.split("\n"), {}),
    "upheld.generation.candidates.sentences_of": lambda text: sentences_of([passage(text)]),
    "upheld.generation.candidates.shared_words": lambda text: shared_words(
        text[:4_000], sentences_of([passage(text)])
    ),
    "upheld.text.answer_kinds.has_kind": lambda text: [has_kind(text, kind) for kind in AnswerKind],
    "upheld.retrieval.rewrite.keyword_query": lambda text: keyword_query(text.split("\n")),
    "upheld.verification.chain.revision": lambda text: revision(text, QUESTION),
    "upheld.verification.verify.Verify.prepare": lambda text: Verify(model=None).prepare(
        [passage(text)]
    ),
    "upheld.verification.verify_answer.as_passages": lambda text: as_passages([text]),
    "upheld.generation.write.complete_claims": lambda text: complete_claims(
        '{"claims": [{"sources": [1], "text": ' + json.dumps(text) + "}, " + text
    ),
    "upheld.generation.write.cited": lambda text: cited(
        Claims(claims=[WrittenClaim(sources=[1], text=text[:4_000])]), [passage(text)]
    ),
    "upheld.prompts.prompt.numbered": lambda text: numbered([passage(text)]),
}
_CHILD = "a file is parsed in a child process that is killed at a limit; its text goes through here"
_LABELS = "takes ids, labels or terms, not text"
NO_TEXT_OF_USERS = {
    "upheld.bulk.attempt": "calls a stage, whose text work is done by functions here",
    "upheld.check_batch.check_batch": "reads a file and calls the check, which is here",
    "upheld.cli.show.show_summary": "prints labels of what went amiss",
    "upheld.ingest.changes.compare": "takes names and hashes of files",
    "upheld.ingest.document.read_document": "calls a reader",
    "upheld.ingest.document.with_vectors": "passes documents on",
    "upheld.ingest.given.PageReader.__call__": "calls a reader and the chunker",
    "upheld.ingest.read.office.read_docx": _CHILD,
    "upheld.ingest.read.office.read_epub": _CHILD,
    "upheld.ingest.read.office.read_pptx": _CHILD,
    "upheld.ingest.read.pdf.read_pdf": _CHILD,
    "upheld.ingest.read.pdf.open_pdf": _CHILD,
    "upheld.ingest.read.pdf.page_text": _CHILD,
    "upheld.ingest.read.pdf_positions.locate": _CHILD,
    "upheld.ingest.read.pdf_positions.render_page": _CHILD,
    "upheld.ingest.read.pdf_tables.find_tables": _CHILD,
    "upheld.ingest.read.read": "calls the reader of a suffix, each of which is here",
    "upheld.ingest.read.spreadsheet.read_xlsx": _CHILD,
    "upheld._internal.child_process.ChildProcess.exchange": "hands bytes to a child process",
    "upheld.ingest.child.or_problem": "calls a reader, each of which is here",
    "upheld.ingest.worker.LimitedWorker.exchange": "hands bytes to the child process",
    "upheld.ingest.worker.PageWorker.locate": "hands bytes to the child process",
    "upheld.ingest.worker.PageWorker.render": "hands bytes to the child process",
    "upheld.ingest.worker.ReadWorker.__call__": "hands bytes to the child process",
    "upheld.prompts.prompt.load": "takes the name of a file of the package",
    "upheld.prompts.prompt.parse": "takes a file of the package",
    "upheld_service.openai.reply.completion": "joins the sentences of an answer that was checked",
    "upheld_service.openai.request.split": "a name whose length and form are checked before",
    "upheld.verification.decide.Decide.__call__": "weighs scores",
    "upheld.verification.decide.fitted": "takes a file of the package",
    "upheld.text.word_search.WordIndex.bm25": _LABELS,
    "upheld.text.word_search.WordIndex.of": _LABELS,
    "upheld.text.word_search.WordIndex.shared": _LABELS,
    "upheld.verification.check_claim.Hypothesis.__call__": "looks at the first 10,000 characters",
    "upheld.planning.plan.unplanned": "takes the reason of a failure",
    "upheld.answer.verdicts.stated_guarantee": "takes labels of what went amiss",
    "upheld.answer.render.numbered": _LABELS,
    "upheld.answer.render.render": "joins claims; its parameters of text are names",
    "upheld.verification.verify.Verify.deadline": "adds up lengths",
    "upheld.check.verify": "runs the event loop; what it does to text is here",
    "upheld.text.words.rarities": _LABELS,
    "upheld.generation.sentence_features.sentence_features": "calls functions that are here",
}
