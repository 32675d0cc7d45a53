"""The syntax tree of `.uop` text: one frozen dataclass for each declaration, clause and expression.

Every node has a `span`, which takes no part in comparison: two texts mean the same when their
trees are equal. Declarations stand here, expressions in `tree_expr`; import all of them from here.
"""

from __future__ import annotations

from dataclasses import field
from typing import TypeVar

from rulewright.lang.tree_expr import (
    NO_SPAN as NO_SPAN,
    Bind as Bind,
    BoolLit as BoolLit,
    Call as Call,
    Connective as Connective,
    ConstVar as ConstVar,
    Decl as Decl,
    Expr as Expr,
    Fact as Fact,
    Field as Field,
    Fold as Fold,
    GroupName as GroupName,
    Ident as Ident,
    Infix as Infix,
    Measure as Measure,
    MethodCall as MethodCall,
    Node as Node,
    NoneLit as NoneLit,
    Num as Num,
    OpName as OpName,
    OpNode as OpNode,
    OpSet as OpSet,
    Param as Param,
    Source as Source,
    Span as Span,
    Str as Str,
    TupleExpr as TupleExpr,
    Typed as Typed,
    TypeParam as TypeParam,
    Unary as Unary,
    Var as Var,
    Wild as Wild,
    bare as bare,
    children as children,
    means_node as means_node,
    walk as walk,
)

_N = TypeVar("_N", bound=Node)


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

    `schema` is None where no brackets stand. `facts` holds identity, shape, interval, meaning, smt,
    ulps.
    """

    type_params: tuple[TypeParam, ...]
    schema: tuple[Param, ...] | None
    params: tuple[Param, ...]
    result: Ident
    flags: tuple[Ident, ...]
    facts: tuple[Fact, ...]

    def fact(self, name: str) -> str | None:
        """The text of a fact, or None."""
        for fact in self.facts:
            if fact.name == name:
                return str(fact.value)
        return None


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


class SourceFile(Node):
    """A parsed file. `path` is the name used in messages."""

    path: str
    text: str = field(repr=False, compare=False)
    items: tuple[Decl, ...]

    def all(self, kind: type[_N]) -> tuple[_N, ...]:
        """The declarations of one kind, in textual order."""
        return tuple(i for i in self.items if isinstance(i, kind))
