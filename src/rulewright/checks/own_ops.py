"""Takes ops that a file declares beside the spec in and out, and says what may stand there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any

from rulewright.checks.clauses import CLAUSES, check_clause
from rulewright.ir.ops import Ops, op
from rulewright.ir.watch import checks
from rulewright.lang.build import load_table
from rulewright.lang.diagnostics import Diagnostic
from rulewright.lang.more_ops import BY_OPERANDS, ELEMENTWISE, groups_of, more_ops, rows_now
from rulewright.lang.table import op_row
from rulewright.lang.tree import (
    Case,
    Extern,
    Graph,
    Measure,
    OpDecl,
    RuleSetDecl,
    SourceFile,
    TargetDecl,
)

Row = dict[str, Any]

_BESIDE = (TargetDecl, Extern, RuleSetDecl, Measure, Graph, Case)
_BESIDE_WORDS = "ops, targets, externs, measures and rulesets, and has graphs and cases"
_SHAPES = (None, "same")
_RELIED = "rules rely on what is declared"
_lock = RLock()


def beside_problems(file: SourceFile) -> Iterator[Diagnostic]:
    """What may not stand in a file beside the spec."""
    for item in file.items:
        if isinstance(item, OpDecl):
            yield from op_problems(item)
        elif not isinstance(item, _BESIDE):
            message = "this stands in the spec alone"
            help = f"a file beside the spec declares {_BESIDE_WORDS}"
            yield Diagnostic("beside", message, item.name.span, help=help)


def op_problems(item: OpDecl) -> Iterator[Diagnostic]:
    """What is wrong with an op where it stands beside the spec: it is to be elementwise."""
    fixed = [p for p in item.params if not p.rest]
    first = str(item.params[0].name) if item.params else ""
    wrong = ""
    if item.fact("meaning") is None:
        wrong = "has no `meaning`"
    elif item.schema or "leaf" in item.flags or len(fixed) != len(item.params):
        wrong = "has an argument, or any number of operands"
    elif len({str(p.name) for p in fixed if p.name}) < sum(bool(p.name) for p in fixed):
        wrong = "has two operands of one name"
    elif len(fixed) not in BY_OPERANDS:
        wrong = f"has {len(fixed)} operands, expected 1 to {max(BY_OPERANDS)}"
    elif item.fact("shape") not in (*_SHAPES, f"{first}.shape"):
        wrong = f"has the shape `{item.fact('shape')}`"
    elif item.fact("infix") or item.fact("prefix"):
        wrong = "has a sign; the language has one for ops of the spec alone"
    elif not all(p.name for p in item.params):
        wrong = "has an operand without a name, which no spelling could show"
    if wrong:
        message = f"op `{item.name}` {wrong}; an op beside the spec is an elementwise function"
        help = 'declare it as `op NAME<T: Float>(x: T) : T  shape "same"  meaning "…"`'
        yield Diagnostic("beside", message, item.name.span, help=help)


def declare(items: Iterable[OpDecl]) -> list[str]:
    """Take in ops that the table lacks; their names."""
    table = load_table()
    known = {row["name"] for row in table["ops"]}
    rows = [op_row(i, table["dtype_sets"]) for i in items if i.name not in known]
    declare_rows(rows)
    return [row["name"] for row in rows]


def declare_rows(rows: Iterable[Row]) -> None:
    """Take in ops by their rows."""
    table = load_table()
    for row in rows:
        groups = groups_of(len(row["params"]))
        table["ops"].append(row)
        rows_now.append(row)
        for group in groups:
            table["groups"][group].append(row["name"])
        Ops.add(row, frozenset(groups))


def withdraw(names: Sequence[str]) -> None:
    """Take ops out again."""
    table = load_table()
    for rows in (table["ops"], rows_now):
        rows[:] = [row for row in rows if row["name"] not in names]
    for group in (ELEMENTWISE, *BY_OPERANDS.values()):
        table["groups"][group][:] = [n for n in table["groups"][group] if n not in names]
    for name in names:
        Ops.drop(name)


@contextmanager
def declared(files: Iterable[SourceFile]) -> Iterator[None]:
    """The ops that files declare, as far as they are none of the spec's, are ops in this block.

    Those that may not stand beside the spec, or whose clauses are wrong, are not.
    """
    with declared_items([item for file in files for item in file.all(OpDecl)]):
        yield


@contextmanager
def declared_items(items: Sequence[OpDecl]) -> Iterator[None]:
    """The same for declarations."""
    spec = {row["name"] for row in load_table()["ops"]} - more_ops()
    own: dict[str, OpDecl] = {}
    for item in items:
        if str(item.name) not in spec and _is_sound(item):
            own.setdefault(str(item.name), item)  # of two of a name the first, as of rules
    if not own:
        yield
        return
    with _lock:  # others wait until these are gone
        names = declare(own.values())
        try:
            yield
        finally:
            withdraw(names)


def meaning_problems(items: Iterable[OpDecl]) -> Iterator[Diagnostic]:
    """What is wrong with values that meanings give, of those ops that are declared now."""
    own = more_ops()
    for item in items:
        fact = next((f for f in item.facts if f.name == "meaning"), None)
        if fact is None or item.name not in own:
            continue
        if wrong := checks().wrong_meaning(op(item.name)):
            help = "operands are arrays of their dtypes; np.multiply(one(dtype), 3) is the number 3"
            yield Diagnostic("expression", wrong, fact.span, help=help)
        elif wrong := checks().wrong_flag(op(item.name)):
            yield Diagnostic("expression", wrong, fact.span, help=_RELIED)
        elif wrong := checks().wrong_interval(op(item.name)):
            interval = next(f for f in item.facts if f.name == "interval")
            yield Diagnostic("expression", wrong, interval.span, help=_RELIED)


def undeclared(items: Iterable[OpDecl]) -> frozenset[str]:
    """The names of ops whose declarations are wrong, so that rules cannot speak of them yet."""
    return frozenset(str(item.name) for item in items if not _is_sound(item))


def _is_sound(item: OpDecl) -> bool:
    """Whether everything in a declaration means something; `check` says what does not."""
    table = load_table()
    known = {*table["dtype_sets"], *(row["name"] for row in table["dtypes"])}
    own = {str(p.name) for p in item.type_params}
    sets = {str(name) for p in item.type_params for name in p.sets}
    types = {str(p.type) for p in item.params} | {str(item.result)}
    if not sets <= known or not types <= known | own or any(op_problems(item)):
        return False
    return not any(
        problem for f in item.facts if f.name in CLAUSES for problem in check_clause(item, f)
    )
