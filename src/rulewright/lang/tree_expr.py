"""Expressions of the syntax tree, and the parts that declarations share.

Import them from `rulewright.lang.tree`.

Every node has a `span`, which takes no part in comparison: two texts mean the same when their
trees are equal. Names are `Ident`: ordinary strings that remember where they stand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

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
    """Base of top-level declarations. `doc` is the `///` text, lines joined by newlines."""

    name: Ident
    doc: str = field(default="", kw_only=True)


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
