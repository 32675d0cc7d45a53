"""Nodes as they are written: known ops, number of operands, fields and kinds of the argument."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic
from rulewright.lang.symbols import Symbols, unknown

_ALIKE = {"ints": "dims"}  # a tuple of whole numbers is one of sizes


class _Use(NamedTuple):
    """A name in the brackets of a node: what kind of value the field holds."""

    name: t.Ident
    op: str
    field: t.Param

    @property
    def kind(self) -> str:
        return _ALIKE.get(self.field.type, str(self.field.type))


def check_fields(rule: t.Rule, symbols: Symbols) -> Iterator[Diagnostic]:
    """Names that stand for values of one kind in the pattern and of another one elsewhere."""
    first: dict[str, _Use] = {}
    for use in [*_uses(rule.pattern, symbols), *_uses(rule.replacement, symbols)]:
        known = first.setdefault(str(use.name), use)
        if known.kind != use.kind:
            wanted, words = FIELD_WORDS[use.field.type][0], FIELD_WORDS[known.field.type][0]
            message = f"{use.op}: `{use.field.name}` is {wanted}, but `{use.name}` is {words}"
            note = f"`{known.field.name}` of {known.op}"
            yield Diagnostic("argument", message, use.name.span, known.name.span, note)


def _uses(expr: t.Expr, symbols: Symbols) -> Iterator[_Use]:
    for node in t.walk(expr):
        heads = symbols.heads(node.head) if isinstance(node, t.OpNode) else ()
        if not isinstance(node, t.OpNode) or len(heads) != 1:
            continue
        for param, arg in zip(symbols.ops[heads[0]].schema or (), node.args or (), strict=False):
            if isinstance(arg, t.Var | t.Bind) and param.type in FIELD_WORDS:
                yield _Use(arg.name, heads[0], param)


FIELD_WORDS: dict[str, tuple[str, tuple[type[t.Expr], ...]]] = {
    "int": ("a whole number", (t.Num,)),
    "str": ("text or none", (t.Str, t.NoneLit)),
    "ints": ("a tuple of whole numbers", (t.TupleExpr,)),
    "dims": ("a tuple of sizes", (t.TupleExpr,)),
    "pairs": ("a tuple of pairs", (t.TupleExpr,)),
    "bools": ("a tuple of true and false", (t.TupleExpr,)),
    "op": ("an op", (t.OpName, t.OpSet, t.GroupName)),
    "const": ("a number", (t.Num, t.BoolLit)),
}
"""What a field of each kind holds, in words, and how that is written."""

_PLAIN = (t.Num, t.Str, t.NoneLit, t.BoolLit, t.TupleExpr, t.OpSet)


def check_node(expr: t.OpNode, symbols: Symbols, is_built: bool = False) -> Iterator[Diagnostic]:
    """The problems of one node by itself; `is_built` for a node in a replacement.

    In a pattern, brackets and parentheses may be left out: any argument, any operands.
    """
    yield from _head(expr, symbols)
    heads = symbols.heads(expr.head)
    if not heads:
        return
    yield from _arguments(expr, symbols, heads, is_built)
    yield from _operands(expr, symbols, heads, is_built)


def _head(expr: t.OpNode, symbols: Symbols) -> Iterator[Diagnostic]:
    head = expr.head
    if isinstance(head, t.OpName | t.OpSet):
        names = (head.name,) if isinstance(head, t.OpName) else head.names
        for name in names:
            if name not in symbols.ops:
                problem = unknown("op", name, symbols.ops)
                if not problem.help and expr.args is None and expr.sources is None:
                    hint = f"what stands for any node is lower case: `{name.lower()}`"
                    problem = replace(problem, help=hint)
                yield problem
    elif isinstance(head, t.GroupName) and head.name not in symbols.groups:
        yield unknown("group", head.name, symbols.groups)


def _arguments(
    expr: t.OpNode, symbols: Symbols, heads: tuple[str, ...], is_built: bool
) -> Iterator[Diagnostic]:
    schemas = [symbols.ops[h].schema or () for h in heads]
    counts = {len(s) for s in schemas}
    if expr.args is None:
        needed = [p.name for p in schemas[0] if p.type != "any"]
        if is_built and len(heads) == 1 and needed:
            fields = ", ".join(str(p.name) for p in schemas[0])
            message = f"{heads[0]} needs its argument"
            yield Diagnostic("argument", message, expr.span, help=f"write `{heads[0]}[{fields}]`")
        return
    if counts != {len(expr.args)}:
        expected = " or ".join(str(c) for c in sorted(counts))
        what = heads[0] if len(heads) == 1 else "these ops"
        verb = "has" if len(heads) == 1 else "have"
        noun = "field" if expected == "1" else "fields"
        message = f"{what} {verb} {expected} {noun} in brackets, found {len(expr.args)}"
        yield Diagnostic("argument", message, expr.span)
        return
    if len(heads) == 1:
        for param, arg in zip(schemas[0], expr.args, strict=True):
            yield from _kind(heads[0], param, arg)


def _kind(op: str, param: t.Param, arg: t.Expr) -> Iterator[Diagnostic]:
    words, fits = FIELD_WORDS.get(param.type, ("", ()))
    if not fits or not isinstance(arg, _PLAIN):
        return
    whole = not isinstance(arg, t.Num) or param.type == "const" or isinstance(arg.value, int)
    if not isinstance(arg, fits) or not whole:
        yield Diagnostic("argument", f"{op}: `{param.name}` is {words}", arg.span)


def arity(op: t.OpDecl) -> tuple[int, bool]:
    """Number of fixed operands, and whether more may follow."""
    fixed = sum(not p.rest for p in op.params)
    return fixed, fixed != len(op.params)


def _operands(
    expr: t.OpNode, symbols: Symbols, heads: tuple[str, ...], is_built: bool
) -> Iterator[Diagnostic]:
    sources = expr.sources
    if sources is None:
        fixed, _ = arity(symbols.ops[heads[0]])
        if is_built and fixed:
            yield _wrong_count(expr, symbols, heads, 0)
        return
    least = arity(symbols.ops[heads[0]])[0]
    if not sources and not is_built and (least or not isinstance(expr.head, t.OpName)):
        return  # `Movement()`, `RANGE()`: any operands
    count, rest = sum(not s.rest for s in sources), any(s.rest for s in sources)
    arities = [arity(symbols.ops[h]) for h in heads]
    if not any(_fits(count, rest, fixed, more) for fixed, more in arities):
        yield _wrong_count(expr, symbols, heads, count)


def _fits(count: int, rest: bool, fixed: int, more: bool) -> bool:
    if rest:
        return more or count <= fixed
    return count == fixed or (more and count >= fixed)


def _wrong_count(
    expr: t.OpNode, symbols: Symbols, heads: tuple[str, ...], count: int
) -> Diagnostic:
    fixed, more = arity(symbols.ops[heads[0]])
    if len(heads) > 1:
        return Diagnostic("arity", f"none of these ops takes {count} operands", expr.span)
    op = symbols.ops[heads[0]]
    noun = "operand" if fixed == 1 and not more else "operands"
    expected = f"{fixed} or more" if more else str(fixed)
    message = f"{heads[0]} takes {expected} {noun}, found {count}"
    params = ", ".join(f"{p.name}{'..' if p.rest else ''}" for p in op.params)
    return Diagnostic("arity", message, expr.span, op.name.span, f"declared as {op.name}({params})")
