"""Evidence to draft: the LLM writer, the extractive answerer, refinements. No search here."""
