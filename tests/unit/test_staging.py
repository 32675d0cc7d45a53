"""Copies in the memory of a workgroup: values, what they cost in banks, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from codegen_kernels import axis, param
from outside_tools import run
from staged_products import DEVICES, given, product

from rulewright import Context
from rulewright.codegen.lower import lower_kernel
from rulewright.codegen.staging import pitch, swizzled
from rulewright.errors import DeviceRuntimeError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.render import target
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import Device

ROUNDS = {"f16": 1e-5, "bf16": 1e-5, "f32": 1e-5, "i8": 0}
HALVES = (
    "r3, r4 = split(r0, 16); r5, r6 = split(r1, 8); r7, r8 = split(r2, 16); "
    "r9, r10 = pack(r4, r8); local(r9); r11, r12 = split(r10, 8); local(r11); vector(r12); "
    "r13, r14 = pack(r8, r6); local(r13); vector(r14); global(r3); global(r5); tc(r4, r6, r8)"
)
PLAIN = (
    "r3, r4 = split(r0, 4); r5, r6 = split(r1, 4); r7, r8 = split(r2, 4); "
    "r9, r10 = pack(r8, r4); local(r9); local(r10); r11, r12 = pack(r8, r6); local(r11); "
    "r13, r14 = split(r12, 2); local(r13); vector(r14); r15, r16 = split(r4, 2); local(r15); "
    "vector(r16); r17, r18 = split(r6, 2); local(r17); vector(r18); global(r3); global(r5)"
)


def lowered(tensor, on=None):
    """The program of the one kernel of a tensor."""
    [kernel] = tensor.schedule()
    return kernel.lower() if on is None else lower_kernel(kernel.ast, on)


# ---- values ----------------------------------------------------------------------------------


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("dtype", ROUNDS)
def test_a_workgroup_copies_what_it_multiplies_whatever_the_sizes(rng, device, dtype, turned):
    shape = (65, 40, 72) if turned else (33, 66, 35)
    made, wanted = product(rng, device, dtype, shape, turned)
    assert "local0" in lowered(made).source
    with Context(VERIFY=0):
        np.testing.assert_allclose(made.numpy(), wanted, rtol=1e-4, atol=ROUNDS[dtype] * 100)


@pytest.mark.parametrize(("dtype", "choices"), [("f16", HALVES), ("f32", PLAIN)])
def test_copies_keep_their_meaning_through_all_stages(rng, dtype, choices):
    shape = (17, 16, 32) if dtype == "f16" else (5, 8, 6)
    made, wanted = product(rng, DEVICES[0], dtype, shape)
    with Context(VERIFY=2):
        found = made.contiguous(arg=choices).numpy()
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-3)


def test_values_that_are_computed_are_copied_computed(rng):
    (x, a), (y, b) = (given(rng, s, "f32", DEVICES[0]) for s in ((64, 48), (48, 64)))
    made = x.relu() @ (y * 2)
    program = lowered(made)
    assert program.source.count("__syncthreads") == 2 and "async" not in program.source
    with Context(VERIFY=0):
        np.testing.assert_allclose(made.numpy(), np.maximum(a, 0) @ (b * 2), rtol=1e-4, atol=1e-4)


def test_a_batch_of_products_has_copies_of_its_own(rng):
    (x, a), (y, b) = (given(rng, s, "f16", DEVICES[0]) for s in ((3, 32, 40), (3, 40, 48)))
    with Context(VERIFY=0):
        made = x.matmul(y, dtype="f32")
        assert "local1" in lowered(made).source
        np.testing.assert_allclose(made.numpy(), a @ b, rtol=1e-4, atol=1e-4)


# ---- how they are read and written -------------------------------------------------------------


def test_operands_are_copied_by_the_widest_accesses(rng):
    for dtype, words in {"f16": "uint4", "i8": "uint4", "f32": "float4"}.items():
        made, _ = product(rng, DEVICES[0], dtype, (128, 128, 64))
        source = lowered(made).source
        if dtype == "f32":
            assert "memcpy_async(&local1[" in source and ", 16);" in source
        assert f"*({words} *)&local" in source or ", 16);" in source


NUMBERS = {
    "ADD": np.add, "SUB": np.subtract, "MUL": np.multiply, "AND": np.bitwise_and,
    "SHR": np.right_shift, "SHL": np.left_shift, "CDIV": np.floor_divide, "CMOD": np.remainder,
}  # fmt: skip


def of_warp(node, lanes, known):
    """The value of an index in each lane of the first warp, in the first round of all loops."""
    if node not in known:
        if node.op is Ops.CONST:
            known[node] = np.full(32, node.arg)
        elif node.op is Ops.SPECIAL:
            known[node] = lanes.get(node.arg, np.zeros(32, int))
        elif node.op is Ops.RANGE:
            known[node] = np.zeros(32, int)
        else:
            known[node] = NUMBERS[node.op.name](*(of_warp(s, lanes, known) for s in node.src))
    return known[node]


def wavefronts(program):
    """Of each access of a warp to memory of its workgroup: how often it takes the banks, and how
    often it would if no two lanes met in one."""
    items = program.launch[1]
    number = np.arange(32)
    lanes = {
        f"l{k}": number // int(np.prod(items[:k], dtype=int)) % items[k] for k in range(3)
    }  # fmt: skip
    found, known = [], {}
    for node in program.uops:
        if node.op not in (Ops.LOAD, Ops.STORE) or node.src[0].op is not Ops.INDEX:
            continue
        memory, index = node.src[0].src
        if memory.base.op is not Ops.DEFINE_LOCAL:
            continue
        size = node.src[0].dtype.itemsize
        first = of_warp(index, lanes, known) * memory.base.dtype.itemsize
        together = 32 if size <= 4 else 128 // size  # lanes that are served at once
        taken = 0
        for lane in range(0, 32, together):
            begins = first[lane : lane + together]
            words = {w for at in begins for w in range(at // 4, -(-(at + size) // 4))}
            taken += max(np.bincount([w % 32 for w in words]))
        found.append((node.op.name, int(taken), 32 // together))
    return found


@pytest.mark.parametrize("dtype", ["f16", "bf16", "i8", "f32"])
@pytest.mark.parametrize("turned", [False, True])
def test_no_two_lanes_of_a_warp_meet_in_a_bank(rng, dtype, turned):
    """But for bytes that lie apart along what is summed, as they are read; and as they are written,
    for bytes, and f32 that is turned as it is copied, one by one."""
    made, _ = product(rng, DEVICES[0], dtype, (128, 128, 64), turned)
    found = wavefronts(lowered(made))
    assert {name for name, _, _ in found} == {"LOAD", "STORE"}
    for name, taken, least in found:
        apart = dtype == "i8" and not turned if name == "LOAD" else dtype in ("i8", "f32")
        assert taken <= (2 * least if apart else least), (name, taken, least)


ROWS = ((32, 2), (128, 2), (64, 1), (16, 4), (128, 4), (8, 2), (5, 2), (1, 1), (24, 2), (48, 2))


@pytest.mark.parametrize(("row", "itemsize"), ROWS)
def test_units_of_rows_are_in_banks_of_their_own(row, itemsize):
    """Eight units of 16 bytes are in all banks: those at one place of eight neighbouring rows are
    in different ones, and so are eight units of rows that lie beside each other; rows that are no
    power of two of units lie apart."""
    on = target("CUDA")
    unit, step = 16 // itemsize, pitch(row, itemsize, on)
    rows, places = np.arange(16)[:, None], np.arange(row)[None]
    r, p = UOp.range(16, 0), UOp.range(row, 1)
    at = run_index(swizzled(r, p, row, itemsize, on), {r: rows, p: places})
    assert len(np.unique(at)) == 16 * row and at.min() >= 0 and at.max() < 16 * step
    slots = at[:, ::unit] // unit % 8
    for first in (0, 8):
        eight = slots[first : first + 8]
        assert all(len(set(column)) == 8 for column in eight.T)
    turned = itemsize == 2 and row % 8 == 0 and row // 8 in (1, 2, 4, 8, 16)
    if turned:
        assert step == row and all(len({*line}) == 8 for line in slots.reshape(-1, 8))
    else:
        assert step % unit == 0 and step // unit % 2 == 1


def run_index(index, values):
    """An index, for arrays of what its ranges are."""
    if index in values:
        return values[index]
    if index.op is Ops.CONST:
        return np.asarray(index.arg)
    numpy = {"ADD": np.add, "MUL": np.multiply, "FLOORDIV": np.floor_divide, "FLOORMOD": np.mod}
    return numpy[index.op.name](*(run_index(s, values) for s in index.src))


def test_a_target_that_says_nothing_of_banks_has_rows_as_they_are():
    row, place = UOp.range(16, 0), UOp.range(32, 1)
    on = target("OPENCL")
    assert pitch(32, 2, on) == 32 and swizzled(row, place, 32, 2, on) is row * 32 + place


# ---- limits, and what is refused -----------------------------------------------------------------

TINY = "target TINY extends CUDA { limit local_memory = 4096 }"
FITS = """
from rulewright import Tensor, load_spec
from rulewright.codegen.lower import lower_kernel
from rulewright.ir.ops import Ops
load_spec("tiny.uop")
for dtype in ("f16", "f32"):
    x, y = (Tensor.rand(128, 128).cast(dtype).realize() for _ in range(2))
    [kernel] = x.matmul(y, dtype="f32").schedule()
    program = lower_kernel(kernel.ast, "TINY")
    memories = [u for u in program.uops if u.op is Ops.DEFINE_LOCAL]
    needed = sum(u.arg[1] * u.dtype.itemsize for u in memories)
    print(len(memories), 2048 < needed <= 4096, program.source.count("__syncthreads"))
"""


def test_copies_fit_in_a_target_of_little_memory(tmp_path):
    """And are made round by round where there is no room for two of them."""
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "tiny.uop").write_text(TINY)
    assert run(tmp_path / "site", code=FITS).split() == ["2", "True", "2"] * 2


def test_copies_that_do_not_fit_are_refused(rng):
    made, _ = product(rng, DEVICES[0], "f32", (256, 64, 256))
    choices = "r3, r4 = pack(r2, r1); local(r3); local(r4); r5, r6 = split(r0, 16); local(r6)"
    with pytest.raises(UsageError, match=r"need \d+ bytes of memory of one workgroup, which has"):
        lowered(made.contiguous(arg=choices))


def test_a_copy_that_differs_between_work_items_is_refused(rng):
    made, _ = product(rng, DEVICES[0], "f32", (32, 32, 32))
    choices = "r3, r4 = split(r1, 8); local(r4); r5, r6 = pack(r2, r3); local(r5)"
    with pytest.raises(UsageError, match=r"depends on r\d+ \(local\): pack along it too"):
        lowered(made.contiguous(arg=choices))


def test_copies_are_made_by_the_same_work_items_for_all_stores():
    stores = []
    for slot in range(2):
        row, step = axis(8, 2 * slot), axis(8, 2 * slot + 1, "reduce")
        total = (param(2, 8).index(step) * param(3, 8).index(row)).reduce(Ops.ADD, step)
        stores.append(param(slot, 8).index(row).store(total).end(row))
    choices = "r4 = pack(r1); local(r4); local(r0)"
    with pytest.raises(UsageError, match="expected stores that loop over the same ranges"):
        lower_kernel(UOp.sink(*stores, info=("both", choices)), "CUDA")


def test_a_target_without_workgroups_has_no_such_copies(rng):
    made, _ = product(rng, "C", "f32", (32, 32, 32))
    with pytest.raises(UsageError, match="this target has no workgroups"):
        lowered(made.contiguous(arg="r3, r4 = pack(r2, r1); local(r3)"))


# ---- barriers ------------------------------------------------------------------------------------


def launched(rng, device, dtype, taken, which):
    """Run a product without one of the places in its source where a text stands."""
    made, _ = product(rng, device, dtype, (64, 64, 128))
    program, on = lowered(made), Device[device]
    parts = program.source.split(taken)
    parts[which : which + 2] = [parts[which] + parts[which + 1]]
    runtime = on.runtime(on.compile(taken.join(parts), program.name))
    sizes, kinds = (64 * 64, 64 * 128, 128 * 64), ("f32", dtype, dtype)
    buffers = [filled(on, sizes[slot], kinds[slot]) for slot in program.parameters]
    runtime.bind(buffers, [], *program.launch)(wait=True)


@pytest.mark.parametrize(("device", "which"), [(DEVICES[0], 0), (DEVICES[1], 0), (DEVICES[1], 1)])
@pytest.mark.parametrize("dtype", ["f16", "f32"])
def test_each_barrier_of_a_staged_product_is_missed(rng, device, dtype, which):
    barrier = target(device.partition("_")[0]).row["texts"]["barrier"]
    made, _ = product(rng, device, dtype, (64, 64, 128))
    assert lowered(made).source.count(barrier) == 1 + (device == DEVICES[1])
    with pytest.raises(DeviceRuntimeError, match=r"(data race|uninitialised): thread .* shared"):
        launched(rng, device, dtype, barrier, which)


@pytest.mark.parametrize("dtype", ["f16", "f32"])
def test_what_is_copied_ahead_is_not_there_before_it_is_waited_for(rng, dtype):
    with pytest.raises(DeviceRuntimeError, match=r"uninitialised: thread .* shared"):
        launched(rng, DEVICES[0], dtype, "__pipeline_wait_prior(0);", 0)


def test_the_next_round_is_copied_while_one_is_computed(rng):
    """Into one half of the memory; what has one round is not."""
    made, _ = product(rng, DEVICES[0], "f16", (64, 64, 128))
    source = lowered(made).source
    begun, loop = source.split("for (int r", 1)
    assert begun.count("memcpy_async") and loop.count("memcpy_async")
    assert loop.index("memcpy_async") < loop.index("mma_f16(")
    short, _ = product(rng, DEVICES[0], "f16", (64, 64, 16))
    assert lowered(short).source.count("memcpy_async") == 2


@pytest.mark.parametrize("waits", [True, False])
def test_what_a_work_item_reads_back_at_once_is_not_copied_ahead(waits):
    item = axis(32, 0, "local")
    local = UOp(Ops.DEFINE_LOCAL, dtypes.f32, (), (0, 32))
    write = local.index(item).store(param(1, 32).index(item))
    done = UOp(Ops.BARRIER, dtypes.void, (write,)) if waits else write
    read = local.after(done).index(item)
    kernel = UOp.sink(param(0, 32).index(item).store(read).end(item))
    with Context(VERIFY=0):
        assert ("memcpy_async" in lower_kernel(kernel, "CUDA").source) == waits


def filled(on, size, dtype):
    """A buffer of zeros."""
    return Buffer(on, size, getattr(dtypes, dtype)).copyin(
        np.zeros(size, {"f16": "f2", "f32": "f4"}[dtype])
    )
