"""Whole numbers of which nothing is known, and the paths that Python takes on them.

A matcher, and the externs that it calls, are Python that computes with sizes. They are run with an
`Unknown` for each size. What they compute is a term of z3; where they ask (`size == 1`), the run
splits: it is repeated with each answer that the answers before allow, until no way is left. So what
holds at the end of all paths holds for all sizes.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any, TypeVar

from rulewright.ir.uop import UOp
from rulewright.verify.prove.terms import checked

LARGEST = (1 << 63) - 1
"""Sizes and indices have 64 bits on every device."""

_QUICK_WORK = 400_000
_serial = count().__next__
_T = TypeVar("_T")


class Opaque(BaseException):  # that no function which a rule calls catches by mistake
    """What cannot be followed for all sizes; the message says what."""


class TooLong(Opaque):
    """More paths, or more questions, than the work that is allowed."""


MAY_LOOK = ("rulewright.ir.", "rulewright.verify.", "rulewright.interp.")
"""Who computes with nodes and sizes of which nothing is known, and decides nothing by them."""


OWN = "rulewright."
"""Whose functions look a size up in no table but that of `lru_cache`, which has none of them, and
print it in messages alone."""


def _own(done: str) -> None:
    """Raise Opaque where a function of somebody else does something with a size."""
    module = sys._getframe(2).f_globals.get("__name__")
    if module is not None and not module.startswith(OWN):
        raise Opaque(f"{module}: a size is {done}")


def _computes(make: Callable[[Any, Any], Any], swapped: bool = False) -> Any:
    """Arithmetic of an unknown number and another one."""

    def method(self: Unknown, other: Any) -> Any:
        if type(other) is not Unknown and not isinstance(other, int):
            return NotImplemented
        pair = (self.term, self.paths.term(other))
        return Unknown(self.paths, make(*reversed(pair)) if swapped else make(*pair))

    return method


def _divides(part: int, swapped: bool = False) -> Any:
    """A floor quotient (0) or remainder (1). Raises ZeroDivisionError where the divisor is 0."""

    def method(self: Unknown, other: Any) -> Any:
        if type(other) is not Unknown and not isinstance(other, int):
            return NotImplemented
        pair = (other, self) if swapped else (self, other)
        if pair[1] == 0:
            raise ZeroDivisionError("division by zero")
        parts = self.paths.quotient(*[self.paths.term(side) for side in pair])
        return Unknown(self.paths, parts[part])

    return method


def _asks(compare: Callable[[Any, Any], Any]) -> Any:
    """A comparison with another number, which splits the run."""

    def method(self: Unknown, other: Any) -> Any:
        if type(other) is not Unknown and not isinstance(other, int | float):
            return NotImplemented
        if isinstance(other, float) and other in (float("inf"), float("-inf")):
            other = (1 << 100) if other > 0 else -(1 << 100)
        return self.paths.decide(compare(self.term, self.paths.term(other)))

    return method


_equals, _differs = _asks(operator.eq), _asks(operator.ne)


class Unknown:
    """A whole number known by a term. To `isinstance` it is an int, to the C of Python it is none.

    So no part of it is lost: what would take its digits (`range`, `int`, an index) raises Opaque.
    """

    __slots__ = ("_hash", "paths", "term")

    def __init__(self, paths: Paths, term: Any) -> None:
        self.paths, self.term = paths, term
        self._hash = hash(("unknown", _serial()))

    @property
    def __class__(self) -> type:
        return int

    @__class__.setter
    def __class__(self, value: type) -> None:
        raise Opaque("an unknown size cannot change its type")

    def __hash__(self) -> int:
        _own("looked up")
        return self._hash

    def __repr__(self) -> str:
        _own("printed")
        return str(self.term)

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        _own("printed")
        return format(str(self.term), spec)

    def __index__(self) -> int:
        raise Opaque("the digits of a size are taken")

    __int__ = __index__

    def __float__(self) -> float:
        raise Opaque("a size becomes a float")

    __add__ = __radd__ = _computes(operator.add)
    __sub__, __rsub__ = _computes(operator.sub), _computes(operator.sub, swapped=True)
    __mul__ = __rmul__ = _computes(operator.mul)
    __floordiv__, __rfloordiv__ = _divides(0), _divides(0, swapped=True)
    __mod__, __rmod__ = _divides(1), _divides(1, swapped=True)
    __lt__, __le__ = _asks(operator.lt), _asks(operator.le)
    __gt__, __ge__ = _asks(operator.gt), _asks(operator.ge)

    def __neg__(self) -> Any:
        return Unknown(self.paths, -self.term)

    def __pos__(self) -> Any:
        return self

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __eq__(self, other: object) -> Any:
        return other is self or _equals(self, other)

    def __ne__(self, other: object) -> Any:
        return other is not self and _differs(self, other)


class UnknownFloat:
    """The value of a float constant of which nothing is known. Who asks for it raises Opaque."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def _asked(self, *_: Any) -> Any:
        raise Opaque("the value of a float constant is asked for")

    def __eq__(self, other: object) -> Any:
        return other is self or self._asked()

    def __ne__(self, other: object) -> Any:
        return other is not self and self._asked()

    def __hash__(self) -> int:
        return hash(("unknown float", id(self)))

    __bool__ = __int__ = __float__ = __abs__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = _asked
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _asked
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _asked
    __pow__ = __rpow__ = __round__ = __trunc__ = _asked


class Paths:
    """All runs of a function that chooses among shapes of graphs and asks about unknown sizes.

    `symbols` is the domain of z3 terms (`smt.Symbols`). `known` are sizes by their names, for a run
    that repeats a counterexample: then sizes are numbers, and nothing splits.
    """

    def __init__(self, symbols: Any, most: int) -> None:
        self.symbols, self.most = symbols, most
        self.tape: list[tuple[int, int]] = []  # which of how many
        self.at = 0
        self.known: dict[str, int] | None = None
        self.begin()

    def begin(self) -> None:
        """Start a run from the tape's beginning."""
        self.at = 0
        self.symbols.begin()
        self.chosen: list[int] = []
        self.again: list[int] = []
        self.facts: list[Any] = []
        self.names: dict[str, Any] = {}
        self._quick: Any = None  # a solver for questions on the way, which learns as facts come
        self._told = (0, 0)

    def runs(self, body: Callable[[], _T]) -> Iterator[_T]:
        """What `body` gives on each path. Raises TooLong beyond `most` of them."""
        self.tape = []
        for _ in range(self.most):
            self.begin()
            yield body()
            self.tape = self.tape[: self.at]
            while self.tape and self.tape[-1][0] + 1 == self.tape[-1][1]:
                self.tape.pop()
            if not self.tape:
                return
            chosen, of = self.tape[-1]
            self.tape[-1] = chosen + 1, of
        raise TooLong(f"more than {self.most} paths")

    def choose(self, options: Sequence[_T]) -> _T:
        """One of some; over all runs each of them."""
        if self.known is not None:
            return options[self.again.pop(0)]
        self.chosen.append(self._take(len(options)))
        return options[self.chosen[-1]]

    def repeat(self, sizes: dict[str, int], body: Callable[[], _T]) -> _T:
        """This run once more with numbers for its sizes: what was chosen is chosen again."""
        self.known, self.again = sizes, list(self.chosen)
        self.names = {}
        try:
            return body()
        finally:
            self.known = None

    def _take(self, of: int) -> int:
        if self.at == len(self.tape):
            self.tape.append((0, of))
        self.at += 1
        return self.tape[self.at - 1][0]

    # ---- terms ---------------------------------------------------------------------------------

    def term(self, value: Any) -> Any:
        """A number as a term."""
        if type(value) is Unknown:
            return value.term
        return self.symbols.z3.IntVal(int(value), self.symbols.context)

    def product(self, sizes: Sequence[Any]) -> Any:
        """The number of elements of axes of some sizes, each a number or a term."""
        product = self.term(1)
        for size in sizes:
            if isinstance(size, UOp):
                raise Opaque("how many elements there are of a symbolic size")
            product = product * (self.term(size) if isinstance(size, int) else size)
        return product

    def size(self, name: str, least: int = 0, most: int = LARGEST) -> Any:
        """A new unknown number within bounds; the number that is known of it."""
        full = f"{name}{len(self.names)}"
        raw = self.symbols.z3.Int(full, self.symbols.context)
        self.names[full] = raw
        if self.known is not None:
            return self.known[full]
        self.facts += [raw >= least, raw <= most]
        return Unknown(self, raw)

    def quotient(self, a: Any, b: Any) -> Any:
        """Floor quotient and remainder."""
        return self.symbols._quotient(True, a, b)

    def assume(self, *conditions: Any) -> None:
        """Note what holds of the graph that is made."""
        self.facts += conditions

    # ---- questions -----------------------------------------------------------------------------

    def decide(self, condition: Any) -> bool:
        """One answer to a question; over all runs each that can be."""
        z3 = self.symbols.z3
        condition = z3.simplify(condition)
        if z3.is_true(condition) or z3.is_false(condition):
            return bool(z3.is_true(condition))
        if self.at < len(self.tape):
            taken = self._take(2)
        else:
            can = [i for i, side in enumerate((condition, z3.Not(condition))) if self._may(side)]
            # a path that cannot be is not taken: the tape holds the last of its two answers
            self.tape.append((can[0] if len(can) == 2 else 1, 2) if can != [0] else (0, 1))
            self.at += 1
            taken = self.tape[-1][0]
        self.facts.append(z3.Not(condition) if taken else condition)
        return not taken

    def _may(self, condition: Any) -> bool:
        """Whether a condition can hold, as far as a quick look shows."""
        if self._quick is None:
            self._quick = self.symbols.z3.Solver(ctx=self.symbols.context)
            self._quick.set("rlimit", _QUICK_WORK)
        told, learned = self._told
        self._quick.add(self.facts[told:] + self.symbols.facts[learned:])
        self._told = len(self.facts), len(self.symbols.facts)
        self._quick.push()
        self._quick.add(condition)
        answer = checked(self._quick)
        self._quick.pop()
        return bool(answer != self.symbols.z3.unsat)

    def possible(self) -> bool:
        """Whether there are such sizes, as far as a quick look shows."""
        return self._may(self.symbols.z3.BoolVal(True, self.symbols.context))

    def ask(self, conditions: Sequence[Any], work: int) -> Any:
        """What z3 says of some conditions, together with all that is known on this path."""
        return checked(self._solver(conditions, work))

    def _solver(self, conditions: Sequence[Any], work: int) -> Any:
        solver = self.symbols.z3.Solver(ctx=self.symbols.context)
        solver.set("rlimit", work)
        known = [*self.facts, *self.symbols.facts, *conditions]
        solver.add(list({fact.get_id(): fact for fact in known}.values()))
        return solver

    def example(self, condition: Any, least: int, most: int, work: int) -> dict[str, int] | None:
        """Sizes from `least` to `most` for which a condition may hold; None where z3 finds none."""
        limits = [end for raw in self.names.values() for end in (least <= raw, raw <= most)]
        solver = self._solver([condition, *limits], work)
        if checked(solver) == self.symbols.z3.unsat:
            return None
        try:
            model = solver.model()
        except self.symbols.z3.Z3Exception:  # it gave up before it had one
            return None
        values = {n: model.eval(raw, model_completion=True) for n, raw in self.names.items()}
        return {name: value.as_long() for name, value in values.items()}
