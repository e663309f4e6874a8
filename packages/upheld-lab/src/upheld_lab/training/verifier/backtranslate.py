"""Paraphrases by way of French: honest rewordings, made by two small translation models.

    ct2-transformers-converter --model opus-mt-en-fr --output_dir DIR/en_fr --quantization int8 \\
        --copy_files source.spm target.spm        (and the same for fr_en)
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from upheld.errors import MissingExtraError

BATCH = 64


def paraphrases(kept: Path) -> dict[str, str]:
    """What was translated before, by sentence."""
    if not kept.exists():
        return {}
    with kept.open(encoding="utf-8") as lines:
        return dict(json.loads(line) for line in lines)


def backtranslate(sentences: Sequence[str], models: Path, kept: Path, seconds: float) -> int:
    """Paraphrase what `kept` lacks, in the order given, until the time is up; how many it has."""
    done = paraphrases(kept)
    todo = [sentence for sentence in dict.fromkeys(sentences) if sentence not in done]
    there, back = _Translator(models / "ct2_en_fr"), _Translator(models / "ct2_fr_en")
    ends = time.monotonic() + seconds
    with kept.open("a", encoding="utf-8") as out:
        for first in range(0, len(todo), BATCH):
            if time.monotonic() > ends:
                break
            batch = todo[first : first + BATCH]
            for pair in zip(batch, back(there(batch)), strict=True):
                out.write(json.dumps(pair, ensure_ascii=False) + "\n")
            out.flush()
            done.update(dict.fromkeys(batch, ""))
    return len(done)


class _Translator:
    def __init__(self, folder: Path) -> None:
        try:
            import ctranslate2  # type: ignore[import-not-found,unused-ignore]  # extra
            import sentencepiece  # type: ignore[import-not-found,unused-ignore]  # extra
        except ImportError as missing:
            raise MissingExtraError("Back-translation", "train") from missing
        self._model: Any = ctranslate2.Translator(str(folder), compute_type="int8")
        self._source = sentencepiece.SentencePieceProcessor(str(folder / "source.spm"))
        self._target = sentencepiece.SentencePieceProcessor(str(folder / "target.spm"))

    def __call__(self, texts: Sequence[str]) -> list[str]:
        pieces = [[*self._source.encode(text, out_type=str), "</s>"] for text in texts]
        results = self._model.translate_batch(
            pieces, beam_size=1, max_batch_size=1024, batch_type="tokens", max_decoding_length=160
        )
        return [str(self._target.decode(result.hypotheses[0])) for result in results]
