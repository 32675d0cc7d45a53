"""The `rulewright` command, as a console script and `python -m rulewright` start it."""

import sys


def run() -> None:
    """Run it. Ctrl-C is answered alike while modules are still imported and later."""
    try:
        from rulewright.cli.main import main

        main(prog_name="rulewright")
    except KeyboardInterrupt:
        sys.exit("\nAborted!")
