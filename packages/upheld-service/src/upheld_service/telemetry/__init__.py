"""Metrics, logs and traces of a running service, none of which contains user text."""
