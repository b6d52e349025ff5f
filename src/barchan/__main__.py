"""`python -m barchan` is the command `barchan`."""

from __future__ import annotations

from barchan.cli import main

if __name__ == "__main__":
    main()
