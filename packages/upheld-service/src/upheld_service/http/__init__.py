"""HTTP itself: bodies, deadlines, problem details, connections. No tenants and no routes."""
