"""In which dtype reductions and products are accumulated, and what they give."""

from __future__ import annotations

import numpy as np
import pytest
from render_tools import awkward, same_bits

from rulewright import Tensor, dtypes
from rulewright.errors import DTypeError

ALL = dtypes.all()
FLOATS = [k for k in ALL if k.is_float]
NARROW = [k for k in FLOATS if k.bits < 32]
INTS = [k for k in ALL if k.is_int]
DEVICES = ["C", "INTERP", "OPENCL"]

# torch: sum, prod and cumsum of bool and integers are int64, of floats their own dtype; max keeps
# the dtype; argmax is int64; any and all are bool. Ours beside it: uint64 sums stay uint64, and
# what has real values is float32 of integers, where torch refuses.
GIVES = {
    "sum": lambda k: k if k.is_float or k is dtypes.u64 else dtypes.i64,
    "prod": lambda k: k if k.is_float or k is dtypes.u64 else dtypes.i64,
    "cumsum": lambda k: k if k.is_float or k is dtypes.u64 else dtypes.i64,
    "max": lambda k: k, "min": lambda k: k,
    "any": lambda k: dtypes.bool, "all": lambda k: dtypes.bool,
    "argmax": lambda k: dtypes.i64, "argmin": lambda k: dtypes.i64,
    "mean": lambda k: k if k.is_float else dtypes.f32,
    "var": lambda k: k if k.is_float else dtypes.f32,
    "std": lambda k: k if k.is_float else dtypes.f32,
    "logsumexp": lambda k: k if k.is_float else dtypes.f32,
    "softmax": lambda k: k if k.is_float else dtypes.f32,
}  # fmt: skip


def reduced(x: Tensor, method: str) -> Tensor:
    return x.cumsum(0) if method == "cumsum" else getattr(x, method)()


@pytest.mark.parametrize("kind", ALL, ids=lambda k: k.name)
def test_reductions_of_every_dtype(kind):
    data = np.array([0, 1, 1, 0, 1] if kind.is_bool else [3, 1, 2, 4, 1])
    wide = data.astype(np.float64)
    wanted = {
        "sum": data.sum(), "prod": data.prod(), "cumsum": data.cumsum(), "max": data.max(),
        "min": data.min(), "any": True, "all": not kind.is_bool, "argmax": data.argmax(),
        "argmin": data.argmin(), "mean": wide.mean(), "var": wide.var(ddof=1),
        "std": wide.std(ddof=1), "logsumexp": np.log(np.exp(wide).sum()),
        "softmax": np.exp(wide) / np.exp(wide).sum(),
    }  # fmt: skip
    for device in DEVICES:
        x = Tensor(data, dtype=kind, device=device)
        found = {method: reduced(x, method) for method in GIVES}
        Tensor.realize(*found.values())
        for method, tensor in found.items():
            result = GIVES[method](kind)
            assert tensor.dtype is result, (method, device)
            bound = 2 * dtypes.finfo(result).eps if result.is_float else 0
            np.testing.assert_allclose(
                tensor.numpy().astype(np.float64), np.float64(wanted[method]), rtol=bound,
                err_msg=f"{method} on {device}",
            )  # fmt: skip


@pytest.mark.parametrize("kind", ALL, ids=lambda k: k.name)
def test_devices_agree_on_extremes_of_edge_values(kind):
    values = awkward(kind)
    results = []
    for device in DEVICES:
        x, plain = (Tensor(v, device=device) for v in (values, values[values == values]))
        found = [plain.max(), plain.min(), x.max(), x.min(), x.argmax(), plain.argmin(), x.any()]
        if not kind.is_float:  # sums of edge values of floats hang on the order
            found += [x.sum(), x.prod(), x.cumsum(0)]
        Tensor.realize(*found)
        results.append([np.asarray(t.numpy()) for t in found])
    for other in (results[0], results[2]):
        for i, (mine, reference) in enumerate(zip(other, results[1], strict=True)):
            assert same_bits(mine, reference).all(), i
    highest = plain.max().item()
    assert highest == max(v.item() for v in values if v == v)


@pytest.mark.parametrize("device", ["C", "INTERP"])
@pytest.mark.parametrize("kind", NARROW, ids=lambda k: k.name)
def test_narrow_floats_are_summed_in_float32_and_rounded_once(kind, device):
    # so many ones that adding one more in the dtype itself would change nothing
    count = {"f16": 4096, "bf16": 512}.get(kind.name, 32)
    ones = Tensor(np.ones(count), dtype=kind, device=device)
    for total in (ones.sum(), ones.cumsum(0)[-1], ones.dot(ones), ones.reshape(1, -1).matmul(ones),
                  ones.reshape(1, 1, -1).conv2d(ones.reshape(1, 1, -1))):  # fmt: skip
        assert total.dtype is kind and total.item() == count
    assert ones.mean().item() == 1
    assert ones.sum(dtype="f64").dtype is dtypes.f64
    one = Tensor([1.0], dtype=kind, device=device, requires_grad=True)
    (one.expand(count) * ones).sum().backward()
    assert one.grad.dtype is kind and one.grad.item() == count


def test_a_sum_too_large_for_the_dtype_is_so_only_at_the_end():
    x = Tensor([6e4, 6e4, -6e4], dtype="f16")
    assert x.sum().item() == float(np.float16(6e4))
    assert x[:2].sum().item() == np.inf and x[:2].sum(dtype="f32").item() == 2 * 60000
    for kind in (dtypes.fp8e4m3, dtypes.fp8e4m3fnuz, dtypes.fp8e5m2fnuz):  # without infinities
        assert np.isnan(Tensor([kind.max, kind.max], dtype=kind).sum().item())
        assert Tensor([kind.max, kind.max, kind.min], dtype=kind).sum().item() == kind.max


@pytest.mark.parametrize("kind", INTS, ids=lambda k: k.name)
@pytest.mark.parametrize("device", ["C", "INTERP"])
def test_integers_are_multiplied_in_their_own_dtype_and_wrap_as_numpys(kind, device, rng):
    a, b = (np.frombuffer(rng.bytes(15 * kind.itemsize), kind.np) for _ in range(2))
    a, b = a.reshape(3, 5), b.reshape(5, 3)
    found = Tensor(a, device=device) @ Tensor(b, device=device)
    assert found.dtype is kind
    with np.errstate(all="ignore"):
        assert np.array_equal(found.numpy(), a @ b)
        narrow = Tensor(a, device=device).sum(0, dtype=kind)
        assert narrow.dtype is kind and np.array_equal(narrow.numpy(), a.sum(0, dtype=kind.np))
    wide = Tensor(a, device=device).sum(0)
    exact = a.astype(object).sum(0)
    span = 2**64
    low = [v % span - (span if v % span >= span // 2 and not wide.dtype.is_unsigned else 0)
           for v in exact]  # fmt: skip
    assert wide.tolist() == low


def test_dtype_of_a_sum_is_its_accumulator():
    x = Tensor([100, 100, 100], dtype="i8")
    assert x.sum().item() == 300 and x.sum(dtype="i8").item() == 44
    assert x.sum(dtype="f32").item() == 300.0 and x.prod(dtype="f16").dtype is dtypes.f16
    assert Tensor([0.6, 0.6]).sum(dtype="i32").item() == 0  # each is cast first
    with pytest.raises(DTypeError, match="a bool cannot hold a sum"):
        x.sum(dtype=bool)
    with pytest.raises(DTypeError, match="matmul: expected numbers, found bool"):
        Tensor([True]).matmul(Tensor([True]))


def test_products_of_two_dtypes():
    a, b = Tensor([[1, 2]], dtype="i8"), Tensor([[1.5], [2.0]], dtype="f16")
    assert (a @ b).dtype is dtypes.f16 and (a @ b).tolist() == [[5.5]]
    assert (a @ Tensor([[1], [1]], dtype="i32")).dtype is dtypes.i32
