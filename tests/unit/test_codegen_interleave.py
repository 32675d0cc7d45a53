"""Long computations of several vectors, written side by side."""

import numpy as np
import pytest
from codegen_kernels import axis, inputs, param, same

from rulewright import Tensor, jit
from rulewright.codegen.lower import lower_kernel, lowering_stages
from rulewright.interp import run_kernel
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.verify.validate.races import check_races


def elementwise(size, op=Ops.EXP):
    """`data[i] = op(other[i])` for so many elements."""
    i = axis(size, 0)
    return UOp.sink(param(0, size).index(i).store(param(1, size).index(i).alu(op)).end(i))


def steps(kernel, op=Ops.MAX):
    """Where ops of a kind on vectors stand among the lines of a kernel."""
    order = lower_kernel(kernel, "C").uops
    return [k for k, n in enumerate(order) if n.op is op and n.dtype.count > 1]


@pytest.mark.parametrize("size", [1, 16, 65, 79, 129, 176])
def test_each_stage_means_the_same(size, rng):
    kernel = elementwise(size)
    given = inputs(kernel, rng)
    for name, graph in lowering_stages(kernel, "C"):
        memories = [np.copy(a) for a in given]
        run_kernel(graph, memories)
        same(memories[0], np.exp(given[1].astype(np.float64)).astype(np.float32), name)
        check_races(graph)


def test_steps_of_several_vectors_come_in_turns():
    places = steps(elementwise(4096))
    assert len(places) == 4 and places == list(range(places[0], places[0] + 4))


def test_two_costly_ops_go_in_twos():
    i = axis(4096, 0)
    x = param(1, 4096).index(i)
    value = x.alu(Ops.EXP) + x.alu(Ops.LOG)
    places = steps(UOp.sink(param(0, 4096).index(i).store(value).end(i)))
    assert len(places) == 2


def test_what_is_cheap_stays_one_vector_at_a_time():
    assert len(steps(elementwise(4096, Ops.SQRT), Ops.SQRT)) == 1


@pytest.mark.parametrize("size", [33, 129, 1000])
def test_in_place_under_jit_and_again(size, rng):
    @jit
    def step(x):
        x.assign((x * 0.5).sigmoid())

    start = rng.standard_normal(size).astype(np.float32)
    x = Tensor(start).realize()
    expected = start.astype(np.float64)
    for _ in range(4):
        step(x)
        expected = 1 / (1 + np.exp(-0.5 * expected))
    np.testing.assert_allclose(x.numpy(), expected, rtol=2e-6)


def test_a_part_is_written_from_its_neighbours(rng):
    start = rng.standard_normal(1001).astype(np.float32)
    x = Tensor(start).realize()
    x[1:] = x[:-1].exp()
    expected = np.concatenate([start[:1], np.exp(start[:-1])])
    np.testing.assert_allclose(x.numpy(), expected, rtol=3e-7)


def test_several_results_of_one_loop(rng):
    data = rng.standard_normal((37, 130)).astype(np.float32)
    x = Tensor(data)
    results = x.exp(), x.tanh(), x.exp().sum(1)
    Tensor.realize(*results)
    expected = np.exp(data), np.tanh(data), np.exp(data.astype(np.float64)).sum(1)
    for result, numbers in zip(results, expected, strict=True):
        np.testing.assert_allclose(result.numpy(), numbers, rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize(
    ("method", "function", "bounds"),
    [("exp", np.exp, (-180.0, -104.0, -87.0, 89.0)), ("exp2", np.exp2, (-256.0, -150.0, 129.0))],
)
def test_exponentials_at_their_edges(method, function, bounds):
    edges = np.array([*bounds, 0.0, 1.0], np.float32)
    near = [np.nextafter(edges, np.float32(s * np.inf)) for s in (-1, 1)]
    odd = [np.float32(s) for s in (np.inf, -np.inf, np.nan, -0.0, 1e-45, 3e38, -3e38)]
    values = np.concatenate([edges, *near, odd, np.linspace(bounds[0], bounds[-1], 4001)])
    values = values.astype(np.float32)
    with np.errstate(over="ignore", under="ignore"):
        exact = function(values.astype(np.float64))
        expected = exact.astype(np.float32)
    found = getattr(Tensor(values), method)().numpy()
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(found[~finite], expected[~finite])
    ulp = np.spacing(np.maximum(expected[finite], np.finfo(np.float32).tiny))
    assert (np.abs(found[finite] - exact[finite]) <= 1.5 * ulp).all()


@pytest.mark.parametrize("dtype", [dtypes.f32, dtypes.f64])
@pytest.mark.parametrize("method", ["maximum", "minimum"])
def test_extremes_of_constants_and_of_nan(method, dtype):
    odd = [np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf, 1.0, -1.0, 89.0]
    left = np.repeat(np.array(odd), len(odd))
    right = np.tile(np.array(odd), len(odd))
    a, b = (Tensor(v.astype(dtype.name.replace("f", "float"))) for v in (left, right))
    function = getattr(np, method)
    np.testing.assert_array_equal(getattr(a, method)(b).numpy(), function(left, right))
    for number in (89.0, 0.0, float("nan"), float("-inf")):
        found = getattr(a, method)(number).numpy()
        np.testing.assert_array_equal(found, function(left, number))
