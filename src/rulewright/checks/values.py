"""Checks of guards, lets and replacements: which names may stand where."""

from __future__ import annotations

from dataclasses import replace

from rulewright.checks.nodes import arity, check_node
from rulewright.checks.scope import KIND_WORDS, RuleScope, in_words
from rulewright.lang import tree as t
from rulewright.lang.diagnostics import nearest
from rulewright.lang.matcher_facts import (
    BUILTINS,
    CALLABLE,
    OF_NODES,
    OF_OPS,
    PROPERTIES,
    may_ask,
    own_op,
)
from rulewright.lang.more_ops import ELEMENTWISE
from rulewright.lang.symbols import unknown

_EQUAL = ("==", "!=")
_BOUNDS = {"min": "vmin", "max": "vmax"}


class Reader:
    """Reads the expressions of one rule after its pattern, and notes problems in its scope."""

    def __init__(self, scope: RuleScope) -> None:
        self.scope, self.symbols = scope, scope.symbols

    def makes_node(self, expr: t.Expr) -> bool:
        """Whether an expression means a graph node rather than a value."""
        return t.means_node(expr, self._is_node)

    def _is_node(self, expr: t.Var | t.Call) -> bool:
        if isinstance(expr, t.Var):
            return self.scope.is_node(expr)
        extern = self.symbols.externs.get(expr.name)
        return extern is not None and extern.result.type == "uop"

    def expression(self, expr: t.Expr) -> None:
        """A let's value or a call's argument: a node or a value."""
        if self.makes_node(expr) and not isinstance(expr, t.Call):
            self.node(expr)
        else:
            self.value(expr)

    def let(self, clause: t.Let) -> None:
        """A let: its value, then its name."""
        self.expression(clause.value)
        scope = self.scope
        if clause.name in scope.kinds:
            message = f"`{clause.name}` is bound already"
            scope.report("duplicate", message, clause.name.span)
            return
        kind = "node" if self.makes_node(clause.value) else "value"
        extern = self.symbols.externs.get(getattr(clause.value, "name", ""))
        if isinstance(clause.value, t.Call) and extern and extern.result.rest:
            kind = "nodes"
        if isinstance(clause.value, t.Var):
            kind = scope.kinds.get(clause.value.name, kind)
        scope.bind(clause.name, kind)
        scope.lets.add(str(clause.name))

    def use(self, expr: t.Var) -> None:
        """A name that must be bound."""
        scope = self.scope
        scope.uses[expr.name] += 1
        if expr.name in scope.kinds or expr.name == "ctx" or expr.name in self.symbols.dtypes:
            return
        hint = nearest(expr.name, scope.kinds) or "bind it in the pattern or by a `let`"
        scope.report("unbound", f"`{expr.name}` is not bound", expr.span, hint)

    # ---- values ----

    def value(self, expr: t.Expr) -> None:
        """A guard, an argument, or any other expression over plain values."""
        method = getattr(self, "_value_" + type(expr).__name__.lower(), None)
        if method is not None:
            method(expr)
            return
        for child in t.children(expr):
            if isinstance(child, t.Expr):
                self.value(child)

    def _value_var(self, expr: t.Var) -> None:
        self.use(expr)

    def _value_constvar(self, expr: t.ConstVar) -> None:
        self.scope.uses[expr.name] += 1
        message = f"`${expr.name}` stands in patterns; its value is `{expr.name}`"
        self.scope.report("kind", message, expr.span)

    def _value_infix(self, expr: t.Infix) -> None:
        for operand in (expr.left, expr.right):
            if self.scope.is_node(operand) and expr.op not in _EQUAL:
                self._no_value(operand)
            else:
                self.value(operand)

    def _value_unary(self, expr: t.Unary) -> None:
        if self.scope.is_node(expr.operand):
            self._no_value(expr.operand)
        else:
            self.value(expr.operand)

    def _no_value(self, expr: t.Expr) -> None:
        assert isinstance(expr, t.Var)
        self.scope.uses[expr.name] += 1
        hint = f"ask for its bounds `{expr.name}.vmin`, `{expr.name}.vmax`, or match `${expr.name}`"
        self.scope.report(
            "kind", f"`{expr.name}` is a node, which has no value here", expr.span, hint
        )

    def _value_opname(self, expr: t.OpName) -> None:
        known = (self.scope.types, self.symbols.ops)
        if not any(expr.name in k for k in known):
            self.scope.diagnostics.append(unknown("type parameter or op", expr.name, *known))

    def _value_groupname(self, expr: t.GroupName) -> None:
        known = (self.symbols.groups, self.symbols.dtype_sets)
        if not any(expr.name in k for k in known):
            self.scope.diagnostics.append(unknown("group or dtype set", expr.name, *known))

    def _value_field(self, expr: t.Field | t.MethodCall) -> None:
        self.value(expr.expr)
        if not may_ask(expr):
            there = CALLABLE if isinstance(expr, t.MethodCall) else PROPERTIES
            hint = nearest(expr.name, there) or f"there are {', '.join(sorted(there))}"
            if expr.name == "value" and isinstance(expr.expr, t.Var):
                hint = f"match `${expr.expr.name}` in the pattern: the name is the number then"
            message = f"unknown property `{expr.name}`"
            self.scope.report("unknown", message, expr.name.span, hint)
        elif isinstance(expr.expr, t.Var) and isinstance(expr, t.Field):
            self._property_of(expr.expr, expr.name)
        elif isinstance(expr.expr, t.Num | t.Str | t.BoolLit | t.NoneLit):
            message = f"a literal has no property `{expr.name}`"
            self.scope.report("kind", message, expr.name.span, "ask a node, a dtype or an op")

    def _property_of(self, of: t.Var, name: t.Ident) -> None:
        """What is asked of a name: of a node, what nodes have."""
        if self.scope.kinds.get(of.name) == "node" and name not in OF_NODES:
            owner = "op" if name in OF_OPS else "dtype"
            asked = _BOUNDS.get(name, f"{owner}.{name}")
            message = f"a node has no property `{name}`"
            self.scope.report("kind", message, name.span, f"ask for `{of.name}.{asked}`")

    def _value_methodcall(self, expr: t.MethodCall) -> None:
        self._value_field(expr)
        for arg in expr.args:
            self._argument(arg)

    def _value_call(self, expr: t.Call) -> None:
        extern = self.symbols.externs.get(expr.name)
        if extern is None and expr.name not in BUILTINS:
            problem = unknown("function", expr.name, self.symbols.externs, BUILTINS)
            hint = problem.help or "declare it as `extern`, or write what the language has"
            self.scope.diagnostics.append(replace(problem, help=hint))
        for arg in expr.args:
            self._argument(arg)
        if extern:
            count = sum(not p.rest for p in extern.params)
            self._count(expr, count, any(p.rest for p in extern.params))

    def _count(self, expr: t.Call | t.MethodCall, count: int, more: bool) -> None:
        received = len(expr.args)
        if any(a.rest for a in expr.args) or received == count or (more and received > count):
            return
        noun = "argument" if count == 1 and not more else "arguments"
        expected = f"{count}{' or more' if more else ''} {noun}"
        message = f"`{expr.name}` takes {expected}, found {received}"
        self.scope.report("arity", message, expr.span)

    def _value_opnode(self, expr: t.Expr) -> None:
        self.node(expr)

    _value_typed = _value_fold = _value_opnode

    def _value_wild(self, expr: t.Expr) -> None:
        self.scope.report("pattern", f"{in_words(expr)} stands only in patterns", expr.span)

    _value_bind = _value_wild

    def _argument(self, source: t.Source) -> None:
        """An argument of a call: a value, a node, or a spliced list."""
        if isinstance(source.expr, t.Var):
            self.use(source.expr)
            self._spliced(source, source.expr)
        else:
            self.expression(source.expr)

    def _spliced(self, source: t.Source, expr: t.Var) -> None:
        kind = self.scope.kinds.get(expr.name)
        if kind == "nodes" and not source.rest:
            message = f"`{expr.name}` is a list of nodes"
            self.scope.report("kind", message, expr.span, f"write `{expr.name}..`")
        elif kind in ("node", "const") and source.rest:
            message = f"`{expr.name}` is {KIND_WORDS[kind]}, not a list"
            self.scope.report("kind", message, source.span, f"write `{expr.name}`")

    # ---- `{}`: arithmetic of constants ----

    def folded(self, expr: t.Expr) -> None:
        """An expression inside `{}`."""
        if self.scope.is_node(expr):
            assert isinstance(expr, t.Var)
            self.use(expr)
            message = f"`{expr.name}` is a node; `{{}}` computes with constants"
            self.scope.report("kind", message, expr.span, f"match it as `${expr.name}`")
        elif isinstance(expr, t.Infix | t.Unary | t.Connective):
            for child in t.children(expr):
                assert isinstance(child, t.Expr)
                self.folded(child)
        elif isinstance(expr, t.Call) and expr.name.upper() in self.symbols.ops:
            for arg in expr.args:
                self.folded(arg.expr)
            self._count(expr, *arity(self.symbols.ops[expr.name.upper()]))
        elif isinstance(expr, t.MethodCall) and own_op(expr):
            self._own_op(expr, own_op(expr))
        else:
            self.value(expr)

    def _own_op(self, expr: t.MethodCall, name: str) -> None:
        """`n.op(c, d)`: each op that n may be is a function of so many constants."""
        self.value(expr.expr)
        for arg in expr.args:
            self.folded(arg.expr)
        heads = self.scope.heads.get(name, ())
        takes = {arity(self.symbols.ops[h]) for h in heads if h in self.symbols.ops}
        known = self.symbols.members.get(ELEMENTWISE, ())
        if not heads or len(takes) > 1 or not set(heads) <= set(known):
            message = f"`{name}.op` is no function of so many constants"
            hint = f"bind it to elementwise ops that are, as `{name}@[ADD MUL]($c, $d)`"
            self.scope.report("kind", message, expr.span, hint)
            return
        for count, more in takes:
            self._count(expr, count, more)

    # ---- replacements ----

    def node(self, expr: t.Expr) -> None:
        """An expression that makes a node."""
        if isinstance(expr, t.Var):
            self.use(expr)
            if self.scope.kinds.get(expr.name) == "value":
                message = f"`{expr.name}` is a value, not a node"
                hint = f"write `{{{expr.name}}}:T` for a constant"
                self.scope.report("kind", message, expr.span, hint)
        elif isinstance(expr, t.ConstVar):
            self.scope.uses[expr.name] += 1
            message = f"`${expr.name}` stands in patterns; here write `{expr.name}`"
            self.scope.report("kind", message, expr.span)
        elif isinstance(expr, t.Typed):
            self.scope.type_name(expr)
            self.node(expr.expr)
        elif isinstance(expr, t.Fold):
            self.folded(expr.expr)
        elif isinstance(expr, t.Infix | t.Unary):
            for child in t.children(expr):
                assert isinstance(child, t.Expr)
                self.node(child)
        else:
            self._other_node(expr)

    def _other_node(self, expr: t.Expr) -> None:
        if isinstance(expr, t.OpNode):
            self._op_node(expr)
        elif isinstance(expr, t.OpName):
            node = t.OpNode(expr, None, None, span=expr.span)
            self.scope.diagnostics += check_node(node, self.symbols, is_built=True)
        elif isinstance(expr, t.Call | t.Field | t.MethodCall):
            self.value(expr)
        elif not isinstance(expr, t.Num | t.BoolLit):
            self.scope.report("pattern", f"{in_words(expr)} makes no node", expr.span)

    def _op_node(self, expr: t.OpNode) -> None:
        self.scope.diagnostics += check_node(expr, self.symbols, is_built=True)
        if not isinstance(expr.head, t.OpName):
            message = "a node that is made has one op, not a choice"
            self.scope.report("pattern", message, expr.head.span)
        for arg in expr.args or ():
            self.value(arg)
        for source in expr.sources or ():
            self.node(source.expr)
            if isinstance(source.expr, t.Var):
                self._spliced(source, source.expr)
