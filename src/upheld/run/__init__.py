"""One run: its trace, its budget, and the functions through which stages call ports.

No stages and no prompts belong here.
"""
