"""What matching needs to know of the op table: shared by the generator and the evaluator of trees.

Nothing here imports the graph core: it works on the pure data of `lang.build.load_table`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rulewright.errors import RuleError, listed
from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic, rule_error
from rulewright.lang.words import words

MIRRORED = {">": "<", ">=": "<="}
"""Signs that stand for others with operands swapped."""
COMPARE_SIGNS = ("<", "<=", ">", ">=", "==", "!=")

BUILTINS = ("min", "max", "abs", "len", "gcd", "ilog2", "isnan", "isfinite")
"""Functions of guards and value lets. In `{}` any op's name in lower case is a function, and so is
`n.op` of a node n."""


OF_NODES = frozenset((
    "arg", "base", "device", "dtype", "interval", "max_shape", "op", "ranges", "shape", "size",
    "src", "valid", "vmax", "vmin",
))  # fmt: skip
OF_OPS = frozenset((
    "associative", "commutative", "elementwise", "idempotent", "leaf", "name", "params", "schema",
))  # fmt: skip
OF_DTYPES = frozenset((
    "base", "bits", "count", "is_bool", "is_float", "is_int", "is_unsigned", "itemsize", "kind",
    "max", "min", "name", "ones", "scalar",
))  # fmt: skip

PROPERTIES = OF_NODES | OF_OPS | OF_DTYPES
"""What expressions may ask of nodes, dtypes and ops; of `ctx` anything may be asked."""

SIZES = frozenset(["shape", "size"])
"""Those of which a part may be symbolic."""

CALLABLE = frozenset(["count", "index", "vec"])
"""What they may call: of tuples, and of dtypes."""


def may_ask(expr: t.Field | t.MethodCall) -> bool:
    """Whether a rule may look at this property, or call it."""
    if isinstance(expr, t.MethodCall):
        return expr.name in CALLABLE
    return expr.name in PROPERTIES or (isinstance(expr.expr, t.Var) and expr.expr.name == "ctx")


def asks_sizes(part: t.Node) -> bool:
    """Whether a guard, a let or a replacement looks at what may be a symbolic size."""
    return any(isinstance(n, t.Field) and n.name in SIZES for n in t.walk(part))


def wrong(message: str, node: t.Node) -> RuleError:
    """The error for a rule that cannot be compiled; load-time checks normally come first."""
    return rule_error([Diagnostic("rule", message, node.span)])


class Facts:
    """Rows of ops, groups, dtype sets and externs of a loaded table."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self.ops: dict[str, dict[str, Any]] = {row["name"]: row for row in table["ops"]}
        self.groups: Mapping[str, Sequence[str]] = table["groups"]
        self.dtypes = tuple(row["name"] for row in table["dtypes"])
        self.sets: Mapping[str, Sequence[str]] = table["dtype_sets"]
        self.externs: Mapping[str, dict[str, Any]] = table["externs"]
        self.infix = {row["infix"]: name for name, row in self.ops.items() if row["infix"]}
        self.prefix = {row["prefix"]: name for name, row in self.ops.items() if row["prefix"]}

    def heads(self, head: t.Expr) -> tuple[str, ...]:
        """The ops that a node's head stands for, in the order of the table (sets: as written)."""
        if isinstance(head, t.OpName):
            ops: Sequence[str] = (str(head.name),)
        elif isinstance(head, t.OpSet):
            ops = tuple(map(str, head.names))
        elif isinstance(head, t.GroupName):
            ops = self.groups.get(head.name, ())
        else:
            raise wrong("expected an op, a set of ops or a group as head", head)
        unknown = [name for name in ops if name not in self.ops]
        if unknown or not ops:
            raise wrong(f"unknown op or group {unknown[0] if unknown else words(head)}", head)
        return tuple(ops)

    def bases(self, sets: Sequence[str]) -> tuple[str, ...]:
        """Scalar dtype names of a union of sets and dtypes, in the table's order; empty: all."""
        names = {name for item in sets for name in self.sets.get(item, (str(item),))}
        return tuple(n for n in self.dtypes if n in names) if sets else self.dtypes

    def arity(self, op: str) -> tuple[int, bool]:
        """Number of fixed operands, and whether more may follow."""
        params = self.ops[op]["params"]
        fixed = sum(not variadic for _, _, variadic in params)
        return fixed, fixed != len(params)

    def type_names(self, op: str) -> tuple[str, ...]:
        """Names of the op's own type parameters."""
        return tuple(name for name, _ in self.ops[op]["tparams"])

    def operand_type(self, op: str, index: int) -> str:
        """The declared type of an operand: a type parameter, a dtype or a set."""
        params = self.ops[op]["params"]
        return str(params[min(index, len(params) - 1)][1])

    def as_node(self, expr: t.Expr) -> t.Expr:
        """Infix and prefix signs as op nodes, one level deep; anything else as it is."""
        if isinstance(expr, t.Infix):
            left, right = t.Source(expr.left), t.Source(expr.right)
            sign = MIRRORED.get(expr.op, expr.op)
            pair = (left, right) if sign == expr.op else (right, left)
            return _op(self.infix[sign], pair, expr)
        if isinstance(expr, t.Unary):
            return _op(self.prefix[expr.op], (t.Source(expr.operand),), expr)
        return expr

    def takes_any(self, head: t.Expr) -> bool:
        """Whether empty parentheses after this head, in a pattern, stand for any operands.

        They do after a group, a choice, and an op that has at least one: `Movement()`, `RANGE()`.
        """
        return not isinstance(head, t.OpName) or self.arity(self.heads(head)[0])[0] > 0

    def commutative(self, op: str) -> bool:
        """Whether the op's two operands may be swapped."""
        return "commutative" in self.ops[op]["flags"]


def ordered_rules(rules: Sequence[t.Rule]) -> list[t.Rule]:
    """Rules in the order in which they are tried.

    Textual order; a higher `priority` comes earlier, and `after NAME` puts a rule behind another.
    """
    order = sorted(rules, key=lambda rule: -rule.priority)
    for rule in [r for r in order if r.all(t.After)]:
        names = {str(clause.rule) for clause in rule.all(t.After)}
        order.remove(rule)
        last = max((i for i, other in enumerate(order) if other.name in names), default=-1)
        order.insert(max(last + 1, _first_place(order, rule, rules)), rule)
    return order


def _first_place(order: list[t.Rule], rule: t.Rule, rules: Sequence[t.Rule]) -> int:
    """Where the rule stood among those left, so that `after` moves it only back."""
    before = {r.name for r in rules[: rules.index(rule)]}
    return max((i + 1 for i, r in enumerate(order) if r.name in before), default=0)


def _op(name: str, sources: tuple[t.Source, ...], at: t.Expr) -> t.OpNode:
    return t.OpNode(t.OpName(t.Ident(name, at.span)), None, sources, span=at.span)


def rules_of_set(name: str, sets: Mapping[str, t.RuleSetDecl]) -> list[t.Rule]:
    """The rules of a set and its parts, in order; a rule reached twice counts once.

    Raises RuleError for a name that is no set.
    """
    if name not in sets:
        raise RuleError(f"unknown ruleset {name!r}; {listed('known are', sorted(sets), name)}")
    rules: dict[str, t.Rule] = {}
    for part in sets[name].parts:
        rules |= {str(r.name): r for r in rules_of_set(part, sets)}
    rules |= {str(r.name): r for r in sets[name].rules}
    return list(rules.values())


def conjuncts(guard: t.Expr) -> list[t.Expr]:
    """The parts of a guard that must all hold."""
    if isinstance(guard, t.Connective) and guard.op == "and":
        return [part for operand in guard.operands for part in conjuncts(operand)]
    return [guard]


def leading_guards(rule: t.Rule) -> tuple[list[t.Expr], list[t.Clause]]:
    """Conditions before the first let, which the tree tests itself, and the clauses after them."""
    clauses = [c for c in rule.clauses if isinstance(c, t.When | t.Let)]
    first = next((i for i, c in enumerate(clauses) if isinstance(c, t.Let)), len(clauses))
    guards = [c.guard for c in clauses[:first] if isinstance(c, t.When)]
    return [part for guard in guards for part in conjuncts(guard)], list(clauses[first:])


def own_op(expr: t.Node) -> str:
    """The name n of `n.op(c, d)`, which applies the op of a node to constants; "" of others."""
    if not isinstance(expr, t.MethodCall) or not isinstance(expr.expr, t.Var):
        return ""
    return str(expr.expr.name) if expr.name == "op" else ""


def is_fold_leaf(expr: t.Expr, facts: Facts) -> bool:
    """Whether a part of `{}` is a number from elsewhere, rather than computed in its dtype."""
    if isinstance(expr, t.Call):
        return expr.name.upper() not in facts.ops
    return not own_op(expr) and not isinstance(expr, t.Infix | t.Unary | t.Connective)


def is_in_all_types(expr: t.Expr) -> bool:
    """Whether a literal is the same number in every dtype."""
    return isinstance(expr, t.Num) and expr.value in (0, 1)


def excluded_op(guard: t.Expr) -> tuple[str, str] | None:
    """The name and the op of a condition `x.op != OP`."""
    if not isinstance(guard, t.Infix) or guard.op != "!=" or not isinstance(guard.right, t.OpName):
        return None
    left = guard.left
    if isinstance(left, t.Field) and left.name == "op" and isinstance(left.expr, t.Var):
        return str(left.expr.name), str(guard.right.name)
    return None


def excluded_ops(rule: t.Rule) -> list[tuple[str, str]]:
    """Those conditions of a rule that only exclude an op: tests like those of the pattern."""
    excluded = [excluded_op(guard) for guard in leading_guards(rule)[0]]
    return [pair for pair in excluded if pair is not None]
