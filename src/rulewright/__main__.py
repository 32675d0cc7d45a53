"""`python -m rulewright` is the `rulewright` command."""

from rulewright.cli import run

run()
