"""The syntax tree of `.uop` text: one frozen dataclass for each declaration, clause and expression.

Every node has a `span`, which takes no part in comparison: two texts mean the same when their
trees are equal. Names are `Ident`: ordinary strings that remember where they stand.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar


class Span(NamedTuple):
    """A stretch of a file; lines and columns count from 1, the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def to(self, other: Span) -> Span:
        """From the beginning of this span to the end of `other`."""
        return Span(self.file, self.line, self.column, other.end_line, other.end_column)


NO_SPAN = Span("", 0, 0, 0, 0)


class Ident(str):
    """A name in the text: equal and hashed like the string it is, with the `span` it stands at."""

    span: Span
    __slots__ = ("span",)

    def __new__(cls, text: str, span: Span = NO_SPAN) -> Ident:
        """A name without a span (one made up) has `NO_SPAN`."""
        made = super().__new__(cls, text)
        made.span = span
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles with its span."""
        return (Ident, (str(self), self.span))


@dataclass(frozen=True)
class Node:
    """Base of everything in the tree."""

    span: Span = field(default=NO_SPAN, compare=False, repr=False, kw_only=True)


_N = TypeVar("_N", bound=Node)


# ---- expressions --------------------------------------------------------------------------


@dataclass(frozen=True)
class Expr(Node):
    """Base of expressions: patterns, replacements, guards, arguments and graphs."""


@dataclass(frozen=True)
class Var(Expr):
    """`x`: any node in a pattern, what it bound elsewhere."""

    name: Ident


@dataclass(frozen=True)
class Wild(Expr):
    """`_`: any node, not bound."""


@dataclass(frozen=True)
class Num(Expr):
    """A number; `text` is its canonical spelling, and what equality looks at (-0.0, nan)."""

    value: int | float = field(compare=False)
    text: str


@dataclass(frozen=True)
class Str(Expr):
    """`"text"`, escapes resolved."""

    value: str


@dataclass(frozen=True)
class BoolLit(Expr):
    """`true` or `false`."""

    value: bool


@dataclass(frozen=True)
class NoneLit(Expr):
    """`none`."""


@dataclass(frozen=True)
class ConstVar(Expr):
    """`$c`: any constant; `c` is its value."""

    name: Ident


@dataclass(frozen=True)
class OpName(Expr):
    """`ADD`: an op, as head of a node or as an argument."""

    name: Ident


@dataclass(frozen=True)
class OpSet(Expr):
    """`[ADD MUL]`: one of several ops."""

    names: tuple[Ident, ...]


@dataclass(frozen=True)
class GroupName(Expr):
    """`Movement`: one of a group of ops, as head of a node or as an argument."""

    name: Ident


@dataclass(frozen=True)
class Source(Node):
    """An operand or call argument; `rest` marks `xs..`."""

    expr: Expr
    rest: bool = False


@dataclass(frozen=True)
class OpNode(Expr):
    """`HEAD![args](sources)`.

    `args` is None where no brackets stand (in a pattern: any argument); `sources` is None where no
    parentheses stand (a leaf, `PARAM[0]`). `ordered` is the `!`: operands are not to be swapped.
    """

    head: OpName | OpSet | GroupName
    args: tuple[Expr, ...] | None
    sources: tuple[Source, ...] | None
    ordered: bool = False


@dataclass(frozen=True)
class Typed(Expr):
    """`expr:T` or `expr:f32*4`; `lanes` is None where none are written."""

    expr: Expr
    type: Ident
    lanes: int | None = None


@dataclass(frozen=True)
class Bind(Expr):
    """`name@pattern`."""

    name: Ident
    pattern: Expr


@dataclass(frozen=True)
class Infix(Expr):
    """`left op right` with op one of `+ - * / // % << >> & | ^ < <= > >= == !=`."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Unary(Expr):
    """`-x` or `~x`. A minus before a number is part of the number."""

    op: str
    operand: Expr


@dataclass(frozen=True)
class Field(Expr):
    """`x.vmin`."""

    expr: Expr
    name: Ident


@dataclass(frozen=True)
class Method(Expr):
    """`x.name(arguments)`."""

    expr: Expr
    name: Ident
    args: tuple[Source, ...]


@dataclass(frozen=True)
class Call(Expr):
    """`name(arguments)`: an extern or a builtin function."""

    name: Ident
    args: tuple[Source, ...]


@dataclass(frozen=True)
class Fold(Expr):
    """`{expr}`: arithmetic done while rewriting, with a constant as result."""

    expr: Expr


@dataclass(frozen=True)
class Logic(Expr):
    """`and`, `or` (two operands) and `not` (one), in guards."""

    op: str
    operands: tuple[Expr, ...]


@dataclass(frozen=True)
class TupleExpr(Expr):
    """`(a, b)`, `(a,)` or `()`."""

    items: tuple[Expr, ...]


# ---- parts shared by declarations ---------------------------------------------------------


@dataclass(frozen=True)
class Decl(Node):
    """Base of top-level declarations. `doc` is the `///` text, lines joined by newlines."""

    name: Ident
    doc: str = field(default="", kw_only=True)


@dataclass(frozen=True)
class TypeParam(Node):
    """`T: Int | f32`; no sets means any dtype."""

    name: Ident
    sets: tuple[Ident, ...]


@dataclass(frozen=True)
class Param(Node):
    """`name: type` or `type..`; `name` is None where only a type stands."""

    name: Ident | None
    type: Ident
    rest: bool = False


@dataclass(frozen=True)
class Fact(Node):
    """`name = value`: a dtype's fact, a ruleset's option, a proof's setting."""

    name: Ident
    value: int | float | str


# ---- dtypes, ops, externs -----------------------------------------------------------------


@dataclass(frozen=True)
class DTypeDecl(Decl):
    """`dtype f32 : Floating bits = 32 …`."""

    kind: Ident
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class DTypeSet(Decl):
    """`dtypes Int = { Wrapping, index }`."""

    members: tuple[Ident, ...]


@dataclass(frozen=True)
class Promote(Decl):
    """`promote i8 -> i16`: one dtype and those just above it in the lattice."""

    targets: tuple[Ident, ...]


@dataclass(frozen=True)
class Group(Decl):
    """`group Movement = { RESHAPE, … }`."""

    members: tuple[Ident, ...]


@dataclass(frozen=True)
class OpDecl(Decl):
    """`op NAME<T: …>[schema](params) : result flags facts`.

    `schema` is None where no brackets stand. `facts` holds identity, shape, interval, meaning, smt.
    """

    type_params: tuple[TypeParam, ...]
    schema: tuple[Param, ...] | None
    params: tuple[Param, ...]
    result: Ident
    flags: tuple[Ident, ...]
    facts: tuple[Fact, ...]

    def fact(self, name: str) -> str | None:
        """The text of a fact, or None."""
        return next((str(f.value) for f in self.facts if f.name == name), None)


@dataclass(frozen=True)
class Extern(Decl):
    """`extern KIND name(params) -> result = "module:function" …`."""

    kind: Ident
    params: tuple[Param, ...]
    result: Param
    target: Str
    flags: tuple[Ident, ...]
    model: Str | None
    because: Str | None


# ---- rules --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Clause(Node):
    """Base of a rule's clauses."""


@dataclass(frozen=True)
class When(Clause):
    """`when guard`."""

    guard: Expr


@dataclass(frozen=True)
class Let(Clause):
    """`let name = expr`; an extern that answers None ends the match."""

    name: Ident
    value: Expr


@dataclass(frozen=True)
class Example(Clause):
    """`example before => after`."""

    before: Expr
    after: Expr


@dataclass(frozen=True)
class Reject(Clause):
    """`reject expr`: the rule must leave it alone."""

    expr: Expr


@dataclass(frozen=True)
class Prove(Clause):
    """`prove method(settings)`."""

    method: Ident
    settings: tuple[Fact, ...]


@dataclass(frozen=True)
class Trust(Clause):
    """`trust "why"`."""

    reason: Str


@dataclass(frozen=True)
class Expands(Clause):
    """`expands "why"`: the rule may make a term larger by the set's measure."""

    reason: Str


@dataclass(frozen=True)
class After(Clause):
    """`after name`: settles an overlap with a rule named elsewhere."""

    rule: Ident


@dataclass(frozen=True)
class Equiv(Node):
    """`equiv name` or `equiv ulp:2`: the least equivalence that a rule needs."""

    name: Ident
    amount: int | float | None


_C = TypeVar("_C", bound=Clause)


@dataclass(frozen=True)
class Rule(Decl):
    """`rule name<T: …> pattern => replacement clauses`."""

    type_params: tuple[TypeParam, ...]
    equiv: Equiv | None
    priority: int
    pattern: Expr
    replacement: Expr
    clauses: tuple[Clause, ...]

    def all(self, kind: type[_C]) -> tuple[_C, ...]:
        """The clauses of one kind, in textual order."""
        return tuple(c for c in self.clauses if isinstance(c, kind))


@dataclass(frozen=True)
class RuleSet(Decl):
    """`ruleset name options { rules }`, or `ruleset name options = a + b` (then `parts`)."""

    options: tuple[Fact, ...]
    parts: tuple[Ident, ...]
    rules: tuple[Rule, ...]


# ---- stages, targets, pipeline ------------------------------------------------------------


@dataclass(frozen=True)
class Legal(Node):
    """`allow pattern …` or `forbid pattern …`."""

    allow: bool
    pattern: Expr
    type_params: tuple[TypeParam, ...]
    guard: Expr | None
    message: str | None


@dataclass(frozen=True)
class Stage(Decl):
    """`stage name extends other { … }`."""

    extends: tuple[Ident, ...]
    statements: tuple[Legal, ...]


@dataclass(frozen=True)
class TargetFact(Node):
    """One line of a target.

    `kind` is type, vector, literal, spell, text, limit, feature or lower. `sets` restricts a
    spelling to dtypes. `value` is text, a number, or for lower the names of rulesets.
    """

    kind: str
    name: Ident
    sets: tuple[Ident, ...]
    value: str | int | float | tuple[Ident, ...] | None


@dataclass(frozen=True)
class Target(Decl):
    """`target C extends CLike { … }`."""

    extends: Ident | None
    facts: tuple[TargetFact, ...]


@dataclass(frozen=True)
class Entry(Decl):
    """`entry name = ACTION from stage to stage check …`; `action` is rules, pass or lower."""

    action: str
    what: Ident
    source: Ident
    result: Ident
    checks: tuple[Ident, ...]


@dataclass(frozen=True)
class Pipeline(Decl):
    """`pipeline name { tolerate …  entry … }`."""

    tolerates: tuple[Equiv, ...]
    entries: tuple[Entry, ...]


# ---- graphs and cases ---------------------------------------------------------------------


@dataclass(frozen=True)
class Line(Node):
    """`name = expr` inside a graph."""

    name: Ident
    value: Expr


@dataclass(frozen=True)
class Body(Node):
    """`{ lines return expr }`."""

    lines: tuple[Line, ...]
    result: Expr


@dataclass(frozen=True)
class Graph(Decl):
    """`graph name { … }`."""

    body: Body


@dataclass(frozen=True)
class CasePart(Node):
    """A section of a case.

    `kind` is input, rewrite, unchanged, trace, error, source, schedule or equal. `names` are the
    names it gives (ruleset and rule; traced rules; device); `body` a graph; `text` a text.
    """

    kind: str
    names: tuple[Ident, ...]
    body: Body | None
    text: str | None


@dataclass(frozen=True)
class Case(Decl):
    """`case name { … }`."""

    parts: tuple[CasePart, ...]


@dataclass(frozen=True)
class SourceFile(Node):
    """A parsed file. `path` is the name used in messages."""

    path: str
    text: str = field(repr=False, compare=False)
    items: tuple[Decl, ...]

    def all(self, kind: type[_N]) -> tuple[_N, ...]:
        """The declarations of one kind, in textual order."""
        return tuple(i for i in self.items if isinstance(i, kind))


def children(node: Node) -> list[Node]:
    """The nodes directly inside a node, in order of its fields."""
    found: list[Node] = []
    for value in vars(node).values():
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, Node):
                found.append(item)
    return found


def walk(node: Node) -> list[Node]:
    """A node and everything inside it, parents first."""
    found = [node]
    for child in children(node):
        found += walk(child)
    return found
