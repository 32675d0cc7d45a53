"""Mutants of rules: each is one small fault, made on the syntax tree.

A mutant is known by its rule and by what was done to it; the words stay the same as long as the
rule does, so that a reviewed list can name it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from rulewright.checks.types import RuleTypes
from rulewright.lang import tree as t
from rulewright.lang.build import parsed_spec
from rulewright.lang.matcher_facts import conjuncts, own_op
from rulewright.lang.symbols import Symbols, collect
from rulewright.lang.words import put, words

_FLIPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
_OTHER_SIGN = {"+": "-", "-": "+", "&": "|", "|": "&", "<<": ">>", ">>": "<<", "<": "<=", "<=": "<"}
_OTHER_OP = {"ADD": "SUB", "SUB": "ADD", "MIN": "MAX", "MAX": "MIN", "AND": "OR", "OR": "AND"}
_SWAPPED_SIGNS = frozenset(["-", "/", "//", "%", "<<", ">>", "<", "<=", ">", ">="])
_SWAPPED_OPS = ("SUB", "FDIV", "FLOORDIV", "FLOORMOD", "CDIV", "CMOD", "SHL", "SHR", "CMPLT", "POW")
_WIDER = ("Wrapping", "Int", "Number", "Any")


@dataclass(frozen=True)
class Mutant:
    """A rule with one fault. `what` says in words what was done; `rule` is the faulty rule."""

    name: str
    what: str
    rule: t.Rule

    def __str__(self) -> str:
        return f"{self.name}, {self.what}"


def mutants(rule: t.Rule) -> list[Mutant]:
    """Every mutant of a rule, in the order of the text. Examples and proofs stay as they are."""
    mutants_of_rule = [
        Mutant(str(rule.name), what, mutated)
        for make in (_guards, _types, _replacement, _constants)
        for what, mutated in make(rule)
    ]
    numbered: dict[str, int] = {}
    result = []
    for mutant in mutants_of_rule:
        if mutant.rule == rule:
            continue
        count = numbered[mutant.what] = numbered.get(mutant.what, 0) + 1
        what = mutant.what if count == 1 else f"{mutant.what} ({count})"
        result.append(replace(mutant, what=what))
    return result


_Mutations = Iterator[tuple[str, t.Rule]]


def _guards(rule: t.Rule) -> _Mutations:
    """A clause is dropped, a comparison flipped, an `and` made `or`."""
    for clause in rule.all(t.When):
        parts = conjuncts(clause.guard)
        for i, part in enumerate(parts):
            rest = parts[:i] + parts[i + 1 :]
            yield f"dropped `{words(part)}`", _with_guard(rule, clause, rest)
        for node in t.walk(clause.guard):
            if isinstance(node, t.Infix) and node.op in _FLIPPED:
                flipped = replace(node, op=_FLIPPED[node.op])
                yield f"`{words(node)}` is `{words(flipped)}`", put(rule, node, flipped)
            if isinstance(node, t.Connective) and node.op == "or":
                conjunction = replace(node, op="and")
                yield f"`{words(node)}` is an `and`", put(rule, node, conjunction)


def _with_guard(rule: t.Rule, clause: t.When, parts: list[t.Expr]) -> t.Rule:
    if not parts:
        return replace(rule, clauses=tuple(c for c in rule.clauses if c is not clause))
    guard = parts[0] if len(parts) == 1 else t.Connective("and", tuple(parts))
    return put(rule, clause, replace(clause, guard=guard))


def _types(rule: t.Rule) -> _Mutations:
    """A set of dtypes is widened to the next set with which the rule takes more dtypes."""
    symbols = _symbols()
    for param in rule.type_params:
        now = _allowed(rule, param, symbols)
        for name in _WIDER if param.sets else ():
            wider = put(rule, param, replace(param, sets=(t.Ident(name),)))
            if now < _allowed(wider, wider.type_params[rule.type_params.index(param)], symbols):
                yield f"{param.name}: {' | '.join(param.sets)} is {name}", wider
                break


@cache
def _symbols() -> Symbols:
    return collect(parsed_spec())[0]


def _allowed(rule: t.Rule, param: t.TypeParam, symbols: Symbols) -> frozenset[str]:
    """The dtypes that a type parameter may be, as far as the ops of the pattern take them."""
    return RuleTypes(rule, symbols).params[str(param.name)].root().allowed


def _replacement(rule: t.Rule) -> _Mutations:
    """Operands are swapped or left out, an op or a function is another one, a cast is dropped."""
    for root in _results(rule):
        for node in t.walk(root):
            for other in _other_nodes(node):
                assert isinstance(node, t.Expr)  # only expressions have others
                yield f"`{words(node)}` is `{words(other)}`", put(rule, node, other)


def _results(rule: t.Rule) -> list[t.Expr]:
    """What a rule makes: its lets and its replacement."""
    return [*(clause.value for clause in rule.all(t.Let)), rule.replacement]


def _other_nodes(node: t.Node) -> Iterator[t.Expr]:
    if isinstance(node, t.Infix):
        if node.op in _SWAPPED_SIGNS and node.left != node.right:
            yield replace(node, left=node.right, right=node.left)
        if node.op in _OTHER_SIGN:
            yield replace(node, op=_OTHER_SIGN[node.op])
    if isinstance(node, t.MethodCall) and own_op(node) and len(node.args) == 2:
        yield replace(node, args=node.args[::-1])
    if isinstance(node, t.Unary):
        yield node.operand
    if isinstance(node, t.Call) and str(node.name) in _neighbours():
        yield replace(node, name=_neighbours()[str(node.name)])
    if isinstance(node, t.OpNode) and isinstance(node.head, t.OpName) and node.sources:
        yield from _other_ops(node, str(node.head.name), node.sources)


def _other_ops(node: t.OpNode, name: str, sources: tuple[t.Source, ...]) -> Iterator[t.Expr]:
    first, *rest = sources
    for source in sources if rest else ():
        if source.rest:
            yield replace(node, sources=tuple([s for s in sources if s is not source]))
    if name in _OTHER_OP:
        yield replace(node, head=t.OpName(t.Ident(_OTHER_OP[name])))
    if name in ("CAST", "BITCAST", "NEG", "NOT"):
        yield first.expr
    if name in _SWAPPED_OPS and len(rest) == 1 and first != rest[0]:
        yield replace(node, sources=(rest[0], first))
    if name == "WHERE" and len(rest) == 2 and rest[0] != rest[1]:
        yield replace(node, sources=(first, rest[1], rest[0]))


@cache
def _neighbours() -> dict[str, t.Ident]:
    """For each function of Python that makes nodes the next one of its file that takes the same."""
    neighbours = {}
    for file in parsed_spec():
        kinds: dict[object, list[t.Extern]] = {}
        for extern in file.all(t.Extern):
            if str(extern.kind) == "build":
                takes = tuple([part.type for part in (*extern.params, extern.result)])
                kinds.setdefault(takes, []).append(extern)
        for alike in kinds.values():
            for one, other in zip(alike, [*alike[1:], alike[0]], strict=True):
                if one is not other:
                    neighbours[str(one.name)] = other.name
    return neighbours


def _constants(rule: t.Rule) -> _Mutations:
    """A number is another one, in the pattern, the guards and the result; what a pattern asks to be
    none may be anything."""
    guards = [clause.guard for clause in rule.all(t.When)]
    for root in (rule.pattern, *guards, *_results(rule)):
        for node in t.walk(root):
            if isinstance(node, t.Num):
                value = node.value + 1
                number = replace(node, value=value, text=repr(value))
                yield f"{node.text} is {number.text}", put(rule, node, number)
            elif isinstance(node, t.BoolLit):
                flipped = replace(node, value=not node.value)
                yield f"{words(node)} is {words(flipped)}", put(rule, node, flipped)
            elif isinstance(node, t.NoneLit) and root is rule.pattern:
                yield "none is _", put(rule, node, t.Wild(span=node.span))
