"""Ops, read from `spec/20-ops.uop`. `Ops.ADD` is the op, with its row as attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, cached_property
from types import CodeType
from typing import Any, NamedTuple

from rulewright.errors import InterpreterError
from rulewright.ir.intervals import INTERVAL_NAMES
from rulewright.ir.meanings import as_terms
from rulewright.ir.numerals import on_numbers
from rulewright.ir.shapes import SHAPE_NAMES
from rulewright.lang.build import load_table


class Bounds(NamedTuple):
    """Inclusive bounds of a value: whole numbers, or infinities for floats."""

    lo: int | float
    hi: int | float


@cache
def _code(text: str) -> CodeType:
    """An expression of the spec, which proofs ask for once a term."""
    return compile(text, "<string>", "eval")


class Op:
    """One row of the op table. There is one object an op, compared with `is`."""

    def __init__(self, index: int, row: dict[str, Any], groups: frozenset[str]) -> None:
        self.index, self.row, self.groups = index, row, groups
        self.name: str = row["name"]
        self.schema: tuple[tuple[str, str], ...] = tuple(map(tuple, row["schema"]))
        self.params: tuple[tuple[str, str, bool], ...] = tuple(map(tuple, row["params"]))
        self.tparams = {name: tuple(bases) for name, bases in row["tparams"]}
        self.result: str = row["result"]
        flags = row["flags"]
        self.commutative = "commutative" in flags
        self.associative = "associative" in flags
        self.idempotent = "idempotent" in flags
        self.leaf = "leaf" in flags
        names = [name for name, _, _ in self.params]
        # an operand called `ranges` is closed by its op: that loop is over above it
        self.closes: int | None = names.index("ranges") if "ranges" in names else None
        self.elementwise = "Elementwise" in groups
        # operands behind these may be any number; parameters for them stand last
        self.fixed = sum(not variadic for _, _, variadic in self.params)
        self.variadic = len(self.params) - self.fixed

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return op, (self.name,)

    def __lt__(self, other: Op) -> bool:
        return self.index < other.index

    def kinds(self, declared: str) -> tuple[str, ...]:
        """The dtypes that a declared one stands for: those of a type parameter, or itself."""
        return self.tparams.get(declared, (declared,))

    def function(self, clause: str, names: dict[str, Any]) -> Callable[..., Any] | None:
        """A clause of the row ("shape", "interval", "meaning", …) as a Python function.

        It takes `arg, dtype` and then one argument an operand (a tuple for a variadic one).
        """
        text = self.smt if clause == "smt" else self.row.get(clause)
        if not text:
            return None
        params = ", ".join(["arg", "dtype", *(name for name, _, _ in self.params)])
        compiled: Callable[..., Any] = eval(_code(f"lambda {params}: {text}"), dict(names))
        return compiled

    @cached_property
    def smt(self) -> str:
        """The clause `smt`, or what `meaning` says as one; "" where z3 knows nothing of the op."""
        return self.row["smt"] or as_terms(self.row, "Unrounded" in self.groups)

    @cached_property
    def shape_rule(self) -> Callable[..., Any] | None:
        """The function that computes the result's shape; None where all operands share it."""
        return None if self.row.get("shape") == "same" else self.function("shape", SHAPE_NAMES)

    @cached_property
    def interval_rule(self) -> Callable[..., Any] | None:
        """The function that computes an integer result's bounds from operands' `Bounds`."""
        asks = "exact" in (
            self.row.get("interval") or ""
        )  # a clause is only read where it is asked
        words = {**INTERVAL_NAMES, "exact": self.on_numbers} if asks else INTERVAL_NAMES
        return self.function("interval", words)

    @property
    def on_numbers(self) -> Callable[..., Any] | None:
        """The clause `smt` as a function of Python's numbers, one an operand.

        None without one, and where it leaves open what numbers it gives.
        """
        return on_numbers(self.smt, [name for name, _, _ in self.params])

    def identity(self, dtype: Any) -> Any:
        """The value e with `e op x == x` in `dtype`, as a Python number.

        Raises InterpreterError for an op that has none.
        """
        if not self.row["identity"]:
            raise InterpreterError(f"{self.name} reduces nothing: an op with an identity does")
        return dtype.const(eval(self.row["identity"], {"dtype": dtype}))


class _Ops:
    """Namespace of all ops: `Ops.ADD`. Iterates in the order of the table."""

    def __init__(self) -> None:
        table = load_table()
        member: dict[str, set[str]] = {}
        for group, names in table["groups"].items():
            for name in names:
                member.setdefault(name, set()).add(group)
        self._all: dict[str, Op] = {}
        for index, row in enumerate(table["ops"]):
            groups = frozenset(member.get(row["name"], ()))
            self._all[row["name"]] = Op(index, row, groups)
        self._more: dict[str, Op] = {}
        self.__dict__.update(self._all)

    def __iter__(self) -> Iterator[Op]:
        return iter(self._all.values())

    def __contains__(self, name: str) -> bool:
        return name in self._all

    def add(self, row: dict[str, Any], groups: frozenset[str]) -> None:
        """Take in an op of a file beside the spec; the same row is the same object each time."""
        key = repr((row, sorted(groups)))
        known = self._more.setdefault(key, Op(len(self._all) + len(self._more), row, groups))
        self._all[known.name] = self.__dict__[known.name] = known

    def drop(self, name: str) -> None:
        """Take an op out that `add` took in."""
        del self._all[name], self.__dict__[name]

    def __getattr__(self, name: str) -> Op:
        raise AttributeError(f"no op {name!r} in spec/20-ops.uop")

    def group(self, name: str) -> frozenset[Op]:
        """The ops of a group of the spec, e.g. `Ops.group("Movement")`."""
        return frozenset(self._all[n] for n in load_table()["groups"][name])


Ops = _Ops()


def op(name: str) -> Op:
    """The op called `name`."""
    return Ops._all[name]
