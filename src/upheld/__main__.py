"""`python -m upheld` is the command line."""

from upheld.cli import main

main()
