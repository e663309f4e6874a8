"""A knowledge base as tools for assistants, by the Model Context Protocol."""
