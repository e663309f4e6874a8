"""What `--methods` says: methods by name, each with what is changed of it.

rag,rag+gate,rag:search=bm25+rerank=false,fave:sessions=2,a2r:preset=paper

`rag+gate` is `rag:relevance_gate=true`: the method marks and abstains as `upheld` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from upheld._internal.deprecated import PARAMETERS
from upheld.errors import UsageError
from upheld.methods.registry import parameters
from upheld_lab.bench.runs.records import GATE, Variant

PRESET = "preset"  # stands among the changes, but names values instead of being one

_DISAGREE = {"conflict", "poison"}  # suites of sources that disagree


def parse_variants(text: str) -> tuple[Variant, ...]:
    """The variants in the order given; an unknown name or value is refused before anything runs."""
    variants = tuple(_variant(word.strip()) for word in text.split(",") if word.strip())
    if not variants:
        raise UsageError("No method is named.", help="As in --methods rag,crag,upheld.")
    names = [variant.name for variant in variants]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"Named twice: {', '.join(twice)}.")
    return variants


def for_suite(variants: Sequence[Variant], suite: str) -> tuple[Variant, ...]:
    """The variants as a suite asks them: where sources disagree by design, `upheld` looks for that.

    A variant that says `detect_conflicts=false` keeps it.
    """
    if not _DISAGREE & set(suite.split("+")):
        return tuple(variants)
    looking = [
        replace(each, changes={**each.changes, "detect_conflicts": "true"})
        if each.method == "upheld" and "detect_conflicts" not in each.changes
        else each
        for each in variants
    ]
    given = {each.name for each in variants}
    return tuple(
        before if after.name in given else after
        for before, after in zip(variants, looking, strict=True)
    )


def told(variant: Variant) -> tuple[str | None, Mapping[str, str]]:
    """The preset and the parameters of a variant, as `ask` takes them."""
    values = dict(variant.changes)
    return values.pop(PRESET, None), values


def _variant(word: str) -> Variant:
    method, colon, rest = word.partition(":")
    method, plus, gate = (part.strip() for part in method.partition("+"))
    if plus and gate != "gate":
        raise UsageError(
            f"'{word}' cannot be read at '+{gate}'.",
            help="A method behind the relevance gate is written rag+gate; changes follow a colon.",
        )
    changes = dict([GATE]) if plus else {}
    for change in rest.split("+") if colon else ():
        name, equals, value = (part.strip() for part in change.partition("="))
        if not (name and equals and value) or name in changes:
            raise UsageError(
                f"'{word}' cannot be read at '{change}'.",
                help="Changes are given once each, as in rag:search=bm25+rerank=false.",
            )
        changes[PARAMETERS.get(name, name)] = value
    preset, given = told(Variant(method, changes))
    chosen = parameters(method, given, preset=preset)
    if GATE[0] in changes and chosen.relevance_gate:  # however it was written
        changes.update([GATE])
    return Variant(method, changes)
