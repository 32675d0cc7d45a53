"""The rows of a file beside the spec: read and checked, where they are not kept on disk."""

from __future__ import annotations

from typing import Any

from rulewright.errors import RuleError
from rulewright.lang import tree as t
from rulewright.lang.build import all_files, load_table
from rulewright.lang.checks import check_files
from rulewright.lang.diagnostics import Diagnostic, rule_error
from rulewright.lang.more_ops import op_problems
from rulewright.lang.parse import parse_text
from rulewright.lang.table import extern_row, more_spellings, op_row, ruleset_row, target_rows

Row = dict[str, Any]

_KINDS = (t.OpDecl, t.Target, t.Extern, t.RuleSet, t.Graph, t.Case)


def checked_rows(text: str, path: str) -> Row:
    """What a file beside the spec declares, as rows by kind.

    Raises RuleError with every problem of the file, and for one that declares nothing.
    """
    file = parse_text(text, path)
    found = [problem for item in file.items for problem in _item_problems(item)]
    found = found or check_files([file], all_files(), values=True)
    if found:
        raise rule_error(found, lambda name: text if name == path else None)
    table = load_table()
    sets = table["dtype_sets"]
    targets = file.all(t.Target)
    own = [item for item in targets if item.extends != item.name]
    rows = {
        "ops": [op_row(item, sets) for item in file.all(t.OpDecl)],
        "targets": target_rows(own, sets, table["targets"]),
        "spellings": {str(i.name): more_spellings(i, sets) for i in targets if i not in own},
        "rulesets": {str(item.name): ruleset_row(item) for item in file.all(t.RuleSet)},
        "externs": {str(item.name): extern_row(item) for item in file.all(t.Extern)},
    }
    if not any(rows.values()):
        raise RuleError(f"{path}: expected ops, targets or rulesets, found none")
    return rows


def _item_problems(item: t.Decl) -> list[Diagnostic]:
    if isinstance(item, t.OpDecl):
        return list(op_problems(item))
    if isinstance(item, _KINDS):
        return []
    message = "a file beside the spec declares ops, targets, externs and rulesets, nothing else"
    return [Diagnostic("beside", message, item.name.span)]
