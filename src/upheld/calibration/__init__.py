"""Calibration: fit a threshold with a guarantee on labelled claims."""
