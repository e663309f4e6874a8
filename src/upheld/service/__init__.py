"""The service: verified answers for many tenants."""
