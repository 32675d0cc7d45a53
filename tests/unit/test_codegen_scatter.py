"""Reductions by place: each value goes to its place in one walk, in order, within bounds."""

from math import prod

import numpy as np
import pytest
from codegen_kernels import axis, param, reduced
from hypothesis import given, settings, strategies as st

from rulewright import Tensor, dtypes
from rulewright.codegen import scatter
from rulewright.codegen.lower import lower_kernel, lowering_stages
from rulewright.errors import ValidationError
from rulewright.interp import run_kernel
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.lang.build import load_table
from rulewright.verify.validate.bounds import check_bounds
from rulewright.verify.validate.races import check_races


def collecting(places, width, values, op=Ops.ADD, kind=dtypes.f32, wrap=False):
    """out[i, d] = reduce of value[j, d] over all j with at[j] == i."""
    d, i, j = axis(width, 0), axis(places, 1), reduced(values, 2)
    at = param(1, values, dtypes.i32).index(j)
    at = (at < 0).where(at + places, at) if wrap else at
    hit = at.alu(Ops.CMPEQ, i.cast(dtypes.i32))
    other = UOp.const(kind, op.identity(kind))
    total = hit.where(param(2, values * width, kind).index(j * width + d), other).reduce(op, j)
    return UOp.sink(param(0, places * width, kind).index(i * width + d).store(total).end(d, i))


def walked(kernel, target="C"):
    return next(graph for entry, graph in lowering_stages(kernel, target) if entry == "scatter")


def reductions(graph):
    return [n for n in graph.toposort() if n.op is Ops.REDUCE]


# ---- the kernel ----------------------------------------------------------------------------------


def test_a_walk_takes_steps_for_places_and_values_only():
    few, many = (lower_kernel(collecting(n, 8, 256), "C").estimates.flops for n in (256, 4096))
    assert few == many == 256 * 8, "one addition a value"


def test_neighbours_that_go_to_a_place_are_vectors():
    source = lower_kernel(collecting(64, 32, 20), "C").source
    assert "if (" in source and "*(f32x" in source, "few values too"


def test_the_last_of_several_is_written_without_a_look_at_the_one_before():
    i, j = axis(64, 0), reduced(200, 1)
    hit = param(1, 200, dtypes.i32).index(j).alu(Ops.CMPEQ, i.cast(dtypes.i32))
    for number, largest in ((j, 0), (j * 3 % 7, 1)):
        last = hit.where(number.cast(dtypes.i32), UOp.const(dtypes.i32, -1)).reduce(Ops.MAX, j)
        kernel = walked(UOp.sink(param(0, 64, dtypes.i32).index(i).store(last).end(i)))
        assert not reductions(kernel)
        assert sum(n.op is Ops.MAX for n in kernel.toposort()) == largest, number


def test_sums_by_place_lie_in_memory_as_what_they_are_added_to(rng):
    x, at = rng.normal(size=(300, 20)).astype(np.float32), rng.integers(0, 300, 60)
    added = rng.normal(size=(60, 20)).astype(np.float32)
    result = Tensor(x).realize().index_add(0, Tensor(at), Tensor(added))
    assert "merge(" in str(result.schedule()[-1].lower().choices), "one loop over both"
    expected = x.copy()
    np.add.at(expected, at, added)
    np.testing.assert_allclose(result.numpy(), expected, atol=1e-5)


@pytest.mark.parametrize("target", ["OPENCL", "CUDA", "METAL"])
def test_gpus_look_at_all_values_for_few_places(target):
    """Each has a work item."""
    kernel = collecting(512, 8, 256)
    assert reductions(walked(kernel, target)) == reductions(kernel)
    assert not reductions(walked(kernel))


def test_few_places_or_values_are_reduced_as_before():
    for places, values in ((4, 4096), (4096, 1), (8, 8)):
        kernel = collecting(places, 8, values)
        assert walked(kernel) is kernel


def test_few_values_go_to_many_places_in_a_walk():
    for places, values in ((4096, 4), (20, 20), (16, 4)):
        assert not reductions(walked(collecting(places, 8, values)))


def test_positions_that_the_kernel_counts_itself_are_no_data():
    i, j = axis(256, 0), reduced(256, 1)
    hit = (j * 2).cast(dtypes.i32).alu(Ops.CMPEQ, i.cast(dtypes.i32))
    total = hit.where(param(1, 256).index(j), UOp.const(dtypes.f32, 0.0)).reduce(Ops.ADD, j)
    kernel = UOp.sink(param(0, 256).index(i).store(total).end(i))
    assert reductions(walked(kernel))


@pytest.mark.parametrize("op", [Ops.ADD, Ops.MAX, Ops.MUL], ids=str)
@pytest.mark.parametrize("kind", [dtypes.f32, dtypes.i32, dtypes.u8, dtypes.f16], ids=str)
def test_values_come_in_the_order_of_the_walk(op, kind, rng):
    places, width, values = 64, 5, 90
    kernel = collecting(places, width, values, op, kind, wrap=True)
    at = rng.integers(-places - 9, places + 9, values).astype(np.int32)  # some are out of range
    given_values = rng.integers(0, 4, (values, width)).astype(kind.np)
    expected = np.full((places, width), op.identity(kind), kind.np)
    steps = {"ADD": np.add, "MAX": np.maximum, "MUL": np.multiply}[op.name]
    for place, value in zip(np.where(at < 0, at + places, at), given_values, strict=True):
        if 0 <= place < places:
            expected[place] = steps(expected[place], value)
    graphs = dict(lowering_stages(kernel, "C"))
    for name in ("scatter", "axes", "gates", "linearize"):
        out = np.full(places * width, 7, kind.np)
        run_kernel(graphs[name], [out, at, given_values.reshape(-1)])
        np.testing.assert_array_equal(out.reshape(places, width), expected, err_msg=name)


def test_kernels_of_several_effects_are_left_alone():
    (first,), (second,) = collecting(64, 8, 64).src, collecting(64, 8, 64).src
    own = {r: axis(r.size, r.arg[0] + 3, r.arg[1]) for r in second.toposort() if r.op is Ops.RANGE}
    other = param(3, 64 * 8)
    kernel = UOp.sink(first, second.substitute({**own, first.src[0].src[0].src[0]: other}))
    assert walked(kernel) is kernel


# ---- threads -------------------------------------------------------------------------------------


def row_by_row(rows, places, values):
    """out[b, i] = sum of value[b, j] over all j with at[b, j] == i."""
    b, i, j = axis(rows, 0), axis(places, 1), reduced(values, 2)
    hit = param(1, rows * values, dtypes.i32).index(b * values + j)
    hit = hit.alu(Ops.CMPEQ, i.cast(dtypes.i32))
    value = param(2, rows * values).index(b * values + j)
    total = hit.where(value, UOp.const(dtypes.f32, 0.0)).reduce(Ops.ADD, j)
    return UOp.sink(param(0, rows * places).index(b * places + i).store(total).end(b, i))


def shared_loops(kernel):
    (walk,) = walked(kernel).src
    return [r for r in walk.src[1:] if r.arg[1] == "thread"]


def test_threads_share_rows_with_positions_of_their_own():
    (rows,) = shared_loops(row_by_row(4096, 64, 64))
    assert rows.size == 4096
    assert not shared_loops(row_by_row(5, 64, 64)), "too little work"


def test_threads_share_parts_of_what_goes_to_a_place():
    (parts,) = shared_loops(collecting(1024, 256, 2048))
    assert parts.size == 2
    assert not shared_loops(collecting(1 << 16, 256, 2048)), "most of the work is to fill places"
    assert not shared_loops(collecting(1024, 251, 2048)), "a prime number has no parts"


@pytest.mark.parametrize("stage", ["scatter", "axes", "gates", "linearize"])
def test_what_threads_share_is_no_race_and_the_same_sum(stage, rng, monkeypatch):
    monkeypatch.setattr("rulewright.codegen.scatter.SHARED_WORK", 1)
    at = rng.integers(-3, 67, (7, 66)).astype(np.int32)
    given_values = rng.integers(0, 9, (7, 66)).astype(np.float32)
    inside = (at >= 0) & (at < 64)
    expected = np.zeros((7, 64), np.float32)
    np.add.at(expected, (np.nonzero(inside)[0], at[inside]), given_values[inside])
    graph = dict(lowering_stages(row_by_row(7, 64, 66), "C"))[stage]
    out = np.full(7 * 64, 5, np.float32)
    run_kernel(graph, [out, at.reshape(-1), given_values.reshape(-1)])
    np.testing.assert_array_equal(out.reshape(7, 64), expected)
    check_races(graph)

    given_values = rng.integers(0, 9, (66, 64)).astype(np.float32)
    expected = np.zeros((64, 64), np.float32)
    np.add.at(expected, at[0][inside[0]], given_values[inside[0]])
    graph = dict(lowering_stages(collecting(64, 64, 66), "C"))[stage]
    out = np.full(64 * 64, 5, np.float32)
    run_kernel(graph, [out, at[0], given_values.reshape(-1)])
    np.testing.assert_array_equal(out.reshape(64, 64), expected)
    check_races(graph)


# ---- work items ----------------------------------------------------------------------------------

GPUS = ("CUDA", "METAL", "OPENCL", "WEBGPU")


@pytest.mark.parametrize("target", GPUS)
def test_each_work_item_takes_a_step_for_each_value(target):
    """As many for 64 times the places."""
    few, many = (lower_kernel(collecting(n, 64, 100), target) for n in (1 << 12, 1 << 18))
    items = [prod((*k.launch[0], *k.launch[1])) for k in (few, many)]
    assert items == [1 << 15] * 2
    assert few.estimates.flops == many.estimates.flops == 100 * (1 << 15)


@pytest.mark.parametrize(
    ("target", "limit", "walks"),
    [
        ("CUDA", None, 65536),
        ("CUDA", ("local_size", 128), 131072),
        ("CUDA", ("grid_inner", 65535), None),
        ("CUDA", ("groups", 0), None),
        ("WEBGPU", None, None),
    ],
)
def test_walks_are_for_grids_that_have_room_for_them(target, limit, walks, monkeypatch):
    """65536 groups of 256, or as many of smaller ones."""
    if limit:
        monkeypatch.setitem(load_table()["targets"][target]["limits"], *limit)
    graph = walked(collecting(32, 1 << 24, 100), target)
    assert len(reductions(graph)) == (0 if walks else 1)
    groups = [n.size for n in graph.toposort() if n.op is Ops.RANGE and n.arg[1] == "global"]
    assert groups == ([walks] if walks else [])


SHAPES = [(64, 5, 90), (67, 1, 30), (9, 34, 33), (1000, 2, 7), (32, 32, 20)]


@pytest.mark.parametrize("stage", ["scatter", "axes", "gates", "linearize"])
@pytest.mark.parametrize(("places", "width", "values"), SHAPES)
def test_work_items_have_places_of_their_own(places, width, values, stage, rng, monkeypatch):
    limits = load_table()["targets"]["CUDA"]["limits"]
    monkeypatch.setitem(limits, "groups", 4)
    monkeypatch.setitem(limits, "local_size", 8)
    kernel = collecting(places, width, values, Ops.ADD, dtypes.i32, wrap=True)
    graph = dict(lowering_stages(kernel, "CUDA"))[stage]
    assert not reductions(graph)
    at = rng.integers(-places - 9, places + 9, values).astype(np.int32)  # some are out of range
    given_values = rng.integers(0, 99, (values, width)).astype(np.int32)
    expected = np.zeros((places, width), np.int32)
    whole = np.where(at < 0, at + places, at)
    inside = (whole >= 0) & (whole < places)
    np.add.at(expected, whole[inside], given_values[inside])
    out = np.full(places * width, 5, np.int32)
    run_kernel(graph, [out, at, given_values.reshape(-1)])
    np.testing.assert_array_equal(out.reshape(places, width), expected)
    check_races(graph)
    check_bounds(graph)


@pytest.mark.parametrize("device", ["CUDA_EMULATED", "METAL_EMULATED"])
def test_gpus_collect_by_place(device, rng):
    """Rows of a table, elements of rows, and the gradient of what was picked."""
    at, added = rng.integers(0, 1100, 40), rng.normal(size=(40, 67)).astype(np.float32)
    on = [Tensor(a, device=device) for a in (np.zeros((1100, 67), np.float32), at, added)]
    expected = np.zeros((1100, 67))
    np.add.at(expected, at, added)
    result = on[0].index_add(0, *on[1:])
    assert result.schedule()[0].lower().estimates.flops < 40 * 1100 * 67
    np.testing.assert_allclose(result.numpy(), expected, atol=1e-5)

    table = Tensor(np.ones((1100, 67), np.float32), device=device, requires_grad=True)
    (table[on[1]] * on[2]).sum().backward()
    np.testing.assert_allclose(table.grad.numpy(), expected, atol=1e-5)

    at, added = rng.integers(0, 2100, (33, 50)), rng.normal(size=(33, 50)).astype(np.float32)
    rows = Tensor(np.zeros((33, 2100), np.float32), device=device)
    expected = np.zeros((33, 2100))
    np.add.at(expected, (np.arange(33)[:, None], at), added)
    result = rows.scatter_add(1, Tensor(at, device=device), Tensor(added, device=device))
    np.testing.assert_allclose(result.numpy(), expected, atol=1e-5)


# ---- what VERIFY says of it ----------------------------------------------------------------------


def walk_of(kernel):
    (walk,) = walked(kernel).src
    return walk


def test_a_walk_in_order_is_no_race_and_one_by_threads_is():
    kernel = collecting(64, 8, 64, wrap=True)
    for _, graph in lowering_stages(kernel, "C"):
        check_races(graph)
        check_bounds(graph)
    walk = walk_of(kernel)
    step, column = walk.src[1:]
    check_races(UOp.sink(walk))
    for kind in ("thread", "loop"):
        anyhow = walk.substitute({step: axis(step.size, step.arg[0], kind)})
        with pytest.raises(
            ValidationError, match="race: 64 iterations or work items write element"
        ):
            check_races(UOp.sink(anyhow))
    threads = walk.substitute({column: axis(column.size, column.arg[0], "thread")})
    with pytest.raises(ValidationError, match="threads share one of the loops that write"):
        check_races(UOp.sink(threads))


def test_a_walk_that_does_not_say_that_its_rounds_are_in_order_races():
    walk = walk_of(collecting(64, 8, 64))
    (after,) = {n for n in walk.toposort() if n.op is Ops.AFTER}
    unordered = walk.substitute({after: after.src[0].after(after.src[1])})
    with pytest.raises(ValidationError, match="race: 64 iterations"):
        check_races(UOp.sink(unordered))


def test_a_walk_needs_the_condition_that_a_place_exists():
    pytest.importorskip("z3")
    walk = walk_of(collecting(64, 8, 64))
    (target,) = {n for n in walk.toposort() if n.op is Ops.INDEX and n.src[0].op is Ops.AFTER}
    anywhere = target.src[0].index(target.src[1].src[1])
    with pytest.raises(ValidationError, match="of 512"):
        check_bounds(UOp.sink(walk.substitute({target: anywhere})))


# ---- tensors -------------------------------------------------------------------------------------

PLACES, WIDTH, VALUES = 300, 7, 130


def numbers(rng, shape, kind):
    return Tensor(rng.integers(0, 9, shape)).cast(kind).contiguous().realize()


@pytest.mark.parametrize("device", ["C", "INTERP"])
@pytest.mark.parametrize("name", ["f32", "f16", "bf16", "i8", "u32", "f64"])
def test_index_put_adds_all_that_goes_to_a_place(device, name, rng):
    kind = getattr(dtypes, name)
    x, g = (numbers(rng, (n, WIDTH), kind).to(device) for n in (PLACES, VALUES))
    at = rng.integers(-PLACES, PLACES, VALUES)
    at[:20] = 5
    found = x.index_put((Tensor(at, device=device),), g, accumulate=True).cast(dtypes.i64)
    expected = x.cast(dtypes.i64).numpy().copy()
    np.add.at(expected, at, g.cast(dtypes.i64).numpy())
    np.testing.assert_array_equal(found.numpy(), expected.astype("b") if name == "i8" else expected)


@pytest.mark.parametrize("how", ["sum", "prod", "mean", "amax", "amin"])
def test_scatter_reduce_along_each_axis(how, rng):
    x, source = rng.integers(1, 4, (6, PLACES)), rng.integers(1, 4, (6, VALUES))
    at = rng.integers(0, PLACES, (6, VALUES))
    at[:, :10] = 3
    expected, counts = x.astype(np.int64), np.ones_like(x)
    rows = np.arange(6)[:, None].repeat(VALUES, 1)
    steps = {"prod": np.multiply, "amax": np.maximum, "amin": np.minimum}.get(how, np.add)
    steps.at(expected, (rows, at), source)
    np.add.at(counts, (rows, at), 1)
    expected = expected // counts if how == "mean" else expected
    for axes in ((0, 1), (1, 0)):
        x_, at_, source_ = (Tensor(a.transpose(axes)) for a in (x, at, source))
        found = x_.scatter_reduce(axes[1], at_, source_, how)
        np.testing.assert_array_equal(found.numpy(), expected.transpose(axes))


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("how", ["amax", "amin"])
def test_what_is_the_extreme_of_a_place_shares_its_gradient(how, include_self, rng):
    """Ties share evenly; places that nothing reaches keep theirs; each value is looked at once."""
    x, v = (rng.integers(-9, 9, (size, 3)).astype("f") for size in (PLACES, VALUES))
    at = np.sort(rng.integers(5, PLACES, VALUES))[:, None].repeat(3, 1)
    u = rng.standard_normal(x.shape).astype("f")
    a, b = (Tensor(n, requires_grad=True).realize() for n in (x, v))
    found = a.scatter_reduce(0, Tensor(at), b, how, include_self=include_self)
    (found * Tensor(u)).sum().backward()
    best = {"amax": np.max, "amin": np.min}[how]
    result, by_x, by_v = x.copy(), u.copy(), np.zeros_like(v)
    for place, d in np.ndindex(*x.shape):
        which = np.flatnonzero(at[:, 0] == place)
        if len(which):
            every = np.append(v[which, d], x[place, d] if include_self else [])
            result[place, d] = best(every)
            share = (every == best(every)) / np.sum(every == best(every)) * u[place, d]
            by_v[which, d] = share[: len(which)]
            by_x[place, d] = share[len(which)] if include_self else 0
    np.testing.assert_array_equal(found.numpy(), result)
    for item in a.grad.schedule(b.grad):
        ranges = [n for n in item.ast.toposort() if n.op is Ops.RANGE]
        assert PLACES not in [n.size for n in ranges if n.arg[1] == "reduce"]
        sums = [n for n in item.ast.toposort() if n.op is Ops.REDUCE]
        walks = [scatter.walk_over_values(end) for end in item.ast.src if sums]
        assert None not in walks
    np.testing.assert_allclose(a.grad.numpy(), by_x, rtol=1e-6)
    np.testing.assert_allclose(b.grad.numpy(), by_v, rtol=1e-6)


@pytest.mark.parametrize("include_self", [True, False])
def test_a_factor_of_a_place_has_the_product_of_the_others(include_self, rng):
    """With a zero at a place, and with two; each value is looked at once."""
    x, v = (rng.uniform(0.5, 2, (size, 3)) for size in (PLACES, VALUES))
    at = np.sort(rng.integers(5, PLACES, VALUES))[:, None].repeat(3, 1)
    v[[0, 9, 10], 1], x[at[20, 0]] = 0, 0
    u = rng.standard_normal(x.shape)
    a, b = (Tensor(n, requires_grad=True).realize() for n in (x, v))
    found = a.scatter_reduce(0, Tensor(at), b, "prod", include_self=include_self)
    (found * Tensor(u)).sum().backward()
    by_x, by_v = u.copy(), np.zeros_like(v)
    for place, d in np.ndindex(*x.shape):
        which = np.flatnonzero(at[:, 0] == place)
        if len(which):
            every = np.append(v[which, d], x[place, d] if include_self else [])
            others = np.array([np.delete(every, i).prod() for i in range(len(every))]) * u[place, d]
            by_v[which, d] = others[: len(which)]
            by_x[place, d] = others[len(which)] if include_self else 0
    for item in a.grad.schedule(b.grad):
        sums = [n for n in item.ast.toposort() if n.op is Ops.REDUCE]
        assert None not in [scatter.walk_over_values(end) for end in item.ast.src if sums]
    np.testing.assert_allclose(a.grad.numpy(), by_x, rtol=1e-12)
    np.testing.assert_allclose(b.grad.numpy(), by_v, rtol=1e-12)


def test_slopes_of_slopes_of_products_of_places(rng):
    x, v, at = rng.uniform(0.5, 2, 5), rng.uniform(0.5, 2, 9), rng.integers(0, 5, 9)
    v[3], (first, second) = 0, rng.standard_normal((2, 9))

    def slope(values):
        y = Tensor(values, requires_grad=True)
        return y, Tensor(x).scatter_reduce(0, Tensor(at), y, "prod").sum().gradient(y)[0]

    y, by_v = slope(v)
    (found,) = (by_v * Tensor(first)).sum().gradient(y)
    ends = [(slope(v + step * second)[1].numpy() * first).sum() for step in (1e-6, -1e-6)]
    assert (found.numpy() * second).sum() == pytest.approx((ends[0] - ends[1]) / 2e-6, 1e-6)


def test_what_goes_nowhere_has_no_gradient():
    source = Tensor([1.0, 2.0, 5.0], requires_grad=True)
    found = Tensor.zeros(3).scatter_reduce(0, Tensor([0, -5, 7]), source, "amax")
    found.sum().backward()
    assert (found.tolist(), source.grad.tolist()) == ([1, 0, 0], [1, 0, 0])


def test_positions_on_two_axes_go_to_one_place(rng):
    x, g = rng.random((40, 3, 50), dtype="f"), rng.random((3, 200), dtype="f")
    a, b = rng.integers(-40, 40, 200), rng.integers(0, 50, 200)
    b[:3], a[:3] = 7, -40
    expected = np.moveaxis(x, 1, 0).copy()
    for row, value in zip(expected, g, strict=True):
        np.add.at(row, (a, b), value)
    key = (Tensor(a), slice(None), Tensor(b))
    y = Tensor(x)
    (found,) = (y[key] * Tensor(g.T.copy())).sum().gradient(y)
    np.testing.assert_allclose(np.moveaxis(found.numpy() + x, 1, 0), expected, rtol=2e-6, atol=2e-6)


def test_the_last_of_several_writers_wins(rng):
    x, g = rng.random((PLACES, WIDTH), dtype="f"), rng.random((VALUES, WIDTH), dtype="f")
    at = rng.integers(-PLACES, PLACES, VALUES)
    at[-3:] = at[0]
    expected = x.copy()
    expected[at] = g
    found = Tensor(x)
    found[Tensor(at)] = Tensor(g)
    np.testing.assert_array_equal(found.numpy(), expected)
    np.testing.assert_array_equal(Tensor(x).index_put((Tensor(at),), Tensor(g)).numpy(), expected)


@pytest.mark.parametrize("width", [1, 48, 67])
def test_rows_that_are_written_in_place_leave_the_others_alone(width, rng):
    """A second write finds what the first one left, and so does a read between them."""
    x = rng.random((PLACES, width), dtype="f")
    table, expected = Tensor(x).realize(), x.copy()
    for step in range(2):
        at = rng.integers(-PLACES, PLACES, 40)
        at[-1] = at[0]
        new = rng.random((40, width), dtype="f")
        before = table + step
        table[Tensor(at)] = Tensor(new) + table[Tensor(at)]
        np.testing.assert_array_equal(before.numpy(), expected + np.float32(step))
        expected[at] = new + expected[at]
        np.testing.assert_array_equal(table.numpy(), expected)


def test_what_rows_keep_is_not_stored():
    b, i = axis(40, 0), axis(48, 1)
    place = param(0, 40 * 48).index(b * 48 + i)
    kept = param(1, 40, dtypes.i32).index(b) < 0
    kernel = UOp.sink(place.store(kept.where(place, UOp.const(dtypes.f32, 2.0))).end(b, i))
    (nest,) = walked(kernel).src
    assert nest.src[0].src[1] is UOp.const(dtypes.f32, 2.0)
    out = np.arange(40 * 48, dtype=np.float32)
    last = np.where(np.arange(40) % 7 == 0, 3, -1).astype(np.int32)
    expected = np.where(last[:, None] < 0, out.reshape(40, 48), 2.0)
    graphs = dict(lowering_stages(kernel, "C"))
    for name in ("scatter", "axes", "gates", "linearize"):
        found = out.copy()
        run_kernel(graphs[name], [found, last])
        np.testing.assert_array_equal(found.reshape(40, 48), expected, err_msg=name)
    each = param(1, 40, dtypes.i32).index(b) < i.cast(dtypes.i32)
    mixed = UOp.sink(place.store(each.where(place, UOp.const(dtypes.f32, 2.0))).end(b, i))
    assert walked(mixed) is mixed, "neighbours differ"


def test_an_update_by_the_gradient_of_an_embedding(rng):
    weight, g = rng.random((PLACES, WIDTH), dtype="f"), rng.random((VALUES, WIDTH), dtype="f")
    at = rng.integers(0, PLACES, VALUES)
    at[::3] = 11
    table = Tensor(weight)
    (gradient,) = (Tensor(at).embedding(table) * Tensor(g)).sum().gradient(table)
    expected = np.zeros_like(weight)
    np.add.at(expected, at, g)
    np.testing.assert_array_equal(gradient.numpy(), expected)
    new = table - gradient * 0.5
    np.testing.assert_array_equal(new.numpy(), weight - expected * np.float32(0.5))


@pytest.mark.parametrize(("places", "values"), [(0, 0), (1, 0), (1, 1), (1, 500), (500, 1)])
def test_sizes_without_or_with_one_place_or_value(places, values, rng):
    x, g = rng.random((places, 3), dtype="f"), rng.random((values, 3), dtype="f")
    at = rng.integers(0, max(1, places), values)
    expected = x.astype(np.float64)
    np.add.at(expected, at, g)
    found = Tensor(x).index_put((Tensor(at),), Tensor(g), accumulate=True)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_random_scatters_are_those_of_the_interpreter(data):
    draw = data.draw
    shape = [draw(st.sampled_from([1, 2, 5])) for _ in range(draw(st.integers(0, 2)))]
    dim = draw(st.integers(0, len(shape)))
    places, values = (draw(st.sampled_from([33, 64, 200, 301])) for _ in range(2))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    kind = draw(st.sampled_from(["i4", "u1", "f4", "f2"]))
    x = rng.integers(0, 5, [*shape[:dim], places, *shape[dim:]]).astype(kind)
    source = rng.integers(0, 5, [*shape[:dim], values, *shape[dim:]]).astype(kind)
    at = rng.integers(-places - 2, places + 2, source.shape)
    how = draw(st.sampled_from(["sum", "prod", "amax", "amin", None]))
    found = []
    for device in ("C", "INTERP"):
        tensors = [Tensor(a, device=device) for a in (x, at, source)]
        args = (dim, tensors[1], tensors[2])
        result = tensors[0].scatter_reduce(*args, how) if how else tensors[0].scatter(*args)
        found.append(result.numpy())
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_gradients_of_gather_and_sums_by_place_along_each_axis(dim, rng):
    """Large enough for threads, with rows that are no whole vectors."""
    shape = [37, 61, 67]
    x, g = (rng.integers(0, 9, shape).astype(np.float32) for _ in range(2))
    at = rng.integers(0, shape[dim], shape)
    where = list(np.indices(shape))
    where[dim] = at
    expected = x.copy()
    np.add.at(expected, tuple(where), g)
    found = Tensor(x).scatter_add(dim, Tensor(at), Tensor(g))
    np.testing.assert_array_equal(found.numpy(), expected)
    y = Tensor(x, requires_grad=True)
    (y.gather(dim, Tensor(at)) * Tensor(g)).sum().backward()
    np.testing.assert_array_equal(y.grad.numpy(), expected - x)


def test_positions_that_are_repeated_along_other_axes_are_no_rows_of_their_own(rng):
    g = rng.integers(0, 9, (600, 96)).astype(np.float32)
    at = rng.integers(0, 300, 600)
    expected = np.zeros((300, 96), np.float32)
    np.add.at(expected, at, g)
    spread = Tensor(at).reshape(-1, 1).expand(600, 96)
    found = Tensor.zeros(300, 96).scatter_add(0, spread, Tensor(g))
    np.testing.assert_array_equal(found.numpy(), expected)


def test_a_place_and_what_else_has_to_hold_are_found_under_repeats() -> None:
    """The gradient of rows picked where a mask of rows holds: still a walk, not a look at all."""
    rng = np.random.default_rng(2)
    at, mask = rng.integers(0, 300, 256), rng.random(256) < 0.5
    given = rng.standard_normal((256, 64)).astype(np.float32)
    weight = Tensor(np.zeros((300, 64), np.float32), requires_grad=True)
    keep = Tensor(mask).reshape(256, 1)
    value = keep.where(weight[Tensor(at)], 0) * Tensor(given)
    (found,) = value.sum().gradient(weight)
    expected = np.zeros((300, 64))
    np.add.at(expected, at[mask], given[mask])
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-5)


def test_largest_ones_that_are_added_are_collected_at_each_place():
    kernel = collecting(64, 4, 200, Ops.MAX)
    end = kernel.src[0]
    target, total = end.src[0].src
    kernel = UOp.sink(target.store(target + total).end(*end.src[1:]))
    assert reductions(walked(kernel))
