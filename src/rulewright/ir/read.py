"""From syntax trees to graphs: what `read_graph`, cases and rules' examples are made with.

Dtypes may be left out where they follow: `x + 1` types the 1 like x, `CMPLT(a, b)` is bool. Where
nothing tells, it is an error. Trailing arguments of kind ints and str may be left out: `()`, none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from rulewright.errors import DTypeError
from rulewright.ir.arguments import DEFAULTS, KINDS
from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.build import infix_ops, load_table, prefix_ops
from rulewright.lang.diagnostics import Diagnostic, nearest, rule_error


class Problem(Exception):
    """A diagnostic on its way out of a line; None where it was reported already."""

    def __init__(self, diagnostic: Diagnostic | None) -> None:
        super().__init__(diagnostic)
        self.diagnostic = diagnostic


def problem(code: str, message: str, span: t.Span, help: str = "") -> Problem:
    """A Problem at a place."""
    return Problem(Diagnostic(code, message, span, help=help))


def build_body(body: t.Body, text: str | None = None) -> UOp:
    """The graph of `{ lines return expr }`. `text` is the file's, to quote in messages.

    Raises RuleError with every problem found.
    """
    result, problems = try_build(body)
    if result is None:
        raise rule_error(problems, lambda file: text)
    return result


def try_build(body: t.Body) -> tuple[UOp | None, list[Diagnostic]]:
    """The graph of `{ lines return expr }`, or None and every problem found."""
    names: dict[str, UOp | None] = {}
    problems: list[Diagnostic] = []

    def attempt(value: t.Expr) -> UOp | None:
        try:
            return Builder(names).build(value)
        except Problem as bad:
            problems.extend([bad.diagnostic] if bad.diagnostic else [])
            return None

    first: dict[str, t.Ident] = {}
    for line in body.lines:
        if line.name in first:
            other = first[line.name].span
            message = f"`{line.name}` is defined twice"
            problems.append(Diagnostic("duplicate", message, line.name.span, other, "first here"))
        first.setdefault(line.name, line.name)
        names[line.name] = attempt(line.value)
    result = attempt(body.result)
    return (None if problems else result), problems


def read_dtype(name: t.Ident, lanes: int | None) -> DType:
    """The dtype written as `name` or `name*lanes`."""
    try:
        return dtype(f"{name}*{lanes}" if lanes is not None else name)
    except DTypeError:
        known = [row["name"] for row in load_table()["dtypes"]]
        message = f"unknown dtype `{name}`"
        raise problem("unknown", message, name.span, nearest(name, known)) from None


_OWN_OPS = "ops of your own are there once their file is loaded: --spec FILE, or load_spec(path)"


def find_op(name: t.Ident) -> Op:
    """The op of a name."""
    op: Op | None = getattr(Ops, name, None)
    if op is None:
        known = [row["name"] for row in load_table()["ops"]]
        help = " ".join(filter(None, [nearest(name, known), _OWN_OPS]))
        raise problem("unknown", f"unknown op `{name}`", name.span, help)
    return op


class Builder:
    """Builds nodes from expressions, given the names that stand for nodes already made."""

    def __init__(self, names: Mapping[str, UOp | None]) -> None:
        self.names = names

    def build(self, expr: t.Expr, want: DType | None = None) -> UOp:
        """The node of an expression; `want` is the dtype it is given where it has none itself."""
        method = getattr(self, "_" + type(expr).__name__, None)
        if method is None:
            raise problem("graph", "expected a node, found something else", expr.span)
        node: UOp = method(expr, want)
        return node

    def _Var(self, expr: t.Var, want: DType | None) -> UOp:
        if expr.name not in self.names:
            known = nearest(expr.name, self.names)
            raise problem("unknown", f"unknown node `{expr.name}`", expr.span, known)
        node = self.names[expr.name]
        if node is None:
            raise Problem(None)
        return node

    def _Num(self, expr: t.Num, want: DType | None) -> UOp:
        if want is None:
            message = f"the dtype of {expr.text} cannot be told here"
            raise problem("dtype", message, expr.span, f"write `{expr.text}:i32` or the like")
        return self._const(want, expr.value, expr.span)

    def _const(self, kind: DType, value: Any, span: t.Span) -> UOp:
        try:
            if isinstance(value, float) and not kind.is_float and not isfinite(value):
                raise OverflowError
            return UOp.const(kind, value)
        except OverflowError:
            raise problem("dtype", f"{kind.name} holds no {value}", span) from None

    def _BoolLit(self, expr: t.BoolLit, want: DType | None) -> UOp:
        return UOp.const(dtypes.bool, expr.value)

    def _Typed(self, expr: t.Typed, want: DType | None) -> UOp:
        if isinstance(expr.lanes, t.Ident):
            message = "the lanes of a type in a graph are a number"
            raise problem("dtype", message, expr.lanes.span)
        kind, inner = read_dtype(expr.type, expr.lanes), expr.expr
        if isinstance(inner, t.BoolLit):
            return self._const(kind, inner.value, expr.span)
        if isinstance(inner, t.OpNode | t.OpName):
            return self._node(inner, kind, explicit=True)
        node = self.build(inner, kind)
        if node.dtype is not kind:
            message = f"this is {node.dtype.name}, not {kind.name}"
            raise problem("dtype", message, expr.span, f"write `CAST(…):{kind.name}` to convert")
        return node

    def _Infix(self, expr: t.Infix, want: DType | None) -> UOp:
        name, swapped = infix_ops()[expr.op]
        operands = [expr.left, expr.right]
        sources = tuple(
            t.Source(e, span=e.span) for e in (reversed(operands) if swapped else operands)
        )
        head = t.OpName(t.Ident(name, expr.span), span=expr.span)
        return self._node(t.OpNode(head, None, sources, span=expr.span), want)

    def _Unary(self, expr: t.Unary, want: DType | None) -> UOp:
        head = t.OpName(t.Ident(prefix_ops()[expr.op], expr.span), span=expr.span)
        sources = (t.Source(expr.operand, span=expr.operand.span),)
        return self._node(t.OpNode(head, None, sources, span=expr.span), want)

    def _OpName(self, expr: t.OpName, want: DType | None) -> UOp:
        return self._node(expr, want)

    def _OpNode(self, expr: t.OpNode, want: DType | None) -> UOp:
        return self._node(expr, want)

    # ---- nodes and their dtypes ----

    def _node(self, expr: t.OpNode | t.OpName, want: DType | None, explicit: bool = False) -> UOp:
        head = expr if isinstance(expr, t.OpName) else expr.head
        if not isinstance(head, t.OpName):
            raise problem("graph", "a graph's node names one op", head.span)
        op = find_op(head.name)
        args = expr.args if isinstance(expr, t.OpNode) else None
        sources = (expr.sources if isinstance(expr, t.OpNode) else None) or ()
        kinds = parameter_types(op, len(sources), expr.span)
        nodes, bound = self._sources(op, [s.expr for s in sources], kinds, want)
        kind = want if explicit and want else result_type(op, nodes, bound, expr.span)
        arg = read_arg(op, args, expr.span)
        if op is Ops.CONST:
            return self._const(kind, arg, expr.span)
        return UOp(op, kind, nodes, arg)

    def _sources(
        self, op: Op, sources: Sequence[t.Expr], kinds: Sequence[str], want: DType | None
    ) -> tuple[tuple[UOp, ...], dict[str, DType]]:
        """Operands, those that have a dtype first, and what the type parameters stand for."""
        params = op.tparams
        bound: dict[str, DType] = {}
        nodes: list[UOp | None] = [None] * len(sources)
        for i, (source, kind) in enumerate(zip(sources, kinds, strict=True)):
            if not is_open(source):
                nodes[i] = node = self.build(source)
                if kind in params and bound.setdefault(kind, node.dtype) is not node.dtype:
                    self._disagree(op, source, bound[kind], node.dtype)
        if want and op.result in params:
            bound.setdefault(op.result, want)
        for i, (source, kind) in enumerate(zip(sources, kinds, strict=True)):
            if nodes[i] is None:
                fixed = None if kind in params or kind == "Any" else dtypes.__getattr__(kind)
                nodes[i] = node = self.build(source, bound.get(kind, fixed))
                if kind in params:
                    bound.setdefault(kind, node.dtype)
        return tuple(n for n in nodes if n is not None), bound

    def _disagree(self, op: Op, source: t.Expr, one: DType, other: DType) -> None:
        """Operands of an elementwise op have one dtype; memory and vector ops are freer."""
        if op.elementwise:
            message = f"{op}: operands have dtypes {one.name} and {other.name}"
            raise problem("dtype", message, source.span, f"write `CAST(…):{one.name}` to convert")


def is_open(expr: t.Expr) -> bool:
    """Whether an expression has no dtype of its own: a bare number, or arithmetic of such."""
    if isinstance(expr, t.Num):
        return True
    if isinstance(expr, t.Unary):
        return is_open(expr.operand)
    if isinstance(expr, t.Infix):
        return expr.op[0] not in "<>=!" and is_open(expr.left) and is_open(expr.right)
    return False


def parameter_types(op: Op, count: int, span: t.Span) -> list[str]:
    """The declared type of each of `count` operands.

    Of several variadic parameters each takes one operand in turn, the last the rest.
    """
    fixed = [kind for _, kind, rest in op.params if not rest]
    more = [kind for _, kind, rest in op.params if rest]
    if count < len(fixed) or (count > len(fixed) and not more):
        expected = f"{len(fixed)}{' or more' if more else ''}"
        noun = "operand" if expected == "1" else "operands"
        raise problem("arity", f"{op} takes {expected} {noun}, found {count}", span)
    extra = [more[min(i, len(more) - 1)] for i in range(count - len(fixed))]
    return fixed + extra


def result_type(op: Op, nodes: Sequence[UOp], bound: Mapping[str, DType], span: t.Span) -> DType:
    """The dtype that follows for a node for which none is written."""
    if op.result in op.tparams:
        if op.result in bound:
            return bound[op.result]
        message = f"the dtype of this {op} cannot be told"
        raise problem("dtype", message, span, f"write `{op}(…):f32` or the like")
    kind: DType = dtypes.__getattr__(op.result)
    lanes = nodes[0].dtype.count if op.elementwise and nodes else 1
    return kind.vec(lanes)


def read_arg(op: Op, args: Sequence[t.Expr] | None, span: t.Span) -> Any:
    """The argument of a node: bare for a schema of one field, a tuple for several, else None."""
    written = args or ()
    if len(written) > len(op.schema):
        count = len(op.schema)
        raise problem("argument", f"{op} takes {count} in brackets, found {len(written)}", span)
    values = []
    for i, (name, kind) in enumerate(op.schema):
        if i < len(written):
            values.append(_checked(op, name, kind, written[i]))
        elif kind in DEFAULTS:
            values.append(DEFAULTS[kind])
        else:
            fields = ", ".join(field for field, _ in op.schema)
            message = f"{op}: `{name}` is missing in the brackets"
            raise problem("argument", message, span, f"write `{op}[{fields}]`")
    if len(op.schema) > 1:
        return tuple(values)
    return values[0] if values else None


def _checked(op: Op, name: str, kind: str, expr: t.Expr) -> Any:
    """The value of a field. Raises Problem where it is of another kind."""
    value = _read_value(expr)
    words, fits = KINDS.get(kind, ("", lambda v: True))
    if not fits(value):
        raise problem("argument", f"{op}: `{name}` is {words}", expr.span)
    return value


def _read_value(expr: t.Expr) -> Any:
    """The plain value of a part of an argument."""
    if isinstance(expr, t.Num | t.Str | t.BoolLit):
        return expr.value
    if isinstance(expr, t.NoneLit):
        return None
    if isinstance(expr, t.OpName):
        return find_op(expr.name)
    if isinstance(expr, t.TupleExpr):
        return tuple(_read_value(i) for i in expr.items)
    raise problem(
        "argument", "an argument holds numbers, text, ops, none and tuples of these", expr.span
    )
