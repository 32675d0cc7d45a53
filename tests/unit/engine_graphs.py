"""Random graphs and their evaluation, for the tests of the rewrite engine.

Graphs are made in two ways: freely, and from a rule's own pattern, so that the rule has a chance
to match. Values are computed with the reference interpreter's op meanings, node by node.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import numpy as np

from rulewright.interp.meaning import compute
from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.ops import Ops, op as op_named
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.build import load_table, parsed_spec
from rulewright.lang.matcher import generate_rules
from rulewright.lang.matcher_facts import Facts

COUNT = 96  # values of each leaf
NOWHERE = -(2**40)  # what INVALID evaluates to
SMALL = (-8, -4, -3, -2, -1, 0, 0, 1, 1, 2, 3, 4, 4, 6, 8, 12, 24)
FLOATS = (0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, -2.5, math.inf, -math.inf, math.nan)


def rules_of(*sets: str) -> list[t.Rule]:
    """The rules of sets of the spec and of their parts."""
    from rulewright.lang.matcher_facts import rules_of_set

    by_name = {str(s.name): s for file in parsed_spec() for s in file.all(t.RuleSetDecl)}
    return [rule for name in sets for rule in rules_of_set(name, by_name)]


def spec_rule(name: str) -> t.Rule:
    """A rule of the spec."""
    return next(
        r for f in parsed_spec() for s in f.all(t.RuleSetDecl) for r in s.rules if r.name == name
    )


def matcher_of(rule: t.Rule) -> dict:
    """The generated matcher of one rule."""
    names: dict = {}
    exec(compile(generate_rules(str(rule.name), [rule], load_table()), "<rule>", "exec"), names)
    return names["MATCH"]


def leaf(random: Random, kind: DType, name: str) -> UOp:
    """A variable of a dtype; integers often have narrow bounds."""
    if kind.is_int and random.random() < 0.7:
        low = random.choice((0, 0, 0, -3, 1, 4))
        if kind.is_unsigned:
            low = abs(low)
        node = UOp.variable(name, low, low + random.choice((0, 1, 2, 3, 5, 11, 30)))
        return node if kind is dtypes.index else UOp(Ops.CAST, kind, (node,))
    if kind is dtypes.index:
        return UOp.variable(name, -40, 99)
    return UOp(Ops.PARAM, kind, (), (sum(map(ord, name)), (), None))


def constant(random: Random, kind: DType) -> UOp:
    """A constant that is often small, and sometimes an extreme of its dtype."""
    if kind.is_bool:
        return UOp.const(kind, random.random() < 0.5)
    if kind.is_float:
        return UOp.const(kind, random.choice(FLOATS))
    extremes = () if kind is dtypes.index else (kind.min, kind.max, kind.bits - 1)
    return UOp.const(kind, random.choice((*SMALL, *SMALL, *extremes)))


class FromPattern:
    """Graphs shaped like a rule's pattern: one try for each instance."""

    def __init__(self, rule: t.Rule, random: Random) -> None:
        self.facts = Facts(load_table())
        self.rule, self.random = rule, random
        self.types = {}
        for param in rule.type_params:
            bases = self.facts.bases(param.sets)
            self.types[str(param.name)] = dtype(random.choice(bases))
        self.names: dict[str, UOp] = {}
        self.count = 0

    def build(self) -> UOp:
        """An instance of the pattern."""
        return self.make(self.rule.pattern, None)

    def _fresh(self, kind: DType) -> UOp:
        self.count += 1
        return leaf(self.random, kind, f"v{self.count}")

    def make(self, expr: t.Expr, want: DType | None) -> UOp:
        """A node that the pattern `expr` may match, of dtype `want` if that is given."""
        if isinstance(expr, t.Typed):
            return self.make(expr.expr, self._type(str(expr.type)))
        if isinstance(expr, t.Bind):
            self.names[str(expr.name)] = made = self.make(expr.pattern, want)
            return made
        expr = self.facts.as_node(expr)
        if isinstance(expr, t.OpNode):
            return self._node(expr, want)
        want = want or dtypes.i32
        if isinstance(expr, t.Num | t.BoolLit):
            return UOp.const(want, expr.value)
        if isinstance(expr, t.ConstVar):
            key = f"${expr.name}"
            return self.names.setdefault(key, constant(self.random, want))
        if isinstance(expr, t.Var):
            return self.names.setdefault(str(expr.name), self._fresh(want))
        return self._fresh(want)

    def _type(self, name: str) -> DType:
        if name in self.types:
            return self.types[name]
        return dtype(name) if name in self.facts.dtypes else dtype(self.facts.sets[name][0])

    def _known(self, expr: t.Expr) -> DType | None:
        """The dtype that an operand's own text tells."""
        if isinstance(expr, t.Typed):
            return self._type(str(expr.type))
        if isinstance(expr, t.Bind):
            return self._known(expr.pattern)
        if isinstance(expr, t.Var | t.ConstVar):
            mark = "$" if isinstance(expr, t.ConstVar) else ""
            found = self.names.get(mark + expr.name)
            return found.dtype if found is not None else None
        node = self.facts.as_node(expr)
        if not isinstance(node, t.OpNode):
            return None
        op = self.facts.heads(node.head)[0]
        result = self.facts.ops[op]["result"]
        if result in self.facts.dtypes:
            return dtype(result)
        return self._operand(op, node, result)

    def _operand(self, op: str, node: t.OpNode, name: str) -> DType | None:
        found = [
            self._known(s.expr)
            for i, s in enumerate(node.sources or ())
            if self.facts.operand_type(op, i) == name
        ]
        return next((f for f in found if f is not None), None)

    def _node(self, node: t.OpNode, want: DType | None) -> UOp:
        op = self.random.choice(self.facts.heads(node.head))
        row, names = self.facts.ops[op], self.facts.type_names(op)
        bound = {}
        for name in names:
            allowed = dict(row["tparams"])[name]
            chosen = want if row["result"] == name and want else self._operand(op, node, name)
            bound[name] = chosen or dtype(self.random.choice(allowed))
        sources = []
        for i, source in enumerate(node.sources or ()):
            declared = self.facts.operand_type(op, i)
            kind = bound.get(declared) or (None if declared == "Any" else dtype(declared))
            sources.append(self.make(source.expr, kind))
        result = bound.get(row["result"]) or dtype(row["result"])
        return UOp(op_named(op), result, tuple(sources))


def random_graph(random: Random, size: int, kinds: Sequence[DType]) -> UOp:
    """A free graph of `size` elementwise nodes over small variables and constants."""
    pool = [leaf(random, k, f"{k.name}{i}") for k in kinds for i in range(3)]
    pool += [constant(random, k) for k in kinds for _ in range(3)]
    pool += [leaf(random, dtypes.bool, f"p{i}") for i in range(2)]
    for _ in range(size):
        made = _random_node(random, pool)
        if made is not None:
            pool.append(made)
    return UOp.sink(*pool[-4:])


def _random_node(random: Random, pool: list[UOp]) -> UOp | None:
    row = random.choice([op for op in Ops if op.elementwise and op is not Ops.BITCAST])
    first = random.choice(pool[-12:] if random.random() < 0.7 else pool)
    if row is Ops.CAST:
        kinds = [n.dtype for n in pool if n.dtype is not first.dtype]
        return UOp(row, random.choice(kinds), (first,)) if kinds else None
    allowed = set(dict(row.row["tparams"])["T"])
    if first.dtype.base not in allowed:
        return None
    same = [n for n in pool if n.dtype is first.dtype]
    truths = [n for n in pool if n.dtype is dtypes.bool]
    sources = tuple(
        first if i == 0 else random.choice(truths if kind == "bool" else same)
        for i, (_, kind, _) in enumerate(row.params)
    )
    if row is Ops.WHERE:
        sources = (random.choice(truths), first, random.choice(same))
    result = dtypes.bool if row.row["result"] == "bool" else first.dtype
    return UOp(row, result, sources)


def values_of(random: Random, node: UOp) -> np.ndarray:
    """Values for a leaf: everything interesting of its dtype and bounds."""
    kind = node.dtype
    if node.op is Ops.VAR:
        low, high = node.arg[1:]
        return np.array([random.randint(low, high) for _ in range(COUNT)], np.int64)
    if kind.is_bool:
        return np.array([random.random() < 0.5 for _ in range(COUNT)])
    if kind.is_float:
        plain = [random.choice(FLOATS) for _ in range(COUNT // 2)]
        wide = [random.uniform(-4, 4) * 2 ** random.randint(-20, 15) for _ in range(COUNT // 2)]
        with np.errstate(all="ignore"):
            return np.array(plain + wide, np.float64).astype(kind.np)
    pool = (kind.min, kind.max, kind.min + 1, kind.max - 1, *(s for s in SMALL if s >= kind.min))
    return np.array([random.choice(pool) for _ in range(COUNT)], kind.np)


def evaluate(node: UOp, leaves: dict[UOp, np.ndarray], random: Random) -> np.ndarray:
    """The value of a scalar graph for all values of its leaves, which are made when first met."""
    return evaluate_with_chosen(node, leaves, random)[0]


def evaluate_with_chosen(
    node: UOp, leaves: dict[UOp, np.ndarray], random: Random
) -> tuple[np.ndarray, np.ndarray]:
    """As `evaluate`; and where it hangs on how an invalid index compares, which nothing says."""
    done: dict[UOp, np.ndarray] = {}
    free: dict[UOp, np.ndarray] = {}
    for n in node.toposort():
        free[n] = np.any([free[s] for s in n.src], 0) if n.src else np.zeros(COUNT, bool)
        if n.op is Ops.CONST:
            done[n] = np.full(COUNT, n.arg, n.dtype.np)
        elif n.op is Ops.INVALID:
            done[n] = np.full(COUNT, NOWHERE, np.int64)
        elif n.op is Ops.RANGE:
            high = int(n.vmax)
            made = [random.randint(0, high) for _ in range(COUNT)]
            done[n] = leaves.setdefault(n, np.array(made, np.int64))
        elif not n.src:
            if n not in leaves:
                leaves[n] = values_of(random, n)
            done[n] = leaves[n]
        else:
            done[n] = _computed(n, [done[s] for s in n.src])
            if n.op in Ops.group("Compare") and n.src[0].dtype is dtypes.index:
                free[n] |= np.any([done[s] == NOWHERE for s in n.src], 0)
    return done[node], free[node]


def _computed(n: UOp, values: list[np.ndarray]) -> np.ndarray:
    """What an op makes of its operands' values: NOWHERE of one that is nowhere."""
    kind = n.src[0].dtype
    with np.errstate(all="ignore"):
        value = compute(n.op, n.dtype, n.arg, values, kind)
    if n.dtype is dtypes.index and n.op is not Ops.WHERE:
        value = np.where(np.any([v == NOWHERE for v in values], 0), NOWHERE, value)
    if n.op is Ops.CAST and kind is dtypes.index:  # no element's number is 0
        value = np.where(values[0] < NOWHERE // 2, np.zeros_like(value), value)
    return value


def same_values(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal bits, but that one NaN is as good as another."""
    if a.dtype != b.dtype:
        return False
    if a.dtype.kind not in "fV" and "float" not in a.dtype.name:
        return bool(np.array_equal(a, b))
    x, y = a.astype(np.float64), b.astype(np.float64)
    nan = np.isnan(x) & np.isnan(y)
    return bool(np.all(nan | ((x == y) & (np.signbit(x) == np.signbit(y)))))
