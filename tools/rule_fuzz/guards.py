"""Conditions over the names of a rule, of all that guards may ask."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import NamedTuple

from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import Facts

_WHOLE = (
    0, 1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 255, 256, 300,
    1000, 12345, 65536, 123456789, 2147483647, -1, -2, -3, -7, -8, -128, -129, -1000,
)  # fmt: skip
_FEW = (0, 1, 2, 3, 4, 5, 6)
_REAL = ("0.5", "1.5", "2.5", "0.1", "1e10", "3.0", "inf", "-inf", "-0.0")
_SIGNS = ("==", "==", "==", "!=", "<", "<=", ">", ">=")
_OPS = (
    "ADD", "MUL", "NEG", "CONST", "PARAM", "CAST", "RESHAPE", "FLIP", "PERMUTE", "INDEX", "RANGE",
    "VAR", "BIND", "WHERE", "DETACH", "AFTER", "REDUCE", "LOAD", "BITCAST", "MAX", "SQRT", "FENCE",
    "BUFFER", "SCRATCH", "CMPLT", "MULACC", "STACK", "COPY", "PAD", "SHRINK", "EXPAND", "IOTA",
)  # fmt: skip
_DTYPES = ("i32", "f32", "bool", "u8", "i8", "i64", "u64", "f16", "bf16", "index", "fp8e4m3", "u16")
_TEXTS = ('"C"', '"OPENCL"', '"CUDA"', '"loop"', '"reduce"', '"x"', "none")


class Scope(NamedTuple):
    """The names of a rule by what they stand for; of fields of arguments with their type."""

    nodes: tuple[str, ...]
    consts: tuple[str, ...]
    lists: tuple[str, ...]
    types: tuple[str, ...]
    fields: tuple[tuple[str, str], ...]


def scope_of(rule: t.Rule, facts: Facts) -> Scope:
    """What guards of a rule may ask about."""
    nodes: dict[str, None] = {}
    consts: dict[str, None] = {}
    lists: dict[str, None] = {}
    fields: dict[str, str] = {}
    listed = {id(s.expr) for s in t.walk(rule.pattern) if isinstance(s, t.Source) and s.rest}
    arguments: set[int] = set()
    for node in t.walk(rule.pattern):
        if isinstance(node, t.OpNode) and node.args:
            schema = facts.ops[facts.heads(node.head)[0]]["schema"]
            for arg, (_, kind) in zip(node.args, schema, strict=False):
                arguments |= {id(n) for n in t.walk(arg)}
                if isinstance(arg, t.Var):
                    fields[str(arg.name)] = kind
    for node in t.walk(rule.pattern):
        if id(node) in arguments:
            continue
        if isinstance(node, t.Var):
            (lists if id(node) in listed else nodes)[str(node.name)] = None
        elif isinstance(node, t.Bind):
            nodes[str(node.name)] = None
        elif isinstance(node, t.ConstVar):
            consts[str(node.name)] = None
    types = tuple(str(p.name) for p in rule.type_params)
    return Scope(tuple(nodes), tuple(consts), tuple(lists), types, tuple(fields.items()))


class Guards:
    """Makes conditions about one rule."""

    def __init__(self, scope: Scope, rng: Random) -> None:
        self.scope, self.rng = scope, rng

    def make(self) -> str:
        """One condition, or two that must both hold, or one that must not."""
        choice = self.rng.random()
        if choice < 0.12:
            return f"not ({self.atom()})"
        if choice < 0.3:
            return f"{self.atom()} and {self.atom()}"
        if choice < 0.34:
            return f"({self.atom()}) == ({self.atom()})"
        return self.atom()

    def atom(self) -> str:
        """One condition on one name, or on two."""
        scope = self.scope
        makers = [self._node] * (3 * bool(scope.nodes)) + [self._const] * (3 * bool(scope.consts))
        makers += [self._type] * bool(scope.types) + [self._field] * (2 * bool(scope.fields))
        makers += [self._list] * (2 * bool(scope.lists))
        return self.rng.choice(makers)() if makers else "true"

    def _pick(self, items: Iterable[object]) -> str:
        return str(self.rng.choice(list(items)))

    def _whole(self) -> str:
        return self._pick(_WHOLE if self.rng.random() < 0.5 else _FEW)

    def _tuple(self) -> str:
        items = [self._pick(_FEW) for _ in range(self.rng.choice((0, 1, 1, 2, 2, 3, 4)))]
        return f"({', '.join(items)}{',' * (len(items) == 1)})"

    def _number(self, text: str) -> str:
        """A condition on something that is a number."""
        ways = [
            "{x} {s} {n}", "{x} {s} {n}", "{x} {s} {n}", "{x} % {m} == {k}", "{x} // {m} {s} {k}",
            "{x} & {m} == {k}", "abs({x}) {s} {n}", "gcd({x}, 12) == {m}", "ilog2({x}) == {k}",
            "min({x}, {n}) {s} {k}", "max({x}, {n}) == {x}", "{x} * {x} {s} {n}", "-{x} == {n}",
            "{x} + {m} {s} {n}", "{n} - {x} {s} {m}", "{x} << {k} == {n}", "{x} >> {k} == {m}",
            "({x} < {n}) + ({x} > {m}) == 1", "{x} / 2 {s} {k}", "~{x} == {n}", "{x} ^ {m} == {k}",
            "({x} {s} {n}) == true", "{x} | 1 == {n}",
        ]  # fmt: skip
        return self._pick(ways).format(
            x=text,
            n=self._whole(),
            s=self._pick(_SIGNS),
            m=self._pick(_FEW[1:]),
            k=self._pick(_FEW),
        )

    def _const(self) -> str:
        name, choice = self._pick(self.scope.consts), self.rng.random()
        if choice < 0.12:
            return f"{name} {self._pick(_SIGNS)} {self._pick(_REAL)}"
        if choice < 0.18:
            return self._pick(("isnan({})", "isfinite({})", "{0} != {0}", "not isfinite({})"))\
                .format(name)  # fmt: skip
        if choice < 0.4 and len(self.scope.consts) > 1:
            other = self._pick(self.scope.consts)
            ways = (
                "{} {} {}", "{0} {1} {2} + 1", "{0} % {2} == 0 and {2} != 0", "{0} {1} -{2}",
                "{0} * {2} {1} 12", "{0} - {2} {1} 7", "{2} != 0 and {0} // {2} == 3",
            )  # fmt: skip
            return self._pick(ways).format(name, self._pick(_SIGNS), other)
        if choice < 0.5 and self.scope.types:
            end = f"{self._pick(self.scope.types)}.{self._pick(('max', 'min', 'bits'))}"
            return self._pick(("{} == {}", "{} < {}", "{1} - {0} < 3", "{0} * 2 > {1}"))\
                .format(name, end)  # fmt: skip
        return self._number(name)

    def _kind(self, name: str) -> str:
        """A condition on a dtype."""
        ways = (
            f"{name} == {self._pick(_DTYPES)}", f"{name} != {self._pick(_DTYPES)}",
            f"{name}.bits {self._pick(_SIGNS)} {self._pick((1, 8, 16, 32, 64))}",
            f"{name}.count {self._pick(_SIGNS)} {self._pick((1, 2, 3, 4, 5, 8, 16))}",
            f"{name}.{self._pick(('is_float', 'is_int', 'is_bool', 'is_unsigned'))}",
            f"{name}.itemsize == {self._pick((1, 2, 4, 8, 16))}",
            f'{name}.name == "{self._pick((*_DTYPES, "i32*2", "f32*4"))}"',
            f"{name}.scalar == {self._pick(_DTYPES)}", self._number(f"{name}.max"),
            self._number(f"{name}.min"), f"{name}.min == 0",
        )  # fmt: skip
        return self._pick(ways)

    def _type(self) -> str:
        return self._kind(self._pick(self.scope.types))

    def _node(self) -> str:
        name, other = self._pick(self.scope.nodes), self._pick(self.scope.nodes)
        sign = self._pick(("==", "!="))
        ways = (
            f"{name}.op {sign} {self._pick(_OPS)}", f"{name}.op == {self._pick(_OPS)}",
            f"{name}.op {sign} {other}.op", f"{name} {sign} {other}",
            f"{name}.{self._pick(('op.commutative', 'op.leaf', 'op.elementwise', 'valid'))}",
            f'{name}.op.name == "{self._pick(_OPS)}"',
            f"len({name}.op.params) == {self._pick(_FEW)}",
            f"{name}.shape {sign} {self._tuple()}", f"{name}.shape {sign} {other}.shape",
            f"len({name}.shape) {self._pick(_SIGNS)} {self._pick(_FEW)}",
            f"{name}.shape.count({self._pick(_FEW)}) == {self._pick(_FEW)}",
            self._number(f"{name}.size"), f"{name}.max_shape {sign} {self._tuple()}",
            f"{name}.max_shape {sign} {other}.shape", f"{name}.size {sign} {other}.size",
            f"{name}.device {sign} {self._pick(_TEXTS)}", f"{name}.device {sign} {other}.device",
            self._number(f"{name}.vmin"), self._number(f"{name}.vmax"),
            f"{name}.vmin {self._pick(_SIGNS)} {other}.vmax",
            f"{name}.vmin == {name}.vmax", f"{name}.interval {sign} {other}.interval",
            f"{name}.arg {sign} {self._pick((*_FEW, 'none', self._tuple(), 'true', '1.5'))}",
            f"{name}.arg {sign} {other}.arg", f"{name}.base {sign} {other}",
            f"{name}.base.op == {self._pick(_OPS)}",
            f"len({name}.base.shape) == {self._pick(_FEW)}",
            f"len({name}.src) {self._pick(_SIGNS)} {self._pick(_FEW)}",
            f"{name}.src {sign} {other}.src", f"{name}.src.count({other}) == {self._pick(_FEW)}",
            f"len({name}.ranges) {self._pick(_SIGNS)} {self._pick(_FEW)}",
            f"{name}.ranges {sign} {other}.ranges", self._kind(f"{name}.dtype"),
            self._kind(f"{name}.dtype"), f"{name}.dtype {sign} {other}.dtype",
        )  # fmt: skip
        return self._pick(ways)

    def _list(self) -> str:
        name, sign = self._pick(self.scope.lists), self._pick(("==", "!="))
        items = [self._pick(self.scope.nodes) for _ in range(self.rng.choice((0, 1, 1, 2, 3, 4)))
                 if self.scope.nodes]  # fmt: skip
        listed = f"({', '.join(items)}{',' * (len(items) == 1)})"
        return self._pick((f"{name} {sign} {listed}", f"not {name}", f"{name} {sign} ()"))

    def _field(self) -> str:
        name, kind = self.rng.choice(self.scope.fields)
        sign = self._pick(("==", "!="))
        if kind == "op":
            return f"{name} {sign} {self._pick(('ADD', 'MUL', 'MAX', 'MIN', 'AND', 'OR', 'XOR'))}"
        if kind in ("str", "name"):
            return f"{name} {self._pick(_SIGNS[:5])} {self._pick(_TEXTS[:6])}"
        if kind == "int":
            return self._number(name)
        if kind == "bools":
            count = self.rng.choice((0, 1, 2, 3, 4))
            items = [self._pick(("true", "false")) for _ in range(count)]
            flags = f"({', '.join(items)}{',' * (len(items) == 1)})"
            return self._pick((f"{name} {sign} {flags}",
                               f"{name}.count(true) == {self._pick(_FEW)}",
                               f"len({name}) == {self._pick(_FEW)}"))  # fmt: skip
        same = [n for n, k in self.scope.fields if k == kind]
        return self._pick((f"{name} {sign} {self._tuple()}", f"len({name}) == {self._pick(_FEW)}",
                           f"{name} {sign} {self._pick(same)}",
                           f"{name}.count({self._pick(_FEW)}) == {self._pick(_FEW)}",
                           f"{name} < {self._tuple()}"))  # fmt: skip
