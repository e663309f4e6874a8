"""What the service remembers, in PostgreSQL: every row belongs to one tenant. No HTTP."""
