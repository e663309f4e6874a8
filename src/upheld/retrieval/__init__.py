"""Question to evidence: search, rerank, grade, distil, correct. Nothing is written here."""
