"""`python -m penzoo`: the command line."""

from penzoo.cli import main

main()
