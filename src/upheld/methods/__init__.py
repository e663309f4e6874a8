"""The methods: one paper, one file; `build` makes them from resources. No engine is named here."""
