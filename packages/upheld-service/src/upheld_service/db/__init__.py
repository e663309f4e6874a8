"""The state of the service in PostgreSQL: every row belongs to one tenant. No HTTP."""
