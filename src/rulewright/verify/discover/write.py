"""A found rule as `.uop` text: pattern, guard, proof, example and what it must leave alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rulewright.ir.dtypes import dtypes
from rulewright.ir.expression import LEVELS
from rulewright.ir.ops import op
from rulewright.ir.text import print_value
from rulewright.ir.uop import UOp
from rulewright.verify.discover.general import Shape
from rulewright.verify.discover.term import CandidateTerm, Ends, Numbers, evaluate


@dataclass(frozen=True)
class Draft:
    """What a rule says beside its sides: `equiv` is a level, or "" for the same bits."""

    name: str
    doc: str
    equiv: str = ""
    extra: tuple[str, ...] = ()  # clauses of the guard that the sides do not need
    method: str = "smt"


def rule_text(shape: Shape, draft: Draft, rejects: Sequence[str]) -> str:
    """The lines of a rule, to be laid out by `rulewright fmt`."""
    params = ", ".join(f"{name}: {' | '.join(sets)}" for name, sets in shape.kinds.values())
    head = f"rule {draft.name}" + (f"<{params}>" if params else "")
    head += f" equiv {draft.equiv}" if draft.equiv else ""
    writer = _Pattern(shape)
    left = writer.text(shape.left)
    lines = [f"/// {draft.doc}", head, f"  {left} => {writer.result(shape.right)}"]
    guard = (*shape.guard, *draft.extra)
    if guard:
        lines.append(f"  when {' and '.join(guard)}")
    lines.append(f"  prove {draft.method}")
    before, after = shape.sides
    lines.append(f"  example {graph(before, shape.bounds)} => {graph(after, shape.bounds)}")
    lines += [f"  reject  {text}" for text in rejects]
    return "\n".join(lines)


SET = "found"
"""The name of the set that found rules are printed in."""


def file_text(rules: Sequence[str], measure: str) -> str:
    """A file of one set that holds rules, laid out."""
    from rulewright.lang.fmt import format_text

    head = f"ruleset {SET}" + (f" measure = {measure}" if measure else "")
    return format_text("\n".join([head + " {", *("\n" + rule for rule in rules), "}"]))


# ---- terms ---------------------------------------------------------------------------------------


class _Text:
    """Writes terms with the signs of the op table, and parentheses where they are needed."""

    def leaf(self, term: CandidateTerm) -> str:
        raise NotImplementedError

    def type_of(self, term: CandidateTerm) -> str:
        """What stands behind the colon of a node."""
        return term.dtype.base

    def text(self, term: CandidateTerm, above: int = 0) -> str:
        """One term; `above` is how tightly what stands around it binds."""
        if term.kind != "op":
            return self.leaf(term)
        row = op(term.head).row
        sign = row["infix"]
        if sign:
            level = LEVELS[sign]
            first = level or 1  # comparisons do not chain
            left, right = self.text(term.parts[0], first), self.text(term.parts[1], level + 1)
            both = f"{left} {sign} {right}"
            return f"({both})" if level < above else both
        if row["prefix"]:
            operand = self.text(term.parts[0])
            bare = term.parts[0].kind in ("var", "const") and "(" not in operand
            return f"{row['prefix']}{operand if bare else f'({operand})'}"
        inside = ", ".join(self.text(part) for part in term.parts)
        call = f"{term.head}({inside})"
        return f"{call}:{self.type_of(term)}" if term.head in ("CAST", "BITCAST") else call


class _Pattern(_Text):
    """The sides of a rule: a name says its type where it stands first."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.typed: set[str] = set()
        self.kept = set(shape.right.names("var")) | {
            name for name in shape.left.names("var")
            if any(name + "." in clause for clause in shape.guard)
        }  # fmt: skip
        self.count = {n: sum(t.kind == "var" and t.head == n for t in shape.left.walk())
                      for n in shape.left.names("var")}  # fmt: skip

    def type_of(self, term: CandidateTerm) -> str:
        known = self.shape.kinds.get(term.dtype.base)
        if known:
            return known[0]
        if term.dtype is dtypes.bool and self.shape.kinds:
            return f"bool*{next(iter(self.shape.kinds.values()))[0]}"
        return term.dtype.base

    def leaf(self, term: CandidateTerm) -> str:
        if term.kind == "value":
            return print_value(term.head)
        first = term.head not in self.typed
        self.typed.add(term.head)
        name = f"${term.head}" if term.kind == "const" else term.head
        if term.kind == "var" and term.head not in self.kept and self.count[term.head] == 1:
            name = "_"
        said = first and (term.dtype.base in self.shape.kinds or term.dtype is not dtypes.bool)
        return f"{name}:{self.type_of(term)}" if said else name

    def result(self, term: CandidateTerm) -> str:
        """The replacement."""
        return _Result(self).text(term)


class _Result(_Text):
    def __init__(self, pattern: _Pattern) -> None:
        self.pattern = pattern

    def type_of(self, term: CandidateTerm) -> str:
        return self.pattern.type_of(term)

    def leaf(self, term: CandidateTerm) -> str:
        return str(term.head)

    def text(self, term: CandidateTerm, above: int = 0) -> str:
        if term.worked_out:
            return f"{{{_Inside().text(term)}}}:{self.type_of(term)}"
        return super().text(term, above)


class _Inside(_Text):
    """Between braces: names of constants, and functions in lower case."""

    def leaf(self, term: CandidateTerm) -> str:
        return print_value(term.head) if term.kind == "value" else str(term.head)

    def text(self, term: CandidateTerm, above: int = 0) -> str:
        if term.kind == "op" and not op(term.head).row["infix"] and not op(term.head).row["prefix"]:
            return f"{term.head.lower()}({', '.join(self.text(p) for p in term.parts)})"
        return super().text(term, above)


class _GraphText(_Text):
    """A graph without names, as examples are written."""

    def __init__(self, bounds: Ends, open_at: Sequence[str]) -> None:
        self.bounds, self.slots = bounds, list(open_at)

    def leaf(self, term: CandidateTerm) -> str:
        if term.kind != "var":
            return f"{print_value(term.head)}:{term.dtype.base}"
        if term.dtype is dtypes.index:
            low, high = self.bounds.get(term.head, (-99, 99))
            return f'VAR["{term.head}", {low}, {high}]'
        if term.head not in self.slots:
            self.slots.append(term.head)
        if term.head in self.bounds:
            low, high = self.bounds[term.head]
            return f'CAST(VAR["{term.head}", {low}, {high}]):{term.dtype.base}'
        return f"PARAM[{self.slots.index(term.head)}]:{term.dtype.base}"


def graph(term: CandidateTerm, bounds: Ends, order: Sequence[str] = ()) -> str:
    """A term of numbers and variables as a graph; a bounded machine integer is a cast index."""
    return _GraphText(bounds, order or sorted(term.names("var"))).text(term)


def with_numbers(term: CandidateTerm, values: Numbers) -> CandidateTerm:
    """A side with numbers for the names of its constants; what is worked out is computed."""
    if term.kind == "const":
        kind, value = term.dtype, values[term.head][1]
        return CandidateTerm("value", kind.const(value), kind)
    if term.kind == "op" and term.worked_out:
        plain = [with_numbers(p, values) for p in term.parts]
        number = evaluate(CandidateTerm("op", term.head, term.dtype, tuple(plain)), {})
        return CandidateTerm("value", UOp.const(term.dtype, number.item()).arg, term.dtype)
    parts = tuple(with_numbers(part, values) for part in term.parts)
    return CandidateTerm(term.kind, term.head, term.dtype, parts)


def names_of(left: CandidateTerm) -> Iterator[str]:
    """Names of the ops of a left side, in lower case, from the root."""
    for part in left.walk():
        if part.kind == "op":
            yield str(part.head).lower().removeprefix("cmp")
