"""The guarantee in `ask`: from labels to a promise, for the pipeline that was labelled only."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.messages import only_says
from tests.unit.fake_kb import QUESTION, WRITTEN, kb
from upheld.answer.render import NOTHING_UPHELD
from upheld.ask_options import AskOptions
from upheld.calibration.fitted import FittedGuarantee, fitted_on, read_guarantee, write_guarantee
from upheld.calibration.labelled import LabelledClaim, append_label
from upheld.cli import calibrate, show
from upheld.cli.label import label_claims
from upheld.errors import CalibrationError, LLMUnavailableError
from upheld.ports import Judgement
from upheld.types import Answer, Cause, Status, Support
from upheld_lab.testing.fake_embedder import FakeEmbedder
from upheld_lab.testing.fake_entailment import FakeEntailment
from upheld_lab.testing.fake_llm import Line

SURE = Judgement(0.9, 0.04, 0.06)
PROMISE = "Of the claims shown as supported, at most 10% are not, with confidence 90% (fitted on"


async def asked(
    tmp_path: Path,
    guarantee: Path | None = None,
    *,
    says: Line = WRITTEN,
    embedder: FakeEmbedder | None = None,
    keep_supported: bool = False,
    calibrated: bool = True,
    passages: int | None = None,
) -> Answer:
    async with await kb(
        tmp_path,
        [says],
        entailment=FakeEntailment(always=SURE),
        embedder=embedder,
        guarantee=guarantee,
        passages=passages,
    ) as opened:
        return await opened.ask(
            QUESTION, keep_supported=keep_supported, options=AskOptions(calibrated=calibrated)
        )


@pytest.fixture
async def pipeline(tmp_path: Path) -> str:
    return (await asked(tmp_path)).pipeline


def fitted(folder: Path, pipeline: str, threshold: float) -> Path:
    path = folder / "guarantee.json"
    on = fitted_on(Path(__file__), 100)
    write_guarantee(
        path,
        FittedGuarantee(alpha=0.1, delta=0.1, threshold=threshold, pipeline=pipeline, fitted_on=on),
    )
    return path


async def test_label_calibrate_ask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = await asked(tmp_path)
    assert answer.guarantee is None
    made: list[LabelledClaim] = []
    label_claims(
        [QUESTION], ask=lambda _: answer, read=lambda _: "y", record=made.append, who="ann"
    )
    labels = tmp_path / "labels.jsonl"
    for number in range(120):  # as many questions, all answered alike
        append_label(labels, made[0].model_copy(update={"question": f"{QUESTION} {number}"}))
    out = tmp_path / "guarantee.json"
    assert CliRunner().invoke(calibrate.app, [str(labels), "--out", str(out)]).exit_code == 0

    promised = await asked(tmp_path, out)
    assert promised.guarantee is not None
    assert promised.guarantee.threshold == pytest.approx(0.9)
    assert promised.claims[0].verdict.support is Support.SUPPORTED
    assert promised.degraded == ()
    capsys.readouterr()
    show.show_answer(promised)
    told = " ".join(capsys.readouterr().out.split())
    assert f"{PROMISE} 120 labels of labels.jsonl" in told
    assert "one claim drawn from each answer" in told  # no more than was certified


async def test_a_claim_below_the_threshold_is_not_shown_as_supported(
    tmp_path: Path, pipeline: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = await asked(tmp_path, fitted(tmp_path, pipeline, 0.95))
    [claim] = answer.claims
    assert (claim.verdict.support, claim.verdict.cause) == (
        Support.UNSUPPORTED,
        Cause.BELOW_GUARANTEE,
    )
    assert claim.verdict.probability == pytest.approx(0.9)
    assert "below the calibrated threshold" in claim.verdict.reason
    cited = (*claim.citations, *claim.verdict.evidence_for)
    assert {each.support for each in cited} == {Support.UNSUPPORTED}
    assert answer.guarantee is not None
    show.show_answer(answer)
    assert "Of the claims" not in capsys.readouterr().out  # none is shown as supported


async def test_keep_supported_comes_after_the_guarantee(tmp_path: Path, pipeline: str) -> None:
    answer = await asked(tmp_path, fitted(tmp_path, pipeline, 0.95), keep_supported=True)
    assert (answer.status, answer.text) == (Status.ABSTAINED, NOTHING_UPHELD)
    assert only_says(answer.degraded, "keep_supported", "1 unsupported")
    # What keep_supported leaves out is no other pipeline.
    assert answer.guarantee is not None


async def test_another_pipeline_gets_no_promise_and_is_told(tmp_path: Path, pipeline: str) -> None:
    file = fitted(tmp_path, pipeline, 0.95)
    answer = await asked(tmp_path, file, passages=3)
    assert answer.guarantee is None
    assert answer.claims[0].verdict.support is Support.SUPPORTED
    assert only_says(answer.degraded, "no guarantee", "another pipeline")


async def test_a_guarantee_that_is_given_stands_before_that_of_the_settings(
    tmp_path: Path, pipeline: str
) -> None:
    given = read_guarantee(fitted(tmp_path, pipeline, 0.95))
    lax = fitted(tmp_path, pipeline, 0.5)
    sure = FakeEntailment(always=SURE)
    async with await kb(tmp_path, [WRITTEN, WRITTEN], entailment=sure, guarantee=lax) as opened:
        answer = await opened.ask(QUESTION, options=AskOptions(guarantee=given))
        assert answer.guarantee is not None
        assert answer.guarantee.threshold == 0.95
        assert answer.claims[0].verdict.cause is Cause.BELOW_GUARANTEE
        bare = await opened.ask(QUESTION, options=AskOptions(guarantee=given, calibrated=False))
        assert bare.guarantee is None
        assert bare.claims[0].verdict.support is Support.SUPPORTED


async def test_a_degraded_answer_is_held_to_the_threshold_but_not_promised(
    tmp_path: Path, pipeline: str
) -> None:
    file = fitted(tmp_path, pipeline, 0.95)
    by_words = await asked(tmp_path, file, embedder=FakeEmbedder(fail=True))
    assert by_words.pipeline == pipeline
    assert by_words.guarantee is None
    assert by_words.claims[0].verdict.cause is Cause.BELOW_GUARANTEE
    quoted = await asked(tmp_path, file, says=LLMUnavailableError("down"))
    assert quoted.guarantee is None
    assert quoted.claims[0].verdict.cause is Cause.QUOTED  # a quote is as sure as can be


async def test_labels_are_given_to_bare_scores(tmp_path: Path, pipeline: str) -> None:
    answer = await asked(tmp_path, fitted(tmp_path, pipeline, 0.95), calibrated=False)
    assert answer.claims[0].verdict.support is Support.SUPPORTED
    assert (answer.guarantee, answer.degraded) == (None, ())


@pytest.mark.parametrize("content", [None, "{}"])
async def test_a_file_that_cannot_be_used_is_an_error_before_any_work(
    tmp_path: Path, content: str | None
) -> None:
    file = tmp_path / "guarantee.json"
    if content is not None:
        file.write_text(content)
    model = FakeEntailment()
    async with await kb(tmp_path, [WRITTEN], entailment=model, guarantee=file) as opened:
        events: list[object] = []
        with pytest.raises(CalibrationError, match=r"guarantee\.json"):
            await opened.ask(QUESTION, options=AskOptions(listener=events.append))
    assert events == []


async def test_the_pipeline_is_named_by_method_setup_and_verifier(tmp_path: Path) -> None:
    async with await kb(tmp_path) as opened:
        without = await opened.ask(QUESTION)
    assert without.pipeline == f"rag | {opened.settings.setup} | fake-grader | quotes only"
    async with await kb(tmp_path, entailment=FakeEntailment()) as opened:
        quoted = await opened.ask(QUESTION)
    # An answer of quotes alone is of the pipeline whose model would have judged the rest.
    assert quoted.claims[0].verdict.checked_by == "quote"
    told = f"rag | {opened.settings.setup} | fake-grader | fake-entailment, fit "
    assert quoted.pipeline.startswith(told)
