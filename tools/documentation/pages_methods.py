"""The pages of tensor methods: the table that the tests check is the documentation's source."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from importlib import import_module

from documentation.html import Page, code, comma, heading, link, table
from documentation.markup import doc
from documentation.views import sharing
from rulewright import errors
from rulewright.tensor.tensor import Tensor
from rulewright.verify import methods
from rulewright.verify.methods.row import Method, Refusal


def pages() -> Iterator[Page]:
    """An index, and a page for each group of the table."""
    groups = {group: import_module(f"{methods.__name__}.{group}") for group in methods.GROUPS}
    rows = {group: list(module.ROWS) for group, module in groups.items()}
    home: dict[str, str] = {}
    for group in methods.GROUPS:
        for row in rows[group]:
            home.setdefault(row.name, group)
    all_rows = [row for group in methods.GROUPS for row in rows[group]]
    refusals = [r for module in groups.values() for r in module.REFUSALS]
    yield Page("methods.html", "Tensor methods", _index(home))
    for group in methods.GROUPS:
        names = [name for name, where in home.items() if where == group]
        parts = [_chips(group, names)]
        for name in names:
            own = [r for r in all_rows if r.name == name]
            parts.append(_method(name, own, [r for r in refusals if r.name == name]))
        title = f"Tensor methods: {group}"
        yield Page(f"methods-{group}.html", title, "\n".join(parts))


def names() -> dict[str, str]:
    """Every method and the page and anchor where it is described."""
    anchors: dict[str, str] = {}
    for group in methods.GROUPS:
        for row in import_module(f"{methods.__name__}.{group}").ROWS:
            anchors.setdefault(row.name, f"methods-{group}.html#{row.name}")
    return anchors


def _chips(group: str, listed: Sequence[str]) -> str:
    links = (link(f"methods-{group}.html#{name}", code(name)) for name in listed)
    return f'<p class="chips">{comma(links)}</p>'


def _index(home: dict[str, str]) -> str:
    parts = [
        "<p>Each row of these pages is a call and what it equals, said in numpy. The tests check "
        "every row on odd shapes, all of its dtypes and special values; "
        "<code>x</code>, <code>y</code>, <code>z</code>, <code>w</code> are tensors in the call "
        "and numpy arrays in the formula.</p>"
    ]
    for group in methods.GROUPS:
        listed = [name for name, where in home.items() if where == group]
        if listed:
            parts.append(f"<h2>{link(f'methods-{group}.html', group)}</h2>")
            parts.append(_chips(group, listed))
    return "\n".join(parts)


def _method(name: str, rows: Sequence[Method], refusals: Sequence[Refusal]) -> str:
    function = getattr(Tensor, name)
    shown = f'<p class="signature">{code(f"{name}{_signature(function)}")}</p>'
    cells = [
        (
            code(row.text),
            f"{'' if row.equals else 'such that '}{code(row.formula)}",
            code(", ".join(row.dtypes)),
            code(row.gives),
            "yes" if row.gradient else "",
        )
        for row in rows
    ]
    refused = [(code(r.text), _error(r.error), code(r.says)) for r in refusals]
    parts = [
        heading(2, name, code(name)),
        shown,
        doc(inspect.getdoc(function) or ""),
        doc(sharing(name)),
        table(("call", "equals", "dtypes", "gives", "gradient"), cells, "calls"),
        table(("refused", "error", "says"), refused, "calls"),
    ]
    return "\n".join(p for p in parts if p)


def _error(name: str) -> str:
    """An exception's name; Python's own are described elsewhere."""
    return link(f"errors.html#{name}", code(name)) if hasattr(errors, name) else code(name)


class _Annotation:
    """An annotation that is shown as it is written."""

    def __init__(self, text: object) -> None:
        self.text = text if isinstance(text, str) else getattr(text, "__name__", str(text))

    def __repr__(self) -> str:
        return self.text


def _signature(function: object) -> str:
    """The parameters of a method, without self."""
    if not callable(function):
        return ""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    empty = inspect.Parameter.empty
    kept = [
        p if p.annotation is empty else p.replace(annotation=_Annotation(p.annotation))
        for p in signature.parameters.values()
        if p.name != "self"
    ]
    result = signature.return_annotation
    shown = inspect.Signature(kept, return_annotation=empty)
    return f"{shown}{'' if result is empty else f' -> {_Annotation(result)!r}'}"
