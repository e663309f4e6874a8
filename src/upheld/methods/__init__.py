"""The methods: one paper, one file."""
