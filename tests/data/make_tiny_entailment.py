"""Makes `tiny_entailment.onnx`: the verifier's inputs and outputs, and nothing that it knows.

Each token looks its three numbers up in a random table, another row for the claim's tokens; the
mean over the tokens are the logits. Run with a Python that has `onnx` (the extra `train`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper

ROWS = 61


def constant(name: str, value: Any) -> Any:
    return numpy_helper.from_array(np.asarray(value), name)


def model() -> bytes:
    table = np.random.default_rng(7).normal(size=(ROWS, 3)).astype(np.float32) * 4
    node = helper.make_node
    nodes = [
        node("Mul", ["token_type_ids", "half"], ["shift"]),
        node("Add", ["input_ids", "shift"], ["moved"]),
        node("Mod", ["moved", "rows"], ["row"]),
        node("Gather", ["table", "row"], ["numbers"]),
        node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        node("Unsqueeze", ["mask", "last"], ["wide"]),
        node("Mul", ["numbers", "wide"], ["kept"]),
        node("ReduceSum", ["kept", "tokens_axis"], ["total"], keepdims=0),
        node("ReduceSum", ["wide", "tokens_axis"], ["count"], keepdims=0),
        node("Div", ["total", "count"], ["logits"]),
    ]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["pairs", "tokens"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", 3])]
    constants = [
        constant("half", np.int64(30)),
        constant("rows", np.int64(ROWS)),
        constant("table", table),
        constant("last", np.array([2])),
        constant("tokens_axis", np.array([1])),
    ]
    graph = helper.make_graph(nodes, "tiny", inputs, outputs, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    checker.check_model(made)
    data: bytes = made.SerializeToString()
    return data


if __name__ == "__main__":
    (Path(__file__).parent / "tiny_entailment.onnx").write_bytes(model())
