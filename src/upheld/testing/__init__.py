"""Conformance suites for every port, for our tests and yours."""
