"""Who may begin now: admission, rates, quotas, idempotency keys. No route."""
