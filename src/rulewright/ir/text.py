"""Graphs as text: `print_graph` and its inverse `read_graph`.

    graph name {
      param_0 = PARAM[0, (4,), "C"]:f32
      add_0 = ADD(param_0, 1.0:f32):f32
      return add_0
    }

One node a line, operands first; constants stand where they are used; a node is named by its op and
a count. An effect's dtype `void` is left out. `read_graph(print_graph(g)) is g` for every graph.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from rulewright.errors import UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp, above

_NAME = re.compile("[a-z][A-Za-z0-9_]*")


def one_line(text: str) -> str:
    """A text that stands in a comment, such as a path: what would end the line is escaped."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def print_value(value: Any) -> str:
    """A part of an argument as text: number, string, op, none, or a tuple of these."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float):
        return repr(abs(value)) if math.isnan(value) else repr(value)
    if isinstance(value, tuple):
        items = [print_value(v) for v in value]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    if isinstance(value, int | Op):
        return str(value)
    raise UsageError(f"an argument cannot hold {value!r}; it holds numbers, text, ops and tuples")


def print_arg(op: Op, arg: Any, short: bool = False) -> str:
    """The bracketed argument of a node, or nothing where it has none.

    If `short`, without what may be left out at its end: no axes, no device.
    """
    fields = len(op.schema)
    if arg is None and fields != 1:
        return ""
    if fields == 1:
        return "" if arg is None and op.schema[0][1] == "any" else f"[{print_value(arg)}]"
    if fields == 0 or not isinstance(arg, tuple) or len(arg) != fields:
        names = ", ".join(name for name, _ in op.schema) or "nothing"
        raise UsageError(f"{op}: expected an argument of {names}, found {arg!r}")
    if short:
        arg = arg[: _told(op, arg)]
    return f"[{', '.join(print_value(v) for v in arg)}]" if arg else ""


def _told(op: Op, arg: tuple[Any, ...]) -> int:
    """How many parts of an argument there are up to the last that cannot be left out."""
    from rulewright.ir.arguments import DEFAULTS

    told = len(arg)
    while told and arg[told - 1] == DEFAULTS.get(op.schema[told - 1][1], ...):
        told -= 1
    return told


def print_node(node: UOp, names: dict[UOp, str], short: bool = False) -> str:
    """One node; operands by the names given, constants as they stand."""
    if node.op is Ops.CONST:
        return f"{print_value(node.arg)}:{node.dtype.name}"
    sources = ", ".join(names.get(s) or print_node(s, names, short) for s in node.src)
    brackets = f"({sources})" if sources or not node.op.leaf else ""
    dtype = "" if node.dtype is dtypes.void else f":{node.dtype.name}"
    return f"{node.op.name}{print_arg(node.op, node.arg, short)}{brackets}{dtype}"


_WHOLE = 40  # nodes of a term that is printed to its leaves
_DEPTH = 3  # of a larger one


def print_term(node: UOp, depth: int | None = None) -> str:
    """A node as one expression, for messages. It reads back.

    A small one is printed whole, and reads back as the same object. Operands below `depth` are left
    open, as `_:f32`: what is printed is a pattern of the rule language, which fits the node.
    """
    if depth is None and _count(node, _WHOLE) >= 0:
        return _cut(node, _WHOLE, short=True)
    return _cut(node, _DEPTH if depth is None else depth, short=False)


def _cut(node: UOp, depth: int, short: bool) -> str:
    if depth == 0 and node.src:
        return "_" if node.dtype is dtypes.void else f"_:{node.dtype.name}"
    text = print_node(node, {s: _cut(s, depth - 1, short) for s in node.src}, short)
    head, colon, rest = text.partition(":")
    return f"{head}(){colon}{rest}" if head == node.op.name else text  # so do rules write a leaf


def _count(node: UOp, left: int) -> int:
    """What is left of `left` when every node is counted as often as it is printed."""
    left -= 1
    for source in node.src:
        if left < 0:
            break
        left = _count(source, left)
    return left


def name_nodes(root: UOp) -> dict[UOp, str]:
    """A name for every node that gets a line, which is all but constants; operands first."""
    counts: dict[Op, int] = {}
    names: dict[UOp, str] = {}
    for node in root.toposort():
        if node.op is not Ops.CONST:
            count = counts[node.op] = counts.get(node.op, -1) + 1
            names[node] = f"{node.op.name.lower()}_{count}"
    return names


def print_graph(root: UOp, name: str = "graph") -> str:
    """The graph below `root` as text that `read_graph` turns into the same object.

    Raises UsageError for a name that the text cannot have.
    """
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        raise UsageError(
            "print_graph: expected a name such as `graph`, a small letter followed by letters, "
            f"digits and _ of ASCII, found {name!r}"
        )
    names = name_nodes(root)
    lines = [f"  {known} = {print_node(node, names)}" for node, known in names.items()]
    result = names.get(root) or print_node(root, names)
    return "\n".join([f"graph {name} {{", *lines, f"  return {result}", "}", ""])


def read_graph(text: str, path: str = "<text>") -> UOp:
    """The root of the one graph in a text, or of the input of its one case. `path` names the text
    in messages.

    Raises RuleError with every problem found: syntax, unknown names, dtypes that cannot be told.
    """
    from rulewright.ir.quick import read_printed

    printed = read_printed(text)
    if printed is not None:
        return printed
    from rulewright.ir.read import build_body
    from rulewright.lang.diagnostics import Diagnostic, rule_error
    from rulewright.lang.parse import parse_text
    from rulewright.lang.tree import Body, Case, Graph, Span

    items = parse_text(text, path).items
    bodies: list[Body | None] = [i.body for i in items if isinstance(i, Graph)]
    bodies += [p.body for i in items if isinstance(i, Case) for p in i.parts if p.kind == "input"]
    if len(items) == 1 and bodies and bodies[0] is not None:
        return build_body(bodies[0], text)
    span = items[1].span if len(items) > 1 else Span(path, 1, 1, 1, 2)
    count = f"{len(items)} declarations" if len(items) != 1 else "another declaration"
    message = f"expected one graph, found {count}"
    problems = [Diagnostic("graph", message, span, help="write `graph NAME { … return node }`")]
    raise rule_error(problems, lambda file: text if file == path else None)


above.print_graph = print_graph
above.read_graph = read_graph
