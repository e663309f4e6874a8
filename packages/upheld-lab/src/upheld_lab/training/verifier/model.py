"""The cross-encoder: a sentence encoder that reads premise and claim together, and a small head.

Tokens that occur on the other side too carry a mark: small models learn slowly what a
comparison finds at once (where the two texts agree word for word, and where they do not).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from upheld.errors import ModelError
from upheld_lab.training.verifier.released import START

if TYPE_CHECKING:
    from transformers import PreTrainedModel

KINDS = 4  # premise or claim, found on the other side or not
# The outputs that each label allows: a two-way row does not say which of two it is. A model with
# two outputs has the first two labels.
ALLOWED = torch.tensor(
    [[True, False, False], [False, True, False], [False, False, True], [False, True, True]]
)


class CrossEncoder(nn.Module):  # type: ignore[misc]  # torch publishes no usable types
    """Premise and claim in, a logit for each output out."""

    def __init__(self, base: PreTrainedModel, outputs: int) -> None:
        super().__init__()
        width = base.config.hidden_size
        self.base = base
        self.kinds = nn.Embedding(KINDS, width)
        nn.init.zeros_(self.kinds.weight)  # at first the published model, unchanged
        self.mix = nn.Linear(4 * width, width)
        self.out = nn.Linear(width, outputs)
        self.dropout = nn.Dropout(0.1)
        self.takes_segments = base.config.model_type == "bert"

    @classmethod
    def from_folder(cls, folder: Path, layers: int | None, outputs: int) -> CrossEncoder:
        """From a published sentence encoder, or from its lowest layers.

        The encoder has no dropout: one pass over the data hardly overfits, and drawing the
        zeros takes a third of the time on a processor.
        """
        from transformers import AutoConfig, AutoModel

        config = AutoConfig.from_pretrained(folder)
        config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
        if layers is not None and layers > config.num_hidden_layers:
            raise ModelError(f"the base has {config.num_hidden_layers} layers, not {layers}")
        config.num_hidden_layers = layers or config.num_hidden_layers
        # Spelt out: the fused attention's way back takes half of a step on a processor, in bf16.
        base = AutoModel.from_pretrained(
            folder, config=config, add_pooling_layer=False, attn_implementation="eager"
        )
        model = cls(base, outputs)
        if (folder / START).exists():
            model.load_state_dict(load_file(folder / START))
        return model

    def forward(self, ids: Tensor, mask: Tensor, segments: Tensor) -> Tensor:
        words = self.base.get_input_embeddings()(ids) + self.kinds(kinds(ids, mask, segments))
        more = {"token_type_ids": segments} if self.takes_segments else {}
        hidden = self.base(inputs_embeds=words, attention_mask=mask, **more).last_hidden_state
        premise, claim = mask * (1 - segments), mask * segments
        one, two = _mean(hidden, premise), _mean(hidden, claim)
        seen = torch.cat([hidden[:, 0], two, (one - two).abs(), one * two], dim=-1)
        return self.out(self.dropout(functional.gelu(self.mix(self.dropout(seen)))))


def kinds(ids: Tensor, mask: Tensor, segments: Tensor) -> Tensor:
    """For each token: 2 if it is of the claim, 1 if its like stands on the other side."""
    real = mask.bool() & (ids > 999)  # below are the marks of the vocabulary, not words
    other = segments[:, :, None] != segments[:, None, :]
    same = (ids[:, :, None] == ids[:, None, :]) & other & real[:, None, :] & real[:, :, None]
    return 2 * segments + same.float().amax(-1).long()  # `any` has no like in ONNX


def loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Minus the log of the probability that the allowed outputs have together."""
    allowed = logits.masked_fill(~ALLOWED[labels, : logits.shape[-1]], float("-inf"))
    return (logits.logsumexp(-1) - allowed.logsumexp(-1)).mean()


def margin_loss(logits: Tensor, twins: Tensor, margin: float) -> Tensor:
    """How far true twins fall short of exceeding false ones by the margin, in log odds.

    `twins` holds the rows of the true and the false claim of each twin.
    """
    if not len(twins):
        return logits.new_zeros(())
    odds = logits[:, 0] - logits[:, 1:].logsumexp(-1)
    return functional.relu(margin - odds[twins[:, 0]] + odds[twins[:, 1]]).mean()


def _mean(hidden: Tensor, mask: Tensor) -> Tensor:
    return (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
