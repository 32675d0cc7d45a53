"""The syntax tree of `.uop` text: one frozen dataclass for each declaration, clause and expression.

Every node has a `span`, which takes no part in comparison: two texts mean the same when their
trees are equal. Names are `Ident`: ordinary strings that remember where they stand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Any:
        """What type checkers alone read."""
        return lambda cls: cls


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
        name = super().__new__(cls, text)
        name.span = span
        return name

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles with its span."""
        return (Ident, (str(self), self.span))


@dataclass(frozen=True)
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Node:
    """Base of everything in the tree; each class below it is a frozen dataclass."""

    span: Span = field(default=NO_SPAN, compare=False, repr=False, kw_only=True)

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)


# ---- expressions --------------------------------------------------------------------------


class Expr(Node):
    """Base of expressions: patterns, replacements, guards, arguments and graphs."""


class Var(Expr):
    """`x`: any node in a pattern, what it bound elsewhere."""

    name: Ident


class Wild(Expr):
    """`_`: any node, not bound."""


class Num(Expr):
    """A number; `text` is its canonical spelling, and what equality looks at (-0.0, nan)."""

    value: int | float = field(compare=False)
    text: str


class Str(Expr):
    """`"text"`, escapes resolved."""

    value: str


class BoolLit(Expr):
    """`true` or `false`."""

    value: bool


class NoneLit(Expr):
    """`none`."""


class ConstVar(Expr):
    """`$c`: any constant; `c` is its value."""

    name: Ident


class OpName(Expr):
    """`ADD`: an op, as head of a node or as an argument."""

    name: Ident


class OpSet(Expr):
    """`[ADD MUL]`: one of several ops."""

    names: tuple[Ident, ...]


class GroupName(Expr):
    """`Movement`: one of a group of ops, as head of a node or as an argument."""

    name: Ident


class Source(Node):
    """An operand or call argument; `rest` marks `xs..`."""

    expr: Expr
    rest: bool = False


class OpNode(Expr):
    """`HEAD![args](sources)`.

    `args` is None where no brackets stand (in a pattern: any argument); `sources` is None where no
    parentheses stand (a leaf, `PARAM[0]`). `ordered` is the `!`: operands are not to be swapped.
    """

    head: OpName | OpSet | GroupName
    args: tuple[Expr, ...] | None
    sources: tuple[Source, ...] | None
    ordered: bool = False


class Typed(Expr):
    """`expr:T`, `expr:f32*4` or `expr:i32*T` (as many lanes as T); None where none are written."""

    expr: Expr
    type: Ident
    lanes: int | Ident | None = None


class Bind(Expr):
    """`name@pattern`."""

    name: Ident
    pattern: Expr


class Infix(Expr):
    """`left op right` with op one of `+ - * / // % << >> & | ^ < <= > >= == !=`."""

    op: str
    left: Expr
    right: Expr


class Unary(Expr):
    """`-x` or `~x`. A minus before a number is part of the number."""

    op: str
    operand: Expr


class Field(Expr):
    """`x.vmin`."""

    expr: Expr
    name: Ident


class MethodCall(Expr):
    """`x.name(arguments)`."""

    expr: Expr
    name: Ident
    args: tuple[Source, ...]


class Call(Expr):
    """`name(arguments)`: an extern or a builtin function."""

    name: Ident
    args: tuple[Source, ...]


class Fold(Expr):
    """`{expr}`: arithmetic done while rewriting, with a constant as result."""

    expr: Expr


class Connective(Expr):
    """`and`, `or` (two operands) and `not` (one), in guards."""

    op: str
    operands: tuple[Expr, ...]


class TupleExpr(Expr):
    """`(a, b)`, `(a,)` or `()`."""

    items: tuple[Expr, ...]


# ---- parts shared by declarations ---------------------------------------------------------


class Decl(Node):
    """A top-level declaration. `doc` is the `///` text, lines joined by newlines; `once` the words,
    as often as they stand there, of parts that may be given once."""

    name: Ident
    doc: str = field(default="", kw_only=True)
    once: tuple[Ident, ...] = field(default=(), compare=False, repr=False, kw_only=True)


class Measure(Decl):
    """`measure NAME = { count(SUB NEG), nodes }`; each gauge is a call with its ops."""

    gauges: tuple[Call, ...]


class TypeParam(Node):
    """`T: Int | f32`; no sets means any dtype."""

    name: Ident
    sets: tuple[Ident, ...]


class Param(Node):
    """`name: type` or `type..`; `name` is None where only a type stands."""

    name: Ident | None
    type: Ident
    rest: bool = False


class Fact(Node):
    """`name = value`: a dtype's fact, a ruleset's option, a proof's setting."""

    name: Ident
    value: int | float | str


class DTypeDecl(Decl):
    """`dtype f32 : Floating bits = 32 …`."""

    kind: Ident
    facts: tuple[Fact, ...]


class DTypeSet(Decl):
    """`dtypes Int = { Wrapping, index }`."""

    members: tuple[Ident, ...]


class Promote(Decl):
    """`promote i8 -> i16`: one dtype and those just above it in the lattice."""

    targets: tuple[Ident, ...]


class Group(Decl):
    """`group Movement = { RESHAPE, … }`."""

    members: tuple[Ident, ...]


class OpDecl(Decl):
    """`op NAME<T: …>[schema](params) : result flags facts`.

    `schema` is None where no brackets stand; `facts` are what `op` clauses with a text say.
    """

    type_params: tuple[TypeParam, ...]
    schema: tuple[Param, ...] | None
    params: tuple[Param, ...]
    result: Ident
    flags: tuple[Ident, ...]
    facts: tuple[Fact, ...]

    def fact(self, name: str) -> str | None:
        """The text of a fact, or None."""
        return next((str(fact.value) for fact in self.facts if fact.name == name), None)


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


class Clause(Node):
    """Base of a rule's clauses."""


class When(Clause):
    """`when guard`."""

    guard: Expr


class Let(Clause):
    """`let name = expr`; an extern that answers None ends the match."""

    name: Ident
    value: Expr


class Example(Clause):
    """`example before => after`, or `example before`: the rule fires, the interpreter compares."""

    before: Expr
    after: Expr | None = None


class Reject(Clause):
    """`reject expr`: the rule must leave it alone."""

    expr: Expr


class Prove(Clause):
    """`prove method(settings)`."""

    method: Ident
    settings: tuple[Fact, ...]


class Trust(Clause):
    """`trust "why"`."""

    reason: Str


class Expands(Clause):
    """`expands "why"`: the rule may make a term larger by the set's measure."""

    reason: Str


class After(Clause):
    """`after name`: settles an overlap with a rule named elsewhere."""

    rule: Ident


class Equiv(Node):
    """`equiv name` or `equiv ulp:2`: the least equivalence that a rule needs."""

    name: Ident
    amount: int | float | None


_C = TypeVar("_C", bound=Clause)


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


class RuleSetDecl(Decl):
    """`ruleset name options { rules }`, or `ruleset name options = a + b` (then `parts`)."""

    options: tuple[Fact, ...]
    parts: tuple[Ident, ...]
    rules: tuple[Rule, ...]


class Legal(Node):
    """`allow pattern …` or `forbid pattern …`."""

    allow: bool
    pattern: Expr
    type_params: tuple[TypeParam, ...]
    guard: Expr | None
    message: str | None

    @property
    def head(self) -> Expr:
        """The op, the group or the set of ops that it is about."""
        pattern = bare(self.pattern)
        return pattern.head if isinstance(pattern, OpNode) else pattern


class Stage(Decl):
    """`stage name extends other { … }`."""

    extends: tuple[Ident, ...]
    statements: tuple[Legal, ...]


# ---- targets, pipeline --------------------------------------------------------------------

SPELLINGS = ("spell", "helper", "spell_lanes", "helper_lanes")
"""Kinds of target facts that are about an op: spellings of scalars and of vectors."""
CORE = "tensor_core"
"""The kind of the facts that say which products of small matrices a target has, and how lanes hold
them: `name` is the dtype of the result, `sets` are those of the operands, `held` the layouts, and
the bits of the mantissa that it takes."""


class TargetFact(Node):
    """One line of a target.

    `kind` is type, vector, literal, text, limit, feature, lower, CORE or one of SPELLINGS. `sets`
    restricts a spelling to dtypes, `of` to dtypes of its first operand, of which `one` for all
    lanes is meant. `value` is text, a number, or for lower the names of rulesets.
    """

    kind: str
    name: Ident
    sets: tuple[Ident, ...]
    value: str | int | float | tuple[Ident, ...] | None
    of: tuple[Ident, ...] = ()
    one: bool = False
    held: tuple[Fact, ...] = ()

    @property
    def about(self) -> str | None:
        """What its name is the name of: "op", "dtype" or nothing that is declared."""
        if self.kind in SPELLINGS:
            return "op"
        return "dtype" if self.kind in ("type", "vector", CORE) else None


class TargetDecl(Decl):
    """`target C extends CLike { … }`."""

    extends: Ident | None
    facts: tuple[TargetFact, ...]


class Phase(Decl):
    """`phase name`: where entries begin that are run together."""


class EntryDecl(Decl):
    """`entry name = ACTION from stage to stage`; `action` is rules, pass or lower."""

    action: str
    what: Ident
    source: Ident
    result: Ident


class Pipeline(Decl):
    """`pipeline name { tolerate …  phase …  entry … }`; a phase holds the entries behind it."""

    tolerates: tuple[Equiv, ...]
    phases: tuple[Phase, ...]
    entries: tuple[EntryDecl, ...]

    def phase_of(self, entry: EntryDecl) -> Phase | None:
        """The phase that an entry stands in."""
        start = (entry.span.line, entry.span.column)
        before = [p for p in self.phases if (p.span.line, p.span.column) < start]
        return before[-1] if before else None


class Line(Node):
    """`name = expr` inside a graph."""

    name: Ident
    value: Expr


class Body(Node):
    """`{ lines return expr }`."""

    lines: tuple[Line, ...]
    result: Expr


class Graph(Decl):
    """`graph name { … }`."""

    body: Body


class CasePart(Node):
    """A section of a case.

    `kind` is input, rewrite, unchanged, entry, legal, illegal, trace, error or source. `names` are
    those it gives (ruleset and rule; pipeline entry; stage; traced rules; device); `body` a graph;
    `text` a text.
    """

    kind: str
    names: tuple[Ident, ...]
    body: Body | None
    text: str | None


class Case(Decl):
    """`case name { … }`."""

    parts: tuple[CasePart, ...]


_N = TypeVar("_N", bound=Node)


class SourceFile(Node):
    """A parsed file. `path` is the name used in messages."""

    path: str
    text: str = field(repr=False, compare=False)
    items: tuple[Decl, ...]

    def all(self, kind: type[_N]) -> tuple[_N, ...]:
        """The declarations of one kind, in textual order."""
        return tuple(i for i in self.items if isinstance(i, kind))


# ---- walks --------------------------------------------------------------------------------


def bare(expr: Expr) -> Expr:
    """What stands inside of types and names: the `x + y` of `n@(x + y):T`."""
    while isinstance(expr, Typed | Bind):
        expr = expr.expr if isinstance(expr, Typed) else expr.pattern
    return expr


def means_node(expr: Expr, is_node: Callable[[Var | Call], bool]) -> bool:
    """Whether an expression means a graph node rather than a value.

    `is_node` says it of a name and of a call.
    """
    if isinstance(expr, Var | Call):
        return is_node(expr)
    if isinstance(expr, Infix):
        return means_node(expr.left, is_node) or means_node(expr.right, is_node)
    if isinstance(expr, Unary):
        return means_node(expr.operand, is_node)
    return isinstance(expr, OpNode | Fold | Typed)


def children(node: Node) -> list[Node]:
    """The nodes directly inside a node, in order of its fields."""
    nodes: list[Node] = []
    for value in vars(node).values():
        if isinstance(value, Node):
            nodes.append(value)
        elif value.__class__ is tuple:  # a span is a tuple of another class, and holds none
            nodes += [item for item in value if isinstance(item, Node)]
    return nodes


def walk(node: Node) -> list[Node]:
    """A node and everything inside it, parents first."""
    nodes: list[Node] = []
    rest = [node]
    while rest:
        node = rest.pop()
        nodes.append(node)
        rest += reversed(children(node))
    return nodes
