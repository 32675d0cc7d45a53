"""The decision tree over one root op's rows, as Python source lines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from rulewright.lang.matcher_expr import Globals
from rulewright.lang.matcher_patterns import Check, Path, PatternRow, variable

_MOST_COPIES = 600  # of rows in the branches of one switch, before code is kept small instead


@dataclass(frozen=True)
class PendingRow:
    """A row with the checks still to be made."""

    row: PatternRow
    checks: tuple[Check, ...]

    def without(self, check: Check) -> PendingRow:
        """The row once `check` holds."""
        return PendingRow(self.row, tuple(c for c in self.checks if c is not check and c != check))

    @cached_property
    def ready(self) -> list[Check]:
        """Checks that may be made now: nothing above their place is still to be looked at."""
        checks: list[Check] = []
        above: list[Check] = []
        for check in self.checks:
            if check.kind == "scan":
                break
            if not any(_is_above(c, check) for c in above):
                checks.append(check)
            if check.kind in ("op", "count", "arg"):
                above.append(check)
        return checks


class TreeWriter:
    """Writes the tests for rows in order; `leaf` gives the lines for a row whose checks hold."""

    def __init__(self, module: Globals, leaf: Callable[[PatternRow, TreeWriter], None]) -> None:
        self.module, self.leaf = module, leaf
        self.lines: list[str] = []
        self.indent = 1
        self.defined: set[str] = {"n"}

    def line(self, text: str) -> None:
        """Append a line at the present depth."""
        self.lines.append("    " * self.indent + text)

    def block(self, head: str, body: Callable[[], None]) -> None:
        """A head line and an indented body, whose variables end with it."""
        before = set(self.defined)
        self.line(head)
        self.indent += 1
        body()
        self.indent -= 1
        self.defined = before

    # ---- places ----

    def place(self, path: Path) -> str:
        """The variable of a path, defined first if it is not."""
        name = variable(path)
        if name not in self.defined:
            step, above = path[-1], self.place(path[:-1])
            index = f"{step[0]} + {step[1]}" if isinstance(step, tuple) else str(step)
            self.line(f"{name} = {above}.src[{index}]")
            self.defined.add(name)
        return name

    def _define(self, name: str) -> None:
        """Make sure that the variable of a fixed place is there."""
        steps = name.split("_")[1:]
        if name not in self.defined and all(step.isdigit() for step in steps):
            self.place(tuple(int(step) for step in steps))

    def _op_of(self, path: Path) -> str:
        node = self.place(path)
        name = f"{node}_op"
        if name not in self.defined:
            self.line(f"{name} = {node}.op")
            self.defined.add(name)
        return name

    # ---- the tree ----

    def write(self, items: Sequence[PendingRow]) -> None:
        """Lines that try the rows in order, and fall through where none matches."""
        rest = list(items)
        while rest:
            first = rest[0]
            if not first.checks:
                self.leaf(first.row, self)
                rest = rest[1:]
            elif first.checks[0].kind == "scan":
                self._scan(first)
                rest = rest[1:]
            elif first.checks[0].kind == "op":
                rest = self._switch(rest, first.checks[0].path)
            else:
                rest = self._test(rest, first.checks[0])

    def _test(self, items: list[PendingRow], check: Check) -> list[PendingRow]:
        """A test shared by the rows in front that make it."""
        count = 0
        while count < len(items) and check in items[count].ready:
            count += 1
        chunk = [i.without(check) for i in items[:count]]
        conditions = [self.condition(check)]
        while len(chunk) == 1 and chunk[0].checks and self._simple(chunk[0].checks[0]):
            conditions.append(self.condition(chunk[0].checks[0]))
            chunk = [chunk[0].without(chunk[0].checks[0])]
        self.block(f"if {' and '.join(conditions)}:", lambda: self.write(chunk))
        return items[count:]

    def _simple(self, check: Check) -> bool:
        """Whether a check may join the one before it on the same line."""
        return check.kind not in ("op", "scan") and variable(check.path) in self.defined

    def _switch(self, items: list[PendingRow], path: Path) -> list[PendingRow]:
        """Branches by the op at `path`, for as many rows in front as possible."""
        count, copies = 0, len(path) == 1
        while count < len(items):
            check = _op_check(items[count], path)
            if check is None and not (copies and _may_wait(items[count], path)):
                break
            count += 1
        chunk, rest = items[:count], items[count:]
        branches = _branches(chunk, path)
        if sum(len(rows) for _, rows in branches) > _MOST_COPIES:
            waiting = (i for i, item in enumerate(chunk) if not _op_check(item, path))
            count = next(waiting, len(chunk))  # where all test the op, none is copied
            chunk, rest = items[:count], items[count:]
            branches = _branches(chunk, path)
        op = self._op_of(path)
        word = "if"
        for names, rows in branches:
            self.block(f"{word} {self._one_of(op, names)}:", partial(self.write, rows))
            word = "elif"
        named = {name for names, _ in branches for name in names}
        others = [_without_op(i, path, named) for i in chunk if _op_check(i, path) is None]
        if others:
            self.block("else:", lambda: self.write(others))
        return rest

    def _one_of(self, place: str, names: tuple[str, ...]) -> str:
        if len(names) <= 2:
            return " or ".join(f"{place} is {self.module.op(n)}" for n in names)
        return f"{place} in {self.module.op_set(names)}"

    def _scan(self, item: PendingRow) -> None:
        check = item.checks[0]
        name, first, width, tail = check.param
        length = f"len({self.place(check.path)}.src)"
        last = f"{length} - {tail + width - 1}" if tail + width != 1 else length
        inner = PendingRow(item.row, item.checks[1:])
        self.block(f"for {name} in range({first}, {last}):", lambda: self.write([inner]))

    # ---- tests ----

    def condition(self, check: Check) -> str:
        """A check other than `op` and `scan` as a Python condition."""
        place, param = self.place(check.path), check.param
        if check.kind == "not_op":
            return f"{place}.op is not {self.module.op(param)}"
        if check.kind == "count":
            return f"len({place}.src) {'==' if param[1] else '>='} {param[0]}"
        if check.kind == "literal":
            return literal_condition(f"{place}.arg", param)
        if check.kind == "arg":
            return self._argument(place + check.access, *param)
        if check.kind == "dtype_in":
            return f"{place}.dtype.base in {self.module.dtype_set(param)}"
        if check.kind == "dtype_is":
            return f"{place}.dtype is {self.module.dtype(param)}"
        if check.kind == "dtype_same":
            return f"{place}.dtype is {self.place(param)}.dtype"
        kind, before, now, other = param
        self.place(other)
        if kind == "node":
            self._define(before)
            return f"{before} is {now}"
        return f"{before} == {now}" if kind == "nodes" else f"_same({before}, {now})"

    def _argument(self, place: str, kind: str, value: object) -> str:
        if kind == "length":
            return f"len({place}) == {value}"
        if kind == "text":
            return f"{place} == {value!r}"
        if kind == "op":
            return f"{place} is {self.module.op(str(value))}"
        if kind == "ops":
            return f"{place} in {self.module.op_set(value)}"  # type: ignore[arg-type]  # names
        return f"{place} is None" if value == "none" else literal_condition(place, str(value))


def literal_condition(place: str, text: str) -> str:
    """The test that a value is just this literal: 0 is not -0.0 nor false, nan is nan."""
    if text in ("true", "false"):
        return f"{place} is {text.title()}"
    if text == "nan":
        return f"{place} != {place}"
    if text in ("inf", "-inf"):
        return f"{place} == {'_inf' if text == 'inf' else '_minus_inf'}"
    if float(text) == 0.0:
        return f"{place} == 0 and _zero({place}, {text!r})"
    if not text.lstrip("-").isdigit():  # 2 stands for 2.0 as well, but 2.0 for no integer
        return f"{place} == {text} and {place}.__class__ is float"
    return f"{place} == {text}" + (f" and {place} is not True" if float(text) == 1.0 else "")


def _op_check(item: PendingRow, path: Path) -> Check | None:
    """The row's test of the op at `path`, if it can be made now."""
    return next((c for c in item.ready if c.kind == "op" and c.path == path), None)


def _is_above(first: Check, then: Check) -> bool:
    """Whether `first` must hold before the place of `then` can be looked at."""
    if first.path == then.path and then.kind in ("literal", "arg", "same", "count"):
        return first.kind != "arg" or then.kind == "arg"
    paths = (then.path, then.param) if then.kind == "dtype_same" else (then.path,)
    if then.kind == "same":
        return True  # it names a second place: keep it where it stands
    return any(len(first.path) < len(p) and p[: len(first.path)] == first.path for p in paths)


def _may_wait(item: PendingRow, path: Path) -> bool:
    """Whether a row without a test at `path` may be copied into each branch."""
    return not any(c.kind in ("op", "count") and _is_above(c, Check("op", path, ())) for c in
                   item.checks)  # fmt: skip


def _with_op(item: PendingRow, path: Path, op: str) -> PendingRow | None:
    """The item where the op at `path` is known; None where it is excluded."""
    for check in item.checks:
        if check.kind == "not_op" and check.path == path:
            if check.param == op:
                return None
            item = item.without(check)
    return item


def _without_op(item: PendingRow, path: Path, ops: Collection[str]) -> PendingRow:
    """The item where the op at `path` is none of `ops`."""
    for check in item.checks:
        if check.kind == "not_op" and check.path == path and check.param in ops:
            item = item.without(check)
    return item


def _branches(
    items: list[PendingRow], path: Path
) -> list[tuple[tuple[str, ...], list[PendingRow]]]:
    """The rows to be tried for each op; ops with the same rows share a branch."""
    ops: dict[str, None] = {}
    for item in items:
        check = _op_check(item, path)
        ops.update(dict.fromkeys(check.param if check else ()))
    grouped: dict[tuple[tuple[int, int], ...], tuple[list[str], list[PendingRow]]] = {}
    for op in ops:
        rows, key = [], []
        for position, item in enumerate(items):
            check = _op_check(item, path)
            if check is None or op in check.param:
                kept = _with_op(item.without(check) if check else item, path, op)
                if kept is not None:
                    rows.append(kept)
                    key.append((position, len(kept.checks)))
        grouped.setdefault(tuple(key), ([], rows))[0].append(op)
    return [(tuple(names), rows) for names, rows in grouped.values()]
