"""Verification: split a draft into claims and give each a verdict. No search and no writing."""
