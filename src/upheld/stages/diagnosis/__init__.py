"""The parts of our own method: facets, faults, repairs, and how an answer stands."""
