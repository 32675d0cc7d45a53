"""A user's file of rules: checked like the spec, compiled in front of one of its sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulewright.errors import RuleError
from rulewright.lang import tree as t

Row = dict[str, Any]


def checked_file(text: str, path: str, at: str = "") -> t.SourceFile:
    """A user's file, parsed and checked; it may declare externs and use what the spec declares.

    With `at`, its rules are to run in front of that set, where no more may change than the
    pipeline tolerates. Raises RuleError with every problem that the checks find, and for a file
    without rules.
    """
    from rulewright.lang.build import all_files
    from rulewright.lang.check_equiv import check_loaded
    from rulewright.lang.checks import check_files
    from rulewright.lang.diagnostics import rule_error
    from rulewright.lang.parse import parse_text
    from rulewright.lang.symbols import collect

    file = parse_text(text, path)
    found = check_files([file], all_files())
    if at and not found:
        rules = [rule for item in file.all(t.RuleSet) for rule in item.rules]
        found = list(check_loaded(rules, at, collect(all_files())[0]))
    if found:
        raise rule_error(found, lambda name: text if name == path else None)
    if not any(item.rules for item in file.all(t.RuleSet)):
        raise RuleError(f"{path}: expected a ruleset with rules, found none")
    return file


def user_matcher_source(text: str, path: str, at: str = "") -> str:
    """The source of the matcher of all rules in a user's file, in their order.

    Raises what `checked_file` raises.
    """
    file = checked_file(text, path, at)
    return _generate(path, file, [rule for item in file.all(t.RuleSet) for rule in item.rules])


def user_sets(text: str, path: str) -> dict[str, tuple[Row, str]]:
    """Each set of a user's file: its row, and the matcher source of the rules that it holds.

    The source is empty for a set that only has parts. Raises what `checked_file` raises.
    """
    from rulewright.lang.table import ruleset_row

    file = checked_file(text, path)
    return {
        str(item.name): (
            ruleset_row(item),
            _generate(str(item.name), file, item.rules) if item.rules else "",
        )
        for item in file.all(t.RuleSet)
    }


def _generate(name: str, file: t.SourceFile, rules: Sequence[t.Rule]) -> str:
    from rulewright.lang.build import load_table
    from rulewright.lang.matcher import generate_rules
    from rulewright.lang.table import extern_row

    table = load_table()
    externs = {str(item.name): extern_row(item) for item in file.all(t.Extern)}
    return generate_rules(name, rules, {**table, "externs": {**table["externs"], **externs}})
