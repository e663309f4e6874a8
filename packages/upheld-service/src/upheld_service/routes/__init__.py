"""The HTTP routes, one file per noun."""
