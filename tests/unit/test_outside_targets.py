"""Targets with other limits than those that ship: kernels for them are chosen all the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from outside_tools import run

from rulewright.lang.spellings import operators

pytestmark = pytest.mark.timeout(60)  # processes of their own, whose caches may be cold

SMALL = """
target SCALAR extends C {
  limit vector_bits = 128
  limit vector_registers = 16
  limit near_memory = 0
  limit cores = 1
}
"""

LOWERS = """
from rulewright import Tensor, load_spec
from rulewright.codegen.lower import lower_kernel
load_spec("small.uop")
for n in (16, 33, 37, 50, 65, 128):
    [kernel] = (Tensor.rand(n, n).realize() @ Tensor.rand(n, n).realize()).schedule()
    print(n, lower_kernel(kernel.ast, "SCALAR").name)
"""


def test_a_product_whose_columns_are_cut_is_lowered_without_memory_near_by(tmp_path):
    away = tmp_path / "away"
    away.mkdir()
    (away / "small.uop").write_text(SMALL)
    said = run(tmp_path / "site", code=LOWERS)
    assert [int(line.split()[0]) for line in said.splitlines()] == [16, 33, 37, 50, 65, 128]


# ---- a language whose loops and conditions end otherwise -------------------------------------

FOLDED = """
/// Texts in brackets, as WebAssembly has them: accesses name a type, ends differ.
target FOLDED extends C {
  limit vector_bits = 32
  limit vector_registers = 0
  literal f32 = "(f32.const {value})"
  literal f32_inf = "(f32.const inf)"
  spell NEG: f32 = "(f32.neg {x})"
  spell MAX: f32 = "(f32.max {a} {b})"
  text loop = "(loop {type}:{var} {size}"
  text loop_end = "(add {type}:{var} 1) (br 0))"
  text if = "(if {condition} (then"
  text if_end = "))"
  text load = "({name}.load (at {base} {index} {bytes}))"
  text store = "({name}.store (at {base} {index} {bytes}) {value})"
  text assign = "(local.set {place} {value})"
}
"""
FOLDS = """
from rulewright import Tensor, load_spec
from rulewright.codegen.lower import lower_kernel
load_spec("small.uop")
x = Tensor([1.0] * 40).reshape(5, 8).cast("f32").realize()
[kernel] = x.max(1).schedule()
print(lower_kernel(kernel.ast.replace(arg=(None, "r9, r8 = split(r0, 5)")), "FOLDED").source)
"""


def test_ends_accesses_and_negative_infinity_are_spelled_apart(tmp_path):
    away = tmp_path / "away"
    away.mkdir()
    (away / "small.uop").write_text(FOLDED)
    said = run(tmp_path / "site", code=FOLDS)
    lines = [line.strip() for line in said.splitlines()]
    loops = [line.split()[1:] for line in lines if line.startswith("(loop")]
    ends = [line.split()[1] for line in lines if line.startswith("(add")]
    assert ends == [name for name, *_ in reversed(loops)] and len(ends) == 2
    assert any(line.startswith("(local.set acc0 (f32.neg (f32.const inf)))") for line in lines)
    assert any("(f32.load (at data1" in line and "4))" in line for line in lines)
    assert any(line.startswith("(f32.store (at data0") and line.count(" 4)") for line in lines)


# ---- limits of GPUs --------------------------------------------------------------------------

GPUS = """
/// Warps of 16, whose cores multiply 4 by 16 by 8; few blocks along two axes of a grid.
target SIXTEEN extends CUDA {
  limit warp = 16
  limit local_size = 64
  limit banks = 8
  limit bank_bits = 64
  limit grid_dimensions = 2
  limit grid_outer = 3
  limit grid_inner = 5
  tensor_core f16 -> f32  a = "m1 m2 k1 k2 | k4"  b = "n1 n2 n4 n8 | k1 k2 k4"
    c = "n1 n2 n4 n8 | m1 m2"
}
/// Warps of 8, whose cores multiply 32 by 2 by 4, of which a lane has one element of b.
target EIGHT extends CUDA {
  limit warp = 8
  limit local_size = 24
  limit local_memory = 2048
  tensor_core f32 -> f32  a = "m1 m2 m4 | m8 m16 k1 k2"  b = "n1 k1 k2 |"
    c = "m1 m2 m4 | m8 m16 n1"
}
/// Warps of 64, and cores of 64 lanes that have one element each, beside those of CUDA's 32.
target SIXTY_FOUR extends CUDA {
  limit warp = 64
  tensor_core f16 -> f32  a = "m1 m2 m4 k1 k2 k4 |"  b = "k1 k2 k4 n1 n2 n4 |"
    c = "m1 m2 m4 n1 n2 n4 |"
}
/// Work items that are neither a power of two nor whole warps, which read few bits at once.
target UNEVEN extends CUDA {
  limit local_size = 48
  limit load_bits = 32
  limit banks = 12
}
/// CUDA's cores, without room for what a workgroup copies: each warp reads what it multiplies.
target LITTLE extends CUDA {
  limit local_memory = 640
}
/// Less memory of a workgroup than its items would hand each other.
target CRAMPED extends CUDA {
  limit local_memory = 256
}
/// Two work items, and one axis of a grid.
target TWO extends METAL {
  limit local_size = 2
  limit local_memory = 64
  limit grid_dimensions = 1
  limit grid_inner = 3
}
"""

COMPUTES = """
import sys
sys.path.insert(0, TOOLS)
import numpy as np
from kernel_inputs import params_of, random_array
from rulewright import Tensor, load_spec
from rulewright.codegen.lower import lower_kernel
from rulewright.interp import run_kernel, shadow_kernel
from rulewright.ir.ops import Ops

load_spec("gpus.uop")
def ones(*shape, of="f32"):
    return Tensor(np.ones(shape, "f4")).cast(of).realize()

PROGRAMS = [
    ones(70, 50) @ ones(50, 33),
    ones(37, 130, of="f16").matmul(ones(130, 50, of="f16"), dtype="f32"),
    ones(3, 40, 64, of="f16").matmul(ones(3, 64, 40, of="f16"), dtype="f32"),
    ones(40, 64, of="i64") @ ones(64, 72, of="i64"),
    ones(300, 20).sum(0), (ones(7, 600) + 1).sum(1), ones(9, 5, 130).softmax(2),
    ones(4000) + 1, ones(5, 70).cumsum(1), ones(40, 70).layernorm(),
    ones(2, 3, 9, 9).conv2d(ones(4, 3, 3, 3), stride=2),
]
MOST = {"SIXTEEN": (64, (5, 3, 1)), "TWO": (2, (3, 1, 1)), "EIGHT": (24, ()), "UNEVEN": (48, ()),
        "SIXTY_FOUR": (256, ()), "LITTLE": (256, ()), "CRAMPED": (256, ())}
for on, (items, grid) in MOST.items():
    multiplied = set()
    for kernel in dict.fromkeys(call.ast for p in PROGRAMS for call in p.schedule()):
        lowered = lower_kernel(kernel, on)
        assert np.prod(lowered.launch[1]) <= items, (on, lowered)
        assert all(n <= most for n, most in zip(lowered.launch[0], grid)), (on, lowered)
        arrays = [random_array(p, np.random.default_rng(0)) for p in params_of(kernel)]
        wanted = shadow_kernel(kernel, arrays)
        run_kernel(lowered.uops, arrays)
        agree = [value.agrees(array).all() for array, value in zip(arrays, wanted)]
        assert all(agree), (on, lowered)
        multiplied |= {node.arg[2] for node in lowered.uops if node.op is Ops.MMA}
    print(on, multiplied)
"""


@pytest.mark.timeout(300)
def test_gpus_of_other_kinds_compute_the_same_within_their_limits(tmp_path):
    away = tmp_path / "away"
    away.mkdir()
    (away / "gpus.uop").write_text(GPUS)
    said = run(tmp_path / "site", code=COMPUTES.replace("TOOLS", repr(str(Path(__file__).parent))))
    held = dict(line.split(" ", 1) for line in said.splitlines())
    assert held == {
        "SIXTEEN": "{'n1 n2 n4 n8 | m1 m2'}",
        "EIGHT": "{'m1 m2 m4 | m8 m16 n1'}",
        "SIXTY_FOUR": "{'m1 m2 m4 n1 n2 n4 |'}",
        "UNEVEN": "{'n2 n4 m1 m2 m4 | n1 m8'}",
        "LITTLE": "{'n2 n4 m1 m2 m4 | n1 m8'}",
        "CRAMPED": "{'n2 n4 m1 m2 m4 | n1 m8'}",
        "TWO": "set()",
    }


WIDE = """
import numpy as np
from rulewright import Tensor, load_spec
from rulewright.codegen.lower import lower_kernel
load_spec("gpus.uop")
ones = Tensor(np.ones((64, 64))).realize()
[call] = (ones @ ones).schedule()
print(lower_kernel(call.ast, "UNEVEN").source)
"""


def test_what_is_wider_than_the_widest_read_is_read_alone(tmp_path):
    away = tmp_path / "away"
    away.mkdir()
    (away / "gpus.uop").write_text(GPUS)
    source = run(tmp_path / "site", code=WIDE)
    assert 0 < len(re.findall(r"&data[12]\[", source)) <= 128  # a vector would be 32 elements
    assert not re.search(r"double[234]", source)


CALLED = """
target CALLED extends C {
  spell NEG: f32 = "minus_{name}({x})"
  helper NEG: f32 = '''
static {type} minus_{name}({type} x) { return -x; }'''
}
""".replace("'''", '"""')
NEGATES = """
from rulewright import Tensor, load_spec
from rulewright.codegen.lower import lower_kernel
load_spec("small.uop")
for value in (Tensor([1.0] * 40).cast("f32").realize().max(), Tensor.full((3,), float("-inf"))):
    [kernel] = value.contiguous().schedule()
    print(lower_kernel(kernel.ast, "CALLED").source)
"""


def test_what_negates_an_infinity_is_defined(tmp_path):
    """It is written where no op negates: as what a maximum begins with, and as a number."""
    away = tmp_path / "away"
    away.mkdir()
    (away / "small.uop").write_text(CALLED)
    said = run(tmp_path / "site", code=NEGATES)
    assert said.count("minus_f32(__builtin_inff())") >= 2
    assert said.count("static float minus_f32(float x)") == 2


ADDS = """
from rulewright import Tensor, load_spec
from rulewright.codegen.lower import lower_kernel
from rulewright.errors import StageError
load_spec("small.uop")
[kernel] = (Tensor([1.0, 2.0]).realize() * 3).schedule()
try:
    lower_kernel(kernel.ast.replace(arg=(None, "")), "FOLDED")
except StageError as error:
    print(error)
"""


def test_an_operator_that_is_used_has_a_place_in_the_order(tmp_path):
    """Spellings with operators are inherited here, and would have no brackets."""
    away = tmp_path / "away"
    away.mkdir()
    unordered = 'extends C {\n  text precedence = ""\n'
    (away / "small.uop").write_text(FOLDED.replace("extends C {\n", unordered))
    said = run(tmp_path / "site", code=ADDS)
    assert "target FOLDED: `*` of `{a} * {b}` has no place in `text precedence`" in said


PYTHON = """
/// Blocks end where lines are indented less.
target PYTHON extends C {
  limit vector_bits = 32
  limit vector_registers = 0
  limit cores = 1
  text kernel = "def {kernel}(bufs, vars):"
  text parameter_line = "{var} = bufs[{index}]"
  text parameter_line_read = "{var} = bufs[{index}]"
  text loop = "for {var} in range({size}):"
  text loop_unroll = "for {var} in range({size}):"
  text loop_simd = "for {var} in range({size}):"
  text loop_end = ""
  text block_end = ""
  text store = "{place} = {value}"
  literal f32 = "{value}"
}
"""
DOUBLES = """
from rulewright import Tensor, load_spec
from rulewright.codegen.lower import lower_kernel
load_spec("small.uop")
[kernel] = (Tensor([1.0, 2.0, 3.0, 4.0, 5.0]) * 2).schedule()
print(lower_kernel(kernel.ast, "PYTHON").source, end="")
"""


def test_where_nothing_ends_a_block_no_line_stands(tmp_path):
    away = tmp_path / "away"
    away.mkdir()
    (away / "small.uop").write_text(PYTHON)
    said = run(tmp_path / "site", code=DOUBLES)
    names = {}
    exec(said[said.index("def ") :], names)
    doubled = [0.0] * 5
    [kernel] = [value for value in names.values() if callable(value)]
    kernel([doubled, [1.0, 2.0, 3.0, 4.0, 5.0]], [])
    assert doubled == [2.0, 4.0, 6.0, 8.0, 10.0]
    assert all(line.strip() for line in said.splitlines())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{a} + {b}", ["+"]),
        ("{a} << {b} & ({c} * 2)", ["<<", "&"]),
        ("f({a} + {b})", []),
        ("-{x}", []),
        ("{a} /* a ** b */ - {b}", ["-"]),
        ("[](auto x) -> float { return x * 2; }({a})", []),
    ],
)
def test_operators_of_a_spelling_are_those_of_two_operands_outside_of_brackets(text, found):
    assert list(operators(text)) == found
