"""Builds graphs that a unified pattern matches, with dtypes and constants chosen by chance."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.ops import Ops, op as op_named
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import Facts

_INTEGERS = (0, 1, 2, 3, 4, 6, 8, 12, 5, 7, 31, -1, -2, -3, -8)
_FLOATS = (0.0, 1.0, 2.0, 0.5, -1.0, -0.0, 3.0)
_BOUNDS = ((0, 9), (0, 0), (0, 3), (1, 7), (-5, 5), (4, 9), (0, 1), (-9, -1))


class NotBuilt(Exception):
    """No graph can be made from this pattern."""


class OverlapBuilder:
    """One try. `types` are the sets of dtypes of type parameters."""

    def __init__(
        self,
        facts: Facts,
        types: Mapping[str, tuple[str, ...]],
        env: Mapping[str, t.Expr],
        random: Random,
    ) -> None:
        self.facts, self.env, self.random = facts, env, random
        self.sets = types
        self.types: dict[str, DType] = {}
        self.names: dict[str, UOp] = {}

    def _type(self, name: str, want: DType | None) -> DType:
        """The dtype that a written type stands for; `want` if it may be that."""
        if name in self.types:
            return self.types[name]
        if name in self.facts.dtypes:
            return dtype(name)
        bases = self.facts.bases(self.sets.get(name, (name,)))
        bases = tuple(b for b in bases if b != "void")
        chosen = want if want and want.name in bases else dtype(self.random.choice(bases))
        self.types[name] = chosen
        return chosen

    def build(self, expr: t.Expr, want: DType | None = None) -> UOp:
        """A node that the pattern matches, of dtype `want` if that is possible."""
        if isinstance(expr, t.Typed):
            return self.build(expr.expr, self._type(str(expr.type), want))
        if isinstance(expr, t.Var):
            return self._var(str(expr.name), want)
        expr = self.facts.as_node(expr)
        if isinstance(expr, t.OpNode):
            return self._node(expr, want)
        kind = want or dtypes.i32
        if isinstance(expr, t.Num | t.BoolLit):
            if isinstance(expr.value, float) and not kind.is_float:
                raise NotBuilt
            return UOp.const(kind, expr.value)
        if isinstance(expr, t.ConstVar):
            known = self.env.get(f"${expr.name}")
            if known is not None and known != expr:
                return self.build(known, want)
            return self.names.setdefault(f"${expr.name}", self._constant(kind))
        return self._leaf(kind)

    def _var(self, name: str, want: DType | None) -> UOp:
        if name not in self.names:
            known = self.env.get(name)
            node = self._leaf(want or dtypes.i32) if known is None else self.build(known, want)
            self.names[name] = node
        return self.names[name]

    def _constant(self, kind: DType) -> UOp:
        if kind.is_bool:
            return UOp.const(kind, self.random.random() < 0.5)
        if kind.is_float:
            return UOp.const(kind, self.random.choice(_FLOATS))
        return UOp.const(kind, self.random.choice(_INTEGERS))

    def _leaf(self, kind: DType) -> UOp:
        number = len(self.names) + self.random.randrange(1000) * 100
        if kind is dtypes.index or (kind.is_int and self.random.random() < 0.5):
            low, high = self.random.choice(_BOUNDS)
            if kind.is_unsigned:
                low, high = abs(low), abs(low) + high - low
            node = UOp.variable(f"v{number}", low, high)
            return node if kind is dtypes.index else UOp(Ops.CAST, kind, (node,))
        return UOp(Ops.PARAM, kind, (), (number, (), None))

    def _known(self, expr: t.Expr) -> DType | None:
        """The dtype that an operand must have, as far as it can be told."""
        if isinstance(expr, t.Typed):
            name = str(expr.type)
            return self.types.get(name) or (dtype(name) if name in self.facts.dtypes else None)
        if isinstance(expr, t.Var):
            leaf, known = self.names.get(str(expr.name)), self.env.get(str(expr.name))
            return leaf.dtype if leaf else self._known(known) if known is not None else None
        if isinstance(expr, t.ConstVar):
            const = self.names.get(f"${expr.name}")
            return const.dtype if const else None
        node = self.facts.as_node(expr)
        if isinstance(node, t.OpNode):
            result = self.facts.ops[self.facts.heads(node.head)[0]]["result"]
            return dtype(result) if result in self.facts.dtypes else None
        return None

    def _node(self, node: t.OpNode, want: DType | None) -> UOp:
        op = self.random.choice(self.facts.heads(node.head))
        row = self.facts.ops[op]
        sources = node.sources or ()
        if node.args or not (op_named(op).elementwise or op == "INVALID"):
            raise NotBuilt
        if len(sources) != len(row["params"]) or any(s.rest for s in sources):
            raise NotBuilt
        bound: dict[str, DType] = {}
        for name, allowed in row["tparams"]:
            bound_to = want if row["result"] == name else None
            for i, source in enumerate(sources):
                if bound_to is None and self.facts.operand_type(op, i) == name:
                    bound_to = self._known(source.expr)
            if bound_to is not None and bound_to.name not in allowed:
                raise NotBuilt
            bound[name] = bound_to or dtype(self.random.choice(allowed))
        operands = []
        for i, source in enumerate(sources):
            declared = self.facts.operand_type(op, i)
            kind = bound.get(declared) or (
                dtype(declared) if declared in self.facts.dtypes else None
            )
            operand = self.build(source.expr, kind)
            if kind is not None and operand.dtype is not kind:
                raise NotBuilt
            operands.append(operand)
        result = bound.get(row["result"]) or dtype(row["result"])
        return UOp(op_named(op), result, tuple(operands))
