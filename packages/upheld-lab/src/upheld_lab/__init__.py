"""Measurements and recipes: what makes the figures in the docs and the weights that are shipped."""
