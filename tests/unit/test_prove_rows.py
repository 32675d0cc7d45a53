"""Values that meet in proofs of graphs: counted, so that a false rule is refuted under any name."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from rulewright.ir.dtypes import dtype
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.lang.parse import parse_text
from rulewright.verify.prove import prove_rule, rules_of
from rulewright.verify.prove.rows import DataRows
from rulewright.verify.prove.trial import Trial
from rulewright.verify.values.samples import special

_SAME = "when x.shape == y.shape"
FALSE = [
    # at the least number, and of other signs
    "<I: Wrapping> CAST(r@RANGE(n)):I < i:I => r < CAST(i):index when n.vmax <= 127",
    # two that are nearly equal, or whose product is lost
    f"FLIP[f](CAST(x:u64):f64 < CAST(y:u64):f64) => FLIP[f](x < y) {_SAME}",
    f"FLIP[f](CAST(x:i32):f32 < CAST(y:i32):f32) => FLIP[f](x < y) {_SAME}",
    f"FLIP[f](x:u32 * y == 0) => FLIP[f]((x == 0) | (y == 0)) {_SAME}",
    # rounded twice
    "FLIP[f](CAST(CAST(x:u32):f32):bf16) => FLIP[f](CAST(x):bf16)",
    "equiv nan_payload FLIP[f](CAST(CAST(x:f64):f32):f16) => FLIP[f](CAST(x):f16)",
    "equiv nan_payload FLIP[f](CAST(CAST(x:f32):f16):fp8e5m2) => FLIP[f](CAST(x):fp8e5m2)",
    # by the sign of a zero
    "equiv nan_payload CAST(REDUCE_AXIS[MAX, a](x:f64)):f32 => REDUCE_AXIS[MAX, a](CAST(x):f32)",
    # a sum of 256 truths
    "CAST(REDUCE_AXIS[ADD, a](CAST(x:bool):u8)):bool => REDUCE_AXIS[OR, a](x)",
    # of what is stored
    "STORE(INDEX(x:bf16, i), CAST(CAST(v:u32):f32):bf16) => STORE(INDEX(x, i), CAST(v):bf16)",
    "STORE(INDEX(x:bool, i), CAST(v:u64):f64 < CAST(w:u64):f64) => STORE(INDEX(x, i), v < w)",
    "STORE(INDEX(x:bool, i), v:i16 < -v) => STORE(INDEX(x, i), v < 0)",
]
TRUE = [
    f"FLIP[f](SHR(x:u32, y)) => FLIP[f](x // SHL({{1}}:u32, y)) {_SAME}",
    "<T: Float> equiv nan_payload REDUCE_AXIS[MIN, a](-(x:T)) => -REDUCE_AXIS[MAX, a](x)",
    "CAST(REDUCE_AXIS[MAX, a](x:i64)):f32 => REDUCE_AXIS[MAX, a](CAST(x):f32) when x.size > 0",
    "<I: Signed> CAST(r@RANGE(n)):I < i:I => r < CAST(i):index when n.vmax <= 127",
    "equiv nan_payload REDUCE_AXIS[MAX, a](CAST(x:f64):f32) => CAST(REDUCE_AXIS[MAX, a](x)):f32",
    "STORE(INDEX(x:bool, i), v:u32 & w == 0) => STORE(INDEX(x, i), ~((v & w) != 0))",
]


def _status(name: str, rule: str) -> str:
    head, _, rest = rule.partition("> ") if rule.startswith("<") else ("", "", rule)
    head += ">" * bool(head)
    if rest.startswith("equiv "):
        level, rest = rest.split(maxsplit=2)[1:]
        head += f" equiv {level}"
    text = f"ruleset mine {{ rule {name}{head} {rest} prove interp }}"
    return prove_rule(next(rules_of([parse_text(text)]))[1]).status


@pytest.mark.parametrize("rule", FALSE)
def test_a_false_rule_is_refuted_under_any_name(rule):
    assert [_status(name, rule) for name in ("one", "two", "three")] == ["refuted"] * 3


@pytest.mark.parametrize("rule", TRUE)
def test_a_true_rule_near_to_it_is_not(rule):
    assert _status("one", rule) in ("bounded", "proved", "proved at rank 3")


def _scalars(name: str, count: int) -> Trial:
    kind = dtype(name)
    leaves = [UOp(Ops.PARAM, kind, (), (slot, (), None)) for slot in range(count)]
    root = leaves[0]
    for leaf in leaves[1:]:
        root = root + leaf
    return Trial(root, root, {leaf: np.zeros((), kind.np) for leaf in leaves})


@pytest.mark.parametrize("kind, count", [("i32", 2), ("u64", 3), ("f16", 2)])
def test_of_any_two_memories_each_pair_of_special_values_meets(kind, count):
    trial, rows = _scalars(kind, count), DataRows(None)
    met: dict[tuple[int, int], set[tuple[bytes, bytes]]] = {}
    for _ in range(120):
        turns = rows.of(trial)
        assert turns is not None
        for one in turns[1]:
            held = [array.tobytes() for array in one.bindings.values()]
            for i, j in product(range(count), repeat=2):
                met.setdefault((i, j), set()).add((held[i], held[j]))
    values = [value.tobytes() for value in special(dtype(kind))]
    for i in range(count):
        for j in range(i):
            assert met[i, j] >= {*product(values, repeat=2)}


def test_the_first_turn_is_the_trial_and_the_others_are_the_same_in_every_run():
    trial = _scalars("i32", 2)
    trial.bindings = {leaf: np.array(7, np.int32) for leaf in trial.bindings}
    turns = [DataRows(None).of(trial) for _ in range(2)]
    assert turns[0] is not None and turns[1] is not None
    assert [int(a) for a in turns[0][1][0].bindings.values()] == [7, 7]
    for one, other in zip(turns[0][1], turns[1][1], strict=True):
        assert [*one.bindings.values()] == [*other.bindings.values()]
    together = turns[0][0]
    wanted = [sum(map(int, one.bindings.values())) & 0xFFFFFFFF for one in turns[0][1]]
    loop = next(n for n in together.before.toposort() if n.op is Ops.RANGE)
    got = together.run(UOp(Ops.STAGE, dtype("i32"), (together.before, loop), "global"))
    assert got.astype(np.uint32).tolist() == wanted


def test_what_is_copied_or_long_is_tried_as_it_is():
    trial = _scalars("i32", 1)
    copied = UOp(Ops.COPY, dtype("i32"), (trial.before,), "C")
    assert DataRows(None).of(Trial(copied, copied, trial.bindings)) is None
    memory = UOp(Ops.PARAM, dtype("i32"), (), (0, (1 << 13,), None))
    held = {memory: np.zeros(1 << 13, np.int32)}
    assert DataRows(None).of(Trial(memory, memory, held)) is None
