"""Copies in the memory of a workgroup: values, what they cost in banks, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from codegen_kernels import axis, param
from cuda_devices import cuda_standin
from outside_tools import run
from pairs import in_pairs
from staged_products import DEVICES, given, product

from rulewright import Context, jit
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


@pytest.mark.parametrize(("dtype", "turned", "device"), in_pairs(ROUNDS, [False, True], DEVICES))
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
    made, _ = product(rng, DEVICES[0], "f32", (256, 64, 512))
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


def launched(rng, device, dtype, taken, which=0, put=""):
    """Run a product with another text, or none, at one of the places in its source where one is."""
    made, _ = product(rng, device, dtype, (64, 64, 128))
    program, on = lowered(made), Device[device]
    parts = program.source.split(taken)
    parts[which : which + 2] = [parts[which] + put + parts[which + 1]]
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


WAITS = {
    "two rounds at once, not waited for": ("f32", "__pipeline_wait_prior(0);", ""),
    "two rounds at once, none that ends": ("f32", "__pipeline_commit();", ""),
    "three, not waited for": ("f16", "__pipeline_wait_prior(1);", ""),
    "three, waited for too late": ("f16", "prior(1);", "prior(2);"),
    "three, the first two as one": ("f16", "__pipeline_commit();", ""),
}


@pytest.mark.parametrize("fault", WAITS)
def test_what_is_copied_ahead_is_not_there_before_it_is_waited_for(rng, fault):
    dtype, taken, put = WAITS[fault]
    with pytest.raises(DeviceRuntimeError, match=r"(data race|uninitialised): thread .* shared"):
        launched(rng, DEVICES[0], dtype, taken, put=put)


def test_a_round_that_is_copied_to_where_another_one_is_read_is_reported(rng):
    with pytest.raises(DeviceRuntimeError, match=r"(data race|uninitialised): thread .* shared"):
        launched(rng, DEVICES[0], "f16", " + 2) % 3 *", put=" + 3) % 3 *")


@pytest.mark.parametrize(("rounds", "pieces"), [(1, 1), (2, 2), (3, 3), (5, 3)])
def test_rounds_are_copied_while_others_are_computed(rng, rounds, pieces):
    """Into two pieces of memory, or three; what has one round is not."""
    made, wanted = product(rng, DEVICES[0], "f16", (32, 32, 32 * rounds))
    program = lowered(made)
    sizes = [n.arg[1] for n in program.uops if n.op is Ops.DEFINE_LOCAL]
    assert sizes == [pieces * 32 * 32] * 2
    loop = program.source.partition("for (int r")[2]
    if pieces > 1:
        assert f"__pipeline_wait_prior({pieces - 2});" in loop
        assert 0 < loop.index("memcpy_async") < loop.index("mma_f16(")
    with Context(VERIFY=0):
        np.testing.assert_allclose(made.numpy(), wanted, rtol=1e-4, atol=1e-3)


def test_without_tensor_cores_there_are_two_pieces(rng):
    made, _ = product(rng, DEVICES[0], "f32", (64, 64, 128))
    assert "__pipeline_wait_prior(0);" in lowered(made).source


# ---- memory that a kernel is launched with -------------------------------------------------------

LARGE = (
    "r7, r8 = split(r2, 64); r9, r10 = pack(r0, r8); local(r9); r11, r12 = split(r10, 16); "
    "vector(r12); local(r11); r13, r14 = pack(r1, r8); local(r13); r15, r16 = split(r14, 16); "
    "vector(r16); local(r15); r17, r18 = split(r0, 64); local(r17); r19, r20 = split(r18, 16); "
    "upcast(r19); r21, r22 = split(r1, 64); local(r21); r23, r24 = split(r22, 8); upcast(r23); "
    "r25, r26 = split(r8, 32); tc(r20, r24, r26)"
)


FEWER = """
x, y = (Tensor.rand(128, 192).cast("i8").realize() for _ in range(2))
[kernel] = x.matmul(y.T, dtype="i32").contiguous(arg="{choices}").schedule()
program = lower_kernel(kernel.ast, "TINY")
print([u.arg[1] for u in program.uops if u.op is Ops.DEFINE_LOCAL])
print("extern __shared__" in program.source)
"""


def large(rng, device):
    """A product of bytes of which one workgroup copies three rounds of 20 KiB at once."""
    made, wanted = product(rng, device, "i8", (128, 128, 192), turned=True)
    return made.contiguous(arg=LARGE), wanted


def test_more_memory_than_a_source_defines_is_that_of_the_launch(rng):
    made, wanted = large(rng, DEVICES[0])
    source = lowered(made).source
    assert "extern __shared__ __align__(16) unsigned char shared[/* 61440 bytes */];" in source
    assert "signed char *local1 = (signed char *)&shared[30720];" in source
    with Context(VERIFY=0):
        np.testing.assert_array_equal(made.numpy(), wanted)


def test_what_does_not_fit_has_fewer_pieces(rng, tmp_path):
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "tiny.uop").write_text(TINY.replace("4096", "57344"))
    code = FITS.partition("for dtype")[0] + FEWER.format(choices=LARGE)
    assert run(tmp_path / "site", code=code).split("\n")[:2] == ["[20480, 20480]", "False"]


@pytest.mark.parametrize("fault", ["[/* 61440", "&shared[30720]"])
def test_memory_of_the_launch_is_watched_as_other_memory_is(rng, fault):
    """Of fewer bytes than are used, and with parts that lie in each other."""
    made, _ = large(rng, DEVICES[0])
    program, on = lowered(made), Device[DEVICES[0]]
    source = program.source.replace(fault, fault.replace("61440", "61312").replace("30720", "5120"))
    runtime = on.runtime(on.compile(source, program.name))
    sizes, kinds = (128 * 128, 128 * 192, 128 * 192), ("i32", "i8", "i8")
    buffers = [filled(on, sizes[slot], kinds[slot]) for slot in program.parameters]
    with pytest.raises(DeviceRuntimeError, match=r"(out of bounds|data race): thread"):
        runtime.bind(buffers, [], *program.launch)(wait=True)


def test_the_driver_is_asked_for_memory_of_the_launch(rng):
    """For each kernel, of a graph too; a stand-in refuses what has less than its source names."""
    with cuda_standin() as driver:
        made, wanted = large(rng, "CUDA")
        np.testing.assert_array_equal(made.numpy(), wanted)
        step = jit(lambda x, y: x.matmul(y, dtype="i32").contiguous(arg=LARGE) + 1)
        (x, a), (y, b) = given(rng, (128, 192), "i8", "CUDA"), given(rng, (128, 192), "i8", "CUDA")
        for _ in range(3):
            np.testing.assert_array_equal(step(x, y.T).numpy(), a @ b.T + 1)
        assert 61440 in driver.dynamic.values()


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
        np.zeros(size, getattr(dtypes, dtype).np)
    )
