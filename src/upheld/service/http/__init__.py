"""HTTP itself: bodies, deadlines, problem details, connections. No tenant and no route."""
