"""Graphs like those that a rule shows: its examples, and what it must leave alone.

Externs look deeper than a pattern says, and hardly any graph that is made of the pattern alone is
one that they know. So these vary what a rule shows: other sizes of axes, loops and memory, other
dtypes, and now and then another operand, constant, op or condition somewhere. Whatever comes of it
is shown to the rule's matcher, as all graphs are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain
from math import prod
from typing import Any

from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.placement import placement
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.verify.prove.graphs import Retry
from rulewright.verify.prove.trial import compared_indices, mistyped
from rulewright.verify.values.samples import Random, special

_FLOATS = ("f32", "f64", "f16", "bf16")
_INTEGERS = ("i32", "i64", "u8", "i8", "u32", "i16")
_SIZES = ("shape", "pads", "bounds", "size")  # fields of arguments that hold them
_SMALL = (1, 2, 3, 5, 8)
_ELEMENTS = 1 << 20  # of a value, and steps of the loops around it, at most
_MOST_CHANGES = 3
_ACCESSING = (Ops.LOAD, Ops.STORE, Ops.AFTER)  # whose first operand is an access
_CLOSING = Ops.group("Looped")


def graphs_shown(rule: t.Rule) -> list[UOp]:
    """What a rule shows: the graphs of its examples, then those that it leaves alone."""
    from rulewright.ir.read import try_build

    exprs = [example.before for example in rule.all(t.Example)]
    exprs += [reject.expr for reject in rule.all(t.Reject)]
    built = (try_build(t.Body((), expr, span=expr.span))[0] for expr in exprs)
    return [root for root in built if root is not None]


def varied(root: UOp, rng: Random, turn: int) -> UOp:
    """A graph like another one. Raises Retry or RulewrightError where it would have no meaning.

    In the first turns each operand in its turn is another node that is there; then anything is.
    """
    retyped = _retyped(root, rng) if rng.random() < 0.5 else root
    graph = _resized(retyped, rng)
    swaps = _swaps(graph)
    if turn < len(swaps):
        graph = _with_operand(graph, *swaps[turn])
    else:
        for _ in range(int(rng.integers(_MOST_CHANGES + 1))):
            graph = _changed(graph, rng)
    if any(n.op is Ops.INVALID for index in compared_indices(graph) for n in index.toposort()):
        raise Retry  # of which no comparison is made
    known = set(root.toposort())
    for node in graph.toposort():
        steps = prod(int(r.vmax) + 1 for r in node.ranges)
        is_large = steps * prod(node.max_shape or ()) > _ELEMENTS
        if is_large or _opens_again(node) or (node not in known and mistyped(node)):
            raise Retry
    return graph


def _opens_again(node: UOp) -> bool:
    """Whether a loop that was closed below a node is open there, or closed once more."""
    closed = _closed_by(node)
    loops = {*node.ranges, *closed}
    if len(set(closed)) < len(closed):
        return True
    return bool(loops) and any(
        loops.intersection(_closed_by(n)) for s in node.src for n in s.toposort()
    )


def _closed_by(node: UOp) -> list[UOp]:
    return [s for s in node.src[1:] if s.op is Ops.RANGE] if node.op in _CLOSING else []


def _pick(items: Sequence[Any], rng: Random) -> Any:
    if not items:
        raise Retry
    return items[int(rng.integers(len(items)))]


def _rebuilt(root: UOp, change: Callable[[UOp, tuple[UOp, ...]], UOp]) -> UOp:
    """A graph of which each node is made anew, of its new operands."""
    new: dict[UOp, UOp] = {}
    for node in root.toposort():
        new[node] = change(node, tuple(new[s] for s in node.src))
    return new[root]


def _retyped(root: UOp, rng: Random) -> UOp:
    """The same of other floats and other integers."""
    kinds: dict[str, DType] = {}
    for names in (_FLOATS, _INTEGERS):
        for node in root.toposort():
            if node.dtype.base in names:
                kinds.setdefault(node.dtype.base, dtype(_pick((*names, node.dtype.base), rng)))

    def change(node: UOp, src: tuple[UOp, ...]) -> UOp:
        kind = kinds.get(node.dtype.base, node.dtype).scalar.vec(node.dtype.count)
        is_const = node.op is Ops.CONST
        return UOp.const(kind, node.arg) if is_const else node.replace(dtype=kind, src=src)

    return _rebuilt(root, change)


# ---- sizes -------------------------------------------------------------------------------------


def _resized(root: UOp, rng: Random) -> UOp:
    """The same of other sizes: products of sizes stay products of them, and each loop has one of
    two sizes, for which memory has room."""
    ways = [_new_sizes(root, rng) for _ in range(2)]

    def change(node: UOp, src: tuple[UOp, ...]) -> UOp:
        if node.op is Ops.CONST:
            is_index = node.dtype is dtypes.index
            return UOp.index_const(_becomes(node.arg, ways[:1])) if is_index else node
        if node.op is Ops.RANGE and node.src[0].op is Ops.CONST:
            size = _becomes(node.src[0].arg, [_pick(ways, rng)])
            return node.replace(src=(UOp.index_const(size),))
        arg = _argument(node, ways if node.op is Ops.PARAM else ways[:1])
        return node.replace(src=src, arg=arg)

    return _rebuilt(root, change)


def _becomes(size: Any, ways: Sequence[dict[int, int]]) -> Any:
    """What a size becomes, the largest of some ways; pairs of sizes too."""
    if isinstance(size, tuple):
        return tuple(_becomes(s, ways) for s in size)
    return max(way.get(size, size) for way in ways) if isinstance(size, int) else size


def _argument(node: UOp, ways: Sequence[dict[int, int]]) -> Any:
    """An argument with other sizes in it."""
    fields = [name for name, _ in node.op.schema]
    if not set(fields) & {*_SIZES}:
        return node.arg
    values = (node.arg,) if len(fields) == 1 else node.arg
    new = [_becomes(v, ways) if f in _SIZES else v for f, v in zip(fields, values, strict=True)]
    return new[0] if len(fields) == 1 else tuple(new)


def _new_sizes(root: UOp, rng: Random) -> dict[int, int]:
    """What each size becomes."""
    new: dict[int, int] = {}
    for size in sorted(set(chain.from_iterable(map(_sizes, root.toposort())))):
        factors = [f for f in new if size % f == 0 and size // f in new]
        if factors and rng.random() < 0.9:
            factor = _pick(factors, rng)
            new[size] = new[factor] * new[size // factor]
        elif rng.random() < 0.5:
            new[size] = size
        else:
            new[size] = _pick((size - 1, size + 1, 2 * size, -(-size // 2), *_SMALL), rng)
    return new


def _sizes(node: UOp) -> list[int]:
    """The sizes above 1 that a node names, and constants of index arithmetic."""
    if node.op is Ops.CONST:
        return [node.arg] if node.dtype is dtypes.index and node.arg > 1 else []
    fields = [name for name, _ in node.op.schema]
    values = (node.arg,) if len(fields) == 1 else (node.arg or ())
    sizes: list[int] = []
    stack = [v for f, v in zip(fields, values, strict=False) if f in _SIZES]
    while stack:
        value = stack.pop()
        stack += value if isinstance(value, tuple) else ()
        sizes += [value] if isinstance(value, int) and value > 1 else []
    return sizes


# ---- changes -----------------------------------------------------------------------------------


def _changed(root: UOp, rng: Random) -> UOp:
    """The same with something else in one place, or everywhere that it is."""
    user = _pick([n for n in root.toposort() if n.src and n.op is not Ops.RANGE], rng)
    place = int(rng.integers(len(user.src)))
    node, change = user.src[place], _pick((None, _other_value, _other_op, _wrapped), rng)
    if change is None:
        return _with_operand(root, *_pick(_swaps(root), rng))
    other = change(root, node, rng)
    if other.op is not node.op and user.op in _ACCESSING and place == 0:
        raise Retry
    if rng.random() < 0.5:
        return root.substitute({node: other})
    return _with_operand(root, user, place, other)


def _with_operand(root: UOp, user: UOp, place: int, other: UOp) -> UOp:
    """A graph of which one operand of one node is another."""
    src = (*user.src[:place], other, *user.src[place + 1 :])
    return root.substitute({user: user.replace(src=src)})


def _swaps(root: UOp) -> list[tuple[UOp, int, UOp]]:
    """The operands that may be another node of the graph, of their dtype and shape, with it: a loop
    instead of a loop, an access instead of an access; or a constant next to them."""
    nodes = root.toposort()
    alike, swaps = _alike(nodes), []
    for user in nodes:
        if not user.src or user.op is Ops.RANGE:
            continue
        above = {user}  # the nodes that hold it
        for n in nodes:
            if not above.isdisjoint(n.src):
                above.add(n)
        for place, node in enumerate(user.src):
            others = alike(node, user.op in _ACCESSING and place == 0)
            others += _next_to(node) if node.op is Ops.CONST else []
            swaps += [(user, place, n) for n in others if n not in above]
    return swaps


def _alike(nodes: Sequence[UOp]) -> Callable[[UOp, bool], list[UOp]]:
    """The others among nodes that may stand for one of them, or those of its op alone."""
    kin: dict[tuple[DType, bool], list[UOp]] = {}
    for node in nodes:
        kin.setdefault((node.dtype, node.op is Ops.RANGE), []).append(node)
    device = cache(lambda node: node.device)

    @cache
    def known(node: UOp, same_op: bool) -> list[UOp]:
        others = [n for n in kin[node.dtype, node.op is Ops.RANGE] if n is not node]
        if same_op:
            others = [n for n in others if n.op is node.op]
        return [n for n in others if n.shape == node.shape and device(n) == device(node)]

    return lambda node, same_op: [*known(node, same_op)]


def _next_to(const: UOp) -> list[UOp]:
    """The constants beside one, where what it is compared with turns."""
    near = (not const.arg,) if const.dtype.is_bool else (const.arg - 1, const.arg + 1)
    return [UOp.const(const.dtype, value) for value in near]


def _other_value(root: UOp, node: UOp, rng: Random) -> UOp:
    """Another constant, or memory that is not read elsewhere."""
    if node.op is Ops.CONST:
        near = [] if node.dtype.is_bool else [0, 1, 2]
        other = UOp.const(node.dtype, _pick([*near, *special(node.dtype).tolist()], rng))
        return _pick([*_next_to(node), other], rng)
    if node.op is not Ops.PARAM:
        raise Retry
    return node.replace(arg=(500 + int(rng.integers(3)), *node.arg[1:]))


def _other_op(root: UOp, node: UOp, rng: Random) -> UOp:
    """Another op of operands like its own, or another one that combines; its operands the other
    way round."""
    if "combine" in dict(node.op.schema):
        return _combined(node, rng)
    if not node.op.elementwise:
        raise Retry
    if len(node.src) > 1 and rng.random() < 0.3:
        return node.replace(src=(*node.src[:-2], *node.src[:-3:-1]))
    kinds = _kinds(node.op)
    return node.replace(op=_pick([o for o in Ops if o.elementwise and _kinds(o) == kinds], rng))


def _combined(node: UOp, rng: Random) -> UOp:
    """A reduction that combines by another op, with the identity of that instead of its own."""
    arg, kind = node.arg, node.dtype
    old = arg[0] if isinstance(arg, tuple) else arg
    combining = [o for o in Ops if o.row["identity"] is not None]
    new = _pick([o for o in combining if kind.base in o.tparams["T"]], rng)
    first, other = (UOp.const(kind, o.identity(kind)) for o in (old, new))
    src = (node.src[0].substitute({first: other}), *node.src[1:])
    return node.replace(src=src, arg=(new, *arg[1:]) if isinstance(arg, tuple) else new)


def _kinds(op: Op) -> list[str]:
    """How its row names the dtypes of the result and the operands."""
    return [op.result, *(kind for _, kind, _ in op.params)]


def _wrapped(root: UOp, node: UOp, rng: Random) -> UOp:
    """The same under a condition, or beside something that is read."""
    if node.dtype is dtypes.void or node.op in (Ops.RANGE, Ops.PARAM) or node.shape is None:
        raise Retry
    conditions = [n for n in root.toposort() if n.dtype is dtypes.bool and n.shape == node.shape]
    condition = _pick([*conditions, _read(node, dtypes.bool, 510)], rng)
    if node.dtype is dtypes.index and rng.random() < 0.5:
        return condition.where(node, UOp(Ops.INVALID, dtypes.index))
    if node.dtype.is_bool:
        return node & condition if rng.random() < 0.7 else node | condition
    beside = _read(node, node.dtype, 511)
    if rng.random() < 0.5:
        return condition.where(node, _pick([UOp.const(node.dtype, 0), beside], rng))
    return node + _pick([UOp.const(node.dtype, 1), beside], rng)


def _read(node: UOp, kind: DType, slot: int) -> UOp:
    """Memory where a value is, of its shape. Raises Retry for what is on several devices."""
    if placement(node.device) is not None:
        raise Retry
    return UOp(Ops.PARAM, kind, (), (slot, node.shape, node.device))
