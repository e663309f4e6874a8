"""The HTTP service: verified answers for many tenants. No other package imports it."""
