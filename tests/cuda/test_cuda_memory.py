"""What kernels for CUDA ask of a GPU's memory: registers that are enough, and lanes of a warp that
read and write neighbours. Needs no GPU; what is compiled is looked at where NVRTC is."""

from __future__ import annotations

import re
import struct
from math import prod

import numpy as np
import pytest

from rulewright import Tensor
from rulewright.codegen.lower import lower_kernel
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp
from rulewright.runtime.cuda.compiler import compile_cubin
from rulewright.verify.golden_programs import PROGRAMS

LANES, SECTOR, SECTORS_READ = 32, 32, 0.5
"""Lanes of a warp; bytes that memory is read by; the part of these that has to be wanted."""


def kernels(tensors):
    """The kernels that compute tensors, as CUDA has them."""
    first, *others = tensors
    items = first.schedule_with_vars(*others)[0]
    return [lower_kernel(item.ast, "CUDA") for item in items if item.ast.op is Ops.SINK]


# ---- registers -----------------------------------------------------------------------------------


FRAME = 0x11
"""What tells how large a kernel's frame is, among what a cubin's .nv.info says of its kernels."""


def frames(cubin):
    """Bytes of memory of its own, for arrays and values without a register, that a work item of
    each kernel and function has: all that LDL and STL can reach. To disassemble a kernel would take
    a third of a second.
    """
    (headers,) = struct.unpack_from("<Q", cubin, 0x28)  # of an ELF file's sections
    size, count, names = struct.unpack_from("<3H", cubin, 0x3A)
    sections = [struct.unpack_from("<2I4Q", cubin, headers + k * size) for k in range(count)]
    found, text = [], sections[names][4]
    for name, *_, at, length in sections:
        end = at + length
        if cubin[text + name :].startswith(b".nv.info\0"):
            while at < end:  # each entry: its form, what it tells, how long it is or a number
                form, what, value = struct.unpack_from("<2BH", cubin, at)
                if what == FRAME:
                    found.append(struct.unpack_from("<2I", cubin, at + 4)[1])
                at += 4 + (value if form == 4 else 0)
    return found


def cubin_of(source, name):
    """A source compiled, where NVRTC is."""
    pytest.importorskip("cuda.bindings.nvrtc", reason="NVRTC: install rulewright[compilers]")
    return compile_cubin(source, name, "sm_80")


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_values_fit_registers(name):
    """Nothing is put in memory of a work item. Digits of pi, by which the sine of large numbers is
    reduced, are no values of ours."""
    for program in kernels(PROGRAMS[name]()):
        is_reduced = re.search(r"\b(sinf|cosf)\(", program.source)
        found = set(frames(cubin_of(program.source, program.name)))
        assert found == {0} or (found and is_reduced), program.name


def test_values_that_fit_no_registers_are_seen():
    """An array at which a number from memory points has no registers."""
    kernel = """extern "C" __global__ void %s(float *out, const int *at) {
      float x[%d] = {};
      for (int i = 0; i < 100; i++) x[at[i]] += out[i];
      for (int i = 0; i < %d; i++) out[i] = x[i];
    }
    """
    plain = 'extern "C" __global__ void c(float *out) { out[0] += 1; }'
    source = kernel % ("a", 64, 64) + kernel % ("b", 16, 16) + plain
    assert sorted(frames(cubin_of(source, "several"))) == [0, 16 * 4, 64 * 4]


# ---- neighbours ----------------------------------------------------------------------------------


def accesses(program):
    """The INDEX of each read and write of a buffer, with the condition of a write if it has one."""
    gates = {n.src[0]: n.src[2] for n in program.uops if n.op is Ops.STORE and len(n.src) > 2}
    nodes = [n for uop in program.uops for n in (uop, *uop.src) if n.op is Ops.INDEX]
    return [(n, gates.get(n)) for n in dict.fromkeys(nodes) if n.src[0].base.op is Ops.PARAM]


def at(node, program, lane):
    """The number that a node is in one lane of the first warp, halfway through grid and loops."""
    sizes, places = program.launch[1], {}
    for inside in node.toposort():
        if inside.op is Ops.RANGE:
            places[inside] = inside.const(inside.dtype, (int(inside.vmax) + 1) // 2)
        elif inside.op is Ops.SPECIAL:
            axis = int(inside.arg[1])
            item = lane // prod(sizes[:axis]) % sizes[axis]
            half = (int(inside.vmax) + 1) // 2
            places[inside] = inside.const(inside.dtype, item if inside.arg[0] == "l" else half)
    number = rewrite(node.substitute(places), "symbolic")
    return number.arg if number.op is Ops.CONST else None


def wanted_part(index, program, gate=None):
    """How much of what a warp moves by one access is wanted; 1 where that hangs on data, or few
    lanes do it."""
    itemsize, wide = index.src[0].base.dtype.itemsize, index.dtype.count
    lanes = [k for k in range(LANES) if gate is None or at(gate, program, k)]
    numbers = [at(index.src[1], program, lane) for lane in lanes]
    if None in numbers or len(numbers) < LANES // 2:
        return 1.0
    elements = {number + k for number in numbers for k in range(wide)}
    sectors = {element * itemsize // SECTOR for element in elements}
    return len(elements) * itemsize / (len(sectors) * SECTOR)


def value(*shape, dtype="f32"):
    """Memory whose contents do not matter."""
    return Tensor(np.zeros(shape, np.float32)).cast(dtype).realize()


MOVING = {
    "elementwise": lambda: value(1 << 16) * 2 + 1,
    "elementwise of f16": lambda: value(1 << 16, dtype="f16") * 2 + 1,
    "elementwise of bf16": lambda: value(1 << 16, dtype="bf16") * 2 + 1,
    "a mask": lambda: value(256, 256, dtype="bool") | value(256, dtype="bool"),
    "odd rows": lambda: value(100, 513) + value(100, 1) * value(513),
    "all": lambda: value(1 << 20).sum(),
    "rows": lambda: value(128, 4096).sum(1),
    "short rows": lambda: value(1 << 14, 16).sum(1),
    "columns": lambda: value(4096, 512).sum(0),
    "softmax": lambda: value(256, 4096).softmax(),
    "softmax of columns": lambda: value(4096, 512).softmax(0),
    "layernorm": lambda: value(4096, 768).layernorm(),
    "a row by a matrix": lambda: value(1, 1024) @ value(1024, 1024),
    "a row by rows": lambda: value(1, 1024) @ value(1024, 1024).transpose(0, 1),
    "two rows by rows": lambda: value(2, 1024) @ value(4096, 1024).transpose(0, 1),
    "turned": lambda: value(512, 512).transpose(0, 1).contiguous(),
    "turned and more": lambda: value(512, 512).transpose(0, 1) + value(512, 512),
    "turned f16": lambda: value(512, 512, dtype="f16").transpose(0, 1).contiguous(),
    "channels last": lambda: value(4, 64, 24, 24).permute(0, 2, 3, 1).contiguous(),
    "scan": lambda: value(1024, 512).cumsum(1),
    "one query": lambda: value(1, 8, 1, 64).scaled_dot_product_attention(
        value(1, 8, 512, 64), value(1, 8, 512, 64)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MOVING)
def test_lanes_move_neighbours(name):
    for program in kernels([MOVING[name]()]):
        if prod(program.launch[1]) < LANES:
            continue
        for index, gate in accesses(program):
            memory = prod(index.src[0].base.arg[1]) * index.src[0].base.dtype.itemsize
            if memory > SECTOR * LANES:
                assert wanted_part(index, program, gate) >= SECTORS_READ, program.source


@pytest.mark.parametrize("name", ["elementwise of f16", "rows", "softmax", "layernorm", "turned"])
def test_lanes_move_what_a_read_can_hold(name):
    for program in kernels([MOVING[name]()]):
        counts = {index.dtype.count for index, _ in accesses(program)}
        assert max(counts) == 4 or prod(program.launch[0]) == 1, program.name


def test_a_stride_is_seen():
    lane = UOp(Ops.SPECIAL, value(1).cast("i32").uop.dtype, (UOp.index_const(32),), "l0")
    memory = UOp(Ops.PARAM, value(1).uop.dtype, (), (0, (4096,), None))

    class Program:
        launch = ((1, 1, 1), (32, 1, 1))

    assert wanted_part(UOp(Ops.INDEX, memory.dtype, (memory, lane)), Program) == 1
    assert wanted_part(UOp(Ops.INDEX, memory.dtype, (memory, lane * 8)), Program) == 1 / 8
