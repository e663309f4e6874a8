"""Run the command line with `python -m upheld`."""

from upheld.cli import main

main()
