"""``python -m pellucid`` is the command line."""

import sys

from pellucid.app.cli import main

if __name__ == "__main__":
    sys.exit(main())
