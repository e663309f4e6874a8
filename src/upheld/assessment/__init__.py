"""Assessment (A2R): turn verdicts into metrics, findings and feedback. It makes no verdicts."""
