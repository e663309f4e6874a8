"""Seeing inside a running service: metrics, logs and spans, none of which holds anybody's words."""
