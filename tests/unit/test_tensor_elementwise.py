"""Elementwise methods against numpy: values, dtypes, odd shapes, special values."""

import operator

import numpy as np
import pytest
from arrays import closeness
from pairs import in_turn

from rulewright import Tensor, dtypes
from rulewright.ir.ops import Ops

pytestmark = pytest.mark.usefixtures("quiet_numpy")

SHAPES = [(), (1,), (0,), (7,), (3, 5), (2, 0, 3), (1, 4, 1)]
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-30, np.inf, -np.inf, np.nan], np.float32)


close = closeness(2e-6, 1e-6)


def floats(rng, shape):
    return rng.normal(size=shape).astype(np.float32)


@pytest.mark.parametrize(("name", "shape"), in_turn(["add", "sub", "mul", "truediv"], SHAPES))
def test_arithmetic_is_numpys(rng, shape, name):
    op = getattr(operator, name)
    a, b = floats(rng, shape), floats(rng, shape) + 3
    found = op(Tensor(a), Tensor(b)).numpy()
    assert found.dtype == np.float32 and found.shape == shape
    close(found, op(a, b))


@pytest.mark.parametrize("shapes", [((3, 1), (1, 5)), ((5,), (3, 5)), ((), (2, 3)), ((0,), (1,)),
                                    ((2, 1, 3), (4, 1)), ((1,), (0, 1))])  # fmt: skip
def test_operands_broadcast(rng, shapes):
    a, b = (floats(rng, s) for s in shapes)
    found = (Tensor(a) + Tensor(b)).numpy()
    close(found, a + b)
    assert found.shape == (a + b).shape


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"])
def test_scalars_on_either_side(rng, name):
    op = getattr(operator, name)
    a = np.abs(floats(rng, (5,))) + 0.5
    close(op(Tensor(a), 3).numpy(), op(a, np.float32(3)), rtol=1e-5)
    close(op(3, Tensor(a)).numpy(), op(np.float32(3), a), rtol=1e-5)


@pytest.mark.parametrize(
    ("name", "dtype"),
    in_turn(
        ["add", "sub", "mul", "and_", "or_", "xor"], ["int8", "int32", "int64", "uint8", "uint16"]
    ),
)
def test_integers_wrap_as_numpys(rng, dtype, name):
    op, info = getattr(operator, name), np.iinfo(dtype)
    a, b = (rng.integers(info.min, info.max, 11, dtype, endpoint=True) for _ in range(2))
    found = op(Tensor(a), Tensor(b)).numpy()
    assert found.dtype == np.dtype(dtype)
    assert (found == op(a, b)).all()


def test_floor_division_and_remainder_have_pythons_signs():
    a = np.array([7, -7, 7, -7, 0, 5], np.int32)
    b = np.array([2, 2, -2, -2, 3, 7], np.int32)
    assert (Tensor(a) // Tensor(b)).tolist() == (a // b).tolist()
    assert (Tensor(a) % Tensor(b)).tolist() == (a % b).tolist()
    assert (Tensor(a) // 0).tolist() == [0] * 6
    assert (Tensor(a) % 0).tolist() == a.tolist()
    x = np.array([7.5, -7.5, 0.25], np.float32)
    close((Tensor(x) // 2).numpy(), x // 2)
    close((Tensor(x) % 2).numpy(), x % 2)


def test_shifts():
    a = np.array([1, -8, 77], np.int32)
    assert (Tensor(a) << 3).tolist() == (a << 3).tolist()
    assert (Tensor(a) >> 2).tolist() == (a >> 2).tolist()
    assert (Tensor(a) << 32).tolist() == [0, 0, 0]
    assert (Tensor(a) >> 40).tolist() == [0, -1, 0]
    assert (1 << Tensor([0, 4])).tolist() == [1, 16]


@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq", "ne"])
def test_comparisons_with_special_values(name):
    op = getattr(operator, name)
    a, b = SPECIAL[:, None], SPECIAL[None, :]
    found = op(Tensor(a), Tensor(b)).numpy()
    assert found.dtype == np.bool_
    assert (found == op(a, b)).all()
    assert (op(Tensor(SPECIAL), 0.5).numpy() == op(SPECIAL, np.float32(0.5))).all()


def test_maximum_and_minimum_keep_nan():
    a, b = np.meshgrid(SPECIAL, SPECIAL)
    np.testing.assert_array_equal(Tensor(a).maximum(Tensor(b)).numpy(), np.maximum(a, b))
    np.testing.assert_array_equal(Tensor(a).minimum(Tensor(b)).numpy(), np.minimum(a, b))


UNARY = {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2,
    "log10": np.log10, "log1p": np.log1p, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos,
    "tan": np.tan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "abs": np.abs,
    "sign": np.sign, "floor": np.floor, "ceil": np.ceil, "round": np.round, "trunc": np.trunc,
    "square": np.square, "reciprocal": lambda x: 1 / x, "rsqrt": lambda x: 1 / np.sqrt(x),
    "neg": np.negative, "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite,
}  # fmt: skip


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_number(rng, name):
    x = np.concatenate([floats(rng, 40) * 3, np.linspace(-2, 2, 9, dtype=np.float32), SPECIAL])
    found = getattr(Tensor(x), name)().numpy()
    expected = UNARY[name](x.astype(np.float64)).astype(np.float32)
    if found.dtype == np.bool_:
        assert (found == UNARY[name](x)).all()
    else:
        close(found, expected, rtol=6e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["exp", "sqrt", "sin", "log"])
def test_functions_of_integers_are_floats(name):
    found = getattr(Tensor([1, 2, 3]), name)()
    assert found.dtype is dtypes.f32
    close(found.numpy(), UNARY[name](np.array([1.0, 2, 3])), rtol=1e-6)


@pytest.mark.parametrize("device", ["C", "INTERP"])
@pytest.mark.parametrize("name", ["round", "ceil", "trunc"])
def test_what_is_rounded_to_zero_keeps_its_sign(name, device):
    numbers = np.array([-0.5, -0.3, -0.0, 0.0, 0.3, 0.5], np.float32)
    found = getattr(Tensor(numbers, device=device), name)().numpy()
    assert np.signbit(found[found == 0]).tolist() == np.signbit(numbers[found == 0]).tolist()


def test_rounding_leaves_integers_alone():
    for name in ("floor", "ceil", "round", "trunc"):
        assert getattr(Tensor([3, -4]), name)().tolist() == [3, -4]


def test_small_arguments_keep_their_precision():
    x = np.array([1e-7, -1e-6, 1e-4], np.float32)
    close(Tensor(x).log1p().numpy(), np.log1p(x.astype(np.float64)), rtol=1e-6, atol=0)
    close(Tensor(x).expm1().numpy(), np.expm1(x.astype(np.float64)), rtol=1e-6, atol=0)


POWERS = [0, 1, 2, 3, 4, 4.0, 5, 0.5, -0.5, -1, -2, 2.5]


@pytest.mark.parametrize("exponent", POWERS)
def test_powers_of_floats(rng, exponent):
    x = np.abs(floats(rng, (6,))) + 0.1
    close((Tensor(x) ** exponent).numpy(), x.astype(np.float64) ** exponent, rtol=1e-5)


@pytest.mark.parametrize("exponent", [2, 3, 4, -2, 4.0, -2.0])
def test_small_powers_are_products(exponent, rng):
    """Of numbers of either sign, at the ends of their range and beyond, with their slopes."""
    x = Tensor([0.0, 1.5, -2.5, np.inf, -np.inf, np.nan, 1e-13, 1e-20, 3e9], requires_grad=True)
    power = x**exponent
    assert all(node.op is not Ops.POW for node in power.uop.toposort())
    with np.errstate(all="ignore"):
        wide = x.numpy().astype(np.float64)
        close(power.numpy(), (wide**exponent).astype(np.float32), rtol=1e-6)
        power[1:3].sum().backward()
        close(x.grad.numpy()[1:3], exponent * wide[1:3] ** (exponent - 1), rtol=1e-6)


def test_powers_of_integers_stay_integers():
    a = np.array([2, -3, 7, 0, 1], np.int64)
    e = np.array([10, 3, 5, 0, 60], np.int64)
    found = Tensor(a) ** Tensor(e)
    assert found.dtype is dtypes.i64 and found.tolist() == (a**e).tolist()
    assert (Tensor(a) ** 4).tolist() == (a**4).tolist()
    assert (2 ** Tensor(e)).tolist() == (2**e).tolist()
    assert (Tensor([1, -1, 2]) ** Tensor([-3, -3, -1])).tolist() == [1, -1, 0]


ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "leaky_relu": lambda x: np.where(x < 0, 0.01 * x, x),
    "elu": lambda x: np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1),
    "selu": lambda x: (
        1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * (np.exp(np.minimum(x, 0)) - 1))
    ),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "logsigmoid": lambda x: -np.logaddexp(0, -x),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "softplus": lambda x: np.logaddexp(0, x),
    "mish": lambda x: x * np.tanh(np.logaddexp(0, x)),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "hardswish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "hardtanh": lambda x: np.clip(x, -1, 1),
    "quick_gelu": lambda x: x / (1 + np.exp(-1.702 * x)),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name):
    x = np.linspace(-9, 9, 37)
    found = getattr(Tensor(x.astype(np.float32)), name)().numpy()
    close(found, ACTIVATIONS[name](x), rtol=5e-6, atol=1e-6)


def test_gelu_in_both_forms():
    from math import erf

    x = np.linspace(-5, 5, 41)
    exact = np.array([0.5 * v * (1 + erf(v / 2**0.5)) for v in x])
    near = 0.5 * x * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)))
    close(Tensor(x.astype(np.float32)).gelu("none").numpy(), exact, atol=2e-6)
    close(Tensor(x.astype(np.float32)).gelu().numpy(), near, atol=2e-6)


def test_relu_keeps_nan_and_sigmoid_does_not_overflow():
    assert np.isnan(Tensor([float("nan")]).relu().item())
    assert Tensor([-1000.0, 1000.0]).sigmoid().tolist() == [0.0, 1.0]


def test_clip_lerp_and_masked_fill():
    x = np.array([-3, 0.5, 9, np.nan], np.float32)
    np.testing.assert_array_equal(Tensor(x).clip(-1, 2).numpy(), np.clip(x, -1, 2))
    np.testing.assert_array_equal(Tensor(x).clip(min=0).numpy(), np.maximum(x, 0))
    close(Tensor([0.0, 10.0]).lerp(Tensor([10.0, 20.0]), 0.25).numpy(), [2.5, 12.5])
    assert Tensor([1, 2, 3]).masked_fill(Tensor([True, False, True]), 9).tolist() == [9, 2, 9]


def test_a_bound_that_is_nan_gives_nan():
    x = np.array([1, np.nan, -np.inf, 3], np.float32)
    for bounds in ((np.nan, None), (None, np.nan), (0, np.nan), (np.nan, 0), (np.nan, np.inf)):
        wanted = np.clip(x, *bounds)
        np.testing.assert_array_equal(Tensor(x).clip(*bounds).numpy(), wanted)
        arrays = [None if b is None else np.array([b], np.float32) for b in bounds]
        np.testing.assert_array_equal(Tensor(x).clip(*arrays).numpy(), wanted)
    some = np.array([np.nan, 0, 1, 5], np.float32)
    np.testing.assert_array_equal(Tensor(x).clip(some).numpy(), np.clip(x, some, None))


@pytest.mark.parametrize("weight", [1, 1.0, 0.75, 0.5, 0.25, 0, -1])
def test_lerp_ends_at_its_ends(weight):
    start, end = np.float32([1e8, 3e7, 1, np.inf]), np.float32([1, -1e-8, np.inf, 5])
    wide = start.astype(float), end.astype(float)
    with np.errstate(invalid="ignore"):
        wanted = wide[0] + (wide[1] - wide[0]) * weight
        if abs(weight) >= 0.5:
            wanted = wide[1] - (wide[1] - wide[0]) * (1 - weight)
    for factor in (weight, Tensor([float(weight)])):
        result = Tensor(start).lerp(Tensor(end), factor).numpy()
        np.testing.assert_allclose(result, wanted, 1e-6)
    half = Tensor(1.5).half()
    assert half.lerp(half, weight).dtype is dtypes.f16


def test_where_chooses_and_promotes():
    c = Tensor([True, False, True])
    assert c.where(Tensor([1, 2, 3]), 0).tolist() == [1, 0, 3]
    assert c.where(1, 0).dtype is dtypes.i64
    assert c.where(1, 0.5).dtype is dtypes.f32
    found = c.where(Tensor([1, 2, 3], dtype="int8"), Tensor([1.5, 2.5, 3.5]))
    assert found.dtype is dtypes.f32 and found.tolist() == [1.0, 2.5, 3.0]
    assert c.reshape(3, 1).where(Tensor([1, 2]), Tensor([[7]])).shape == (3, 2)


def test_where_keeps_out_what_is_not_chosen():
    assert Tensor([True]).where(1.0, Tensor([float("nan")])).tolist() == [1.0]


def test_logic():
    a, b = Tensor([True, True, False, False]), Tensor([True, False, True, False])
    assert (a & b).tolist() == [True, False, False, False]
    assert (a | b).tolist() == [True, True, True, False]
    assert (a ^ b).tolist() == [False, True, True, False]
    assert (~a).tolist() == [False, False, True, True]
    assert (a + b).tolist() == [True, True, True, False]
    assert (a * b).tolist() == [True, False, False, False]
    assert Tensor([0, 2]).logical_not().tolist() == [True, False]
    assert Tensor([0, 2]).logical_or(Tensor([0.0, 0.0])).tolist() == [False, True]
    assert (~Tensor([0, 5], dtype="uint8")).tolist() == [255, 250]


# ---- dtypes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("bool", "int8", "int8"), ("int8", "uint8", "int16"), ("uint8", "int32", "int32"),
        ("int64", "float16", "float16"), ("float16", "bfloat16", "float32"),
        ("float32", "float64", "float64"), ("bool", "float16", "float16"),
        ("uint32", "int32", "int64"), ("uint64", "int64", "int64"),
    ],
)  # fmt: skip
def test_promotion_follows_the_lattice(a, b, expected):
    found = Tensor([1], dtype=a) + Tensor([1], dtype=b)
    assert found.dtype is getattr(dtypes, expected)
    assert (Tensor([1], dtype=b) * Tensor([1], dtype=a)).dtype is getattr(dtypes, expected)


def test_python_scalars_are_weak():
    assert (Tensor([1], dtype="int8") + 1).dtype is dtypes.i8
    assert (Tensor([1.0], dtype="float16") * 2.5).dtype is dtypes.f16
    assert (Tensor([1], dtype="int8") + 1.0).dtype is dtypes.f32
    assert (Tensor([True]) + 1).dtype is dtypes.i64
    assert (Tensor([1.0], dtype="float64") + 1).dtype is dtypes.f64
    assert (Tensor([2]) / 2).dtype is dtypes.f32


def test_numpy_scalars_are_weak_too():
    x = Tensor([1.0, 2.0])
    assert (x * np.float64(2)).dtype is dtypes.f32
    assert (np.sqrt(4.0) * x).dtype is dtypes.f32
    assert (Tensor([1], dtype="int8") + np.int64(3)).dtype is dtypes.i8
    assert (x ** np.float64(2)).dtype is dtypes.f32
    assert (x > 1).where(x, np.float64(0)).dtype is dtypes.f32
    assert (x + np.array([1.0, 2.0])).dtype is dtypes.f64


def test_casts_round_toward_zero_wrap_and_ask_for_zero():
    x = np.array([1.9, -1.9, 0.0, 255.0], np.float32)
    assert Tensor(x).int().tolist() == [1, -1, 0, 255]
    assert Tensor(x).bool().tolist() == [True, True, False, True]
    assert Tensor([300, -1]).cast("uint8").tolist() == [44, 255]
    assert Tensor([1]).float().dtype is dtypes.f32 and Tensor([1]).half().dtype is dtypes.f16
    assert Tensor([1]).double().dtype is dtypes.f64 and Tensor([1]).long().dtype is dtypes.i64


def test_bitcast_reads_the_same_bits():
    x = np.array([1.0, -2.5], np.float32)
    assert Tensor(x).bitcast("int32").tolist() == x.view(np.int32).tolist()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_narrow_floats_round_at_every_op(rng, dtype):
    kind = getattr(dtypes, dtype).np
    a, b = (floats(rng, (50,)).astype(kind) for _ in range(2))
    found = (Tensor(a) * Tensor(b) + Tensor(a)).numpy()
    expected = ((a * b).astype(kind) + a).astype(kind)
    assert found.dtype == kind
    assert (found == expected).all()
