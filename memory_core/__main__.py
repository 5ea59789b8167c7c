"""`python -m memory_core`: the command line."""

import sys

from .entrypoints.cli import main

if __name__ == "__main__":
    sys.exit(main())
