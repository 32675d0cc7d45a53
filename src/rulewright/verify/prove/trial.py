"""One application of a rule to one graph: run before and after, and show where they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rulewright.checks.examples import matcher_of
from rulewright.errors import DeviceError, RulewrightError, ShapeError
from rulewright.interp.memory import INVALID
from rulewright.interp.run import evaluate
from rulewright.interp.shadow import Shadowed, lift
from rulewright.ir.dtypes import DType, dtypes, from_numpy
from rulewright.ir.node import reached
from rulewright.ir.ops import Ops
from rulewright.ir.placement import placement, placement_of
from rulewright.ir.text import name_nodes, print_node
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.verify.prove.allowed import either_zero, results, room
from rulewright.verify.prove.races import races_anew
from rulewright.verify.validate.values import shadow_after
from rulewright.verify.values.comparison import differ, differ_in_shadow, either_nan, needs_shadow

Array = np.ndarray[Any, Any]

_NAMED = ("index", "bool", "void")
_PLACED = Ops.group("Placed") - Ops.group("Outer")  # which may say of several devices
_LANED = (Ops.STACK, Ops.LANE)
_SHOWN = 12  # elements of a value that a comment holds


_STOPS = (RulewrightError, ValueError, IndexError, AttributeError)
"""What an interpreter raises that is given a graph without meaning."""


class Meaningless(Exception):
    """The graph before the rule has no value: an index out of range, sizes that do not fit."""


@dataclass
class Verdict:
    """What a trial found. `at` is the first element that differs, `worst` the most ulps."""

    wrong: bool
    at: int = 0
    worst: float = 0.0
    why: str = ""


@dataclass
class Trial:
    """A graph, what a rule made of it, and what is in its memory and variables."""

    before: UOp
    after: UOp
    bindings: dict[UOp, Array] = field(default_factory=dict)
    variables: dict[str, int] = field(default_factory=dict)

    def memory(self) -> dict[UOp, Array]:
        """What is in memory, to be written."""
        return {node: array.copy() for node, array in self.bindings.items()}

    def run(self, graph: UOp, shadow: bool = False) -> Any:
        """What a graph is worth here."""
        return evaluate(graph, self.memory(), self.variables, shadow)


def loops_of(root: UOp) -> tuple[UOp, ...]:
    """The loop variables that are open at a node, in the order of the graph."""
    loops = root.ranges
    return tuple(n for n in root.toposort() if n.op is Ops.RANGE and n in loops) if loops else ()


def closed(root: UOp, loops: tuple[UOp, ...]) -> UOp:
    """A graph that has a value, or effects, by itself."""
    if root.dtype is dtypes.void:
        return UOp.sink(root.end(*loops))
    return UOp(Ops.STAGE, root.dtype, (root, *loops), "global") if loops else root


def looked_at(trial: Trial, root: UOp) -> UOp:
    """A side as far as anybody looks: an INDEX where all its indices are valid, and 0 elsewhere.

    INVALID is the one negative index. A read there gives 0; once an access has moved into the
    operands of an op, the op computes from zeros. The compiler looks at neither: what it reads
    through such an index stands under WHERE(valid, …), or behind the gate of a STORE.
    """
    before = trial.before
    if before.op is not Ops.INDEX or not any(n.op is Ops.INVALID for n in before.toposort()):
        return root
    return _valid(before).where(root, UOp.const(root.dtype, 0))


def _valid(element: UOp) -> UOp:
    """Whether none of an INDEX's indices is INVALID."""
    zero = UOp.index_const(0)
    valid = UOp.const(dtypes.bool, True)
    for index in element.src[1:]:
        valid = valid & zero.alu(Ops.CMPLE, index)
    return valid


def _masked_alike(trial: Trial) -> bool:
    """Whether elements of one memory, which a STORE may write, are both masked or neither."""
    before, after = trial.before, trial.after
    if not (before.op is after.op is Ops.INDEX and before.src[0] is after.src[0]):
        return True
    if not any(n.op is Ops.INVALID for n in before.toposort()):
        return True
    loops = loops_of(before)
    sides = [trial.run(closed(_valid(side), loops)) for side in (before, after)]
    return bool(np.array_equal(*sides))


def _loops_alike(trial: Trial) -> bool:
    """Whether a RANGE that becomes another node has one iteration: who loops over that goes once,
    and in none nobody sees what it is."""
    before, after = trial.before, trial.after
    if before.op is not Ops.RANGE or after.op is Ops.RANGE:
        return True
    size = before.src[0]
    return bool(np.all(trial.run(closed(size, loops_of(size))) == 1))


def observed(trial: Trial, root: UOp) -> UOp:
    """A side as what is run of it."""
    return closed(looked_at(trial, root), loops_of(trial.before))


def observe(trial: Trial, root: UOp) -> list[Any]:
    """What is left of one side: its value, then all memory."""
    memory, graph = trial.memory(), observed(trial, root)
    value = evaluate(graph, memory, trial.variables)
    return [*([] if graph.op is Ops.SINK else [value]), *memory.values()]


def judge(trial: Trial, equiv: t.Equiv | None) -> Verdict:
    """Run both sides. Raises Meaningless if the graph before has no value."""
    before, after = compared(trial.before, trial.after)
    if before is not trial.before:
        return judge(replace(trial, before=before, after=after), equiv)
    if before.op is Ops.TUPLE:
        return _item_by_item(trial, equiv)
    effect = trial.before.dtype is dtypes.void
    try:
        _require_compared(trial)
        seen = observe(trial, trial.before)
    except _STOPS as error:
        raise Meaningless(str(error)) from None
    problem = misfit(trial.before, trial.after) or _misshapen(trial.after)
    if problem:
        return Verdict(True, why=problem)
    try:
        value = observe(trial, trial.after)
    except _STOPS as error:
        return Verdict(True, why=f"the result has no value: {error}")
    problem = (effect and races_anew(trial)) or _unlike(trial)
    if problem:
        return Verdict(True, why=problem)
    for left, right in zip(seen, value, strict=True):
        if left.dtype != right.dtype or not may_stand(right, left):
            return Verdict(True, why=f"{left.dtype}{left.shape} becomes {right.dtype}{right.shape}")
    places = range(len(seen))
    if equiv is not None and needs_shadow(equiv):
        if _in_shadow(trial, equiv):
            return Verdict(True)
        places = range(0 if effect else 1, 0 if effect else len(seen))
    return _exactly(trial, {trial.before: seen, trial.after: value}, places, equiv)


def _unlike(trial: Trial) -> str:
    """Why whoever uses the result meets another graph, whatever it is worth; nothing if not."""
    if not _masked_alike(trial):
        return "an INVALID index becomes a valid one, or a valid one INVALID"
    return "" if _loops_alike(trial) else "what loops over it goes once then, and did not before"


def _item_by_item(trial: Trial, equiv: t.Equiv | None) -> Verdict:
    """Run the items of a TUPLE, one after the other."""
    before, after = trial.before, trial.after
    if after.op is not Ops.TUPLE or len(after.src) != len(before.src):
        return Verdict(True, why=f"what was a TUPLE of {len(before.src)} is none then")
    pairs = zip(before.src, after.src, strict=True)
    verdicts = [judge(replace(trial, before=b, after=a), equiv) for b, a in pairs]
    return next((verdict for verdict in verdicts if verdict.wrong), Verdict(False))


def _misshapen(root: UOp) -> str:
    """Why a graph, of which the interpreter may make something, has no shape; nothing if it has."""
    try:
        _ = root.shape
    except ShapeError as error:
        return str(error)
    accesses = [n for n in root.toposort() if n.op is Ops.INDEX]
    return "an index has axes" if any(i.shape for n in accesses for i in n.src[1:]) else ""


def _require_compared(trial: Trial) -> None:
    """Raise Meaningless where an INVALID index is compared: what comes of it is not defined."""
    for index in compared_indices(trial.before):
        if np.any(trial.run(closed(index, loops_of(index))) == INVALID):
            raise Meaningless("an INVALID index is compared")


def _exactly(
    trial: Trial, seen: dict[UOp, list[Any]], places: range, equiv: t.Equiv | None
) -> Verdict:
    """Whether each result that the right side may give is one of those that the left side may."""
    finite = all(_finite(a).all() for a in trial.bindings.values())
    free = either_zero(trial.before, trial.after), either_nan(trial.before)

    def side(root: UOp) -> list[Any]:
        if root not in seen:
            seen[root] = observe(trial, root)
        return seen[root]

    for way, ways_before in results(trial.before, trial.after):
        for place in places:
            value, old = side(way)[place], [side(w)[place] for w in ways_before]
            kind = from_numpy(value.dtype)
            unlike = np.logical_and.reduce(
                [differ(v, value, kind, equiv, finite, *free) for v in old]
            )
            if unlike.any():
                is_value = place == 0 and trial.before.dtype is not dtypes.void
                held = None if is_value else list(trial.bindings)[place - len(side(way))]
                why = _difference(held, unlike, old[0], value)
                return Verdict(True, why=why if way is trial.after else why or OPEN)
    return Verdict(False)


OPEN = "MAX, MIN, MULACC and sums of -0.0 leave a result open, and one of the right side is wrong"


def _difference(held: UOp | None, unlike: Array, left: Array, right: Array) -> str:
    """Where two values, or what memory holds after both, differ first; what is plain to see is
    not said."""
    at = np.unravel_index(int(unlike.argmax()), unlike.shape)
    old, new = (
        spell(np.asarray(np.broadcast_to(a, unlike.shape)[at]), bits=True) for a in (left, right)
    )
    if held is None and not at and "nan" not in (old[:3], new[:3]):
        return ""
    where = f" at {list(map(int, at))}" if at else ""
    what = "the result" if held is None else f"what {held.op.name} {held.arg[0]} holds then"
    return f"{what}{where}: {old} becomes {new}"


def may_stand(array: Array, wanted: Array) -> bool:
    """Whether an array has the shape that is wanted; a scalar may stand for any."""
    return array.shape in (wanted.shape, ())


def _finite(array: Array) -> Array:
    """Where an array holds finite numbers."""
    if array.dtype.kind in "biu":
        return np.ones(array.shape, np.bool_)
    return np.isfinite(array.astype(np.float64))


def _in_shadow(trial: Trial, equiv: t.Equiv) -> bool:
    loops, kind = loops_of(trial.before), trial.before.dtype.scalar
    if trial.before.dtype is dtypes.void:
        sides = [closed(root, loops) for root in (trial.before, trial.after)]
        old, new = (shadow_after(side, trial.bindings, trial.variables) for side in sides)
        return any(differ_in_shadow(old[m], new[m], m.dtype, equiv)[0].any() for m in old)
    left, right = (trial.run(observed(trial, r), True) for r in (trial.before, trial.after))

    def part(root: UOp, *inner: UOp) -> Shadowed:
        """A part of the left side, its axes below those of the whole; loops come first."""
        graph = closed(looked_at(trial, root), (*inner, *loops))
        arrays = trial.run(graph, True)
        at = min(len(inner) + len(loops), arrays[0].ndim)
        more = (1,) * (left.exact.ndim + len(inner) - arrays[0].ndim)
        return Shadowed(*(a.reshape((*a.shape[:at], *more, *a.shape[at:])) for a in arrays))

    allowed = room(trial.before, part, True) if equiv.name == "reassoc" and kind.is_float else None
    return bool(differ_in_shadow(left, right, kind, equiv, allowed)[0].any())


# ---- many values of scalars at once ------------------------------------------------------------


def judge_columns(trial: Trial, columns: Mapping[UOp, Array], equiv: t.Equiv | None) -> Verdict:
    """Run an elementwise graph whose scalar leaves take a column of values each."""
    length = len(next(iter(columns.values()))) if columns else 1
    leaves = {
        leaf: UOp(Ops.PARAM, leaf.dtype, (), (place, (length,), None))
        for place, leaf in enumerate(columns)
    }
    memory = {leaves[leaf]: column for leaf, column in columns.items()}

    def run(root: UOp, shadow: bool = False) -> Any:
        return evaluate(root.substitute(leaves), memory, shadow=shadow)

    def spread(root: UOp, value: Array) -> Array:
        lanes = (root.dtype.count,) if root.dtype.count > 1 else ()
        alike = lanes and value.shape == (length,)  # what all lanes hold, as INVALID
        return np.broadcast_to(value[:, None] if alike else value, (length, *lanes))

    def shadow_of(root: UOp) -> Shadowed:
        return Shadowed(*(spread(root, part) for part in run(root, shadow=True)))

    if equiv is not None and needs_shadow(equiv):
        return _columns_in_shadow(
            trial.before, spread(trial.after, run(trial.after)), equiv, shadow_of
        )
    finite = np.logical_and.reduce([np.ones(length, np.bool_), *map(_finite, columns.values())])
    sides = trial.before, trial.after  # run together, so that what is on both is run once
    left, right = map(spread, sides, run(UOp(Ops.TUPLE, dtypes.void, sides)))
    known = dict(zip(sides, (left, right), strict=True))

    def column(root: UOp) -> Array:
        if root not in known:
            known[root] = spread(root, run(root))
        return known[root]

    if left.ndim > 1:
        finite = finite[:, None]
    kind = trial.before.dtype.scalar
    free = either_zero(trial.before, trial.after), either_nan(trial.before)
    wrong = np.zeros(left.shape, np.bool_)
    for way, ways_before in results(trial.before, trial.after):
        value = column(way)
        unlike = [differ(column(g), value, kind, equiv, finite, *free) for g in ways_before]
        wrong |= np.logical_and.reduce(unlike)
    for index in compared_indices(trial.before):
        value = column(index) == INVALID
        wrong = wrong & ~(value[:, None] if value.ndim < wrong.ndim else value)
    rows = wrong.reshape(length, -1).any(axis=1)
    if kind.is_float:  # rather one that shows in numbers than in the bits of a NaN
        numbers = wrong & ~(np.isnan(left.astype(np.float64)) & np.isnan(right.astype(np.float64)))
        shown = numbers.reshape(length, -1).any(axis=1)
        rows = shown if shown.any() else rows
    at = int(rows.argmax())
    is_scalar = left.ndim == 1 and wrong.any()
    why = bits_of_nan(left[at], right[at]) if is_scalar else ""
    if is_scalar and left[at].tobytes() == right[at].tobytes():
        why = OPEN
    return Verdict(bool(wrong.any()), at, why=why)


def _columns_in_shadow(
    before: UOp, after: Array, equiv: t.Equiv, shadow_of: Callable[[UOp], Shadowed]
) -> Verdict:
    """The same by a shadow of the left side: what is allowed, that says. Of the result the exact
    value is enough."""
    kind = before.dtype.scalar
    allowed = room(before, shadow_of) if equiv.name == "reassoc" and kind.is_float else None
    result = Shadowed(*lift((after,)))
    wrong, worst = differ_in_shadow(shadow_of(before), result, kind, equiv, allowed)
    return Verdict(bool(wrong.any()), int(wrong.argmax()) // before.dtype.count, worst)


def compared_indices(root: UOp) -> list[UOp]:
    """The indices of which a truth value is made, where one may be INVALID: then it has none."""
    nodes = root.toposort()
    if not any(n.op is Ops.INVALID for n in nodes):
        return []
    asked = [s for n in nodes if n.dtype.is_bool and n.op.elementwise for s in n.src]
    return [s for s in dict.fromkeys(asked) if s.dtype.base == "index"]


def bits_of_nan(before: Any, after: Any) -> str:
    """Two NaNs that differ, as bits; they print alike."""
    if before == before or after == after:
        return ""
    shown = [np.asarray(v).view(f"u{np.asarray(v).dtype.itemsize}").item() for v in (before, after)]
    return f"the bits of the NaN become {shown[1]:#x}, not {shown[0]:#x} (`equiv nan_payload`)"


# ---- counterexamples ---------------------------------------------------------------------------


def graphs(trial: Trial, why: str = "") -> str:
    """Both sides as text that reads back, with the value of every node as a comment."""
    lines = [f"# {why}"] if why else []
    if any(n.op is Ops.INVALID for n in trial.before.toposort()):
        lines.append("# an index may be INVALID: `when x.valid` says that x is not")
    bits = "bits" in why  # of a NaN are what differs
    for title, root in (("before", trial.before), ("after", trial.after)):
        names = name_nodes(root)
        values = _values(trial, dict.fromkeys([*names, root]))
        comments = {node: _comment(node, value, bits) for node, value in values.items()}
        lines.append(f"graph {title} {{")
        for node, name in names.items():
            value = comments.get(node, "")
            lines.append(f"  {name} = {print_node(node, names)}{value and f'  # {value}'}")
        result = names.get(root)
        value = "" if result else comments.get(root, "")
        lines.append(f"  return {result or print_node(root, names)}{value and f'  # {value}'}")
        lines.append("}")
    return "\n".join(lines)


def _comment(node: UOp, value: Array, bits: bool) -> str:
    is_never = node.dtype is dtypes.index and value.shape == () and value == INVALID
    return "INVALID" if is_never else spell(value, bits)


def _values(trial: Trial, nodes: Iterable[UOp]) -> dict[UOp, Array]:
    """What nodes are worth, without those that have no value by themselves."""
    alone = {n: closed(n, loops_of(n)) for n in nodes if n.dtype is not dtypes.void}
    try:
        together = trial.run(UOp(Ops.TUPLE, dtypes.void, (*alone.values(),)))
        pairs = zip(alone, together, strict=True)
        return {node: value for node, value in pairs if isinstance(value, np.ndarray)}
    except (*_STOPS, TypeError):  # a rule may have made what has no meaning
        return (
            {} if len(alone) == 1 else {k: v for n in alone for k, v in _values(trial, [n]).items()}
        )


def spell(array: Array, bits: bool = False) -> str:
    """An array as a Python literal; the beginning of a long one. `bits`: a NaN with its own."""
    if bits and array.shape == () and array.dtype.kind not in "biu" and array != array:
        return f"nan, bits {array.view(f'u{array.dtype.itemsize}').item():#x}"
    plain = array.astype(np.float64) if array.dtype.kind not in "biu" else array
    if plain.size <= _SHOWN:
        return " ".join(str(plain.tolist()).split())
    return f"{str(plain.reshape(-1)[:_SHOWN].tolist())[:-1]}, … of shape {plain.shape}"


class RuleStopsError(Exception):
    """A rule did not come to an end on a graph that its pattern fits."""

    def __init__(self, node: UOp, error: Exception) -> None:
        super().__init__(f"the rule stops: {type(error).__name__}: {error}")
        self.node = node


Match = Callable[[UOp], "UOp | None"]


def matcher(rule: t.Rule, table: Mapping[str, Any]) -> Match:
    """The function that applies one rule to one node, with the matcher that ships.

    It raises RuleStopsError where a guard or an extern ends in an error of Python.
    """
    match = matcher_of([rule], table)

    def apply(node: UOp) -> UOp | None:
        rules = match.get(node.op)
        try:
            result: UOp | None = None if rules is None else rules(node, None)
        except RulewrightError:
            raise
        except Exception as error:  # a guard or an extern may do anything
            raise RuleStopsError(node, error) from error
        return result

    return apply


def misfit(before: UOp, after: UOp) -> str:
    """Why `after` cannot replace `before`, in a line; nothing if it can.

    Nodes that were not there before must have operands as their row in `20-ops.uop` says: of the
    dtypes that it names, and elementwise ones equal dtypes where it has one name for them, and the
    same number of lanes everywhere, but that one condition may choose for all lanes. What was
    copied to a device stays there, and of what is on several devices each keeps its part. No loop
    is open that was closed.
    """
    if after.dtype is not before.dtype:
        return f"a value of {before.dtype.name} becomes one of {after.dtype.name}"
    for loop in after.ranges:
        if loop not in before.ranges:
            return f"RANGE {loop.arg[0]} is open then: no END or REDUCE closes that loop"
    known = set(before.toposort())
    if any(n.op is Ops.COPY for n in known) and (problem := _moved(before, after)):
        return problem
    if any(n.op in _PLACED for n in known) and (problem := _spread(before, after)):
        return problem
    new = [n for n in after.toposort() if n not in known]
    spaces = {n.arg for n in known if n.op is Ops.STAGE}
    for stage in new:
        if spaces and stage.op is Ops.STAGE and stage.arg not in spaces:
            return f"a STAGE in {' and '.join(sorted(spaces))} memory becomes one in {stage.arg}"
    return next(filter(None, map(mistyped, new)), "")


def compared(before: UOp, after: UOp) -> tuple[UOp, UOp]:
    """What is compared of two graphs: of a loop that stays the same one, whoever loops over it, how
    often it runs."""
    if before.op is after.op is Ops.RANGE and before.arg == after.arg:
        return before.src[0], after.src[0]
    return before, after


def mistyped(node: UOp) -> str:
    """What has not the dtype that the row of an op names: the result, or an operand. Of lanes it
    says nothing but of elementwise ops, and of what they are taken from or put together to."""
    if node.op.elementwise:
        return _problem(node)
    if node.op in _LANED:
        return _problem_of_lanes(node)
    op, base = node.op, node.dtype.base
    if base not in op.kinds(op.result):
        return f"{node.op} does not exist for {node.dtype.name}"
    lists = [kind for _, kind, rest in op.params if rest]
    kinds = [kind for _, kind, rest in op.params if not rest]
    if len(lists) < 2:  # else which of them an operand belongs to is not said
        kinds += lists * (len(node.src) - len(kinds))
    for source, kind in zip(node.src, kinds, strict=False):
        if kind in _NAMED and source.dtype.base != kind:
            return f"{node.op} takes {source.dtype.name} where it needs {kind}"
        if kind == op.result and kind in op.tparams and source.dtype.base != base:
            return f"{node.op} of {node.dtype.name} takes {source.dtype.name}"
    return ""


def _problem_of_lanes(node: UOp) -> str:
    """What a STACK has that is not of its own dtype, or has other lanes, and so for a LANE."""
    kinds = {s.dtype.base for s in node.src} - {node.dtype.base}
    if kinds:
        return f"{node.op} of {node.dtype.name} takes {min(kinds)}"
    is_stack = node.op is Ops.STACK
    count = sum(s.dtype.count for s in node.src) if is_stack else len(node.arg)
    return "" if count == node.dtype.count else f"{node.op} of {node.dtype.name} has {count} lanes"


def _moved(before: UOp, after: UOp) -> str:
    """Why a value is not on the device that it was copied to, or a gradient not where it goes."""
    if before.op is Ops.GRAD:
        value, items = before.src[0], after.src if after.op is Ops.TUPLE else (after,)
        home = value.src[0].device if value.op is Ops.COPY else None
        away = home is not None and items[0].op is not Ops.NOGRAD and items[0].device != home
        return f"the gradient of what is on {home} does not come back to it" if away else ""
    known = _places(before)
    moved = [place for place in _places(after) if place not in known]
    if not moved:
        return ""
    return f"what was on {' and '.join(known)} is read from {' and '.join(moved)}"


def _spread(before: UOp, after: UOp) -> str:
    """Why the parts of a value on several devices are not where they were."""
    if before.dtype is dtypes.void or after.device is None:  # which is on any
        return ""
    try:
        there = placement_of(before)
    except DeviceError:  # which no devices can compute
        return ""
    here = placement_of(after)
    if here != there:
        return f"what is on {there or 'one'} is then on {here or 'one'}"
    return next(filter(None, map(_parted, after.toposort())), "")


def _parted(stack: UOp) -> str:
    """Why parts of a value are of other sizes than its devices have."""
    where = placement(stack.device) if stack.op is Ops.MSTACK else None
    if where is None or stack.shape is None:
        return ""
    wanted = [where.part(stack.shape, number) for number in range(len(stack.src))]
    sizes = [part.shape for part in stack.src]
    return "" if sizes == wanted else f"parts on {where} have shapes {sizes}, not {wanted}"


def _places(root: UOp) -> list[str]:
    """The devices of the copies and the memory that a node is computed from."""
    places: set[str] = set()
    for node in reached([root], lambda n: () if "Placed" in n.op.groups else n.src):
        if "Placed" in node.op.groups:
            where = placement(node.device)
            names = where.devices if where else [node.device or "the default device"]
            parts = node.src if node.op is Ops.MSTACK else ()  # of which each is there, or on any
            pairs = zip(parts, names, strict=False)
            away = [part.device for part, name in pairs if part.device not in (None, name)]
            places.update(names, [f"{device}, where another part is" for device in away])
    return sorted(places)


def _problem(node: UOp) -> str:
    op = node.op
    if len(node.src) != len(op.params):
        return f"{node.op} has {len(node.src)} operands"
    own: dict[str, DType] = {}
    places = [(op.result, node.dtype)]
    places += [(kind, s.dtype) for (_, kind, _), s in zip(op.params, node.src, strict=True)]
    for place, (declared, dtype) in enumerate(places):
        one = node.op is Ops.WHERE and place == 1 and dtype.count == 1
        if dtype.count != node.dtype.count and not one:
            return f"{node.op} of {node.dtype.name} takes {dtype.name}: lanes differ"
        if declared in op.tparams:
            if dtype.base not in op.tparams[declared]:
                return f"{node.op} does not exist for {dtype.name}"
            if own.setdefault(declared, dtype) is not dtype:
                return f"{node.op} takes {own[declared].name} and {dtype.name}"
        elif declared == "bool" and not dtype.is_bool:
            return f"{node.op} takes {dtype.name} where it needs bool"
    if node.op is Ops.BITCAST and node.src[0].dtype.bits != node.dtype.bits:
        return f"BITCAST of {node.src[0].dtype.name} to {node.dtype.name}: widths differ"
    return ""
