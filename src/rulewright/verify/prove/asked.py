"""What guards and lets ask beside the pattern: labels by their text, and how many operands.

A label (the device of a COPY, the kind of a RANGE) may be any text. Rules only compare texts and
count their letters, so those that a rule names and a few that it does not are all there is to try.
Of a list of operands as many are tried as make each comparison with a number go both ways.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import COMPARE_SIGNS, Facts, conjuncts

FEWEST, MOST = 2, 5
"""Operands of a list that are tried in any case, and at most."""

USUAL_AXES, MOST_AXES, NAMED_AXES = 3, 6, 16
"""Axes of tensors that are tried in any case, where a guard computes with how many there are, and
where it names so many."""

MOST_LANES = 64
"""Lanes of vectors that are tried, where a guard names so many."""

LONGEST = 1 << 17
"""Longer axes that a guard names are not tried."""

_BLANK = " "
"""A text that comes before all that have letters; none is a device or a kind."""

_OF_NODES = frozenset((
    "arg", "base", "device", "interval", "max_shape", "op", "ranges", "shape", "size", "src",
))  # fmt: skip
"""What tells one node from another of its dtype and value."""

_OF_SCALARS = frozenset((
    "bits", "is_bool", "is_float", "is_int", "is_unsigned", "kind", "max", "min", "ones", "scalar",
    "valid",
))  # fmt: skip
"""What is the same of all nodes of a dtype and value, with lanes and without."""

_OF_ONE = frozenset(["arg", "base", "src"])
"""Of these what is the same of two nodes is hardly so but where they are one."""

_BYTES = (1, 2, 4, 8)
"""Of an element."""

_OF_LANES = ("count", "itemsize", "name")
"""Properties of a dtype that tell how many lanes it has."""

_APART = ("slot", "id", "name")
"""Fields by which memory, loops and variables are told apart."""


def asking(rule: t.Rule) -> Iterator[t.Node]:
    """All nodes of guards and lets."""
    for clause in rule.clauses:
        if isinstance(clause, t.When):
            yield from t.walk(clause.guard)
        elif isinstance(clause, t.Let):
            yield from t.walk(clause.value)


def texts(rule: t.Rule, ops: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """Texts that make each comparison in guards and lets go both ways: those that are named, each
    once, and one that is not. Of what is ordered one before them, and one after each; of what is
    counted, some of such lengths."""
    named = dict.fromkeys(str(n.value) for n in asking(rule) if isinstance(n, t.Str))
    lengths = sorted(_lengths(rule, _bound(rule, ops, lambda field, kind: kind == "str")))
    if not named and not lengths:
        return ()
    others = [_BLANK, *(text + _BLANK for text in named)] if _orders(rule) else [_BLANK]
    return tuple(dict.fromkeys([*named, *others, *(_BLANK * n for n in lengths)]))


def _orders(rule: t.Rule) -> bool:
    signs = ("<", "<=", ">", ">=")
    compared = [n for n in asking(rule) if isinstance(n, t.Infix) and n.op in signs]
    return any(isinstance(side, t.Str) for n in compared for side in (n.left, n.right))


def _lengths(rule: t.Rule, labels: Collection[str]) -> set[int]:
    """How long texts are around the numbers of a guard, if it counts their letters."""
    counted = [n for n in asking(rule) if isinstance(n, t.Call) and n.name == "len"]
    inner = {str(n.name) for call in counted for n in t.walk(call) if isinstance(n, t.Var)}
    if not inner & set(labels):
        return set()
    return {near for n in [0, *_named(asking(rule))] for near in (n - 1, n, n + 1) if near > 0}


def operands(rule: t.Rule) -> int:
    """How many operands a list has at most, so that a guard that counts them goes both ways."""
    nodes = list(asking(rule))
    if not any(isinstance(n, t.Call) and n.name == "len" for n in nodes):
        return FEWEST
    if any(_computes_with_counts(n) for n in nodes):
        return MOST + 1
    numbers = [int(n.value) for n in nodes if isinstance(n, t.Num) and float(n.value).is_integer()]
    return max([FEWEST, *[number + 1 for number in numbers]])


def axes(rule: t.Rule, ops: Mapping[str, Mapping[str, Any]]) -> tuple[int, ...]:
    """Numbers of axes beyond those that are tried in any case, where a guard names them."""
    nodes = list(asking(rule))
    numbers = {len(n.items) for n in nodes if isinstance(n, t.TupleExpr)}
    counted = any(isinstance(n, t.Call) and n.name == "len" and not _of_ranges(n) for n in nodes)
    if any(_computes_with_counts(n) for n in nodes):
        numbers |= {*range(USUAL_AXES + 1, MOST_AXES + 1)}
    numbered = _bound(rule, ops, lambda field, kind: field in ("axes", "order"))
    for node in nodes:
        inner = t.walk(node) if counted or _of_axes(node, numbered) else []
        numbers |= {near for n in _named(inner) for near in (n, n + 1)}
    return tuple(sorted(n for n in numbers if USUAL_AXES < n <= NAMED_AXES))


def _computes_with_counts(node: t.Node) -> bool:
    """Whether a number of axes or operands is not compared as it is: any may be meant."""
    computes = isinstance(node, t.Infix) and node.op not in COMPARE_SIGNS
    computes |= isinstance(node, t.Unary)
    computes |= isinstance(node, t.Call) and node.name != "len"
    inner = t.walk(node) if computes else []
    return any(
        (isinstance(n, t.Call) and n.name == "len" and not _of_ranges(n))
        or (isinstance(n, t.MethodCall) and n.name != "vec")
        for n in inner
    )


def _of_axes(node: t.Node, numbered: Collection[str]) -> bool:
    """Whether it is a condition on how many axes are such, or on what names axes by numbers."""
    inner = t.walk(node) if isinstance(node, t.Infix) and node.op in COMPARE_SIGNS else []
    names = {str(n.name) for n in inner if isinstance(n, t.Var)}
    return bool(names & set(numbered)) or any(isinstance(n, t.MethodCall) for n in inner)


def numbers(rule: t.Rule) -> tuple[int, ...]:
    """Whole numbers around those that guards and lets name."""
    named = _named(asking(rule))
    return tuple(sorted({n + d for n in named for d in (-1, 0, 1) if n + d >= 0}))


def _named(nodes: Iterable[t.Node]) -> set[int]:
    """The whole numbers that stand there, or those next to them; not the long ones."""
    return {int(n.value) for n in nodes if isinstance(n, t.Num) and abs(n.value) < LONGEST}


def sizes(rule: t.Rule) -> tuple[int, ...]:
    """Sizes of axes and loops around the numbers that are named where guards ask for sizes, or
    compare an argument with several or one of several with a number."""
    nodes = list(asking(rule))
    several = any(isinstance(n, t.TupleExpr) for n in nodes)
    several |= bool(_named_in_tuples(rule) & {n.name for n in nodes if isinstance(n, t.Var)})
    if not several and not asks(rule, "size", "shape", "vmin", "vmax"):
        return ()
    return tuple(n for n in numbers(rule) if n > 3)


def _named_in_tuples(rule: t.Rule) -> set[t.Ident]:
    """What the pattern names of tuples, one by one."""
    tuples = [n for n in t.walk(rule.pattern) if isinstance(n, t.TupleExpr)]
    return {n.name for items in tuples for n in t.walk(items) if isinstance(n, t.Var)}


def tuples(rule: t.Rule) -> dict[str, list[tuple[Any, ...]]]:
    """What names of arguments are compared with, where that is several things."""
    named: dict[str, list[tuple[Any, ...]]] = {}
    sides = [(n.left, n.right) for n in asking(rule) if isinstance(n, t.Infix)]
    for name, value in sides:
        if isinstance(name, t.Var) and isinstance(value, t.TupleExpr):
            named.setdefault(str(name.name), []).append(literal(value))
    return named


def literal(expr: t.Node) -> Any:
    """The value of a number, a truth value or several of them; of anything else none."""
    if isinstance(expr, t.TupleExpr):
        return tuple(map(literal, expr.items))
    return expr.value if isinstance(expr, t.Num | t.BoolLit | t.Str) else None


def _of_ranges(call: t.Call) -> bool:
    return any(isinstance(n, t.Field) and n.name == "ranges" for n in t.walk(call))


def ops(rule: t.Rule, facts: Facts) -> tuple[str, ...]:
    """The ops that guards and lets compare a node's with, but for those of which they ask which one
    was matched."""
    compared = [
        n for n in asking(rule) if isinstance(n, t.Infix) and any(map(_is_op, (n.left, n.right)))
    ]
    sides = [side for n in compared for side in (n.left, n.right)]
    names = {str(s.name) for s in sides if isinstance(s, t.OpName)}
    names |= {str(s.value) for s in sides if isinstance(s, t.Str)}
    matched = {
        str(name) for n in t.walk(rule.pattern) if isinstance(n, t.OpSet) for name in n.names
    }
    return tuple(sorted((names & facts.ops.keys()) - matched))


def _is_op(expr: t.Expr) -> bool:
    """Whether it is the op of a node, or its name."""
    expr = expr.expr if isinstance(expr, t.Field) and expr.name == "name" else expr
    return isinstance(expr, t.Field) and expr.name == "op"


def labels(rule: t.Rule, ops: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """Names that guards and lets ask, of what tells memory, loops and variables apart."""
    bound = _bound(rule, ops, lambda field, kind: field in _APART)
    return bound & {str(n.name) for n in asking(rule) if isinstance(n, t.Var)}


def _bound(
    rule: t.Rule, ops: Mapping[str, Mapping[str, Any]], wanted: Callable[[str, str], bool]
) -> set[str]:
    """Names in the pattern of some fields of arguments, by their name and type."""
    bound: set[str] = set()
    for node in t.walk(rule.pattern):
        if isinstance(node, t.OpNode) and isinstance(node.head, t.OpName) and node.args:
            fields = ops[str(node.head.name)]["schema"] if str(node.head.name) in ops else ()
            for arg, (field, kind) in zip(node.args, fields, strict=False):
                if isinstance(arg, t.Var) and wanted(field, kind):
                    bound.add(str(arg.name))
    return bound


def leaf_fields(rule: t.Rule, ops: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """What guards and lets ask of a leaf that tells what node it is, or of memory, a loop or a
    copy that tells which."""
    inner, apart = set(), set()
    for node in t.walk(rule.pattern):
        pattern = t.bare(node) if isinstance(node, t.Bind) else None
        if isinstance(node, t.Bind) and isinstance(pattern, t.OpNode | t.Infix | t.Unary):
            inner.add(str(node.name))
            if isinstance(pattern, t.OpNode) and _names_one(pattern, ops):
                apart.add(str(node.name))
    asked = set()
    for node in asking(rule):
        if isinstance(node, t.Field) and isinstance(node.expr, t.Var):
            name = str(node.expr.name)
            fields = ("base",) if name in inner else ("arg", "base", "op", "src")
            if node.name in (*fields, *(("arg", "device") if name in apart else ())):
                asked.add(str(node.name))
    return asked


def _names_one(pattern: t.OpNode, ops: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether the argument of an op says which memory, loop, variable or device it is."""
    head = str(pattern.head.name) if isinstance(pattern.head, t.OpName) else ""
    fields = {str(field) for field, _ in ops[head]["schema"]} if head in ops else set()
    return bool(fields & {*_APART, "device"})


def alike(rule: t.Rule) -> dict[str, set[str]]:
    """Names that guards compare with each other, or lists of them, or what they are made of: both
    may be one node."""
    pairs: dict[str, set[str]] = {}
    for node in asking(rule):
        if isinstance(node, t.Infix) and node.op in ("==", "!="):
            ones, others = ([str(v.name) for v in _listed(s)] for s in (node.left, node.right))
            for one, other in product(ones, others):
                if one != other:
                    pairs.setdefault(one, set()).add(other)
                    pairs.setdefault(other, set()).add(one)
    return pairs


def _listed(side: t.Expr) -> list[t.Var]:
    """The names that a side of a comparison consists of."""
    items = side.items if isinstance(side, t.TupleExpr) else (side,)
    parts = [i.expr if isinstance(i, t.Field) and i.name in _OF_ONE else i for i in items]
    return [part for part in parts if isinstance(part, t.Var)]


def lists_nodes(rule: t.Rule, ops: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a guard or a let compares lists of operands with each other, or with some by name."""
    fields = _bound(rule, ops, lambda field, kind: True)
    tuples = [n for n in asking(rule) if isinstance(n, t.TupleExpr)]
    if any(isinstance(i, t.Var) and str(i.name) not in fields for n in tuples for i in n.items):
        return True
    rests = [n.expr for n in t.walk(rule.pattern) if isinstance(n, t.Source) and n.rest]
    lists = {str(expr.name) for expr in rests if isinstance(expr, t.Var)}
    return any(name in lists and others & lists for name, others in alike(rule).items())


def denies_valid(rule: t.Rule) -> bool:
    """Whether a guard or a let may hold because an operand is not surely valid."""
    nodes = list(asking(rule))
    denied = [n for n in nodes if isinstance(n, t.Connective) and n.op == "not"]
    computed = [n for n in nodes if isinstance(n, t.Infix | t.Call)]
    inner = [part for node in (*denied, *computed) for part in t.walk(node)]
    return any(isinstance(n, t.Field) and n.name == "valid" for n in inner)


def arguments(rule: t.Rule, ops: Mapping[str, Mapping[str, Any]]) -> tuple[Any, ...]:
    """What guards may compare the argument of a leaf with."""
    if "arg" not in leaf_fields(rule, ops):
        return ()
    return _literals(rule)


def _literals(rule: t.Rule) -> tuple[Any, ...]:
    values = [v for node in asking(rule) if (v := literal(node)) is not None]
    return tuple({repr(v): v for v in values}.values())  # True is not 1


def choices(rule: t.Rule, ops: Mapping[str, Mapping[str, Any]]) -> tuple[Any, ...] | None:
    """What stands beside a captured argument that may be anything; None where no guard asks."""
    names = _bound(rule, ops, lambda field, kind: kind == "any")
    if not names & {str(n.name) for n in asking(rule) if isinstance(n, t.Var)}:
        return None
    return (None, _BLANK, *_literals(rule))


def looks(rule: t.Rule) -> bool:
    """Whether a guard or a let asks what node an operand is: scalars are not all that it meets."""
    return asks(rule, *_OF_NODES)


def by_value(rule: t.Rule, externs: Collection[str]) -> bool:
    """Whether guards and lets ask for values of scalars and for their dtypes alone, so that all
    values there are of some parameters are all that a rule meets."""
    consts = {str(n.name) for n in t.walk(rule.pattern) if isinstance(n, t.ConstVar)}
    for node in asking(rule):
        if isinstance(node, t.Field) and str(node.name) not in _OF_SCALARS:
            return False
        if isinstance(node, t.MethodCall | t.TupleExpr):
            return False
        if isinstance(node, t.Call) and node.name in externs:
            return False
    return alike(rule).keys() <= consts


def tells_lanes(rule: t.Rule) -> bool:
    """Whether a guard or a let may ask how many lanes there are."""
    calls = any(isinstance(n, t.MethodCall) and n.name == "vec" for n in asking(rule))
    return calls or asks(rule, *_OF_LANES)


def asks_more_lanes(rule: t.Rule) -> bool:
    """Whether it may ask more than that there is one, as a condition of all."""
    guards = [part for clause in rule.all(t.When) for part in conjuncts(clause.guard)]
    single = sum(map(_is_one_lane, guards))
    fields = [n for n in asking(rule) if isinstance(n, t.Field) and str(n.name) in _OF_LANES]
    return tells_lanes(rule) and (not single or len(fields) > single)


def _is_one_lane(guard: t.Expr) -> bool:
    if not isinstance(guard, t.Infix) or guard.op != "==" or not isinstance(guard.left, t.Field):
        return False
    return str(guard.left.name) == "count" and guard.right == t.Num(1, "1")


def lanes(rule: t.Rule) -> tuple[int, ...]:
    """Lanes around the numbers that are named where guards ask for them, as such or as bytes."""
    if not tells_lanes(rule):
        return ()
    near = {number + d for number in _named(asking(rule)) for d in (-1, 0, 1)}
    near |= {number // size for number in near for size in _BYTES if asks(rule, "itemsize")}
    texts = [str(n.value) for n in asking(rule) if isinstance(n, t.Str)]
    near |= {int(text.rpartition("*")[2]) for text in texts if text.rpartition("*")[2].isdecimal()}
    return tuple(sorted(n for n in near if 1 < n <= MOST_LANES))


def asks(rule: t.Rule, *fields: str) -> bool:
    """Whether a guard or a let asks for one of some properties."""
    return any(isinstance(n, t.Field) and str(n.name) in fields for n in asking(rule))
