"""One run: its trace, its budget, its only way to call ports. No stage, no prompt."""
