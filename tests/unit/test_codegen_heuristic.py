"""What the heuristics choose for pinned targets."""

import re
from functools import reduce
from math import prod
from operator import add

import numpy as np
import pytest
from codegen_kernels import (
    axis,
    column_sum,
    elementwise,
    inputs,
    matmul,
    max_pool,
    padded_convolution,
    param,
    row_sum,
    same,
    softmax,
)

from rulewright import render
from rulewright.codegen.choices import parse_choices
from rulewright.codegen.cpu import _Cpu
from rulewright.codegen.lower import lower_fresh, lower_kernel, lowering_stages
from rulewright.codegen.tile_sizes import best_tile
from rulewright.errors import UsageError
from rulewright.interp import run_kernel
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.lang.build import load_table
from rulewright.render import target


def lowered_to(kernel, wanted, target="C"):
    return next(graph for entry, graph in lowering_stages(kernel, target) if entry == wanted)


def ranges(kernel, target):
    return [n for n in lowered_to(kernel, "axes", target).toposort() if n.op is Ops.RANGE]


def sizes(kernel, target, kind):
    return sorted(n.size for n in ranges(kernel, target) if n.arg[1] == kind)


def test_matrix_product_has_a_register_tile():
    kernel = matmul(512, 512, 512)
    assert sizes(kernel, "C", "simd") == [16, 16], "whole vectors, of results and of the copy"
    assert sizes(kernel, "C", "thread")
    assert 16 <= tile_of(kernel) <= 28, "accumulators fit in 32 registers"


def test_each_of_many_sums_is_looked_at_a_few_times(monkeypatch):
    looks = []
    look = _Cpu.vector_axis
    monkeypatch.setattr(_Cpu, "vector_axis", lambda *a: (looks.append(a[2].node), look(*a))[1])

    def looks_at_each(count):
        looks.clear()
        axes = [axis(21, k, "reduce") for k in range(count)]
        reads = [param(k + 1, 21).index(r) for k, r in enumerate(axes)]
        value = reduce(add, [x.reduce(Ops.ADD, r) for x, r in zip(reads, axes, strict=True)])
        kernel = UOp.sink(param(0, 1).index(UOp.index_const(0)).store(value))
        assert len(sizes(kernel, "C", "simd")) >= count, "each is cut in vectors and a rest"
        return len(looks) / count

    assert looks_at_each(24) < 1.5 * looks_at_each(8), "not anew after each cut"


@pytest.mark.parametrize("rows", [64, 16384])
def test_a_row_kept_near_by_is_summed_in_lanes(rows):
    reductions = [
        n for n in lowered_to(softmax(rows, 512), "axes").toposort() if n.op is Ops.REDUCE
    ]
    lanes = [n.arg for n in reductions if any(r.arg[1] == "simd" for r in n.src[1:])]
    assert lanes == [Ops.MAX, Ops.ADD]


@pytest.mark.parametrize("rows", [1, 2, 5, 37, 64, 511, 4096])
@pytest.mark.parametrize("columns", [9, 16, 37, 64, 513, 4096])
@pytest.mark.parametrize("name", ["C", "C_AVX2", "C_NEON", "C_SSE"])
def test_tiles_fit_in_registers_and_leave_one(rows, columns, name):
    height, vectors = best_tile(rows, columns, 16, target(name))
    assert height * vectors + vectors + 1 < target(name).limit("vector_registers")
    assert height <= rows
    assert (vectors - 1) * 16 < columns


def test_what_is_done_with_a_finished_tile_stays_a_loop():
    """Its accumulators are in variables by then: to unroll would cost the compiler alone."""
    i, j, r = axis(1001, 0), axis(333, 1), UOp.range(64, 2, "reduce")
    total = (param(1, 1001 * 64).index(i * 64 + r) * param(2, 64 * 333).index(r * 333 + j)).reduce(
        Ops.ADD, r
    )
    place = total.cast(dtypes.i32).cast(dtypes.index) % 64
    value = param(3, 64).index(place)  # from anywhere, so one by one
    kernel = UOp.sink(param(0, 1001 * 333).index(i * 333 + j).store(value).end(i, j))
    source = lower_kernel(kernel, "C").source
    written = source[source.rindex("mulacc") :]
    assert "for (long" in written
    assert "unroll" not in written


def tile_of(kernel):
    """Vectors of accumulators."""
    (store,) = [n for n in lowered_to(kernel, "axes").toposort() if n.op is Ops.STORE]
    return prod(r.size for r in store.src[0].ranges if r.arg[1] == "upcast")


@pytest.mark.parametrize("shape", [(512, 512, 512), (511, 513, 37), (64, 200, 200), (7, 640, 64)])
def test_a_panel_is_packed_where_many_rows_read_it(shape):
    stages = [n for n in lowered_to(matmul(*shape), "axes").toposort() if n.op is Ops.STAGE]
    assert len(stages) == (shape[0] > 32)


@pytest.mark.parametrize("shape", [(64, 48, 200), (512, 64, 20_000)])
def test_a_panel_that_lies_in_memory_as_it_would_be_packed_is_not_packed(shape):
    stages = [n for n in lowered_to(matmul(*shape), "axes").toposort() if n.op is Ops.STAGE]
    assert stages == []


@pytest.mark.parametrize("length", [100, 1000, 4096, 16384, 40_000, 50_257])
@pytest.mark.parametrize("turned", [False, True])
def test_copies_fit_in_the_memory_near_by(length, turned):
    m = n = 512
    i, j, r = axis(m, 0), axis(n, 1), UOp.range(length, 2, "reduce")
    a = param(1, m * length).index(r * m + i if turned else i * length + r)
    total = (a * param(2, n * length).index(r * n + j)).reduce(Ops.ADD, r)
    kernel = UOp.sink(param(0, m * n).index(i * n + j).store(total).end(i, j))
    stages = [s for s in lowered_to(kernel, "axes").toposort() if s.op is Ops.STAGE]
    size = sum(4 * prod(fill.size for fill in s.src[1:]) for s in stages)
    assert size <= render.target("C").limit("near_memory")
    assert stages


@pytest.mark.parametrize("shape", [(2, 1024, 1024), (16, 4096, 4096), (3, 768, 320), (5, 999, 160)])
def test_a_matrix_that_few_rows_read_is_read_as_it_lies_in_memory(shape):
    rows, columns, length = shape
    text = lower_kernel(matmul(rows, columns, length), "C").choices
    assert "block(" in text.split("join")[0]
    assert ("pack" in text) == bool(columns % 16)


@pytest.mark.parametrize("shape", [(2, 256, 1024), (2, 1024, 97), (5, 999, 96), (64, 1024, 1024)])
def test_other_products_have_one_level_of_sums(shape):
    assert "block(" not in lower_kernel(matmul(*shape), "C").choices.split("join")[0]


@pytest.mark.parametrize("length", [1109, 50_257])
def test_sums_that_nothing_divides_are_cut_in_two(length):
    """What is left over is a product of its own, whose panels are packed as well."""
    graph = lowered_to(matmul(64 if length > 2000 else 4, 640, length), "axes")
    sums = [n for n in graph.toposort() if n.op is Ops.REDUCE]
    assert len(sums) == 3
    assert sum(n.op is Ops.STAGE for n in graph.toposort()) == (2 if length > 2000 else 0)


@pytest.mark.parametrize("shape", [(130, 50, 300), (600, 100, 1100), (257, 65, 2048)])
def test_rows_that_lie_apart_are_packed_for_all_panels_of_a_chunk(shape):
    m, n, k = shape
    i, j, r = axis(m, 0), axis(n, 1), UOp.range(k, 2, "reduce")
    total = (param(1, m * k).index(r * m + i) * param(2, n * k).index(r * n + j)).reduce(Ops.ADD, r)
    kernel = UOp.sink(param(0, m * n).index(i * n + j).store(total).end(i, j))
    text = lower_kernel(kernel, "C").choices
    assert text.count("pack(") == (2 if m * 4 >= 1024 else 1)


def test_rows_that_are_converted_are_packed_for_all_panels_of_a_chunk():
    i, j, r = axis(512, 0), axis(512, 1), UOp.range(512, 2, "reduce")
    a, b = (param(slot, 512 * 512, dtypes.f16) for slot in (1, 2))
    a, b = a.index(i * 512 + r), b.index(r * 512 + j)
    total = (a.cast(dtypes.f32) * b.cast(dtypes.f32)).reduce(Ops.ADD, r)
    kernel = UOp.sink(param(0, 512 * 512).index(i * 512 + j).store(total).end(i, j))
    text = lower_kernel(kernel, "C").choices
    assert text.count("pack(") == 2
    chunk = int(text.split("pad(r0, ")[1].split(")")[0])
    assert -(-512 // chunk) * chunk < 1.1 * 512


@pytest.mark.parametrize("columns", [10, 40, 96])
def test_rows_that_are_converted_are_so_by_vectors_for_a_single_panel(columns, rng):
    i, j, r = axis(64, 0), axis(columns, 1), UOp.range(128, 2, "reduce")
    a = param(1, 64 * 128, dtypes.f16).index(i * 128 + r).cast(dtypes.f32)
    total = (a * param(2, 128 * columns).index(r * columns + j)).reduce(Ops.ADD, r)
    kernel = UOp.sink(param(0, 64 * columns).index(i * columns + j).store(total).end(i, j))
    *_, (_, last) = lowering_stages(kernel, "C")
    assert re.search(r"(r\d+) = pack\(r\d+, r2\); simd\(\1\)", last.arg[1])
    x, y = rng.standard_normal((64, 128)).astype("f2"), rng.standard_normal((128, columns))
    out = np.zeros(64 * columns, np.float32)
    run_kernel(last, [out, x.reshape(-1), y.astype("f4").reshape(-1)])
    np.testing.assert_allclose(out.reshape(64, -1), x.astype("f8") @ y, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("size", [384, 512, 768, 1000, 1024])
@pytest.mark.parametrize("apart", [False, True])
def test_what_copies_rows_is_shared_evenly_and_little_of_it_is_for_nothing(size, apart):
    """By four threads; what is computed beyond the last row and panel is less than a tenth."""
    i, j, r = axis(size, 0), axis(size, 1), UOp.range(size, 2, "reduce")
    a, b = (param(slot, size * size, dtypes.f16) for slot in (1, 2))
    a, b = a.index(r * size + i if apart else i * size + r), b.index(r * size + j)
    total = (a.cast(dtypes.f32) * b.cast(dtypes.f32)).reduce(Ops.ADD, r)
    kernel = UOp.sink(param(0, size * size).index(i * size + j).store(total).end(i, j))
    text = lower_kernel(kernel, "C").choices
    (chunk, width), panels = map(int, re.findall(r"pad\(r[01], (\d+)\)", text)), 1
    if cut := re.search(r"split\(r5, (\d+)\)", text):
        panels = int(cut[1])
    down, across = -(-size // chunk), -(-size // (width * panels))
    shares = down * across
    assert shares % 4 == 0 or shares > 12
    assert down * chunk * across * width * panels < 1.1 * size * size


def test_product_with_a_transposed_matrix_packs_it_and_has_the_same_tile():
    there, back = (matmul(512, 512, 512, transposed=t) for t in (False, True))
    assert tile_of(there) == tile_of(back)
    assert sizes(back, "C", "simd") == [16, 16]


def test_convolution_uses_pixels_again_for_several_outputs():
    found = ranges(padded_convolution(8, 64, 64, 56), "C")
    kinds = [n.arg[1] for n in found]
    assert "simd" in kinds and "upcast" in kinds


@pytest.mark.parametrize("side", [5, 7, 13, 14, 28, 56, 100, 224])
@pytest.mark.parametrize("ins", [3, 64, 512])
def test_copies_of_an_image_fit_in_the_memory_near_by(side, ins):
    graph = lowered_to(padded_convolution(1, 64, ins, side), "axes")
    stages = [n for n in graph.toposort() if n.op is Ops.STAGE]
    copies = [s for s in stages if not any(n.op is Ops.REDUCE for n in s.src[0].toposort())]
    assert copies
    size = sum(4 * prod(fill.size for fill in s.src[1:]) for s in copies)
    assert size <= render.target("C").limit("near_memory")


@pytest.mark.parametrize("shape", [(2, 8, 4, 12), (1, 17, 5, 9), (3, 16, 3, 7), (1, 5, 9, 33)])
def test_convolutions_in_blocks_have_their_values(shape, rng):
    kernel = padded_convolution(*shape)
    arrays = inputs(kernel, rng)
    expected = [a.copy() for a in arrays]
    run_kernel(kernel, expected)
    run_kernel(lowered_to(kernel, "axes"), arrays)
    same(arrays, expected)


def test_row_sums_have_independent_accumulators():
    assert sizes(row_sum(64, 1024), "C", "simd") == [16]
    assert sizes(row_sum(64, 1024), "C", "upcast") == [4]


@pytest.mark.parametrize("columns", [65536, 65600, 262144])
def test_long_rows_are_read_in_four_places_at_once(columns):
    assert sizes(row_sum(64, columns), "C", "upcast") == [4]
    assert sizes(row_sum(64, columns), "C", "reduce") == [columns // 64]
    source = lower_kernel(row_sum(64, columns), "C").source
    for place in range(1, 4):
        assert f"idx0 + {place * columns // 4}]" in source


def test_shorter_rows_are_read_in_one_place():
    source = lower_kernel(row_sum(64, 65536 - 64), "C").source
    assert "idx0 + 48]" in source


def test_column_sums_run_along_memory():
    (width,) = sizes(column_sum(512, 4096), "C", "simd")
    assert width >= 64


@pytest.mark.parametrize(("rows", "columns", "count"), [
    (512, 4096, 4), (300, 4096, 4), (4096, 1024, 16), (1000, 2048, 8),  # shorter rows, more of them
    (64, 16384, 4),  # four mebibytes
    (4001, 4096, 4),  # prime: one of them by itself
    (63, 16384, 0), (65536, 256, 0),  # small, rows beside each other
])  # fmt: skip
def test_rows_of_a_large_matrix_that_lie_apart_are_read_side_by_side(rows, columns, count):
    assert sizes(column_sum(rows, columns), "C", "unroll") == [count] * bool(count)


def test_short_reductions_have_no_loop():
    assert sizes(max_pool(2, 16), "C", "reduce") == []


def test_small_kernels_have_no_threads():
    assert sizes(elementwise(1000), "C", "thread") == []
    assert lower_kernel(elementwise(1000), "C").launch == ((1,), None)


def test_large_kernels_share_their_outer_loop():
    program = lower_kernel(elementwise(1 << 20), "C")
    (count,), (block,) = program.launch
    assert program.threads and count > 1 and 1 <= block <= count


def test_workgroups_share_rows():
    for device in ("CUDA", "OPENCL", "METAL", "WEBGPU"):
        assert sizes(softmax(64, 1024), device, "group") == [256, 256]
        assert lower_kernel(softmax(64, 1024), device).launch == ((64, 1, 1), (256, 1, 1))


def test_neighbours_are_read_at_once():
    assert sizes(elementwise(1000), "CUDA", "vector") == [4]
    assert "float4" in lower_kernel(elementwise(1000), "CUDA").source
    assert sizes(elementwise(1021), "CUDA", "vector") == []


@pytest.mark.parametrize("target", ["OPENCL", "CUDA", "METAL", "WEBGPU"])
def test_workgroups_stay_within_limits(target):
    for kernel in (elementwise(1021), matmul(512, 512, 512), padded_convolution(8, 64, 64, 56)):
        groups, items = lower_kernel(kernel, target).launch
        assert len(groups) == len(items) == 3
        assert items[0] * items[1] * items[2] <= 256


@pytest.mark.parametrize("size", [65_535 * 256, 65_536 * 256, (1 << 30) + 3, 2**31 - 1, 2**40])
def test_axes_of_a_grid_are_cut_where_the_first_has_a_limit(size):
    groups, items = lower_kernel(elementwise(size), "WEBGPU").launch
    assert all(1 <= count <= 65_535 for count in groups)
    assert size <= prod(groups) * prod(items) < 2 * size
    assert groups[1:] == (1, 1) if size == 65_535 * 256 else groups[1] > 1
    assert lower_kernel(elementwise(size), "OPENCL").launch[0][1:] == (1, 1)


def test_all_axes_of_a_grid_have_a_limit():
    long, few = (1 << 24) + 1, 3
    axes = [axis(few, 0), axis(long, 1), axis(few, 2), axis(70_000, 3)]
    place = axes[0]
    for other, size in zip(axes[1:], (long, few, 70_000), strict=True):
        place = place * size + other
    count = few * long * few * 70_000
    kernel = UOp.sink(
        param(0, count).index(place).store(param(1, count).index(place) * 2).end(*axes)
    )
    groups, items = lower_kernel(kernel, "WEBGPU").launch
    assert all(1 <= number <= 65_535 for number in groups)
    assert prod(groups) * prod(items) >= count


def test_a_symbolic_axis_of_a_grid_is_cut_too():
    most = 1 << 28
    i = axis(UOp.variable("n", 1, most), 0)
    kernel = UOp.sink(param(0, most).index(i).store(param(1, most).index(i) * 2.0).end(i))
    (first, second, _), items = lower_kernel(kernel, "WEBGPU").launch
    assert first == 65_535 and items == (256, 1, 1)
    assert (second.vmin, second.vmax) == (1, -(-most // 256 // 65_535))


def test_symbolic_sizes_are_grid_sizes():
    i = axis(UOp.variable("n", 1, 1000), 0)
    value = param(1, 1000).index(i) * 2.0
    kernel = UOp.sink(param(0, 1000).index(i).store(value).end(i))
    (count, *_), items = lower_kernel(kernel, "OPENCL").launch
    assert items == (256, 1, 1)
    assert (count.vmin, count.vmax) == (1, 4)


def test_given_choices_are_taken():
    kernel = elementwise(64).replace(arg=("mine", "r1, r2 = split(r0, 8); simd(r2)"))
    program = lower_kernel(kernel, "C")
    assert (program.name, program.choices) == ("mine", "r1, r2 = split(r0, 8); simd(r2)")
    assert [c.name for c in parse_choices(program.choices)] == ["split", "simd"]


def test_bad_choices_are_refused():
    with pytest.raises(UsageError, match="expected such as"):
        lower_kernel(elementwise(64).replace(arg=("mine", "very fast")), "C")


def test_a_running_sum_of_short_blocks_is_vectorised():
    """All places of a block read the same values, so that there is no axis to read along."""
    block, place, upto = axis(4096, 0), axis(16, 1), axis(16, 2, "reduce")
    value = param(1, 1 << 16).index(block * 16 + upto)
    spread = (place < upto).where(UOp.const(value.dtype, 0), value)
    store = param(0, 1 << 16).index(block * 16 + place).store(spread.reduce(Ops.ADD, upto))
    kernel = UOp.sink(store.end(block, place))
    assert sizes(kernel, "C", "simd") == [16]
    assert sizes(kernel, "C", "unroll") == [16]


@pytest.mark.parametrize(("limit", "several"), [(4 << 20, False), (512 << 10, True)])
def test_far_rows_of_what_is_large_are_added_up_several_at_a_time(limit, several, monkeypatch):
    monkeypatch.setitem(load_table()["targets"]["C"]["limits"], "far_memory", limit)
    made = str(lower_fresh(column_sum(128, 1024), "C").choices)
    assert ("unroll(" in made) == several


def turned_product(m, n, length):
    """A kernel of (length, m) turned by (length, n)."""
    i, j, r = axis(m, 0), axis(n, 1), UOp.range(length, 2, "reduce")
    total = (param(1, m * length).index(r * m + i) * param(2, n * length).index(r * n + j)).reduce(
        Ops.ADD, r
    )
    return UOp.sink(param(0, m * n).index(i * n + j).store(total).end(i, j))


@pytest.mark.parametrize("length", [64, 256, 1024, 5000])
def test_rows_that_lie_apart_are_copied_once_for_vectors_of_256_bits(length):
    kernel = turned_product(516, 516, length)
    stages = [s for s in lowered_to(kernel, "axes", "C_AVX2").toposort() if s.op is Ops.STAGE]
    rows, panel = (4 * prod(fill.size for fill in s.src[1:]) for s in stages)
    assert rows <= render.target("C_AVX2").limit("rows_memory")
    assert panel <= render.target("C_AVX2").limit("near_memory")
    assert sizes(kernel, "C_AVX2", "simd") == [8, 8], "rows of a tile are no vectors, with masks"


@pytest.mark.parametrize("length", [1024, 4096])
def test_rows_and_panels_of_a_long_sum_are_copied_a_part_at_a_time(length):
    kernel = turned_product(1024, 1024, length)
    rows, panel = (s for s in lowered_to(kernel, "axes").toposort() if s.op is Ops.STAGE)
    steps = {fill.size for fill in rows.src[1:]} & {fill.size for fill in panel.src[1:]}
    assert 256 in steps
    assert 4 * prod(fill.size for fill in rows.src[1:]) <= render.target("C").limit("rows_memory")
    beside = prod(f.size for f in rows.src[1:] if f.arg[1] in ("upcast", "simd"))
    assert 4 * beside == 2 * render.target("C").limit("line"), "lines are read whole"


@pytest.mark.parametrize("size", [264, 296])
def test_values_of_rows_that_are_copied_side_by_side(size, rng):
    a, b = (rng.standard_normal((size, size)).astype(np.float32) for _ in range(2))
    *_, (_, last) = lowering_stages(turned_product(size, size, size), "C")
    out = np.zeros(size * size, np.float32)
    run_kernel(last, [out, a.reshape(-1), b.reshape(-1)])
    np.testing.assert_allclose(out.reshape(size, size), a.T @ b, rtol=1e-3, atol=1e-4)


def test_rows_of_a_long_sum_are_copied_for_as_many_panels_as_their_own_copy_is_far():
    kernel = turned_product(2048, 2048, 2048)
    [items] = sizes(kernel, "C_AVX2", "thread")
    chunks = 3  # of rows whose copy of 256 values is no larger than `rows_memory`
    assert items // chunks <= 4, "each chunk is copied once for at least 512 columns"
