"""The stages: one verb a file, shared by all methods."""
