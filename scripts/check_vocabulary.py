"""Count names of the old vocabulary, and public names without a docstring; both must be zero.

python scripts/check_vocabulary.py

Old names are looked for among identifiers, module names and short string constants (keys, stages,
flags) of the source. `tests/unit/test_vocabulary.py` runs this, and looks through the OpenAPI
document and the command line's help as well.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = (ROOT / "src", *sorted(ROOT.glob("packages/*/src")))

# Words that no name may have in it; the field's word for each is in docs/glossary.md.
WORDS = [
    "bearing",
    "nearness",
    "chance",
    "on_point",
    "rivals",
    "brings",
    "differs",
    "last_look",
    "standing",
    "leftover",
    "settle",
    "as_they_come",
    "resting_on",
    "anew",
    "weighed",
    "likely",
    "mend",
    "withdrawn",
    "promise",
    "promised",
    "sure_enough",
    "if_affordable",
    "only_upheld",
    "disowned",
    "manner",
    "objection",
    "trouble",
    "pace",
    "conclude",
    "wider",
    "own_loop",
    "under_way",
    "gift",
    "kit",
]
# Names that mean something else today: wrong as the name of a class, and of a module.
CLASSES = [
    "OnPoint",
    "Rivals",
    "LastLook",
    "Leftover",
    "QuoteLikely",
    "Manner",
    "Guard",
    "Objection",
    "Trouble",
    "Pace",
    "Conclude",
    "Reading",
    "Word",
    "Pool",
    "Relevance",
    "Parts",
    "Kit",
    "Gift",
    "UnderWay",
    "Ending",
    "Door",
    "Caller",
]
MODULES = [
    "kept",
    "plain",
    "own_loop",
    "outside",
    "assemble",
    "compose",
    "giving",
    "callers",
    "leaving",
    "opened",
    "asking",
    "repeats",
    "knowledge",
    "work",
    "verifying",
    "guard",
]
# Strings that are keys of our own in JSON, or flags, wherever they stand.
KEYS = ("strict",)

# Where an old name stays: aliases of 0.1 until 0.3, words of others, and keys under `bars`.
ALLOWED = {
    "src/upheld/_internal/deprecated.py": {"bearing", "on_point", "rivals", "strict", "wider"},
    "src/upheld/types/answer.py": {"bearing"},  # read from a claim, with a warning
    "src/upheld/client.py": {"strict"},  # argument of `ask`
    "src/upheld/cli/ask.py": {"strict", "--strict"},  # a hidden flag
    "src/upheld/verification/decide.py": {"pool"},  # fit.json of weights 0.1
    "src/upheld/verification/llm_judge.py": {"Word"},  # in a schema that the model is sent
    "src/upheld/ingest/read/pdf_tables.py": {"Word"},  # a word of a page
    "src/upheld/edge/openai/llm.py": {"strict"},  # OpenAI's own key
    "packages/upheld-service/src/upheld_service/routes/session.py": {
        "strict"
    },  # an attribute of cookies
    "packages/upheld-lab/src/upheld_lab/fits/relevance.py": {"nearness"},  # a key under `bars`
    "packages/upheld-lab/src/upheld_lab/training/verifier/spoil.py": {"likely"},  # a word to edit
    "packages/upheld-lab/src/upheld_lab/bench/page/columns.py": {"strict"},  # part of such keys
}
_ANY = re.compile(rf"(?:^|_)(?:{'|'.join(WORDS)})s?(?:_|$)")
_KEY = re.compile(r"-{0,2}[a-z][a-z0-9_.-]*")


Named = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | Named


def snake(name: str) -> str:
    """`OnPoint` and `--on-point` as `on_point`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).strip("-").replace("-", "_").lower()


def is_old(name: str) -> bool:
    """Whether a name has an old word in it."""
    return bool(_ANY.search(snake(name)))


def names_of(tree: ast.AST) -> Iterator[tuple[int, str, bool]]:
    """Every name that a module gives, with its line, and whether it is old."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef():
                yield node.lineno, node.name, is_old(node.name) or node.name in CLASSES
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.lineno, node.name, is_old(node.name)
            case ast.arg():
                yield node.lineno, node.arg, is_old(node.arg)
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id, is_old(node.id)
            case ast.Attribute(ctx=ast.Store()):
                yield node.lineno, node.attr, is_old(node.attr)
            case ast.keyword(arg=str(name)):
                yield node.value.lineno, name, is_old(name)
            case ast.Constant(value=str(text)) if _KEY.fullmatch(text):
                yield node.lineno, text, is_old(text) or snake(text) in KEYS


def old_names(sources: Iterable[Path] = SOURCES) -> list[str]:
    """Where the source still has an old name: `path:line name`."""
    found = []
    for file in sorted(file for source in sources for file in source.rglob("*.py")):
        path = file.relative_to(ROOT).as_posix()
        allowed = ALLOWED.get(path, set())
        if file.stem in MODULES or is_old(file.stem):
            found.append(f"{path} {file.stem}")
        tree = ast.parse(file.read_text(encoding="utf-8"))
        found += [
            f"{path}:{line} {name}"
            for line, name, old in names_of(tree)
            if old and name not in allowed
        ]
    return found


def docstrings(sources: Iterable[Path] = SOURCES) -> tuple[int, list[str]]:
    """How many modules, classes and functions have a docstring, and which public ones have none.

    Public are names of `upheld.__all__`, and the public methods of the classes among them.
    """
    ours = _exported()
    have, missing = 0, []
    for file in sorted(file for source in sources for file in source.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        have += sum(1 for node in _documented(tree) if ast.get_docstring(node))
        path = file.relative_to(ROOT).as_posix()
        for node in tree.body:
            if isinstance(node, Named) and node.name in ours:
                missing += [
                    f"{path}:{each.lineno} {each.name}"
                    for each in (node, *_public_methods(node))
                    if not ast.get_docstring(each)
                ]
    return have, missing


def _documented(tree: ast.Module) -> list[Documented]:
    return [node for node in ast.walk(tree) if isinstance(node, Documented)]


def _exported() -> set[str]:
    tree = ast.parse((ROOT / "src/upheld/__init__.py").read_text(encoding="utf-8"))
    (names,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    return set(ast.literal_eval(names))


def _public_methods(node: ast.AST) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [
        each
        for each in ast.iter_child_nodes(node)
        if isinstance(node, ast.ClassDef)
        and isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
        and not each.name.startswith("_")
        and "overload" not in map(ast.unparse, each.decorator_list)
    ]


def docstring_share(sources: Iterable[Path] = SOURCES) -> float:
    """The share of lines that are docstrings."""
    lines = written = 0
    for file in (file for source in sources for file in source.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        lines += text.count("\n")
        for node in _documented(ast.parse(text)):
            if ast.get_docstring(node):
                first = node.body[0]
                written += (first.end_lineno or first.lineno) - first.lineno + 1
    return written / lines


def main() -> int:
    """Print what was found; the exit code is 1 if anything must be repaired."""
    old, (have, missing) = old_names(), docstrings()
    for line in (*old, *missing):
        print(line)
    print(f"{len(old)} old names, {len(missing)} public names without a docstring")
    print(f"{have} docstrings, {docstring_share():.1%} of all lines")
    return int(bool(old or missing))


if __name__ == "__main__":
    sys.exit(main())
