"""Open engines, models and clients from settings; the only package that imports `upheld.edge`."""
