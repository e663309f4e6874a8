"""`upheld serve`, `worker`, `admin` and `mcp`, which the command line finds by entry point."""
