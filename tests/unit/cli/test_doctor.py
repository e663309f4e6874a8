"""`upheld doctor` on a verifier that runs, that is broken, and that is switched off."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from pathlib import Path

import pytest

import upheld_models
import upheld_verifier
from upheld.cli.doctor import Check, examine
from upheld.prompts import load
from upheld.settings import load_settings

TINY = Path(__file__).parent.parent.parent / "data" / "tiny_entailment.onnx"


def examined(tmp_path: Path, **settings: object) -> dict[str, Check]:
    checks = asyncio.run(examine(load_settings(kb=str(tmp_path / "kb"), **settings)))
    return {check.part: check for check in checks}


def verifier(tmp_path: Path, **settings: object) -> Check:
    return examined(tmp_path, **settings)["verifier"]


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model that knows nothing, where the shipped one would be."""
    put(tmp_path, TINY.read_bytes())
    monkeypatch.setattr(upheld_verifier, "verifier_model", lambda: tmp_path / "model.onnx")
    monkeypatch.setattr(upheld_verifier, "verifier_tokenizer", upheld_models.embedder_tokenizer)
    monkeypatch.setattr(upheld_verifier, "verifier_fit", lambda: tmp_path / "fit.json")
    return tmp_path / "model.onnx"


def put(folder: Path, weights: bytes) -> None:
    """Weights, and a fit that belongs to them."""
    (folder / "model.onnx").write_bytes(weights)
    identity = f"upheld-verifier-int8:{hashlib.sha256(weights).hexdigest()[:12]}"
    fit = {"verifier": identity, "aggregate": {}, "supported_above": 0.5, "fitted_on": {}}
    (folder / "fit.json").write_text(json.dumps(fit))


def test_a_verifier_that_runs_is_named(weights: Path, tmp_path: Path) -> None:
    check = verifier(tmp_path)
    assert check.ok, check
    assert check.seen.startswith("upheld-verifier-int8:")
    assert check.seen.endswith(" MB")


def test_weights_that_are_no_model_are_seen_by_running_them(weights: Path, tmp_path: Path) -> None:
    put(weights.parent, b"not a model")
    check = verifier(tmp_path)
    assert (check.ok, check.needed) == (False, True)
    assert "the verifier failed" in check.seen
    assert "upheld-verifier" in check.help


def test_a_fit_of_other_weights_is_refused(weights: Path, tmp_path: Path) -> None:
    weights.write_bytes(weights.read_bytes() + b" ")
    check = verifier(tmp_path)
    assert not check.ok
    assert "the fit belongs to" in check.seen


def test_weights_that_are_gone_say_what_is_left_and_what_to_do(
    weights: Path, tmp_path: Path
) -> None:
    weights.unlink()
    check = verifier(tmp_path)
    assert not check.ok
    assert "cannot be opened" in check.seen
    assert "only exact quotes are supported" in check.seen
    assert "upheld-verifier" in check.help


def test_a_package_that_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "upheld_verifier", None)
    check = verifier(tmp_path)
    assert (check.ok, check.needed) == (False, True)
    assert "upheld_verifier" in check.seen
    assert check.help.endswith("upheld-verifier")


def test_switched_off_is_no_fault(tmp_path: Path) -> None:
    check = verifier(tmp_path, local_models=False)
    assert check.ok
    assert "switched off" in check.seen


def test_the_knowledge_base_is_not_blamed_for_the_language_model(tmp_path: Path) -> None:
    # Port 9 on loopback: nothing listens there.
    server = {"llm_url": "http://127.0.0.1:9/v1", "llm_model": "m"}
    checks = examined(tmp_path, judge=True, local_models=False, **server)
    assert checks["knowledge base"].seen.endswith("0 documents, 0 passages")
    assert not checks["language model"].ok


def test_seats_on_the_writers_server_are_no_fault_of_the_knowledge_base(tmp_path: Path) -> None:
    server = {"llm_url": "http://127.0.0.1:9/v1", "llm_model": "m", "checker_model": "c"}
    checks = examined(tmp_path, local_models=False, **server)
    assert checks["knowledge base"].seen.endswith("0 documents, 0 passages")


@pytest.mark.parametrize("query", ["", "/search?key=s3cret-key&lang=en"])
def test_no_password_is_shown(tmp_path: Path, query: str) -> None:
    place = "http://me:s3cret-pass@127.0.0.1:9"
    server = {"llm_url": f"{place}/v1", "llm_model": "m", "fallback_search": f"{place}{query}"}
    checks = examined(tmp_path, local_models=False, **server)
    assert "s3cret" not in "".join(each.seen + each.help for each in checks.values())


def test_a_wider_collection_without_documents_is_told(tmp_path: Path) -> None:
    check = examined(tmp_path, local_models=False, fallback_search="archive")["fallback search"]
    assert (check.ok, check.seen) == (False, "collection archive: 0 documents")
    assert check.help.endswith("--collection archive")


def test_a_web_search_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    check = examined(tmp_path, local_models=False, fallback_search="http://127.0.0.1:9")[
        "fallback search"
    ]
    assert not check.ok
    assert "cannot reach" in check.seen


def test_without_a_wider_search_nothing_is_said_of_it(tmp_path: Path) -> None:
    assert "fallback search" not in examined(tmp_path, local_models=False)


def test_a_model_that_was_trained_on_other_words_is_warned_about(tmp_path: Path) -> None:
    card = tmp_path / "card.json"
    facts = {"name": "checker", "base": "smollm2", "upheld": "0.2.0"}
    card.write_text(json.dumps({**facts, "prompts": {"write": load("write").fingerprint}}))
    assert examined(tmp_path, model_cards=[card])["model card"].ok
    card.write_text(json.dumps({**facts, "prompts": {"write": "0" * 16, "gone": "1" * 16}}))
    check = examined(tmp_path, model_cards=[card])["model card"]
    assert (check.ok, check.needed) == (False, False)
    assert check.seen.endswith("write, gone")
    card.write_text("{}")
    assert "no model card" in examined(tmp_path, model_cards=[card])["model card"].seen
