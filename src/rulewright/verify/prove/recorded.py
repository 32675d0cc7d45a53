"""What a run over all inputs found, on record: `spec/exhaustive.txt`.

Minutes a rule are too much for each `rulewright prove`, so `rulewright prove --exhaustive` runs
them and keeps the results. A line is the program that was run, by the hash of its C, the most ulps
and the input at which they are. A rule, a spelling or a meaning that changes makes another program,
of which nothing is on record.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from hashlib import blake2b
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from rulewright.errors import RulewrightError
from rulewright.interp.shadow import largest
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import Facts
from rulewright.paths import spec_dir
from rulewright.render.target import Target, own_dtype, target
from rulewright.render.template import Text
from rulewright.render.unit import macros_of
from rulewright.verify.prove.proof import Outcome
from rulewright.verify.prove.scalars import Terms, shown as shown_trial
from rulewright.verify.prove.terms import NeverMatches, Unsupported
from rulewright.verify.prove.trial import Match, Trial, judge_columns, matcher
from rulewright.verify.prove.typed import TypedRule, Typing

INPUTS = 1 << 32
_BLOCK = 1 << 10
_PART = 1 << 24  # inputs of one call: between calls it can be interrupted
_ENCODE = {
    "f32": "as_f32({x})", "bf16": "quiet({x}, 7, 0x7f80)", "f16": "quiet({x}, 10, 0x7c00)",
}  # fmt: skip
_DECODE = {"f32": "(double){x}", "bf16": "from_16({x}, 7, 127)", "f16": "from_16({x}, 10, 15)"}

_PRELUDE = """typedef unsigned int u32;
typedef unsigned long u64;
static inline float as_f32(u32 bits) { float x; __builtin_memcpy(&x, &bits, 4); return x; }
#define INF __builtin_inf()
static inline u32 quiet(u32 bits, int mantissa, u32 infinity) {
  bits &= 0xffff;
  return (bits & 0x7fff) > infinity ? bits | 1 << (mantissa - 1) : bits;
}
static inline double from_16(u32 bits, int mantissa, int bias) {
  int power = (bits & 0x7fff) >> mantissa, rest = bits & ((1 << mantissa) - 1);
  if (power == 2 * bias + 1) return rest ? __builtin_nan("") : bits >> 15 ? -INF : INF;
  int whole = power ? (1 << mantissa) + rest : rest;
  double size = __builtin_ldexp(whole, (power ? power : 1) - bias - mantissa);
  return bits >> 15 ? -size : size;
}
static inline double unit(double size) {
  u64 bits;
  __builtin_memcpy(&bits, &size, 8);
  bits &= 0x7ff0000000000000UL;
  __builtin_memcpy(&size, &bits, 8);
  return (size < LEAST ? LEAST : size) * LAST;
}
static inline double clipped(double x) {
  const double beyond = LARGEST + unit(LARGEST);
  return x > beyond ? beyond : x < -beyond ? -beyond : x;
}
static inline double away(double wanted, double found) {
  double size = __builtin_fabs(wanted);
  double apart = __builtin_fabs(clipped(found) - clipped(wanted));
  apart /= unit(size < LARGEST ? size : LARGEST);
  int lost = (wanted != wanted) + (found != found);
  return lost == 2 ? 0.0 : lost ? __builtin_inf() : apart;
}
"""


class Extent(NamedTuple):
    """What all inputs have shown: the most ulps, and an input at which it is so, as its bits."""

    worst: float
    at: int


class ComparisonProgram:
    """C that compares both sides of a rule. `source` says all that decides what it finds.

    `before` has leaves of 32 bits together; both sides are scalars. Raises Unsupported where there
    are others, and where the target has no words for a side.
    """

    def __init__(self, before: UOp, after: UOp, leaves: Sequence[UOp]) -> None:
        self.leaves, self.kind = list(leaves), before.dtype
        if sum(leaf.dtype.bits for leaf in leaves) != 32 or self.kind.name not in _DECODE:
            raise Unsupported("other than 32 bits of floats")
        if not {leaf.dtype.name for leaf in leaves} <= _DECODE.keys():
            raise Unsupported("operands that are no floats")
        on = target("C")
        sides = list(_sides(after, on))
        helpers = [*dict.fromkeys(h for side in sides for h in _helpers(side, on))]
        lines = [self._constants(), _PRELUDE, *macros_of(on.macros, helpers), *helpers]
        lines += [_function(f"after_{i}", self._names(), s, on) for i, s in enumerate(sides)]
        lines += [self._wanted(before, on), self._loop(len(sides))]
        self.source = "\n".join(lines)

    def _constants(self) -> str:
        row = self.kind.row
        least, last = 1 - self.kind.bias, -row["mantissa"]
        numbers = {"LEAST": 2.0**least, "LAST": 2.0**last, "LARGEST": largest(self.kind)}
        return "\n".join(f"#define {name} {value!r}" for name, value in numbers.items())

    def _names(self) -> dict[UOp, str]:
        return {leaf: f"x{i}" for i, leaf in enumerate(self.leaves)}

    def _wanted(self, before: UOp, on: Target) -> str:
        """The left side in double precision."""
        wide: dict[UOp, UOp] = {}
        names: dict[UOp, str] = {}
        for node in before.toposort():
            if not node.dtype.is_float or not (node.op.elementwise or node.op in _ENDS):
                raise Unsupported(f"{node.op} of {node.dtype.name} in double precision")
            if node in self.leaves:
                wide[node] = UOp(Ops.PARAM, dtypes.f64, (), node.arg)
                names[wide[node]] = f"x{self.leaves.index(node)}"
            elif node.op is Ops.CONST:
                wide[node] = UOp.const(dtypes.f64, node.arg)
            elif node.op is Ops.CAST:
                raise Unsupported("a conversion in double precision")
            else:
                wide[node] = UOp(node.op, dtypes.f64, tuple(wide[s] for s in node.src), node.arg)
        return _function("wanted", names, (wide[before], False), on)

    def _loop(self, count: int) -> str:
        types = [_storage(leaf.dtype) for leaf in self.leaves]
        at, load, give, decode = 0, [], [], []
        for i, leaf in enumerate(self.leaves):
            bits = f"(u32)((begin + k) >> {at})"
            load.append(f"x{i}[k] = {_ENCODE[leaf.dtype.name].format(x=bits)};")
            give.append(f"x{i}[k]")
            decode.append(_DECODE[leaf.dtype.name].format(x=f"x{i}[k]"))
            at += leaf.dtype.bits
        arrays = [f"  {kind} x{i}[{_BLOCK}];" for i, kind in enumerate(types)]
        result, arguments = _storage(self.kind), ", ".join(give)
        tests = "\n".join(
            f"""    #pragma omp simd
    for (int k = 0; k < {_BLOCK}; k++) y[k] = after_{i}({arguments});
    for (int k = 0; k < {_BLOCK}; k++) {{
      double apart = away(w[k], {_DECODE[self.kind.name].format(x="y[k]")});
      if (apart > worst) {{ worst = apart; where = begin + k; }}
    }}"""
            for i in range(count)
        )
        return f"""void run(void **bufs, const long *vars, long begin, long end) {{
{chr(10).join(arrays)}
  {result} y[{_BLOCK}];
  double w[{_BLOCK}], worst = 0.0;
  long where = begin;
  for (; begin < end; begin += {_BLOCK}) {{
    for (int k = 0; k < {_BLOCK}; k++) {{ {" ".join(load)} }}
    for (int k = 0; k < {_BLOCK}; k++) w[k] = wanted({", ".join(decode)});
{tests}
  }}
  *(double *)bufs[0] = worst;
  *(long *)bufs[1] = where;
}}
"""

    def run(
        self, first: int = 0, last: int = INPUTS, done: Callable[[], None] = lambda: None
    ) -> Extent:
        """Compare at the inputs from `first` to below `last`, multiples of 1024, on all processors.

        `done` is called after each 2^24. Raises what the compiler raises.
        """
        from rulewright.runtime.clib import int64_array, load_function, pointer_array
        from rulewright.runtime.compiler import compile_c

        call = load_function(compile_c(self.source, name="a rule at all inputs"), "run")

        def part(begin: int) -> Extent:
            worst, where = np.zeros(1), np.zeros(1, np.int64)
            places = pointer_array([a.ctypes.data for a in (worst, where)])
            call(places, int64_array([0]), begin, min(last, begin + _PART))
            return Extent(float(worst[0]), int(where[0]))

        largest = Extent(0.0, first)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for extent in pool.map(part, range(first, last, _PART)):
                largest = max(largest, extent, key=lambda e: e.worst)
                done()
        return largest

    def inputs(self, at: int) -> list[Any]:
        """The operands that a number from `run` stands for, as numpy has them."""
        inputs, place = [], 0
        for leaf in self.leaves:
            bits = at >> place & ((1 << leaf.dtype.bits) - 1)
            inputs.append(np.array(bits, f"u{leaf.dtype.itemsize}").view(leaf.dtype.np))
            place += leaf.dtype.bits
        return inputs


_ENDS = (Ops.PARAM, Ops.CONST)
Side = tuple[UOp, bool]
"""A graph, and whether a MULACC of it is rounded once."""


def _sides(after: UOp, on: Target) -> Iterator[Side]:
    """The right side in each way in which it may be computed."""
    nodes = [n for n in after.toposort() if n.op.elementwise]
    odd = [n for n in nodes if _is_held(n) or not on.native(n)]
    native = not odd
    graphs = [after] if all(_by_double(n, on) for n in odd) else []
    if not native:
        lowered = after
        for rules in on.lower:
            lowered = rewrite(lowered, rules, ctx=SimpleNamespace(target=on))
        graphs.append(lowered)
    for graph in graphs:
        yield graph, True
        if any(n.op is Ops.MULACC for n in graph.toposort()):
            yield graph, False


def _is_held(node: UOp) -> bool:
    """Whether a node is of floats that C has in memory only, as their bits."""
    kinds = (node.dtype, *(s.dtype for s in node.src))
    return node.op is not Ops.BITCAST and any(k.is_float and k.bits < 32 for k in kinds)


def _by_double(node: UOp, on: Target) -> bool:
    """Whether C spells for f64 what it does not spell for f32."""
    if _is_held(node) or node.dtype is not dtypes.f32 or node.op is Ops.CAST:
        return False
    return on.spelling(node.op, dtypes.f64, dtypes.f64) is not None


def _helpers(side: Side, on: Target) -> Iterator[str]:
    for node in side[0].toposort():
        if node.op.elementwise and node.op is not Ops.MULACC:
            spelling = on.spelling(node.op, own_dtype(node), node.src[0].dtype)
            if spelling is not None and spelling.helper is not None:
                yield spelling.helper


def _function(name: str, names: Mapping[UOp, str], side: Side, on: Target) -> str:
    """A graph as a function of C, one line a node."""
    root, fused = side
    texts: dict[UOp, Text] = {leaf: Text(text) for leaf, text in names.items()}
    lines: list[str] = []
    for node in root.toposort():
        if node in texts:
            continue
        if node.op is Ops.CONST:
            texts[node] = Text(f"({on.literal(node.dtype, node.arg).text})")
            continue
        if not node.op.elementwise or node.dtype.count > 1:
            raise Unsupported(f"{node.op} in C")
        texts[node] = Text(f"v{len(lines)}")
        kind, value = on.type_name(node.dtype), _spelled(node, texts, fused, on)
        lines.append(f"  const {kind} v{len(lines)} = {value};")
    parameters = ", ".join(f"{on.type_name(leaf.dtype)} {text}" for leaf, text in names.items())
    head = f"static inline {on.type_name(root.dtype)} {name}({parameters}) {{"
    return "\n".join([head, *lines, f"  return {texts[root].text};", "}"])


def _spelled(node: UOp, texts: Mapping[UOp, Text], fused: bool, on: Target) -> str:
    operands = [texts[s].text for s in node.src]
    if node.op is Ops.MULACC and node.dtype.is_float:
        a, b, c = operands
        name = "__builtin_fmaf" if node.dtype is dtypes.f32 else "__builtin_fma"
        return f"{name}({a}, {b}, {c})" if fused else f"{a} * {b} + {c}"
    own = own_dtype(node)
    spelling = on.spelling(node.op, own, node.src[0].dtype)
    names = [name for name, _, _ in node.op.params]
    if spelling is None:  # rounded once from double precision
        spelling = on.spelling(node.op, dtypes.f64, dtypes.f64)
        if spelling is None or node.dtype is not dtypes.f32:
            raise Unsupported(f"{node.op} of {own.name} in C")
        operands = [f"(double){o}" for o in operands]
    values: dict[str, Text | str] = dict(spelling.names)
    values |= {n: Text(f"({o})") for n, o in zip(names, operands, strict=True)}
    return spelling.template.fill(values).text


def _storage(kind: DType) -> str:
    return "float" if kind is dtypes.f32 else "unsigned short"


_HEAD = """\
# What running rules on all 2^32 inputs found: the most units in the last place, the input, and the
# program that was run. Made by `rulewright prove --exhaustive`; see verify/prove/recorded.py.
"""


class RecordedInstance(NamedTuple):
    """An instance of a rule with its program; `name` is set, rule and dtypes."""

    name: str
    program: ComparisonProgram
    before: UOp
    after: UOp


def record_file() -> Path:
    """Where the records stand."""
    return spec_dir() / "exhaustive.txt"


def text_of_records() -> str:
    """The records as they stand."""
    path = record_file()
    return path.read_text(encoding="utf-8") if path.exists() else ""


@cache
def _records() -> dict[str, tuple[str, Extent]]:
    """Key of a program to its name and what it found."""
    records = {}
    for line in text_of_records().splitlines():
        if line and not line.startswith("#"):
            name, _, rest = line.partition(": ")
            ulps, _, at, key = rest.replace(",", "").split()
            records[key] = name, Extent(float(ulps), int(at, 16))
    return records


def recorded(program: ComparisonProgram) -> Extent | None:
    """What a program found at all inputs; None where that is not on record."""
    extent = _records().get(_key(program))
    return None if extent is None else extent[1]


def keep(case: RecordedInstance, extent: Extent) -> None:
    """Put what a program found on record, in the place of what its rule had there."""
    rows = {k: row for k, row in _records().items() if row[0] != case.name}
    rows[_key(case.program)] = case.name, extent
    lines = [f"{name}: {e.worst:.6f} at 0x{e.at:08x}, {k}" for k, (name, e) in rows.items()]
    record_file().write_text(_HEAD + "\n".join(sorted(lines)) + "\n", encoding="utf-8")
    _records.cache_clear()


def _key(program: ComparisonProgram) -> str:
    return blake2b(program.source.encode(), digest_size=16).hexdigest()


def case_of(
    rule: TypedRule, names: Mapping[int, str], match: Match, label: str = ""
) -> RecordedInstance | None:
    """The instance of a rule at some dtypes, if it can be run on all its inputs."""
    equiv = rule.rule.equiv
    if equiv is None or equiv.name != "ulp":
        return None
    try:
        terms = Terms(rule, names)
        leaves = {name: terms.leaf(name, {}) for name in terms.leaves.variables}
        if terms.leaves.constants or terms.leaves.bounded:
            return None
        before = terms.build({}, leaves)
        after = match(before)
        if after is None:
            return None
        program = ComparisonProgram(before, after, list(leaves.values()))
    except (NeverMatches, Unsupported, RulewrightError):
        return None
    return RecordedInstance(f"{label} {rule.describe(names)}", program, before, after)


def at_all_inputs(rule: TypedRule, choice: Typing, match: Match) -> Outcome | None:
    """What is on record of an instance; None where nothing is, or does not show what it says."""
    case = case_of(rule, choice.names, match)
    extent = None if case is None else recorded(case.program)
    if case is None or extent is None:
        return None
    outcome = Outcome(rule.describe(choice.names), "exhaustive", "all inputs")
    inputs = case.program.inputs(extent.at)
    shown = ", ".join(f"{float(x):.9g}" for x in inputs)
    outcome.note = f"all 2^32 inputs, recorded: within {extent.worst:.3f} ulp, at {shown}"
    equiv = rule.rule.equiv
    if equiv is not None and extent.worst <= float(equiv.amount or 0):
        return outcome
    columns = {leaf: np.array([x]) for leaf, x in zip(case.program.leaves, inputs, strict=True)}
    trial = Trial(case.before, case.after)
    verdict = judge_columns(trial, columns, equiv)
    if not verdict.wrong:  # other than the interpreter, C may fuse products and sums
        return None
    outcome.status, outcome.counterexample = "refuted", shown_trial(trial, columns, verdict)
    return outcome


def cases(rule: t.Rule, set_name: str, table: Mapping[str, Any]) -> Iterator[RecordedInstance]:
    """The instances of a rule that can be run on all their inputs."""
    if rule.equiv is None or rule.equiv.name != "ulp":
        return
    try:
        typed = TypedRule(rule, Facts(table))
    except Unsupported:
        return
    match = matcher(rule, table)
    for choice in typed.instances():
        if choice.whole is not None:
            case = case_of(typed, choice.names, match, f"{set_name}.{rule.name}")
            if case is not None:
                yield case
