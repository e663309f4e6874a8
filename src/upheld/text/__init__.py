"""Pure functions on strings: words, sentences, names, figures, marks; no ports and no models."""
