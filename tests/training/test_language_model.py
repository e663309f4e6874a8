"""Training a tiny language model: masks, resuming, exports in every form, preferences."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.servers.llama import running_llama
from tests.training.tiny_gguf import tiny_gguf
from tests.training.tiny_language_model import (
    preferences,
    session_examples,
    tiny_recipe,
)

# It needs the extra `train`, whose libraries warn about each other's plans.
pytestmark = pytest.mark.filterwarnings("default")

RUN = [sys.executable, "-m", "tests.training.tiny_language_model"]


@pytest.fixture(scope="module")
def gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_gguf(tmp_path_factory.mktemp("base") / "tiny.gguf")


@pytest.fixture(scope="module")
def trained(gguf: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole run of the SFT recipe, with its export in `out`."""
    work = tmp_path_factory.mktemp("whole")
    subprocess.run([*RUN, str(gguf), str(work)], check=True, timeout=240)
    return work


def logits(model: Any, ids: list[int]) -> Any:
    import torch

    with torch.no_grad():
        return model(input_ids=torch.tensor([ids])).logits[0].float()


def merged(work: Path) -> Any:
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(work / "out" / "merged")


def test_the_loss_sees_the_reply_and_nothing_else(gguf: Path, tmp_path: Path) -> None:
    """By the trainer's own batches; computed for replies only, loss and gradient are trl's."""
    import torch
    from trl import SFTConfig, SFTTrainer

    from upheld_lab.training.language_model.base import load_base
    from upheld_lab.training.language_model.batches import encode_examples
    from upheld_lab.training.language_model.recipe import arguments, lora
    from upheld_lab.training.language_model.sft import ReplyTrainer, dataset

    base = load_base(gguf, tmp_path)
    examples = [*session_examples(4), *session_examples(4, word="a far larger isle")]
    examples = [each for pair in zip(examples[:4], examples[4:], strict=True) for each in pair]
    encoded = encode_examples(base.tokenizer, examples, 4_000)
    recipe = tiny_recipe(at_once=2)
    trainer = ReplyTrainer(
        model=base.model,
        args=SFTConfig(**arguments(recipe, tmp_path), max_length=None, completion_only_loss=True),
        train_dataset=dataset(encoded),
        processing_class=base.tokenizer,
        peft_config=lora(recipe),
    )
    weights = [each for each in trainer.model.parameters() if each.requires_grad]
    seen = 0
    for batch in trainer.get_train_dataloader():
        for ids, labels in zip(batch["input_ids"], batch["labels"], strict=True):
            learnt = [int(each) for each in labels if each != -100]
            reply = base.tokenizer.decode(learnt)
            assert reply == f"{examples[seen].reply}<|im_end|>\n"
            assert "Question:" in base.tokenizer.decode(ids)
            seen += 1
        found = [
            [loss, *torch.autograd.grad(loss, weights)]
            for loss in (
                trainer.compute_loss(trainer.model, dict(batch)),
                SFTTrainer.compute_loss(trainer, trainer.model, dict(batch)),
            )
        ]
        for ours, theirs in zip(*found, strict=True):
            torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-5)
    assert seen == len(examples)


def test_a_gguf_base_computes_what_llama_cpp_does(gguf: Path, tmp_path: Path) -> None:
    from upheld_lab.training.language_model.base import load_base

    base = load_base(gguf, tmp_path)
    base.model.eval()
    with running_llama(gguf) as url:
        assert_near(base.model, base.tokenizer, url)


def test_an_exported_gguf_computes_what_torch_does(trained: Path) -> None:
    """Within 1e-2, as llama.cpp serves it."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(trained / "out" / "merged")
    with running_llama(trained / "out" / "model.gguf") as url:
        assert_near(merged(trained), tokenizer, url)


def assert_near(model: Any, tokenizer: Any, url: str) -> None:
    """Log probabilities of the next token after a prompt, token by token."""
    import torch

    text = "<|im_start|>user\nWho was the thatcher of Vell?<|im_end|>\n<|im_start|>assistant\n"
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    ours = torch.log_softmax(logits(model, ids)[-1], dim=-1)
    asked = {"prompt": text, "n_predict": 1, "n_probs": 40, "temperature": 0}
    request = urllib.request.Request(
        url.removesuffix("/v1") + "/completion",
        json.dumps(asked).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        (first,) = json.load(answer)["completion_probabilities"]
    theirs = {each["id"]: each["logprob"] for each in first["top_logprobs"]}
    assert len(theirs) >= 30
    assert max(abs(float(ours[id]) - value) for id, value in theirs.items()) < 1e-2


def test_the_adapter_loads_in_transformers_and_is_what_was_merged(trained: Path) -> None:
    import torch
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    base = AutoModelForCausalLM.from_pretrained(trained / "base")
    plain = logits(base, [5, 6, 7])
    adapted = PeftModel.from_pretrained(base, trained / "out" / "adapter").eval()
    whole = merged(trained).eval()
    assert torch.allclose(logits(adapted, [5, 6, 7]), logits(whole, [5, 6, 7]), atol=1e-4)
    assert not torch.allclose(plain, logits(whole, [5, 6, 7]), atol=1e-3)


def test_an_exported_gguf_in_16_bits_is_a_base_again(trained: Path, tmp_path: Path) -> None:
    import torch

    from upheld_lab.training.language_model.base import load_base
    from upheld_lab.training.language_model.export import plain_weights
    from upheld_lab.training.language_model.gguf_export import write_gguf

    whole = merged(trained)
    out = tmp_path / "half.gguf"
    write_gguf(trained / "out" / "model.gguf", plain_weights(whole), out, half=True)
    again = load_base(out, tmp_path / "work").model
    assert torch.allclose(logits(again, [5, 6, 7]), logits(whole, [5, 6, 7]), atol=1e-2)
    assert out.stat().st_size < (trained / "out" / "model.gguf").stat().st_size


def test_the_card_has_the_prompts_and_the_recipe(trained: Path) -> None:
    from upheld.prompts.card import read_card

    card = read_card(trained / "out" / "card.json")
    assert card.changed_prompts == ()
    assert list(card.prompts) == ["session"]
    assert card.model_extra is not None
    assert card.model_extra["recipe"]["rank"] == tiny_recipe().rank
    assert card.model_extra["figures"]["eval_loss"] > 0
    assert "session" in (trained / "out" / "README.md").read_text()


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_that_was_stopped_ends_with_the_same_weights(
    gguf: Path, trained: Path, tmp_path: Path, sign: signal.Signals
) -> None:
    from safetensors.torch import load_file

    run = subprocess.Popen([*RUN, str(gguf), str(tmp_path)])
    checkpoints = tmp_path / "sft" / "checkpoints"
    while run.poll() is None and not list(checkpoints.glob("checkpoint-*/trainer_state.json")):
        time.sleep(0.01)
    assert run.poll() is None, "it ended before it could be stopped"
    os.kill(run.pid, sign)
    assert run.wait(120) != 0
    subprocess.run([*RUN, str(gguf), str(tmp_path)], check=True, timeout=240)
    one, other = (
        load_file(work / "out" / "adapter" / "adapter_model.safetensors")
        for work in (trained, tmp_path)
    )
    assert one.keys() == other.keys()
    assert all(bool((one[name] == other[name]).all()) for name in one)


def test_other_data_in_the_same_folder_are_refused(gguf: Path, trained: Path) -> None:
    again = subprocess.run(
        [*RUN, str(gguf), str(trained), "other"], check=False, capture_output=True, text=True
    )
    assert again.returncode != 0
    assert "other data" in again.stderr


def test_a_prompt_that_is_read_once_gives_the_loss_and_gradient_of_trl(
    gguf: Path, tmp_path: Path
) -> None:
    """With replies of different lengths, two pairs at once, and an adapter that has moved."""
    import torch
    from trl import DPOConfig, DPOTrainer

    from upheld_lab.training.fave.dpo import SharedPromptTrainer, rows
    from upheld_lab.training.language_model.base import load_base
    from upheld_lab.training.language_model.recipe import arguments, lora

    base, recipe = load_base(gguf, tmp_path), tiny_recipe(at_once=2)
    trainer = SharedPromptTrainer(
        model=base.model,
        args=DPOConfig(**arguments(recipe, tmp_path), beta=0.3, max_length=None),
        train_dataset=rows(preferences(12), recipe),
        processing_class=base.tokenizer,
        peft_config=lora(recipe),
    )
    learnt = [each for each in trainer.model.parameters() if each.requires_grad]
    torch.manual_seed(0)
    with torch.no_grad():
        for each in learnt:
            each.add_(torch.randn_like(each) / 20)
    batch = next(iter(trainer.get_train_dataloader()))
    found = [
        [loss, *torch.autograd.grad(loss, learnt)]
        for loss in (
            trainer.compute_loss(trainer.model, dict(batch)),
            DPOTrainer.compute_loss(trainer, trainer.model, dict(batch)),
        )
    ]
    assert abs(float(found[0][0].detach()) - 0.6931) > 1e-3, (
        "the adapter is not told from the reference"
    )
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-5)


def test_preferences_are_learnt_and_the_best_checkpoint_taken(
    trained: Path, tmp_path: Path
) -> None:
    from upheld_lab.training.fave.dpo import prefer
    from upheld_lab.training.language_model.base import load_base
    from upheld_lab.training.language_model.export import export

    base = load_base(trained / "out", tmp_path)
    pairs = preferences(24)
    said: list[str] = []
    recipe = tiny_recipe(steps=11, rate=5e-3, checkpoint_steps=4)
    model, figures = prefer(base, pairs, pairs[:12], 0.1, recipe, tmp_path / "dpo", said.append)
    assert figures["pair_accuracy"] >= figures["before"]
    assert figures["pair_accuracy"] > 0.8
    assert figures["steps"] in {4, 8, 11}
    assert any(line.startswith("22 examples") for line in said), "the cost is of what is read"
    card = export(model, base, tmp_path / "out", "planner", ("session",), {"figures": figures})
    assert card.changed_prompts == ()
    assert (tmp_path / "out" / "model.gguf").is_file()


def test_the_arms_of_cov_rag_have_one_size_and_differ(gguf: Path, tmp_path: Path) -> None:
    import asyncio

    from tests.unit.lab.lighthouses import Lighthouses
    from upheld_lab.bench.split import Split
    from upheld_lab.training.cov_rag.data import EXAMPLES, Recipe, make_data
    from upheld_lab.training.cov_rag.train import Arm, of_arm, train_arm
    from upheld_lab.training.language_model.examples import read_examples

    asyncio.run(make_data(Lighthouses(), Recipe(passages=2), tmp_path, lambda *_: None))
    every = read_examples(tmp_path / EXAMPLES)
    sizes = {arm: len(of_arm(every, arm, Split.TRAIN)) for arm in Arm}
    assert sizes[Arm.RAG] == sizes[Arm.VERIFY] == sizes[Arm.CHAIN] > sizes[Arm.SEED] > 0
    assert sizes[Arm.BASE] == 0
    recipe = tiny_recipe(steps=1, max_tokens=20_000)
    for arm in (Arm.BASE, Arm.CHAIN):
        work, out = tmp_path / "work", tmp_path / arm
        made = train_arm(arm, gguf, tmp_path, work, out, recipe, lambda _: None)
        assert made["arm"] == arm
        assert set(made["prompts"]) == {"write", "chain_verify", "direct_revise"}
        assert (out / "model.gguf").is_file()
    assert (tmp_path / Arm.CHAIN / "adapter").is_dir()
    assert not (tmp_path / Arm.BASE / "adapter").exists()
