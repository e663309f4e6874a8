"""Measurements: every figure in the docs comes from here."""
