"""Any OpenAI-compatible server as the port `LLM`. No prompts and no stages."""
