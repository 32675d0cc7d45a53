"""Graph files that parse and mean nothing are misuse: nothing is made of them or run."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from rulewright import UOp, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.text import print_graph
from rulewright.lang.build import load_table

X = 'PARAM[0, (4,), "C"]:f32'
WRONG = {  # what stands behind `return`, and what is said of it
    "PERMUTE[(5,)](X)": "expected each of 1 axes once|no shape follows",
    'PERMUTE[(0, 0)](PARAM[0, (4, 3), "C"]:f32)': "expected each of 2 axes once",
    "RESHAPE[(5,)](X)": "4 elements cannot be 5",
    "RESHAPE[(-2, -2)](X)": "expected sizes of 0 or more",
    "RESHAPE[(none,)](X)": "no shape follows",
    "EXPAND[(5,)](X)": "only axes of size 1 can be repeated",
    "PAD[((0, 1), (0, 1))](X)": "a pair of sizes of 0 or more for each axis",
    "SHRINK[((0, 9),)](X)": "expected bounds within each axis",
    "REDUCE_AXIS[ADD, (3,)](X)": "expected some of 1 axes",
    "REDUCE_AXIS[SQRT, (0,)](X)": "expected an op with an identity, found SQRT",
    "REDUCE_AXIS[SUB, (0,)](X)": "expected an op with an identity, found SUB",
    "BITCAST(X):i8": "f32 and i8 differ in width",
    'X + PARAM[1, (5,), "C"]:f32': "operands have shapes",
    'X + CAST(PARAM[0, (4,), "C"]:i32):f32': "another PARAM of slot 0",
    "INDEX(X, 99:index)": "where a kernel is a SINK",
    "SINK(STORE(INDEX(X, 99:index), 1.0:f32))": "accesses element 99 of 4",
    "SINK(STORE(INDEX(X, -1:index), 1.0:f32))": "accesses element -1 of 4",
    "SINK(STORE(INDEX(X, 0:index, 0:index), 1.0:f32))": "2 indices for memory of shape",
    'SINK(STORE(INDEX(X, RANGE[0, "loop"](4:index)), 1.0:f32))': "loops that are never closed: r0",
    "STORE(1.0:f32, 1.0:f32)": "which is no memory",
    "STORE(X, 1.0:f32)": "into memory of shape",
    "AFTER(1.0:f32, 1.0:f32)": "where an effect is expected",
    "AFTER(1:index)": "AFTER of CONST, where memory is expected",
    "SINK(SINK())": "where an effect is expected",
    "CALL(X)": "what is called is a kernel or a FUNCTION",
    "CALL(SINK(STORE(INDEX(X, 0:index), 1.0:f32)))": "with 0 arguments of what takes more",
    'RANGE[0, "loop"](4:index)': "RANGE is not legal at stage function",
    "INVALID:index": "INVALID is not legal",
    "DEFINE_LOCAL[0, 4]:f32": "DEFINE_LOCAL is not legal",
    "MSTACK(X)": "works on one device",
    'PARAM[0, (4,), "C"]:f32*4': "tensors are of scalars",
    'PARAM[0, (4,), "C"]:index': "no memory holds index",
    'PARAM[0, (-4,), "C"]:f32': "no memory has -4 elements",
    'PARAM[0, (9223372036854775807, 9), "C"]:f32 + 1.0': "no memory has",
    'PARAM[99999999999, (4,), "C"]:f32 + 1.0': "expected a slot from 0 to 65535",
    'PARAM[-1, (4,), "C"]:f32 + 1.0': "expected a slot from 0 to 65535",
    'CAST(VAR["n", 5, 1]:index):i32': "lower bound 5 is above upper bound 1",
    'CAST(BIND(VAR["n", 1, 5]:index, 9:index)):i32': "n = 9 is outside 1 … 5",
}
BEHIND = {  # an entry of the pipeline that the graph is said to be behind
    "functions": ("REDUCE_AXIS[ADD, (3,)](X)", "expected some of 1 axes"),
    "early": ("INVALID:index", "INVALID is not legal at stage function"),
    "rangeify": ("FLIP[(true,)](X)", "where the root of a graph behind 'rangeify' is SINK"),
    "flatten": ("LINEAR()", "LINEAR is not legal"),
    "order": ("BARRIER()", "the root of a graph behind 'order' is LINEAR"),
    "axes": ("X", "where the root of a graph behind 'axes' is SINK"),
    "linearize": ("END(X, 1.0:f32)", "the root of a graph behind 'linearize' is LINEAR"),
}
COMMANDS = ("run", "run --device INTERP", "compile --device CUDA", "explain", "bisect", "reduce")


def written(expr: str) -> str:
    return re.sub(r"\bX\b", X, expr)


def refused(cli, tmp_path, text: str, words: str) -> str:
    path = tmp_path / "g.uop"
    path.write_text(text)
    result = cli(*words.split(), path)
    assert result.exit_code == 2 and isinstance(result.exception, SystemExit), result.output
    assert f"{path}: error: " in result.stderr and result.stdout == ""
    return result.stderr


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize("expr", WRONG)
def test_a_graph_that_means_nothing_is_misuse(cli, tmp_path, expr, words):
    text = f"graph g {{\n  return {written(expr)}\n}}\n"
    said = refused(cli, tmp_path, text, words)
    assert any(part in said for part in WRONG[expr].split("|"))


@pytest.mark.parametrize("words", ["run", "compile", "compile --device CUDA"])
@pytest.mark.parametrize("entry", BEHIND)
def test_so_is_one_that_is_not_what_an_entry_yields(cli, tmp_path, entry, words):
    expr, says = BEHIND[entry]
    text = f"graph after_{entry} {{\n  return {written(expr)}\n}}\n"
    assert says in refused(cli, tmp_path, text, words)


def test_memory_that_there_is_not_is_said_in_a_line(cli, tmp_path):
    path = tmp_path / "g.uop"
    path.write_text('graph g {\n  return PARAM[0, (99999999999999,), "C"]:f32 + 1.0\n}\n')
    for words in (["run"], ["run", "--device", "INTERP"], ["bisect"]):
        result = cli(*words, path)
        assert result.exit_code == 1 and isinstance(result.exception, SystemExit)
        assert result.stderr.startswith("error: out of memory") and "\n" not in result.stderr[:-1]


# ---- graphs made at random ---------------------------------------------------------------------

_KINDS = [dtypes.f32, dtypes.i32, dtypes.bool, dtypes.index, dtypes.void, dtypes.f32.vec(4)]
_NAMES = ["g"] * 6 + [f"after_{entry}" for entry in (*BEHIND, "expand", "indices")]


def argument(op: Op, draw: random.Random) -> Any:
    def number() -> int:
        return draw.choice([0, 1, 2, 4, -1, 99])

    made = {
        "int": number,
        "str": lambda: draw.choice([None, "C", "loop", "x"]),
        "ints": lambda: tuple(number() for _ in range(draw.randint(0, 3))),
        "dims": lambda: tuple(draw.choice([number(), None]) for _ in range(draw.randint(0, 3))),
        "pairs": lambda: tuple((number(), number()) for _ in range(draw.randint(0, 3))),
        "bools": lambda: tuple(draw.random() < 0.5 for _ in range(draw.randint(0, 3))),
        "op": lambda: draw.choice([Ops.ADD, Ops.SUB, Ops.STORE, Ops.MAX]),
        "const": lambda: draw.choice([0, 1, -1, 1.5]),
        "name": lambda: draw.choice(["n", "int"]),
    }
    values = [made.get(kind, lambda: None)() for _, kind in op.schema]
    return tuple(values) if len(values) > 1 else values[0] if values else None


def random_graph(seed: int) -> str:
    """Some nodes of any ops on each other, with numbers of the right kinds."""
    draw = random.Random(seed)
    ops = [getattr(Ops, row["name"]) for row in load_table()["ops"]]
    shapes = [(4,), (2, 2), ()]
    pool = [
        UOp(Ops.PARAM, draw.choice(_KINDS[:3]), (), (k, draw.choice(shapes), None))
        for k in range(2)
    ]
    pool += [UOp.const(dtypes.f32, 1.0), UOp.index_const(1), UOp.range(4, 0)]
    for _ in range(draw.randint(1, 5)):
        op = draw.choice(ops)
        count = max(0, len(op.params) + draw.choice([0, 0, 0, 1, -1]))
        src = tuple(draw.choice(pool) for _ in range(count))
        dtype = src[0].dtype if src and draw.random() < 0.7 else draw.choice(_KINDS)
        arg = argument(op, draw)
        if op is not Ops.CONST:
            pool += [UOp(op, dtype, src, arg)] * 2
    return print_graph(pool[-1], draw.choice(_NAMES))


@pytest.mark.parametrize("words", ["run", "run --device INTERP", "compile --device CUDA"])
def test_graphs_of_random_nodes_end_in_a_result_or_a_message(cli, tmp_path, words):
    path, statuses = tmp_path / "g.uop", set()
    for seed in range(120):
        path.write_text(random_graph(seed))
        result = cli(*words.split(), path)
        assert isinstance(result.exception, SystemExit | None), f"seed {seed}: {path.read_text()}"
        assert result.exit_code == 0 or "error: " in result.stderr.lower()
        statuses.add(result.exit_code)
    assert {0, 2} <= statuses
