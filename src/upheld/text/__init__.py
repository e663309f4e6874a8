"""Pure functions on strings: words, sentences, names, figures, marks. No ports, no models."""
