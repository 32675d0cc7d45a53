"""Guards, lets and replacements as Python source text."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from dataclasses import dataclass, field

from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import (
    BUILTINS,
    COMPARE_SIGNS,
    SIZES,
    Facts,
    is_fold_leaf,
    is_in_all_types,
    may_ask,
    own_op,
    wrong,
)

_FAST_FIELDS = {"vmin": ".interval[0]", "vmax": ".interval[1]"}


@dataclass(frozen=True)
class Name:
    """A name in scope: `kind` is node, nodes, const, value or dtype; `dtype` the dtype's code."""

    kind: str
    code: str
    dtype: str | None = None


@dataclass
class Globals:
    """Names that generated code takes from its module, in order of first use."""

    ops: dict[str, None] = field(default_factory=dict)
    dtypes: dict[str, str] = field(default_factory=dict)  # full name -> variable
    folds: dict[str, None] = field(default_factory=dict)
    externs: dict[str, None] = field(default_factory=dict)
    sets: dict[tuple[str, ...], str] = field(default_factory=dict)
    op_sets: dict[tuple[str, ...], str] = field(default_factory=dict)

    def op(self, name: str) -> str:
        """The variable of an op."""
        self.ops[name] = None
        return name

    def dtype(self, full: str) -> str:
        """The variable of a dtype such as `f32*4`."""
        return self.dtypes.setdefault(full, "_" + full.replace("*", "x"))

    def fold(self, op: str) -> str:
        """The variable of an op's folding function."""
        self.folds[op] = None
        return f"_fold_{op.lower()}"

    def extern(self, name: str) -> str:
        """The variable of an extern function."""
        self.externs[name] = None
        return f"_x_{name}"

    def dtype_set(self, bases: tuple[str, ...]) -> str:
        """The variable of a set of scalar dtype names."""
        return self.sets.setdefault(bases, f"_dtypes{len(self.sets)}")

    def op_set(self, names: tuple[str, ...]) -> str:
        """The variable of a set of ops."""
        for name in names:
            self.op(name)
        return self.op_sets.setdefault(names, f"_ops{len(self.op_sets)}")


def safe(name: str) -> str:
    """A rule's name as a Python variable that hides nothing the generated code needs."""
    taken = keyword.iskeyword(name) or name in (*BUILTINS, "n", "tuple", "isinstance")
    return name + "_" if taken else name


def _asked(expr: t.Field | t.MethodCall) -> None:
    """Raise RuleError for a property that a rule may not look at: no check may have been before."""
    if not may_ask(expr) or isinstance(expr.expr, t.Num):
        raise wrong(f"unknown property `{expr.name}`", expr)


class ExpressionCompiler:
    """Compiles the expressions of one rule with the names in `scope`."""

    def __init__(self, facts: Facts, module: Globals, scope: dict[str, Name]) -> None:
        self.facts, self.module, self.scope = facts, module, scope
        self.lines: list[str] = []  # statements that must run before the expression
        self.used: dict[str, None] = {}  # names from the scope
        self.temporaries = 0

    # ---- values: Python objects ----

    def value(self, expr: t.Expr) -> str:
        """An expression over Python values, in unbounded integers."""
        method = getattr(self, "_value_" + type(expr).__name__.lower(), None)
        if method is None:
            raise wrong("this cannot stand in a guard", expr)
        code: str = method(expr)
        return code

    def _use(self, name: str) -> Name:
        self.used[name] = None
        return self.scope[name]

    def _value_var(self, expr: t.Var) -> str:
        if expr.name in self.scope:
            return self._use(str(expr.name)).code
        if expr.name == "ctx":
            self.used["ctx"] = None
            return "ctx"
        if expr.name in self.facts.dtypes:
            return self.module.dtype(str(expr.name))
        raise wrong(f"{expr.name} is not bound", expr)

    def _value_opname(self, expr: t.OpName) -> str:
        if expr.name in self.scope:
            return self._use(str(expr.name)).code
        if expr.name in self.facts.ops:
            return self.module.op(str(expr.name))
        raise wrong(f"{expr.name} is neither a type parameter nor an op", expr)

    def _value_opset(self, expr: t.OpSet) -> str:
        return self.module.op_set(self.facts.heads(expr))

    def _value_groupname(self, expr: t.GroupName) -> str:
        if expr.name in self.facts.groups:
            return self.module.op_set(self.facts.heads(expr))
        return self.module.dtype_set(self.facts.bases((str(expr.name),)))

    def _value_num(self, expr: t.Num) -> str:
        return f"_{expr.text.replace('-', 'minus_')}" if "n" in expr.text else expr.text

    def _value_str(self, expr: t.Str) -> str:
        return repr(expr.value)

    def _value_boollit(self, expr: t.BoolLit) -> str:
        return repr(expr.value)

    def _value_nonelit(self, expr: t.NoneLit) -> str:
        return "None"

    def _value_infix(self, expr: t.Infix) -> str:
        return f"({self.value(expr.left)} {expr.op} {self.value(expr.right)})"

    def _value_unary(self, expr: t.Unary) -> str:
        return f"({expr.op}{self.value(expr.operand)})"

    def _value_connective(self, expr: t.Connective) -> str:
        parts = [self.value(o) for o in expr.operands]
        return f"(not {parts[0]})" if expr.op == "not" else f"({f' {expr.op} '.join(parts)})"

    def _value_field(self, expr: t.Field) -> str:
        _asked(expr)
        code = self.value(expr.expr) + _FAST_FIELDS.get(expr.name, f".{expr.name}")
        return f"_sizes({code})" if expr.name in SIZES else code

    def _value_methodcall(self, expr: t.MethodCall) -> str:
        _asked(expr)
        return f"{self.value(expr.expr)}.{expr.name}({self._arguments(expr.args)})"

    def _value_call(self, expr: t.Call) -> str:
        if expr.name in self.facts.externs:
            return f"{self.module.extern(str(expr.name))}({self._arguments(expr.args)})"
        if expr.name in BUILTINS:
            return f"{expr.name}({self._arguments(expr.args)})"
        raise wrong(f"unknown function {expr.name}", expr)

    def _value_tupleexpr(self, expr: t.TupleExpr) -> str:
        return f"({''.join(self.value(i) + ', ' for i in expr.items)})"

    def _value_typed(self, expr: t.Typed) -> str:
        return self.node(expr, None)

    _value_opnode = _value_fold = _value_typed

    def _arguments(self, args: Sequence[t.Source]) -> str:
        return ", ".join("*" * a.rest + self._argument(a.expr) for a in args)

    def _argument(self, expr: t.Expr) -> str:
        return self.node(expr, None) if self.makes_node(expr) else self.value(expr)

    # ---- kinds ----

    def makes_node(self, expr: t.Expr) -> bool:
        """Whether an expression means a graph node rather than a Python value."""
        return t.means_node(expr, self._is_node)

    def _is_node(self, expr: t.Var | t.Call) -> bool:
        if isinstance(expr, t.Call):
            return self.result_kind(expr) == "node"
        return expr.name in self.scope and self.scope[str(expr.name)].kind == "node"

    def result_kind(self, expr: t.Call) -> str:
        """What a call gives: node, nodes or value."""
        row = self.facts.externs.get(expr.name)
        if row is None or row["result"][0] != "uop":
            return "value"
        return "nodes" if row["result"][1] else "node"

    # ---- dtypes ----

    def type_code(self, name: str, lanes: int | str | None) -> str:
        """A written type as code."""
        if name in self.scope and self.scope[name].kind == "dtype":
            return self._use(name).code
        if isinstance(lanes, str):  # `i32*T`: as many lanes as T
            return f"{self.module.dtype(name)}.vec({self._use(lanes).code}.count)"
        return self.module.dtype(name if lanes in (None, 1) else f"{name}*{lanes}")

    def dtype_of(self, expr: t.Expr) -> str | None:
        """Code for an expression's dtype, if it can be told from its operands."""
        expr = self.facts.as_node(expr)
        if isinstance(expr, t.Typed):
            return self.type_code(str(expr.type), expr.lanes)
        if isinstance(expr, t.Var) and expr.name in self.scope:
            name = self.scope[str(expr.name)]
            if name.kind == "node":
                return name.dtype or self._use(str(expr.name)).code + ".dtype"
            return None
        if isinstance(expr, t.OpNode):
            return self._node_dtype(expr)
        return None

    def _node_dtype(self, expr: t.OpNode) -> str | None:
        op = self.head(expr)
        result = str(self.facts.ops[op]["result"])
        if result not in self.facts.type_names(op):
            lanes = self._operand_dtype(op, expr, None) if result == "bool" else None
            return self.module.dtype(result) + (f".vec({lanes}.count)" if lanes else "")
        return self._operand_dtype(op, expr, result)

    def _operand_dtype(self, op: str, expr: t.OpNode, kind: str | None) -> str | None:
        """The dtype of the first operand declared with type `kind` (None: any parameter)."""
        for i, source in enumerate(expr.sources or ()):
            declared = self.facts.operand_type(op, i)
            wanted = declared in self.facts.type_names(op) if kind is None else declared == kind
            dtype = self.dtype_of(source.expr) if wanted and not source.rest else None
            if dtype:
                return dtype
        return None

    # ---- nodes ----

    def head(self, expr: t.OpNode) -> str:
        """The op of a node in a replacement, which must be one."""
        if not isinstance(expr.head, t.OpName):
            raise wrong("a replacement needs one op, not a choice", expr)
        return self.facts.heads(expr.head)[0]

    def node(self, expr: t.Expr, expected: str | None) -> str:
        """Code that makes the node `expr`; `expected` is the dtype it should have, if known."""
        expr = self.facts.as_node(expr)
        if isinstance(expr, t.Typed):
            return self.node(expr.expr, self.type_code(str(expr.type), expr.lanes))
        if isinstance(expr, t.Num | t.BoolLit):
            return self._constant(self.value(expr), expected, expr)
        if isinstance(expr, t.Fold):
            return self._constant(expr.expr, expected, expr)
        if isinstance(expr, t.OpNode):
            return self._op_node(expr, expected)
        if isinstance(expr, t.Call):
            return self._checked_call(expr)
        if isinstance(expr, t.Var) and expr.name in self.scope:
            name = self._use(str(expr.name))
            return self._constant(name.code, expected, expr) if name.kind == "const" else name.code
        return self.value(expr)

    def _constant(self, value: str | t.Expr, expected: str | None, at: t.Expr) -> str:
        if expected is None:
            raise wrong("the dtype of this constant cannot be told; write its type", at)
        if isinstance(value, str):
            return f"_const({expected}, {value})"
        if isinstance(value, t.Var) and self._is_const(value):
            name = self._use(str(value.name))
            if name.dtype == expected:
                return f"_const({expected}, {name.code})"
            return self._checked(f"_convert({expected}, {name.code}, {name.dtype})")
        return f"_const({expected}, {self.fold(value, expected)})"

    def _is_const(self, expr: t.Expr) -> bool:
        return (
            isinstance(expr, t.Var)
            and expr.name in self.scope
            and self.scope[str(expr.name)].kind == "const"
        )

    def _checked_call(self, expr: t.Call) -> str:
        return self._checked(self.value(expr))

    def _checked(self, code: str) -> str:
        """The value of `code` in a variable; None ends the match."""
        name = f"t{self.temporaries}"
        self.temporaries += 1
        self.lines += [f"{name} = {code}", f"if {name} is None:", "    return None"]
        return name

    def _op_node(self, expr: t.OpNode, expected: str | None) -> str:
        op = self.head(expr)
        if op == "CONST":
            return self._const_node(expr, expected)
        result = str(self.facts.ops[op]["result"])
        dtype = expected or self._node_dtype(expr)
        if dtype is None:
            raise wrong(f"the dtype of this {op} cannot be told; write its type", expr)
        generic = result in self.facts.type_names(op)
        inner = self._operand_dtype(op, expr, None) if not generic else None
        parts = []
        for i, source in enumerate(expr.sources or ()):
            if source.rest:
                parts.append("*" + self.value_list(source.expr))
                continue
            wanted = self._wanted(op, i, dtype if generic else None, inner, dtype)
            parts.append(self.node(source.expr, wanted))
        src = "".join(p + ", " for p in parts).rstrip(" ") if len(parts) == 1 else ", ".join(parts)
        args = "" if not expr.args else ", " + self._args(op, expr)
        return f"UOp({self.module.op(op)}, {dtype}, ({src}){args})"

    def _wanted(
        self, op: str, index: int, result: str | None, inner: str | None, dtype: str
    ) -> str | None:
        """The dtype that an operand should have, for constants written there."""
        declared = self.facts.operand_type(op, index)
        names = self.facts.type_names(op)
        if declared in names:
            return result if declared == self.facts.ops[op]["result"] else inner
        if declared in self.facts.dtypes:
            lanes = f".vec({dtype}.count)" if declared == "bool" and dtype != "_bool" else ""
            return self.module.dtype(declared) + lanes
        return None

    def _const_node(self, expr: t.OpNode, expected: str | None) -> str:
        if not expr.args or len(expr.args) != 1:
            raise wrong("CONST takes one argument, its value", expr)
        return self._constant(self.value(expr.args[0]), expected, expr)

    def value_list(self, expr: t.Expr) -> str:
        """A spliced list of nodes: `xs..` or an extern's list."""
        return self._checked_call(expr) if isinstance(expr, t.Call) else self.value(expr)

    def _args(self, op: str, expr: t.OpNode) -> str:
        values = [self.value(a) for a in expr.args or ()]
        fields = len(self.facts.ops[op]["schema"])
        if len(values) != fields:
            raise wrong(f"{op} has {fields} argument fields, found {len(values)}", expr)
        return values[0] if fields == 1 else f"({', '.join(values)})"

    # ---- folds: arithmetic in a dtype ----

    def fold(self, expr: t.Expr, dtype: str) -> str:
        """The value of `{expr}` computed in `dtype`, with its wrap-around or rounding."""
        if isinstance(expr, t.Infix):
            return self._fold_infix(expr, dtype)
        if isinstance(expr, t.Unary):
            name = self.module.fold(self.facts.prefix[expr.op])
            return f"{name}({dtype}, {self._folded(expr.operand, dtype)})"
        if isinstance(expr, t.Call) and expr.name.upper() in self.facts.ops:
            args = [self._folded(a.expr, dtype) for a in expr.args]
            return f"{self.module.fold(str(expr.name).upper())}({', '.join([dtype, *args])})"
        if isinstance(expr, t.Connective):
            parts = [self._folded(o, dtype) for o in expr.operands]
            return f"(not {parts[0]})" if expr.op == "not" else f"({f' {expr.op} '.join(parts)})"
        if name := own_op(expr):
            inner = self._first_const_dtype(expr) or dtype
            args = [self._folded(a.expr, inner) for a in getattr(expr, "args", ())]
            return f"_folds[{self._use(name).code}.op]({', '.join([dtype, *args])})"
        return self.value(expr)

    def _folded(self, expr: t.Expr, dtype: str) -> str:
        """A part of `{}`: a number that is not of `dtype` already is converted, as CAST does."""
        code = self.fold(expr, dtype)
        if not is_fold_leaf(expr, self.facts) or is_in_all_types(expr):
            return code
        is_const = isinstance(expr, t.Var) and self._is_const(expr)
        if is_const and self.scope[str(getattr(expr, "name", ""))].dtype == dtype:
            return code
        return f"{dtype}.const({code})"

    def _fold_infix(self, expr: t.Infix, dtype: str) -> str:
        if expr.op in COMPARE_SIGNS:
            inner = self._first_const_dtype(expr)
            if inner is None:  # of properties alone, as in a guard
                return self.value(expr)
            left, right = self._folded(expr.left, inner), self._folded(expr.right, inner)
            return f"({left} {expr.op} {right})"
        left, right = self._folded(expr.left, dtype), self._folded(expr.right, dtype)
        return f"{self.module.fold(self.facts.infix[expr.op])}({dtype}, {left}, {right})"

    def _first_const_dtype(self, expr: t.Expr) -> str | None:
        consts = [e for e in t.walk(expr) if isinstance(e, t.Var) and self._is_const(e)]
        return self.scope[str(consts[0].name)].dtype if consts else None
