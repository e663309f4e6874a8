"""General utilities: concurrency, caches, child processes, terminals; nothing specific to RAG."""
