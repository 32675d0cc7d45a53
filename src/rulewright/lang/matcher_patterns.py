"""Patterns as lists of tests.

A pattern becomes one `PatternRow` for each arrangement of its commutative operands. A row is a
list of `Check`s, which name places by path and not by the rule's variables, so that rules which
look at the same place share the test, and the places of the variables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import Facts, excluded_ops, wrong

Path = tuple[Any, ...]
"""Steps from the root: an operand's index, negative from the end, or ("s0", 1) inside a scan."""


def variable(path: Path) -> str:
    """The Python variable that holds the node at a path: `n`, `n_0`, `n_m1`, `n_s0_1`."""
    parts = ["n"]
    for step in path:
        if isinstance(step, tuple):
            parts.append(f"{step[0]}_{step[1]}")
        else:
            parts.append(f"m{-step}" if step < 0 else str(step))
    return "_".join(parts)


TypeOf = tuple[str, "int | str | None"]
"""A written type: its name, and its lanes (a number, or the type parameter that has as many)."""


@dataclass(frozen=True)
class Check:
    """One test: `kind` at a path (for arguments: at an accessor below it) against `param`."""

    kind: str  # op, not_op, count, literal, arg, same, dtype_in, dtype_is, dtype_same, scan
    path: Path
    param: Any
    access: str = ""


@dataclass(frozen=True)
class BoundName:
    """What a name stands for: `kind` is node, nodes, const, value or dtype."""

    kind: str
    code: str
    path: Path = ()


@dataclass
class PatternRow:
    """One arrangement of one rule's pattern."""

    index: int
    checks: list[Check] = field(default_factory=list)
    names: dict[str, BoundName] = field(default_factory=dict)
    types: dict[str, Path] = field(default_factory=dict)
    dtype_at: dict[str, Path] = field(default_factory=dict)  # place with a name's dtype
    root_dtype: Path = ()


class PatternBuilder:
    """Collects the checks of one arrangement; `swaps` tells the swapped nodes, in preorder."""

    def __init__(self, facts: Facts, rule: t.Rule, index: int, swaps: tuple[bool, ...]) -> None:
        self.facts, self.rule = facts, rule
        self.sets = {str(p.name): p.sets for p in rule.type_params}
        self.row = PatternRow(index)
        self.swaps = iter(swaps)
        self.same_dtype: dict[Path, Path] = {}
        self.possible: dict[Path, tuple[str, ...]] = {}  # what the table allows at a place
        self.scans = 0
        self.deferred: list[Check] = []

    # ---- dtypes ----

    def dtype_place(self, path: Path) -> Path:
        """The place nearest to the root that is known to have the same dtype."""
        while path in self.same_dtype:
            path = self.same_dtype[path]
        return path

    def _join(self, a: Path, b: Path) -> None:
        a, b = self.dtype_place(a), self.dtype_place(b)
        if a != b:
            low, high = sorted((a, b), key=lambda p: (len(p), str(p)))
            self.same_dtype[high] = low
            if high in self.possible:
                self.possible.setdefault(low, self.possible.pop(high))

    def typed(self, path: Path, name: str, lanes: int | str | None) -> None:
        """The node at `path` has the type `name`: a parameter, a dtype or a set."""
        place = self.dtype_place(path)
        if name in self.sets:
            if name not in self.row.types:
                self.row.types[name] = place
                self._dtype_in(place, self.sets[name])
            elif self.dtype_place(self.row.types[name]) != place:
                other = self.dtype_place(self.row.types[name])
                self.add(Check("dtype_same", place, other))
        elif isinstance(lanes, str):  # as many lanes as a parameter's: the op's row sees to that
            self._dtype_in(place, (name,))
        elif name in self.facts.dtypes:
            full = name if lanes in (None, 1) else f"{name}*{lanes}"
            self.add(Check("dtype_is", place, full))
        else:
            self._dtype_in(place, (name,))

    def _dtype_in(self, place: Path, sets: tuple[str, ...]) -> None:
        bases = self.facts.bases(sets)
        if not set(self.possible.get(place, self.facts.dtypes)) <= set(bases):
            self.add(Check("dtype_in", place, bases))

    def add(self, check: Check) -> None:
        """Append a check; those inside a scan wait until the scan has begun."""
        paths = (check.path, check.param) if check.kind == "dtype_same" else (check.path,)
        if any(isinstance(step, tuple) for path in paths for step in path):
            self.deferred.append(check)
        elif check not in self.row.checks:
            self.row.checks.append(check)

    # ---- names ----

    def bind(self, name: str, bound: BoundName) -> None:
        """Bind a name, or test that it stands for the same thing as before."""
        before = self.row.names.get(name)
        if before is None:
            self.row.names[name] = bound
            return
        if before.kind != bound.kind:
            raise wrong(f"{name} stands for different kinds of things", self.rule)
        in_scan = any(isinstance(step, tuple) for step in before.path)
        path, other = (before.path, bound.path) if in_scan else (bound.path, before.path)
        kind, codes = before.kind, (before.code, bound.code)
        if kind == "const":  # the value and its dtype: equal constants are one node
            kind, codes = "node", (variable(before.path), variable(bound.path))
        self.add(Check("same", path, (kind, *codes, other)))

    # ---- patterns ----

    def pattern(self, expr: t.Expr, path: Path, type_of: TypeOf | None) -> None:
        """Checks and names of `expr`, matched against the node at `path`."""
        if isinstance(expr, t.Typed):
            self.pattern(expr.expr, path, (str(expr.type), expr.lanes))
            return
        if isinstance(expr, t.Bind):
            self.pattern(expr.pattern, path, type_of)
            self.bind(str(expr.name), BoundName("node", variable(path), path))
            return
        expr = self.facts.as_node(expr)
        if isinstance(expr, t.OpNode):
            self._node(expr, path, type_of)
            return
        if isinstance(expr, t.ConstVar | t.Num | t.BoolLit):
            self.add(Check("op", path, ("CONST",)))
        elif not isinstance(expr, t.Var | t.Wild):
            raise wrong("this cannot stand in a pattern", expr)
        if type_of is not None:
            self.typed(path, *type_of)
        if isinstance(expr, t.Num | t.BoolLit):
            self.add(Check("literal", path, literal_text(expr)))
        elif isinstance(expr, t.ConstVar):
            self.bind(str(expr.name), BoundName("const", f"{variable(path)}.arg", path))
        elif isinstance(expr, t.Var):
            self.bind(str(expr.name), BoundName("node", variable(path), path))

    def _node(self, node: t.OpNode, path: Path, type_of: TypeOf | None) -> None:
        heads = self.facts.heads(node.head)
        sources = node.sources
        if is_swappable(self.facts, node):
            swapped = next(self.swaps)
            if swapped:
                heads = tuple(h for h in heads if self.facts.commutative(h))
                sources = sources[::-1] if sources else sources
        if path:
            self.add(Check("op", path, heads))
        self._equal_types(heads, path, len(sources or ()))
        if type_of is not None:
            self.typed(path, *type_of)
        if node.args is not None:
            self._arguments(heads, node, path)
        if sources is not None:
            self._sources(heads, node, sources, path)

    def _equal_types(self, heads: tuple[str, ...], path: Path, count: int) -> None:
        """Note which operands share a dtype with each other or with the result, by the table.

        Nothing of ops that are typed differently.
        """
        groups = [self._typed_alike(head, path, count) for head in heads]
        if any(list(other) != list(groups[0]) for other in groups):
            return
        for places in groups[0]:
            for place in places[1:]:
                self._join(places[0], place)
            allowed = dict.fromkeys(name for group in groups for name in group[places])
            self.possible.setdefault(self.dtype_place(places[0]), tuple(allowed))

    def _typed_alike(self, head: str, path: Path, count: int) -> dict[tuple[Path, ...], list[str]]:
        """Places that have one dtype, the result's among them, with the dtypes that it may be."""
        row, groups = self.facts.ops[head], {}
        fixed = min(count, self.facts.arity(head)[0])
        kinds = [self.facts.operand_type(head, i) for i in range(fixed)]
        for name, allowed in row["tparams"]:
            places = [path] if row["result"] == name else []
            places += [(*path, i) for i, kind in enumerate(kinds) if kind == name]
            if places:
                groups[tuple(places)] = list(allowed)
        return groups

    def _arguments(self, heads: tuple[str, ...], node: t.OpNode, path: Path) -> None:
        args = node.args or ()
        counts = {len(self.facts.ops[h]["schema"]) for h in heads}
        if counts == {1} and len(args) == 1:
            self._argument(args[0], path, ".arg")
            return
        if counts != {len(args)}:
            raise wrong(f"{heads[0]} has {min(counts)} argument fields, found {len(args)}", node)
        for i, arg in enumerate(args):
            self._argument(arg, path, f".arg[{i}]")

    def _argument(self, arg: t.Expr, path: Path, access: str) -> None:
        place = variable(path) + access
        if isinstance(arg, t.Wild):
            return
        if isinstance(arg, t.Bind):
            self._argument(arg.pattern, path, access)
            self.bind(str(arg.name), BoundName("value", place, path))
        elif isinstance(arg, t.Var):
            self.bind(str(arg.name), BoundName("value", place, path))
        elif isinstance(arg, t.TupleExpr):
            self.add(Check("arg", path, ("length", len(arg.items)), access))
            for i, item in enumerate(arg.items):
                self._argument(item, path, f"{access}[{i}]")
        else:
            self.add(Check("arg", path, argument_literal(arg, self.facts), access))

    def _sources(
        self, heads: tuple[str, ...], node: t.OpNode, sources: tuple[t.Source, ...], path: Path
    ) -> None:
        if not sources and self.facts.takes_any(node.head):
            return
        rests = [i for i, s in enumerate(sources) if s.rest]
        self._count(heads, path, len(sources) - len(rests), not rests)
        if len(rests) > 2:
            raise wrong("at most two variadic patterns may stand in one list", node)
        first = rests[0] if rests else len(sources)
        for i, source in enumerate(sources[:first]):
            self.pattern(source.expr, (*path, i), None)
        if not rests:
            return
        last = rests[-1]
        tail = len(sources) - last - 1
        for i, source in enumerate(sources[last + 1 :]):
            self.pattern(source.expr, (*path, i - tail), None)
        if len(rests) == 1:
            self._rest(sources[first], path, str(first), f"-{tail}" if tail else "")
        else:
            self._scan(sources, path, first, last)

    def _count(self, heads: tuple[str, ...], path: Path, count: int, exact: bool) -> None:
        arities = [self.facts.arity(h) for h in heads]
        if exact and all(a == (count, False) for a in arities):
            return
        if not exact and all(fixed >= count for fixed, _ in arities):
            return
        self.add(Check("count", path, (count, exact)))

    def _rest(self, source: t.Source, path: Path, begin: str, end: str) -> None:
        expr = source.expr
        if isinstance(expr, t.Wild):
            return
        if not isinstance(expr, t.Var):
            raise wrong("a variadic pattern is a name or `_`, such as `xs..`", source)
        code = f"{variable(path)}.src[{begin}:{end}]"
        self.bind(str(expr.name), BoundName("nodes", code, path))

    def _scan(self, sources: tuple[t.Source, ...], path: Path, first: int, last: int) -> None:
        """Two variadics: try each place for what stands between them, from the left."""
        width, tail = last - first - 1, len(sources) - last - 1
        name = f"s{self.scans}"
        self.scans += 1
        self.deferred.append(Check("scan", path, (name, first, width, tail)))
        for j in range(width):
            self.pattern(sources[first + 1 + j].expr, (*path, (name, j)), None)
        self._rest(sources[first], path, str(first), f"{name}")
        self._rest(sources[last], path, f"{name} + {width}", f"-{tail}" if tail else "")

    def finish(self) -> PatternRow:
        """The row, with checks in the order in which the tree should look at them.

        A type parameter that no annotation binds is the dtype of the root.
        """
        for name in self.sets:
            if name not in self.row.types:
                self.typed((), name, None)
        row = self.row
        for name, op in excluded_ops(self.rule):
            bound = row.names.get(name)
            if bound is not None and bound.kind == "node":
                self.add(Check("not_op", bound.path, op))
        count = [c for c in row.checks if c.kind == "count" and not c.path]
        first = count + [c for c in row.checks if c.kind == "op" and len(c.path) == 1]
        row.checks = first + [c for c in row.checks if c not in first] + self.deferred
        for name, bound in row.names.items():
            if bound.kind in ("node", "const"):
                row.dtype_at[name] = self.dtype_place(bound.path)
        row.root_dtype = self.dtype_place(())
        row.types = {name: self.dtype_place(path) for name, path in row.types.items()}
        return row


def literal_text(expr: t.Num | t.BoolLit) -> str:
    """A literal as the text that a check compares by."""
    return ("true" if expr.value else "false") if isinstance(expr, t.BoolLit) else expr.text


def argument_literal(arg: t.Expr, facts: Facts) -> tuple[str, Any]:
    """A literal argument pattern: ("value", text), ("op", name) or ("ops", names)."""
    if isinstance(arg, t.Num | t.BoolLit):
        return ("value", literal_text(arg))
    if isinstance(arg, t.Str):
        return ("text", arg.value)
    if isinstance(arg, t.NoneLit):
        return ("value", "none")
    if isinstance(arg, t.OpName):
        return ("op", str(arg.name))
    if isinstance(arg, t.OpSet | t.GroupName):
        return ("ops", facts.heads(arg))
    raise wrong("expected a literal, a name, an op or a tuple as argument pattern", arg)


def is_swappable(facts: Facts, node: t.OpNode) -> bool:
    """Whether a pattern node is also tried with its two operands swapped."""
    if node.ordered or node.sources is None or len(node.sources) != 2:
        return False
    if any(s.rest for s in node.sources) or node.sources[0] == node.sources[1]:
        return False
    return any(facts.commutative(h) for h in facts.heads(node.head))


# ---- the arrangements of a rule's pattern: which ops it may have at its root, and its rows -------


def _count_swappable(facts: Facts, expr: t.Expr) -> int:
    """Swappable nodes inside a pattern."""
    if isinstance(expr, t.Typed):
        return _count_swappable(facts, expr.expr)
    if isinstance(expr, t.Bind):
        return _count_swappable(facts, expr.pattern)
    expr = facts.as_node(expr)
    if not isinstance(expr, t.OpNode):
        return 0
    inner = sum(_count_swappable(facts, s.expr) for s in expr.sources or ())
    return inner + is_swappable(facts, expr)


def root_heads(facts: Facts, pattern: t.Expr) -> tuple[str, ...]:
    """The ops that a pattern's root may be."""
    expr = facts.as_node(t.bare(pattern))
    if isinstance(expr, t.OpNode):
        return facts.heads(expr.head)
    if isinstance(expr, t.ConstVar | t.Num | t.BoolLit):
        return ("CONST",)
    raise wrong("a rule's pattern must name the op at its root", expr)


def rows_of(facts: Facts, rule: t.Rule, index: int) -> Iterator[tuple[tuple[str, ...], PatternRow]]:
    """Each arrangement of a rule's pattern, with the root ops that it is for."""
    heads = root_heads(facts, rule.pattern)
    seen: list[tuple[list[Check], dict[str, BoundName] | None]] = []
    # without a condition, an arrangement with the tests of an earlier one can never match
    conditional = bool(rule.all(t.When) or rule.all(t.Let))
    for swaps in product((False, True), repeat=_count_swappable(facts, rule.pattern)):
        builder = PatternBuilder(facts, rule, index, swaps)
        builder.pattern(rule.pattern, (), None)
        row = builder.finish()
        key = (row.checks, row.names if conditional else None)
        if key in seen:
            continue
        seen.append(key)
        swapped_root = bool(swaps) and _root_swapped(facts, rule.pattern, swaps)
        used = tuple(h for h in heads if not swapped_root or facts.commutative(h))
        yield used, row


def _root_swapped(facts: Facts, pattern: t.Expr, swaps: tuple[bool, ...]) -> bool:
    expr = facts.as_node(t.bare(pattern))
    return isinstance(expr, t.OpNode) and is_swappable(facts, expr) and swaps[0]
