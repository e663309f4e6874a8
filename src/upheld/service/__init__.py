"""The service: verified answers for many tenants. Rooms below it never import it."""
