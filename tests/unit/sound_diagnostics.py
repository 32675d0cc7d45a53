"""Whether a diagnostic is one that a user can use."""

import re

from rulewright.lang.diagnostics import Diagnostic

RAW = re.compile(r"Token\(|Unexpected|Previous tokens|\b(LPAR|RPAR|LBRACE|RBRACE|MORETHAN|CNAME)\b")


def sound(found: Diagnostic, text: str) -> None:
    lines = text.split("\n")
    assert 1 <= found.span.line <= len(lines)
    assert 1 <= found.span.column <= len(lines[found.span.line - 1]) + 2
    rendered = found.render(text)
    assert found.message and not RAW.search(rendered.replace(text, "")), rendered
    assert found.to_json()["line"] == found.span.line
