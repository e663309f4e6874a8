"""CoV-RAG: one language model that answers, verifies the answer and revises the question."""
