"""How right, how calibrated and how fast the verifier is, on claims that people labelled."""
