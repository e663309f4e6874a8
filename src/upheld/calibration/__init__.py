"""Calibration: labelled claims become a threshold with a guarantee."""
