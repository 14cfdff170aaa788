"""``python -m pellucid`` is the command line."""

import sys

from pellucid.cli.program import main

if __name__ == "__main__":
    sys.exit(main())
