"""Draft to verdicts: claims, premises, entailment, rules, decision. No search, no writing."""
