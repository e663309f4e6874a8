"""Any OpenAI-compatible server as the port `LLM`. No prompt and no stage is known here."""
