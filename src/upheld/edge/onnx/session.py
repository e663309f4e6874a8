"""How our local models run: one onnxruntime session on the CPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def open_session(model: Path, threads: int) -> Any:
    """A session on so many threads; 0 takes one for each physical core."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # Threads that spin while they wait gain nothing here and starve the search beside them.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
