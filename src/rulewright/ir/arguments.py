"""Arguments of nodes in text: `[0, (4, 4), "C"]` against the schema of an op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rulewright.ir.ops import Op
from rulewright.lang import tree as t

DEFAULTS = {"ints": (), "dims": (), "pairs": (), "bools": (), "str": None, "any": None}
"""What a part of an argument is that is left out at the end, by kind."""


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _all(value: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, tuple) and all(fits(v) for v in value)


def _size(value: Any) -> bool:
    return value is None or _whole(value)


def is_name(value: Any) -> bool:
    """Whether something may be the name of a variable or kernel: an identifier of Python."""
    return isinstance(value, str) and value.isidentifier()


# What a value of each kind of field looks like, in words and as a test.
_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "int": ("a whole number", _whole),
    "str": ("text or none", lambda v: v is None or isinstance(v, str)),
    "ints": ("a tuple of whole numbers", lambda v: _all(v, _size)),
    "dims": ("a tuple of sizes", lambda v: _all(v, _size)),
    "pairs": ("a tuple of pairs", lambda v: _all(v, lambda p: _all(p, _size) and len(p) == 2)),
    "bools": ("a tuple of true and false", lambda v: _all(v, lambda b: isinstance(b, bool))),
    "op": ("an op", lambda v: isinstance(v, Op)),
    "const": ("a number", lambda v: isinstance(v, int | float)),
    "name": ("an identifier, of letters, digits and _", is_name),
}


def fits(op: Op, values: Sequence[Any]) -> bool:
    """Whether each value is of the kind that the op's schema says; there are as many."""
    kinds = (_KINDS.get(kind) for _, kind in op.schema)
    return all(kind is None or kind[1](v) for kind, v in zip(kinds, values, strict=True))


def read_value(
    expr: t.Expr, problem: Callable[..., Exception], find_op: Callable[[t.Ident], Op]
) -> Any:
    """The plain value of a part of an argument."""
    if isinstance(expr, t.Num | t.Str | t.BoolLit):
        return expr.value
    if isinstance(expr, t.NoneLit):
        return None
    if isinstance(expr, t.OpName):
        return find_op(expr.name)
    if isinstance(expr, t.TupleExpr):
        return tuple(read_value(i, problem, find_op) for i in expr.items)
    raise problem(
        "argument", "an argument holds numbers, text, ops, none and tuples of these", expr.span
    )


def read_arg(
    op: Op,
    args: Sequence[t.Expr] | None,
    span: t.Span,
    problem: Callable[..., Exception],
    find_op: Callable[[t.Ident], Op],
) -> Any:
    """The argument of a node: bare for a schema of one field, a tuple for several, else None.

    `problem` makes the exception for a code, a message and a span.
    """
    written = args or ()
    if len(written) > len(op.schema):
        count = len(op.schema)
        raise problem("argument", f"{op} takes {count} in brackets, found {len(written)}", span)
    values = []
    for i, (name, kind) in enumerate(op.schema):
        if i < len(written):
            values.append(_checked(op, name, kind, written[i], problem, find_op))
        elif kind in DEFAULTS:
            values.append(DEFAULTS[kind])
        else:
            fields = ", ".join(field for field, _ in op.schema)
            message = f"{op}: `{name}` is missing in the brackets"
            raise problem("argument", message, span, f"write `{op}[{fields}]`")
    if len(op.schema) > 1:
        return tuple(values)
    return values[0] if values else None


def _checked(
    op: Op,
    name: str,
    kind: str,
    expr: t.Expr,
    problem: Callable[..., Exception],
    find_op: Callable[[t.Ident], Op],
) -> Any:
    value = read_value(expr, problem, find_op)
    words, fits = _KINDS.get(kind, ("", lambda v: True))
    if not fits(value):
        raise problem("argument", f"{op}: `{name}` is {words}", expr.span)
    return value
