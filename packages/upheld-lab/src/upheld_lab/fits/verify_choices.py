"""What the parts of the verify stage gain and lose, on dev files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from upheld.check import opened_verify
from upheld.errors import ModelError
from upheld.ports import Entailment
from upheld.settings import load_settings
from upheld.verification.aggregate import Aggregate
from upheld.verification.decide import Decide
from upheld.verification.rules import ConsistencyRules
from upheld.verification.verify import Verify
from upheld_lab.bench.judgements import KeptJudgements
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.report import Report, Row, Watch
from upheld_lab.bench.verify.figures import auc
from upheld_lab.bench.verify.fit import fit
from upheld_lab.bench.verify.read import Seen, see
from upheld_lab.bench.verify.run import Choice
from upheld_lab.bench.verify.sets import load, need_pack

AS_IT_IS, NO_RULES, NO_VOICE = "as it is", "no rules", "rules on figures and names only"
SETS = ("wice_dev", "expertqa_dev", "begin_dev_wow", "begin_dev_tc", "begin_dev_cmu", "snli_dev")


async def choices_of_shipped(choice: Choice, watch: Watch) -> Report:
    """What the parts of the stage do for the shipped verifier."""
    need_pack(choice.data)
    async with opened_verify(load_settings()) as verify:
        if verify.model is None:
            raise ModelError(verify.no_model)
        return await bench_choices(verify, verify.model, choice, watch)


async def bench_choices(verify: Verify, model: Entailment, choice: Choice, watch: Watch) -> Report:
    """Every variant on the same cases, each with a pooling of its own, fitted in sample."""
    assert verify.model is not None  # a bench without weights has nothing to measure
    kept = KeptJudgements(verify.model, choice.cache / "judgements.sqlite")
    rows: list[Row] = []
    found: dict[str, dict[str, list[Seen]]] = {}
    for name, stage in _variants(replace(verify, model=kept)).items():
        seen = {
            each: await see(
                stage, load(each, choice.data)[: choice.limit], watch, f"{name}: {each}"
            )
            for each in SETS
        }
        found[name] = seen
        rows.append({"variant": name, **_aucs(seen, fit(seen))})
    plain, free = found[AS_IT_IS], found[NO_RULES]
    rows.append(
        {"variant": "as it is, best window only", **_aucs(plain, Decide(aggregate=Aggregate()))}
    )
    rows += [_rules_row(name, plain[name], free[name], verify.decide) for name in SETS]
    for name in SETS:
        told = f"{name}, its part on what a source denies"
        rows.append(_rules_row(told, plain[name], found[NO_VOICE][name], verify.decide))
    return Report("verify choices", {}, tuple(rows), manifest(verifier=model.identity))


def _variants(verify: Verify) -> dict[str, Verify]:
    return {
        AS_IT_IS: verify,
        NO_RULES: replace(
            verify,
            rules=ConsistencyRules(check_figures=False, check_names=False, check_voice=False),
        ),
        NO_VOICE: replace(verify, rules=ConsistencyRules(check_voice=False)),
        "rules on figures only": replace(
            verify, rules=ConsistencyRules(check_names=False, check_voice=False)
        ),
        "claim carries the question": replace(verify, carry_question=True),
        "claim carries the sentence before": replace(verify, carry_previous=True),
        "windows of 100 tokens": replace(verify, window_tokens=100),
        "windows of 220 tokens": replace(verify, window_tokens=220),
        "all windows of a source": replace(verify, most_pairs=verify.max_windows),
        "windows found by words alone": replace(verify, embedder=None),
    }


def _aucs(seen: dict[str, list[Seen]], decide: Decide) -> Row:
    found: Row = {
        name: auc([one.probability(decide) for one in some], [one.supported for one in some])
        for name, some in seen.items()
    }
    return {**found, "mean": sum(found.values()) / len(found)}


def _rules_row(name: str, seen: Sequence[Seen], free: Sequence[Seen], decide: Decide) -> Row:
    """Of what would be called supported without it: the wrong that it stops, and the right."""
    above = decide.supported_above
    passed = [
        (one.probability(decide) < above, one.supported)
        for one, other in zip(seen, free, strict=True)
        if other.probability(decide) >= above
    ]
    return {
        "rules on": name,
        "called supported without it": len(passed),
        "wrong among them": sum(not right for _, right in passed),
        "wrong that it stops": sum(stopped and not right for stopped, right in passed),
        "right that it stops": sum(stopped and right for stopped, right in passed),
    }
