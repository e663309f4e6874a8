"""Runs: every method on every question of a suite, kept on disk as it goes."""
