"""`upheld bench verify`: quality, guarantee and speed of the installed weights in one report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from upheld.edge.call_cache import CachedLLM
from upheld.errors import MissingExtraError, ModelError
from upheld.ports import Entailment
from upheld.resources.open import open_embedder, open_llm, open_verify
from upheld.settings import load_settings
from upheld.verification.verify import Verify
from upheld_lab.bench.judgements import KeptJudgements
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.report import Report, Watch
from upheld_lab.bench.vectors import VectorCache
from upheld_lab.bench.verify.baselines import judge_row
from upheld_lab.bench.verify.guarantee import guarantee
from upheld_lab.bench.verify.quality import quality
from upheld_lab.bench.verify.rag_answers import (
    TEST_ANSWERS,
    TRAIN_ANSWERS,
    SeenAnswers,
    rag_rows,
    see_answers,
)
from upheld_lab.bench.verify.run import Choice, measure_sets
from upheld_lab.bench.verify.scorer import scorer_rows
from upheld_lab.bench.verify.sets import SEVEN, need_pack
from upheld_lab.bench.verify.speed import measure


async def bench_shipped(
    choice: Choice, llm_url: str | None, llm_model: str | None, scorer: Path | None, watch: Watch
) -> Report:
    """Everything that is guaranteed of the shipped verifier."""
    need_pack(choice.data)
    settings = load_settings(llm_url=llm_url, llm_model=llm_model)
    verify, embedder, llm = open_verify(settings), open_embedder(settings), open_llm(settings)
    if embedder is None:
        raise MissingExtraError("The bench of the verifier", "local")
    if verify.model is None:
        raise ModelError(verify.no_model)
    from upheld_verifier import verifier_model, verifier_tokenizer

    model, above = verify.model, verify.decide.supported_above
    verify = replace(verify, embedder=embedder)
    files = verifier_model(), verifier_tokenizer()
    try:
        speed = await measure(verify, *files, watch) if choice.speed else None
        sets = await measure_sets(verify, model, choice, watch)
        seven = {name: sets[name] for name in SEVEN}
        bars, rows = await quality(sets, verify.decide, VectorCache(embedder, choice.cache))
        # Promises are about answers like these, not about seven sets of seven kinds.
        train, test = await _rag_answers(verify, model, choice, watch)
        rag_bars, rag = rag_rows(train, test, verify.decide)
        guaranteed, guarantee_rows = guarantee(seven, test.measured(verify.decide), above)
        bars |= rag_bars
        rows += [*rag, *guarantee_rows]
        if scorer is not None:
            rows += await scorer_rows(scorer, verify, seven, choice, watch)
        if llm is not None:
            # A run that was cut goes on where it was: forty slow calls a set are worth keeping.
            llm = CachedLLM(llm, choice.cache / "calls", tenant="bench")
            for name, found in seven.items():
                rows.append(await judge_row(name, found, above, llm, choice, watch))
    finally:
        for part in (model, embedder, llm):
            if part is not None:
                await part.close()
    facts = manifest(
        verifier=model.identity,
        embedder=embedder.identity,
        judge=llm.identity if llm else None,
        supported_above=above,
        speed=speed.manifest["sizes"] if speed else None,
    )
    bars |= guaranteed
    if speed is not None:
        bars |= speed.bars
        rows += speed.rows
    return Report("verify", bars, tuple(rows), facts)


async def _rag_answers(
    verify: Verify, model: Entailment, choice: Choice, watch: Watch
) -> tuple[SeenAnswers, SeenAnswers]:
    """Answers of both sides; with a limit of cases, as many answers at most."""
    kept = KeptJudgements(model, choice.cache / "judgements.sqlite")
    stage = replace(verify, model=kept)
    most = choice.limit or TEST_ANSWERS
    return (
        await see_answers(stage, choice.data, "train", min(most, TRAIN_ANSWERS), watch),
        await see_answers(stage, choice.data, "test", min(most, TEST_ANSWERS), watch),
    )
