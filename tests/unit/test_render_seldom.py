"""Long computations that few lanes need stand where all others skip them."""

import numpy as np
import pytest
from codegen_kernels import axis, inputs, param, same

from rulewright import Tensor, jit
from rulewright.codegen.lower import lower_kernel, lowering_stages
from rulewright.interp import run_kernel
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.render import target

BLOCK = "if (__builtin_expect("
FAR = [4e3, -1e6, 1e20, -3e38, np.inf, -np.inf, np.nan]


def angles(size, rng, far=0.1):
    """Numbers of which a part is beyond 3200, where circular functions take other steps."""
    near = rng.uniform(-3200, 3200, size).astype(np.float32)
    return np.where(rng.random(size) < far, rng.choice(FAR, size), near).astype(np.float32)


def circular(function, x):
    with np.errstate(invalid="ignore"):
        return function(x.astype(np.float64)).astype(np.float32)


def source(*results):
    (call,) = Tensor.schedule(*results)
    return call.lower().source


def powers(x, count, kind="f64"):
    """A chain of products that serves one choice, of wider numbers."""
    y = x.cast(kind)
    for k in range(count):
        y = y * y * 0.5 + (k + 1) / 128
    return y.cast(x.dtype)


@pytest.mark.parametrize("size", [1, 16, 79, 1000])
@pytest.mark.parametrize("name", ["sin", "cos"])
def test_far_and_near_numbers_beside_each_other(name, size, rng):
    x = angles(size, rng)
    expected = circular(getattr(np, name), x)
    np.testing.assert_allclose(getattr(Tensor(x), name)().numpy(), expected, rtol=2.4e-7)


@pytest.mark.parametrize("place", range(18))
def test_each_lane_alone_may_be_far(place):
    x = np.linspace(-3, 3, 35, dtype=np.float32)
    x[place] = 1e10
    np.testing.assert_allclose(Tensor(x).sin().numpy(), circular(np.sin, x), rtol=2.4e-7)


def test_around_where_far_begins():
    x = np.float32(3200) + np.arange(-600, 600, dtype=np.float32) * np.float32(2**-12)
    for signed in (x, -x):
        for function in (np.sin, np.cos):
            ours = getattr(Tensor(signed), function.__name__)().numpy()
            np.testing.assert_allclose(ours, circular(function, signed), rtol=2.4e-7)


@pytest.mark.parametrize("target_name", ["C", "C_AVX2", "C_SSE", "C_NEON"])
def test_each_stage_means_the_same(target_name, rng):
    i = axis(131, 0)
    x = param(1, 131).index(i)
    value = x.alu(Ops.SIN) + x.alu(Ops.COS)
    kernel = UOp.sink(param(0, 131).index(i).store(value).end(i))
    memories = inputs(kernel, rng)
    memories[1][:] = angles(131, rng)
    x = memories[1].astype(np.float64)
    with np.errstate(invalid="ignore"):
        expected = np.sin(x).astype(np.float32) + np.cos(x).astype(np.float32)
    for name, graph in lowering_stages(kernel, target_name):
        run = [np.copy(a) for a in memories]
        run_kernel(graph, run)
        same(run[0], expected, name)


def test_one_block_serves_the_choices_of_one_condition():
    x = Tensor(np.zeros(256, np.float32))
    for result in (x.sin(), x.sin() + x.cos()):
        vectors = source(result).count("*)&data0[")
        assert source(result).count(BLOCK) == vectors > 0


@pytest.mark.parametrize("bound", [0.9, -0.9])
@pytest.mark.parametrize("yes, no", [(60, 0), (0, 60), (60, 55)])
def test_a_block_runs_for_either_side(bound, yes, no, rng):
    x = rng.uniform(-1, 1, 1003).astype(np.float32)
    result = (Tensor(x) < bound).where(powers(Tensor(x), yes), powers(Tensor(x), no))
    assert BLOCK in source(result)
    sides = (powers(Tensor(x), count).numpy() for count in (yes, no))
    np.testing.assert_array_equal(result.numpy(), np.where(x < bound, *sides))


def test_a_choice_in_what_is_chosen_seldom(rng):
    x = rng.uniform(-1, 1, 1000).astype(np.float32)
    t = Tensor(x)
    inner = (t < -0.5).where(powers(t, 60), t * 2)
    result = (t < 0.5).where(powers(inner, 55), t)
    inner = np.where(x < -0.5, powers(t, 60).numpy(), x * 2)
    expected = np.where(x < 0.5, powers(Tensor(inner), 55).numpy(), x)
    np.testing.assert_array_equal(result.numpy(), expected)


@pytest.mark.parametrize("count", [3, 8, 36])
def test_choices_in_choices_in_choices(count, rng):
    """Blocks stand in each other to some depth, and what is deeper belongs to the last."""
    x = rng.uniform(-1, 1, 259).astype(np.float32)
    bounds = np.linspace(-0.9, 0.9, count)
    result, expected = Tensor(x), x
    for bound in bounds:
        result = (Tensor(x) < bound).where(powers(result, 26), result)
        expected = np.where(x < bound, powers(Tensor(expected), 26).numpy(), expected)
    assert BLOCK in source(result)
    np.testing.assert_array_equal(result.numpy(), expected)


def test_an_inner_block_reads_what_comes_after_the_first_choice(rng):
    """The block around it cannot stand before that choice then."""
    x, y = (rng.uniform(-1, 1, 300).astype(np.float32) for _ in range(2))

    def results(x, y, where):
        first = where(x < 0.5, powers(x, 52), x)
        late = powers(y, 4) + first
        inner = where(y < 0.2, powers(x - late, 55), y)
        return where(x < 0.5, powers(inner, 53), late), late

    def choose(condition, yes, no):
        return condition.where(yes, no)

    def chosen(condition, yes, no):
        return Tensor(np.where(condition.numpy(), yes.numpy(), no.numpy()))

    whole, late = results(Tensor(x), Tensor(y), choose)
    expected = [t.numpy() for t in results(Tensor(x), Tensor(y), chosen)]
    Tensor.realize(whole, late)
    np.testing.assert_array_equal(whole.numpy(), expected[0])
    np.testing.assert_array_equal(late.numpy(), expected[1])


def test_one_condition_in_two_loops(rng):
    x = rng.uniform(-1, 1, (40, 64)).astype(np.float32)
    lanes = Tensor(x) < 0.9
    total = lanes.where(powers(Tensor(x), 52), 0.0).sum(1, keepdim=True)
    result = lanes.where(powers(Tensor(x), 55) + total, total)
    yes, no = powers(Tensor(x), 52).numpy(), powers(Tensor(x), 55).numpy()
    sums = np.where(x < 0.9, yes, np.float32(0)).sum(1, keepdims=True, dtype=np.float64)
    np.testing.assert_allclose(result.numpy(), np.where(x < 0.9, no + sums, sums), rtol=1e-5)


def test_what_others_need_too_is_computed_once_for_all(rng):
    x = rng.uniform(-1, 1, 512).astype(np.float32)
    long = powers(Tensor(x), 60)
    result = (Tensor(x) < 0).where(long, 1.0) + long
    assert BLOCK not in source(result)
    expected = np.where(x < 0, long.numpy(), np.float32(1)) + long.numpy()
    np.testing.assert_array_equal(result.numpy(), expected)


def test_what_is_short_or_no_wider_has_no_block():
    x = Tensor(np.zeros(64, np.float32))
    assert BLOCK in source((x < 0).where(powers(x, 60), x))
    assert BLOCK not in source((x < 0).where(powers(x, 3), x))
    assert BLOCK not in source((x < 0).where(powers(x, 60, "f32"), x))


def test_products_of_long_integers_have_a_block_though_they_are_no_wider():
    """As those of large angles of f64 are."""
    x = Tensor(np.zeros(64))
    y = x.bitcast("u64")
    for k in range(30):
        y = y * (2 * k + 3) ^ (y >> 7)
    assert BLOCK in source((x < 0).where(y.bitcast("f64"), x))
    assert BLOCK not in source((x < 0).where(powers(x, 60), x))


def test_targets_that_have_no_such_text_compute_both(rng):
    i = axis(64, 0)
    kernel = UOp.sink(param(0, 64).index(i).store(param(1, 64).index(i).alu(Ops.SIN)).end(i))
    assert not target("WEBGPU").has_text("seldom")
    assert BLOCK not in lower_kernel(kernel, "WEBGPU").source


@pytest.mark.parametrize("size", [33, 128, 1000])
def test_in_place_and_again(size, rng):
    @jit
    def step(x):
        x.assign(x.sin() * 4000)

    start = angles(size, rng, far=0.2)
    start = np.where(np.isfinite(start), start, 5e3).astype(np.float32)
    x = Tensor(start).realize()
    for _ in range(4):
        expected = Tensor(x.numpy()).sin().numpy() * np.float32(4000)
        step(x)
        np.testing.assert_array_equal(x.numpy(), expected)


def test_a_part_is_written_from_its_neighbours(rng):
    start = angles(1001, rng)
    x = Tensor(start).realize()
    x[1:] = x[:-1].cos()
    expected = np.concatenate([start[:1], Tensor(start[:-1]).cos().numpy()])
    np.testing.assert_array_equal(x.numpy(), expected)


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f64"])
def test_other_floats(dtype, rng):
    x = Tensor(rng.uniform(-3e4, 3e4, 517).astype(np.float32)).cast(dtype)
    expected = np.sin(x.cast("f64").numpy())
    digits = {"f16": 1e-3, "bf16": 8e-3, "f64": 1e-15}[dtype]
    np.testing.assert_allclose(
        x.sin().cast("f64").numpy(), expected, rtol=digits, atol=digits if dtype != "f64" else 0
    )


def test_sums_of_far_angles(rng):
    x = np.where(rng.random((37, 130)) < 0.1, 1e9, rng.uniform(-9, 9, (37, 130)))
    x = x.astype(np.float32)
    for axes in (0, 1, None):
        expected = np.sin(x.astype(np.float64)).sum(axes)
        np.testing.assert_allclose(Tensor(x).sin().sum(axes).numpy(), expected, atol=2e-4)
