"""The version of the package, without imports, so that every layer can read it."""

__version__ = "0.2.0"
