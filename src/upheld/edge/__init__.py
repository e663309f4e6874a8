"""Adapters for models, storage and the web: the only code that talks to the outside. No stages."""
