"""`python -m rulewright` is the `rulewright` command."""

from rulewright.cli.main import main

main(prog_name="rulewright")
