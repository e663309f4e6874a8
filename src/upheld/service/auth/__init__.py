"""Who is asking: the middleware that turns an API key into a caller. Keys are stored in `db`."""
