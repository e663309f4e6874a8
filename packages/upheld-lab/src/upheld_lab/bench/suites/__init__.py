"""Suites: questions with what people noted about them, and the passages to answer them from."""
