"""Guards, lets and replacements evaluated straight from the tree, with no thought for speed."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from rulewright.ir.dtypes import DType, dtype
from rulewright.ir.folding import convert_value, fold_function
from rulewright.ir.matching import ilog2, same
from rulewright.ir.ops import Ops, op as op_named
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import Facts, is_fold_leaf, may_ask, own_op, wrong

_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "<<": operator.lshift, ">>": operator.rshift,
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_COMPARE = ("<", "<=", ">", ">=", "==", "!=")
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": min, "max": max, "abs": abs, "len": len, "gcd": math.gcd, "ilog2": ilog2,
    "isnan": math.isnan, "isfinite": math.isfinite,
}  # fmt: skip


class NoMatch(Exception):
    """An extern or a conversion gave no answer: the rule does not match after all."""


class Named(NamedTuple):
    """What a name stands for: `kind` is node, nodes, const or value."""

    kind: str
    value: Any
    dtype: DType | None


class Binding:
    """Names and type parameters bound so far."""

    def __init__(self) -> None:
        self.names: dict[str, Named] = {}
        self.types: dict[str, DType] = {}

    def copy(self) -> Binding:
        """An independent copy."""
        copy = Binding()
        copy.names, copy.types = dict(self.names), dict(self.types)
        return copy

    def bind(self, name: str, kind: str, value: Any, kind_of: DType | None) -> bool:
        """Bind a name here; false if it stands for something else already."""
        if name in self.names:
            before = self.names[name].value
            if kind == "const" and self.names[name].dtype is not kind_of:
                return False
            return same(before, value) if kind in ("const", "value") else before == value
        self.names[name] = Named(kind, value, kind_of)
        return True


class ExpressionEvaluator:
    """Evaluates expressions under a binding."""

    def __init__(self, facts: Facts, binding: Binding, ctx: Any) -> None:
        self.facts, self.names, self.types = facts, binding.names, binding.types
        self.ctx = ctx

    def let(self, name: str, expr: t.Expr) -> None:
        """Bind the value of a let."""
        if self.is_node(expr):
            node = self.node(expr, None)
            self.names[name] = Named("node", node, node.dtype)
            return
        value = self.value(expr)
        if value is None and isinstance(expr, t.Call):
            raise NoMatch
        is_list = isinstance(value, tuple) and all(isinstance(v, UOp) for v in value)
        self.names[name] = Named("nodes" if is_list else "value", value, None)

    def is_node(self, expr: t.Expr) -> bool:
        """Whether an expression means a graph node."""
        if isinstance(expr, t.Var):
            return expr.name in self.names and self.names[expr.name].kind == "node"
        if isinstance(expr, t.Infix):
            return self.is_node(expr.left) or self.is_node(expr.right)
        if isinstance(expr, t.Unary):
            return self.is_node(expr.operand)
        if isinstance(expr, t.Call):
            row = self.facts.externs.get(expr.name)
            return row is not None and tuple(row["result"]) == ("uop", False)
        return isinstance(expr, t.OpNode | t.Fold | t.Typed)

    # ---- Python values ----

    def value(self, expr: t.Expr) -> Any:
        """The value of a guard's expression, in unbounded integers."""
        if isinstance(expr, t.Num | t.Str | t.BoolLit):
            return expr.value
        if isinstance(expr, t.NoneLit):
            return None
        if isinstance(expr, t.Var | t.OpName | t.OpSet | t.GroupName):
            return self._named(expr)
        if isinstance(expr, t.Infix):
            return _SIGNS[expr.op](self.value(expr.left), self.value(expr.right))
        if isinstance(expr, t.Unary):
            inner = self.value(expr.operand)
            return -inner if expr.op == "-" else ~inner
        if isinstance(expr, t.Connective):
            return self._logic(expr, self.value)
        if isinstance(expr, t.Field | t.MethodCall) and not may_ask(expr):
            raise wrong(f"unknown property `{expr.name}`", expr)
        if isinstance(expr, t.Field):
            return getattr(self.value(expr.expr), expr.name)
        if isinstance(expr, t.MethodCall):
            return getattr(self.value(expr.expr), expr.name)(*self.arguments(expr.args))
        if isinstance(expr, t.Call):
            return self._call(expr)
        if isinstance(expr, t.TupleExpr):
            return tuple(self.value(i) for i in expr.items)
        return self.node(expr, None)

    def _named(self, expr: t.Var | t.OpName | t.OpSet | t.GroupName) -> Any:
        if isinstance(expr, t.OpSet):
            return frozenset(op_named(h) for h in self.facts.heads(expr))
        if isinstance(expr, t.GroupName) and expr.name in self.facts.groups:
            return frozenset(op_named(h) for h in self.facts.heads(expr))
        if isinstance(expr, t.GroupName):
            return frozenset(self.facts.bases((str(expr.name),)))
        if expr.name in self.types:
            return self.types[expr.name]
        if expr.name in self.names:
            return self.names[expr.name].value
        if expr.name == "ctx":
            return self.ctx
        return op_named(expr.name) if isinstance(expr, t.OpName) else dtype(expr.name)

    def _logic(self, expr: t.Connective, value: Callable[[t.Expr], Any]) -> Any:
        if expr.op == "not":
            return not value(expr.operands[0])
        left = value(expr.operands[0])
        if bool(left) == (expr.op == "or"):
            return left
        return value(expr.operands[1])

    def arguments(self, args: Sequence[t.Source]) -> list[Any]:
        """Arguments of a call; `xs..` is spliced."""
        arguments: list[Any] = []
        for arg in args:
            if self.is_node(arg.expr):
                arguments.append(self.node(arg.expr, None))
            elif arg.rest:
                arguments += self.value(arg.expr)
            else:
                arguments.append(self.value(arg.expr))
        return arguments

    def _call(self, expr: t.Call) -> Any:
        if expr.name in _FUNCTIONS:
            return _FUNCTIONS[expr.name](*self.arguments(expr.args))
        row = self.facts.externs.get(expr.name)
        if row is None:
            raise wrong(f"unknown function {expr.name}", expr)
        module, _, function = row["target"].partition(":")
        answer = getattr(import_module(module), function)(*self.arguments(expr.args))
        return tuple(answer) if isinstance(answer, list) else answer

    # ---- nodes ----

    def _type(self, name: str, lanes: int | str | None) -> DType:
        if isinstance(lanes, str):  # `i32*T`: as many lanes as T
            return dtype(name).vec(self.types[lanes].count)
        return self.types[name] if name in self.types else dtype(name).vec(lanes or 1)

    def node(self, expr: t.Expr, expected: DType | None) -> UOp:
        """The node that an expression means, of dtype `expected` if that is not None."""
        expr = self.facts.as_node(expr)
        if isinstance(expr, t.Typed):
            return self.node(expr.expr, self._type(str(expr.type), expr.lanes))
        if isinstance(expr, t.OpNode):
            return self._op_node(expr, expected)
        if isinstance(expr, t.Call):
            answer = self._call(expr)
            if answer is None:
                raise NoMatch
            return answer  # type: ignore[no-any-return]  # the generated matcher checks it
        if isinstance(expr, t.Var) and self.names[expr.name].kind == "node":
            return self.names[expr.name].value  # type: ignore[no-any-return]  # of that kind
        if expected is None:
            raise wrong("the dtype of this constant cannot be told; write its type", expr)
        if isinstance(expr, t.Fold):
            return self._fold_node(expr.expr, expected)
        return UOp.const(expected, self.value(expr))

    def _fold_node(self, expr: t.Expr, expected: DType) -> UOp:
        if isinstance(expr, t.Var) and self.names[expr.name].kind == "const":
            named = self.names[expr.name]
            assert named.dtype is not None
            if named.dtype is not expected:
                converted = convert_value(expected, named.value, named.dtype)
                if converted is None:
                    raise NoMatch
                return UOp.const(expected, converted)
        return UOp.const(expected, self.fold(expr, expected))

    def _op_node(self, expr: t.OpNode, expected: DType | None) -> UOp:
        op = op_named(self.facts.heads(expr.head)[0])
        args = tuple(self.value(a) for a in expr.args or ())
        arg = args[0] if len(op.schema) == 1 and args else args or None
        kind = expected or self.dtype_of(expr)
        if kind is None:
            raise wrong(f"the dtype of this {op} cannot be told; write its type", expr)
        if op is Ops.CONST:
            return UOp.const(kind, args[0])
        src: list[UOp] = []
        for i, source in enumerate(expr.sources or ()):
            if source.rest:
                spliced = self.value(source.expr)
                if spliced is None:
                    raise NoMatch
                src += spliced
            else:
                src.append(self.node(source.expr, self._wanted(op.name, i, expr, kind)))
        return UOp(op, kind, tuple(src), arg)

    def _wanted(self, op: str, index: int, expr: t.OpNode, kind: DType) -> DType | None:
        """The dtype that a constant written as this operand should have."""
        declared = self.facts.operand_type(op, index)
        if declared == self.facts.ops[op]["result"] and declared in self.facts.type_names(op):
            return kind
        if declared in self.facts.type_names(op):
            return self._operand_dtype(op, expr, declared)
        if declared in self.facts.dtypes:
            return dtype(declared).vec(kind.count) if declared == "bool" else dtype(declared)
        return None

    def _operand_dtype(self, op: str, expr: t.OpNode, declared: str) -> DType | None:
        for i, source in enumerate(expr.sources or ()):
            if self.facts.operand_type(op, i) == declared and not source.rest:
                dtype = self.dtype_of(source.expr)
                if dtype is not None:
                    return dtype
        return None

    def dtype_of(self, expr: t.Expr) -> DType | None:
        """The dtype of an expression, if its operands tell."""
        expr = self.facts.as_node(expr)
        if isinstance(expr, t.Typed):
            return self._type(str(expr.type), expr.lanes)
        if isinstance(expr, t.Var) and expr.name in self.names:
            named = self.names[expr.name]
            return named.dtype if named.kind == "node" else None
        if not isinstance(expr, t.OpNode):
            return None
        op = self.facts.heads(expr.head)[0]
        result = self.facts.ops[op]["result"]
        names = self.facts.type_names(op)
        if result in names:
            return self._operand_dtype(op, expr, result)
        inner = self._operand_dtype(op, expr, names[0]) if names else None
        return dtype(result).vec(inner.count if inner and result == "bool" else 1)

    # ---- folds ----

    def fold(self, expr: t.Expr, kind: DType) -> Any:
        """The value of `{expr}` computed in a dtype."""
        if isinstance(expr, t.Infix) and expr.op in _COMPARE:
            inner = self._const_dtype(expr)
            if inner is None:  # of properties alone, as in a guard
                return self.value(expr)
            pair = self._folded(expr.left, inner), self._folded(expr.right, inner)
            return _SIGNS[expr.op](*pair)
        if isinstance(expr, t.Infix):
            pair = self._folded(expr.left, kind), self._folded(expr.right, kind)
            return fold_function(self.facts.infix[expr.op])(kind, *pair)
        if isinstance(expr, t.Unary):
            return fold_function(self.facts.prefix[expr.op])(kind, self._folded(expr.operand, kind))
        if isinstance(expr, t.Call) and expr.name.upper() in self.facts.ops:
            values = [self._folded(a.expr, kind) for a in expr.args]
            return fold_function(expr.name.upper())(kind, *values)
        if isinstance(expr, t.Connective):
            return self._logic(expr, lambda e: self._folded(e, kind))
        if own_op(expr):
            inner = self._const_dtype(expr) or kind
            values = [self._folded(a.expr, inner) for a in expr.args]
            return fold_function(self.value(expr.expr).op.name)(kind, *values)
        return self.value(expr)

    def _folded(self, expr: t.Expr, kind: DType) -> Any:
        """A part of `{}`, in its dtype: a number from elsewhere is converted, as CAST does."""
        value = self.fold(expr, kind)
        return kind.const(value) if is_fold_leaf(expr, self.facts) else value

    def _const_dtype(self, expr: t.Expr) -> DType | None:
        named = [self.names.get(e.name) for e in t.walk(expr) if isinstance(e, t.Var)]
        return next((n.dtype for n in named if n is not None and n.kind == "const"), None)
