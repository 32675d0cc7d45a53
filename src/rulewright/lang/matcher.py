"""Generates one Python module from a rule set: dispatch on the root op, then a decision tree.

The generated module holds `MATCH` (op -> function of a node and the pass's context), `ACTIONS`
(name of the function that builds a rule's replacement -> rule), `RULES` (rule -> file, line) and
`LEVELS` (rule -> what it says it may change, its `equiv`).
Every rule's replacement is built by a function of its own, found by name at each call, so that a
caller who wants to trace or switch off rules replaces those names in a copy of the module.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rulewright.lang import tree as t
from rulewright.lang.matcher_expr import ExpressionCompiler, Globals, Name, safe
from rulewright.lang.matcher_facts import (
    Facts,
    asks_sizes,
    excluded_op,
    leading_guards,
    ordered_rules,
)
from rulewright.lang.matcher_patterns import Path, PatternRow, rows_of, variable
from rulewright.lang.matcher_tree import PendingRow, TreeWriter

_HEADER = '''"""Matchers of {what}. Generated from spec/; changes are lost."""

from math import gcd, inf as _inf, isfinite, isnan, nan as _nan

from rulewright.ir.matching import (
    Ops, UOp, const as _const, convert as _convert, dtypes, fold_function as _fold_function,
    folds as _folds, ilog2, lazy_extern as _lazy_extern, same as _same, zero as _zero,
)
from rulewright.ir.open_sizes import OpenSizeError as _OpenSize, holds as _holds, sizes as _sizes

_minus_inf = -_inf
'''


def generate_rules(name: str, rules: Sequence[t.Rule], table: Mapping[str, Any]) -> str:
    """The source text of the matcher of `rules`, tried in their order.

    `table` is what `lang.build.load_table` gives.
    """
    return ModuleWriter(Facts(table)).rules(name, ordered_rules(rules))


def generate_stage(name: str, statements: Sequence[t.Legal], table: Mapping[str, Any]) -> str:
    """The source text of a stage's matcher: it gives the index of the first statement that fits."""
    rules = [
        t.Rule(
            t.Ident(f"statement{i}"),
            s.type_params,
            None,
            0,
            s.pattern,
            t.NoneLit(),
            (t.When(s.guard),) if s.guard is not None else (),
            span=s.span,
        )
        for i, s in enumerate(statements)
    ]
    return ModuleWriter(Facts(table)).stage(name, rules)


def action_name(rule: str) -> str:
    """The function that builds a rule's replacement."""
    return f"rule_{rule}"


class ModuleWriter:
    """Writes one module."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.module = Globals()
        self.actions: list[str] = []  # the texts of functions
        self.bodies: dict[str, dict[str, str]] = {}  # rule -> body -> function
        self.owner: dict[str, str] = {}  # function -> rule
        self.is_stage = False
        self.order: list[t.Rule] = []

    def rules(self, name: str, rules: Sequence[t.Rule]) -> str:
        """The module of a rule set."""
        return self._module(f"rule set {name}", rules)

    def stage(self, name: str, rules: Sequence[t.Rule]) -> str:
        """The module of a stage."""
        self.is_stage = True
        return self._module(f"stage {name}", rules)

    def _module(self, what: str, rules: Sequence[t.Rule]) -> str:
        self.order = list(rules)
        by_op: dict[str, list[PatternRow]] = {}
        for index, rule in enumerate(rules):
            for heads, row in rows_of(self.facts, rule, index):
                for head in heads:
                    by_op.setdefault(head, []).append(row)
        trees = [self._function(op, rows) for op, rows in by_op.items()]
        places = {str(r.name): (r.span.file, r.name.span.line or r.span.line) for r in rules}
        levels = {str(r.name): str(r.equiv.name) for r in rules if r.equiv is not None}
        parts = [_HEADER.format(what=_shown(what)), *self._globals(by_op), ""]
        parts += self.actions + trees
        functions = ", ".join(f"{op}: match_{op.lower()}" for op in by_op)
        parts.append(f"MATCH = {{{functions}}}\n")
        parts.append(f"ACTIONS = {self.owner!r}\n")
        parts.append(f"RULES = {places!r}\n")
        parts.append(f"LEVELS = {levels!r}\n")
        return "\n".join(parts)

    def _globals(self, by_op: Mapping[str, Any]) -> list[str]:
        module = self.module
        for op in by_op:
            module.op(op)
        lines = [f"{op} = Ops.{op}" for op in module.ops]
        for full, code in module.dtypes.items():
            base, _, lanes = full.partition("*")
            lines.append(f"{code} = dtypes.{base}" + (f".vec({lanes})" if lanes else ""))
        lines += [f"_fold_{op.lower()} = _fold_function({op!r})" for op in module.folds]
        for name in module.externs:
            row = self.facts.externs[name]
            lines.append(
                f"_x_{name} = _lazy_extern({name!r}, {row['target']!r}, {tuple(row['result'])!r})"
            )
        lines += [f"{code} = frozenset({names!r})" for names, code in module.sets.items()]
        for names, code in module.op_sets.items():
            lines.append(f"{code} = frozenset(({', '.join(names)},))")
        return lines

    def _function(self, op: str, rows: list[PatternRow]) -> str:
        writer = TreeWriter(self.module, self._leaf)
        count, more = self.facts.arity(op)
        if count and not more:
            names = [variable((i,)) for i in range(count)]
            writer.line(f"{', '.join(names)}{',' if count == 1 else ''} = n.src")
            writer.defined.update(names)
        writer.write([PendingRow(row, tuple(row.checks)) for row in rows])
        writer.line("return None")
        return "\n".join([f"def match_{op.lower()}(n, ctx):", *writer.lines, "\n"])

    # ---- leaves ----

    def _leaf(self, row: PatternRow, writer: TreeWriter) -> None:
        rule = self.order[row.index]
        guards, rest = leading_guards(rule)
        guards = [g for g in guards if not _is_tested(g, row)]
        scope = self._places(row, writer)
        compiler = ExpressionCompiler(self.facts, self.module, scope)
        conditions = [_condition(compiler, g) for g in guards]
        if conditions:
            joined = " and ".join(f"({c})" if " or " in c else c for c in conditions)
            writer.block(f"if {joined}:", lambda: self._call(row, rest, scope, writer))
        else:
            self._call(row, rest, scope, writer)

    def _call(
        self, row: PatternRow, rest: list[t.Clause], scope: dict[str, Name], writer: TreeWriter
    ) -> None:
        if self.is_stage:
            writer.line(f"return {row.index}")
            return
        function, params = self._action(row, rest)
        codes = {safe(name): bound.code for name, bound in scope.items()}
        codes |= {f"{safe(n)}_dtype": str(b.dtype) for n, b in scope.items() if b.kind == "const"}
        codes |= {"n": "n", "ctx": "ctx"}
        writer.line(f"r = {function}({', '.join(codes[p] for p in params)})")
        writer.block("if r is not None:", lambda: writer.line("return r"))

    def _places(self, row: PatternRow, writer: TreeWriter) -> dict[str, Name]:
        """The rule's names as places in the tree."""
        scope = {}
        for name, bound in row.names.items():
            place = writer.place(bound.path)
            dtype = None
            if bound.kind in ("node", "const"):
                dtype = writer.place(row.dtype_at[name]) + ".dtype"
            code = place if bound.kind == "node" else bound.code
            scope[name] = Name(bound.kind, code, dtype)
        for name, path in row.types.items():
            scope[name] = Name("dtype", writer.place(path) + ".dtype")
        return scope

    # ---- actions: what is done once a pattern and its leading guards hold ----

    def _action(self, row: PatternRow, rest: list[t.Clause]) -> tuple[str, list[str]]:
        rule = self.order[row.index]
        scope = _parameters(row)
        compiler = ExpressionCompiler(self.facts, self.module, scope)
        for clause in rest:
            _statement(compiler, clause)
        by_place = {path: safe(name) for name, path in row.types.items()}
        result = compiler.node(rule.replacement, by_place.get(row.root_dtype, "n.dtype"))
        body = [*compiler.lines, f"return {result}"]
        if any(map(asks_sizes, (*rest, rule.replacement))):
            body = ["try:", *(f"    {line}" for line in body)]
            body += ["except _OpenSize:", "    return None"]
        possible = [safe(n) for n, b in scope.items() if b.kind != "let"]
        possible += [f"{safe(n)}_dtype" for n, b in scope.items() if b.kind == "const"]
        params = [p for p in (*possible, "n", "ctx") if re.search(rf"\b{p}\b", "\n".join(body))]
        lets = {safe(str(c.name)) for c in rule.all(t.Let)}
        # in an order that does not depend on the arrangement: arrangements share functions
        params = sorted((p for p in params if p not in lets), key=lambda p: (p in ("n", "ctx"), p))
        return self._named(rule, params, body), params

    def _named(self, rule: t.Rule, params: list[str], body: list[str]) -> str:
        """The function with this body, written once however many arrangements use it."""
        lines = "\n".join("    " + line for line in body)
        functions = self.bodies.setdefault(str(rule.name), {})
        if lines not in functions:
            name = action_name(rule.name)
            name += f"_{len(functions) + 1}" if functions else ""
            where = f"# {_shown(rule.span.file)}:{rule.span.line}"
            self.actions.append(f"def {name}({', '.join(params)}):  {where}\n{lines}\n\n")
            functions[lines] = name
            self.owner[name] = str(rule.name)
        return functions[lines]


def _shown(text: str) -> str:
    """A text that a user chose, such as a path, as a part of a comment or docstring."""
    return text.encode("unicode_escape").decode("ascii").replace('"', "'")


def _is_tested(guard: t.Expr, row: PatternRow) -> bool:
    """Whether the tree has tested a condition like `x.op != CONST` already."""
    pair = excluded_op(guard)
    return pair is not None and pair[0] in row.names and row.names[pair[0]].kind == "node"


def _condition(compiler: ExpressionCompiler, guard: t.Expr) -> str:
    """A guard as Python; one that sizes leave open does not hold."""
    code = _bare(compiler.value(guard))
    return f"_holds(lambda: {code})" if asks_sizes(guard) else code


def _bare(condition: str) -> str:
    """A condition without parentheses around the whole of it."""
    depth = 0
    for i, char in enumerate(condition):
        depth += (char == "(") - (char == ")")
        if depth == 0 and i < len(condition) - 1:
            return condition
    return condition[1:-1] if condition.startswith("(") else condition


def _parameters(row: PatternRow) -> dict[str, Name]:
    """The rule's names as parameters of its action."""
    types: dict[Path, str] = {path: safe(name) for name, path in row.types.items()}
    scope = {name: Name("dtype", safe(name)) for name in row.types}
    for name, bound in row.names.items():
        code, dtype = safe(name), None
        if bound.kind == "const":
            dtype = types.get(row.dtype_at[name], f"{code}_dtype")
        elif bound.kind == "node":
            dtype = types.get(row.dtype_at[name])
        scope[name] = Name(bound.kind, code, dtype)
    return scope


def _statement(compiler: ExpressionCompiler, clause: t.Clause) -> None:
    """A let, or a guard after one, as statements of an action."""
    if isinstance(clause, t.When):
        condition = _bare(compiler.value(clause.guard))
        compiler.lines += [f"if not ({condition}):", "    return None"]
        return
    assert isinstance(clause, t.Let)
    name, value = safe(str(clause.name)), clause.value
    is_node = compiler.makes_node(value)
    code = compiler.node(value, None) if is_node else compiler.value(value)
    compiler.lines.append(f"{name} = {code}")
    if isinstance(value, t.Call) and not is_node:
        compiler.lines += [f"if {name} is None:", "    return None"]
    kind = "node" if is_node else "value"
    if isinstance(value, t.Call):
        kind = compiler.result_kind(value)
    compiler.scope[str(clause.name)] = Name(kind, name)
