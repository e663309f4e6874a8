"""From files to indexed passages."""
