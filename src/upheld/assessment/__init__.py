"""Verdicts to what should be mended: metrics, findings, feedback (A2R). No verdict is made here."""
