"""Authentication: middleware that turns an API key into a principal. Keys are stored in `db`."""
