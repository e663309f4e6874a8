"""`upheld bench` and `upheld train`, which the command line finds by entry point."""
