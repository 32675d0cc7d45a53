"""A user's file of rules: checked like the spec, compiled in front of one of its sets."""

from __future__ import annotations

from rulewright.errors import RuleError
from rulewright.lang import tree as t


def user_matcher_source(text: str, path: str) -> str:
    """The source of the matcher of all rules in a user's file, in their order.

    The file may declare externs and use all that the spec declares. Raises RuleError with every
    problem that the checks find, and for a file without rules.
    """
    from rulewright.lang.build import load_table, parsed_spec
    from rulewright.lang.checks import check_files
    from rulewright.lang.diagnostics import rule_error
    from rulewright.lang.matcher import generate_rules
    from rulewright.lang.parse import parse_text
    from rulewright.lang.table import extern_row

    file = parse_text(text, path)
    found = check_files([file], parsed_spec())
    if found:
        raise rule_error(found, lambda name: text if name == path else None)
    rules = [rule for item in file.all(t.RuleSet) for rule in item.rules]
    if not rules:
        raise RuleError(f"{path}: expected a ruleset with rules, found none")
    table = load_table()
    externs = {str(item.name): extern_row(item) for item in file.all(t.Extern)}
    return generate_rules(path, rules, {**table, "externs": {**table["externs"], **externs}})
