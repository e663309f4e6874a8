"""The schema, step by step; `upheld admin migrate` applies what is missing."""
