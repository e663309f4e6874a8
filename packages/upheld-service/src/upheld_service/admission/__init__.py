"""Which requests may start: admission, rates, quotas, idempotency keys. No routes."""
