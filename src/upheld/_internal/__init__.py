"""Machinery without a subject: concurrency, caches, child processes, terminals. No room of ours."""
