"""Text of `.uop` files to syntax trees. lark is imported when something is parsed, not before."""

from __future__ import annotations

from pathlib import Path

from rulewright.lang.diagnostics import Diagnostic, rule_error
from rulewright.lang.reading import read_source
from rulewright.lang.tree import Expr, Graph, SourceFile


def parse_text(text: str, path: str = "<text>") -> SourceFile:
    """Parse a whole file's text; `path` names it in messages.

    Raises RuleError with a diagnostic for each syntax error.
    """
    parsed, problems = try_parse(text, path)
    if problems:
        raise rule_error(problems, lambda file: text if file == path else None)
    return parsed


def parse_file(path: Path | str) -> SourceFile:
    """Parse a file. Raises RuleError as `parse_text` does, and what `read_source` raises."""
    return parse_text(read_source(path), str(path))


def parse_expr(text: str) -> Expr:
    """Parse one expression (a pattern, a graph without lines)."""
    graph = parse_text(f"graph g {{ return {text}\n}}").items[0]
    assert isinstance(graph, Graph)
    return graph.body.result


def try_parse(text: str, path: str) -> tuple[SourceFile, list[Diagnostic]]:
    """What can be understood of a text, and a diagnostic for each syntax error."""
    from lark.exceptions import UnexpectedInput

    from rulewright.lang.convert import Converter
    from rulewright.lang.grammar import uop_parser
    from rulewright.lang.limits import beyond_limits

    parser = uop_parser()
    try:
        tree = parser.parse(text)
    except UnexpectedInput:
        from rulewright.lang.recovery import recover

        items, problems = recover(text, path, parser)
        return SourceFile(path, text, tuple(items)), problems
    beyond = beyond_limits(tree, path)
    if not beyond:
        return Converter(path).start(tree, text), []
    return SourceFile(path, text, ()), beyond
