"""Fakes of the ports, for unit tests and for scripted runs of the bench."""
