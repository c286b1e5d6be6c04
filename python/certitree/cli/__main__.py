"""`python -m certitree.cli`, for where the script is not on the path."""

from certitree.cli import main

main()
