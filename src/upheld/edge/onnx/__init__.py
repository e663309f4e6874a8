"""Small models in this process, on onnxruntime: embedder, grader, entailment. No stages."""
