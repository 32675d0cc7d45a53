"""Scalar expressions as text, as Python would write them: `(n + 1) * 4`, `i0 // 4 % 3`."""

from __future__ import annotations

from rulewright.ir.ops import Op, Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.text import print_arg
from rulewright.ir.uop import UOp, above

_SIGNS = ("== != < <=", "|", "^", "&", "<< >>", "+ -", "* / // %")
LEVELS = {sign: level for level, signs in enumerate(_SIGNS) for sign in signs.split()}
"""How tightly each sign between two operands binds, as in Python; comparisons not at all."""

_COMPARISON, _PREFIX, _ATOM = 0, len(_SIGNS), len(_SIGNS) + 1

# of the rule set `readable`, what makes text clearer; shifts and masks are for machines
_CLEARER = (
    "mul_to_neg", "add_to_sub", "add_negative_constant", "add_negative_multiple",
    "not_lt_to_le", "not_eq_to_ne",
)  # fmt: skip

LONGEST = 2000
"""Characters of an expression: one that uses all of its parts twice has no end."""

_Part = tuple[str, int]  # text, and how tightly its outermost op binds


def render(uop: UOp) -> str:
    """A scalar expression as text with no more parentheses than Python needs.

    Variables go by their names, ranges by kind and number (`i0`; `r1` for a reduced one); what has
    no sign of its own is written as a call. Nodes used twice are written twice, and parts that
    would become longer than LONGEST as `…`.
    """
    parts: dict[UOp, _Part] = {}
    root = rewrite(uop, "readable", only=_CLEARER)
    for node in root.toposort():
        text, level = _part(node, [parts[s] for s in node.src])
        parts[node] = (text, level) if len(text) <= LONGEST else ("…", _ATOM)
    return parts[root][0]


def _part(node: UOp, sources: list[_Part]) -> _Part:
    op = node.op
    if op is Ops.CONST:
        return str(node.arg), _ATOM
    if op is Ops.VAR or op is Ops.SPECIAL:
        return node.arg[0] if op is Ops.VAR else node.arg, _ATOM
    if op is Ops.RANGE:
        return f"{'r' if node.arg[1] == 'reduce' else 'i'}{node.arg[0]}", _ATOM
    if op is Ops.BIND or op is Ops.LOAD:
        return sources[0]
    if op is Ops.INDEX:
        return f"{_within(sources[0], _ATOM)}[{_listed(sources[1:])}]", _ATOM
    if op.row["prefix"]:
        return op.row["prefix"] + _within(sources[0], _PREFIX), _PREFIX
    if op.row["infix"]:
        return _infix(op, node, sources)
    return _called(node) + ("" if op.leaf else f"({_listed(sources)})"), _ATOM


def _infix(op: Op, node: UOp, sources: list[_Part]) -> _Part:
    sign = op.row["infix"]
    level = LEVELS[sign]
    # a < b < c means something else, and rounding depends on which float sum comes first
    free = op.associative and node.src[1].op is op and not node.dtype.is_float
    left = _within(sources[0], level + (level == _COMPARISON))
    return f"{left} {sign} {_within(sources[1], level if free else level + 1)}", level


def _within(part: _Part, level: int) -> str:
    """An operand where something of at least `level` can stand bare."""
    text, own = part
    return text if own >= level else f"({text})"


def _listed(parts: list[_Part]) -> str:
    return ", ".join(text for text, _ in parts)


def _called(node: UOp) -> str:
    """The name under which an op without a sign is called: a cast by its type."""
    if node.op is Ops.CAST:
        return node.dtype.name
    return node.op.name.lower() + print_arg(node.op, node.arg)


above.render = render
