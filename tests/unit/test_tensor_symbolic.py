"""Axes of symbolic size: each call is what numpy makes of the part that is bound, at every value.

Each is computed lazily, from memory, and by one jitted function that is called with all values.
"""

import numpy as np
import pytest

from rulewright import Device, Tensor, Variable, jit, nn
from rulewright.errors import PositionError, RulewrightError, ShapeError, UsageError, VariableError

A = np.arange(10)

# code over x, what is in memory, and i; it means the same of numpy's arrays but where a second
# code says what it is there
ONE = [
    "x[:i][-2:]", "x[:i][:-1]", "x[:i][-3:-1]", "x[:i][:-7]", "x[:i][-9:]", "x[:i][-1]", "x[:i][0]",
    "x[:i][1:4]", "x[:i][:20]", "x[:i][3:]", "x[:i][5:2]", "x[:i][2:-2]", "x[:i][-2:2]",
    "x[:i][::2]", "x[:i][1::3]", "x[:i][-4::2]", "x[:i][::-1]", "x[:i][::-3]", "x[:i][7:1:-2]",
    "x[:i][-2::-1]", "x[:i][:-3:-1]", "x[:i][2::-1]", "x[i:]", "x[-i:]", "x[:-i]", "x[i - 1]",
    "x[-i]", "x[i - 1:i]", "x[i:][-2:]", "x[::2][:3]", "x[:i][1:][:-1]", "x[:i][None, -1:]",
    "x[:i].sum()", "x[:i].max()", "x[:i].argmax()", "x[:i].cumsum(0)", "x[:i] @ x[:i]",
    "x[:i].reshape(i, 1) @ x[:i].reshape(1, i)", "x[:i].repeat(2) ; np.tile(x[:i], 2)",
    "x[:i].flip(0) ; x[:i][::-1]", "x[:i].roll(3) ; np.roll(x[:i], 3)",
    "x[:i].roll(-1) ; np.roll(x[:i], -1)", "x[:i].select(0, -1) ; x[i - 1]",
    "x[:i].narrow(0, -1, 1) ; x[i - 1:i]", "x[:i].pad(((0, 10 - i),)) ; np.pad(x[:i], (0, 10 - i))",
    "x[:i].pad((10 - i, i)) ; np.pad(x[:i], (10 - i, i))",
    "x[:i].pad((2, -1)) ; np.pad(x[:i - 1], (2, 0))",
    "x[:i].pad((0, 10 - i), value=7) ; np.pad(x[:i], (0, 10 - i), constant_values=7)",
    "x[:i].cat(x[i:]) ; x", "x[:i].cat(x[:3], x[:i]) ; np.concatenate([x[:i], x[:3], x[:i]])",
    "x[:i][[0, -1]]", "(x[:i].reshape(i, 1) + x[:i]).triu(1) ; np.triu(x[:i, None] + x[:i], 1)",
    "x[:i].expand(2, i)[1, -1:] ; x[i - 1:i]", "x[:i].isin(x[3:5]) ; np.isin(x[:i], x[3:5])",
    "(x[:i] * 7 % 10).sort()[0] ; np.sort(x[:i] * 7 % 10)",
    "(x[:i] % 3).argsort(descending=True) ; np.argsort(-(x[:i] % 3), kind='stable')",
    "(x[:i] * 7 % 10).topk(1)[0] ; np.sort(x[:i] * 7 % 10)[-1:]",
    "(x[:i] * 7 % 10).median() ; np.sort(x[:i] * 7 % 10)[(i - 1) // 2]",
    "(x[:i] * 7 % 10).float().quantile(0.5) ; np.median(x[:i] * 7 % 10)",
    "(x[:i].reshape(i, 1) * x[:6]).reshape(i, -1, 2) + x[:3].reshape(3, 1)",
    "(x[:i].reshape(i, 1) * x[:6]).reshape(2 * i, -1) * x[:3]",
    "(x[:i].reshape(i, 1) * x[:6]).reshape(-1, i)[-1]",
    "x[:i].reshape(i, 1).cdist(x[:3].reshape(3, 1)) ; abs(x[:i, None] - x[:3])",
]  # fmt: skip

TWO = [
    "(x[:i].reshape(i, 1) * x[:j]).reshape(j, -1) + x[:i]",
    "x[:i].cat(x[:j]) ; np.concatenate([x[:i], x[:j]])",
    "x[:i].cat(x[:j], x[:2], x[i:]) ; np.concatenate([x[:i], x[:j], x[:2], x[i:]])",
    "x[:i].expand(3, i).cat(x[:j].expand(3, j), dim=1)"
    " ; np.tile(np.concatenate([x[:i], x[:j]]), (3, 1))",
    "x[:i].reshape(i, 1) * x[:j]", "(x[:i].reshape(i, 1) * x[:j]).sum(0)",
    "(x[:i].reshape(i, 1) * x[:j]).T", "(x[:i].reshape(i, 1) * x[:j])[-1:, :-1]",
    "(x[:i].reshape(i, 1) * x[:j])[::-2, 1::2]", "(x[:i].reshape(i, 1) * x[:j]).flatten()",
    "(x[:i].reshape(i, 1) * x[:j]).pad(((0, 10 - i), (10 - j, 0)))"
    " ; np.pad(x[:i, None] * x[:j], ((0, 10 - i), (10 - j, 0)))",
    "x.repeat(2)[i:i + j] ; np.tile(x, 2)[i:i + j]",
]  # fmt: skip


def codes(line):
    ours, _, theirs = line.partition(" ; ")
    return ours, theirs or ours


def check(line, values, **bound):
    ours, theirs = codes(line)
    expected = np.asarray(eval(theirs, {"np": np, "x": A, **values}))
    tensors = [eval(ours, {"x": x, **bound}) for x in (Tensor.arange(10), Tensor(A.copy()))]
    Tensor.realize(*tensors)
    for found in (tensor.numpy() for tensor in tensors):
        assert found.shape == expected.shape, (values, found)
        np.testing.assert_array_equal(found, expected, str(values))
    return expected


@pytest.mark.parametrize("line", ONE)
def test_calls_are_numpys_at_every_value(line):
    step = jit(lambda x, i: eval(codes(line)[0], {"x": x, "i": i}).contiguous())
    for value in (5, 2, 3, 10, 1):
        i = Variable("i", 1, 10).bind(value)
        expected = check(line, {"i": value}, i=i)
        np.testing.assert_array_equal(step(Tensor(A.copy()), i).numpy(), expected, str(value))


@pytest.mark.parametrize("line", TWO)
def test_calls_of_two_variables_are_numpys(line):
    step = jit(lambda x, i, j: eval(codes(line)[0], {"x": x, "i": i, "j": j}).contiguous())
    for a, b in ((5, 3), (1, 1), (2, 7), (10, 10), (4, 4)):
        i, j = Variable("i", 1, 10).bind(a), Variable("j", 1, 10).bind(b)
        expected = check(line, {"i": a, "j": b}, i=i, j=j)
        np.testing.assert_array_equal(step(Tensor(A.copy()), i, j).numpy(), expected, f"{a}, {b}")


WRITES = ["t[2:] = 7", "t[2:] = t[2:] * 2", "t[:-1] = t[1:]", "t[1:-1] *= 3", "t[::2] = 5",
          "t[-3:] += 1", "t[0] = 3", "t[1:][:-1] = 4"]  # fmt: skip


@pytest.mark.parametrize("start", ["x[:i]", "x[:i] * 2", "x[1:i] + 1", "x[i:]", "x[1:][:i] * x[0]"])
@pytest.mark.parametrize("x", [Tensor.full((10,), 3), Tensor.arange(10), Tensor(A.copy()) * 1])
def test_writes_into_values_of_symbolic_size(x, start):
    for line in WRITES:
        for value in (5, 2, 9):
            found = {"x": x.to("INTERP"), "i": Variable("i", 1, 9).bind(value)}
            wanted = {"x": x.numpy(), "i": value}
            for names in (found, wanted):
                exec(f"t = {start}", names)
                if names is wanted:
                    names["t"] = names["t"].copy()
                exec(line, names)
            np.testing.assert_array_equal(found["t"].numpy(), wanted["t"], f"{line}, {value}")


@pytest.mark.parametrize("code", [
    "x[:i][-2:]", "x[:i][::2]", "x[:i][::-3]", "x[:i][:3]", "x[:i][-1]", "x[-i:]", "x[i - 1]",
    "x[:i].pad((0, 10 - i))", "x[:i].cat(x[i:], x[:i])", "x[:i].roll(1)",
])  # fmt: skip
def test_gradients_go_where_the_elements_came_from(code):
    for value in (1, 3, 10):
        x = Tensor(np.ones(10), requires_grad=True)
        eval(code, {"x": x, "i": Variable("i", 1, 10).bind(value)}).sum().backward()
        plain = Tensor(np.ones(10), requires_grad=True)
        eval(code, {"x": plain, "i": value}).sum().backward()
        assert x.grad.tolist() == plain.grad.tolist(), value


def test_attention_over_two_symbolic_lengths(rng):
    q, k = (rng.normal(size=(1, 10, 4)).astype("f4") for _ in range(2))
    for a, b in ((5, 3), (1, 10), (2, 7)):
        i, j = Variable("i", 1, 10).bind(a), Variable("j", 1, 10).bind(b)
        keys = Tensor(k)[:, :j]
        found = Tensor(q)[:, :i].scaled_dot_product_attention(keys, keys)
        scores = np.exp(q[:, :a] @ k[:, :b].swapaxes(1, 2) / 2)
        expected = scores / scores.sum(-1, keepdims=True) @ k[:, :b]
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("is_causal", [False, True])
def test_attention_to_no_keys_gives_zeros(is_causal, rng):
    """As it does where their number is known, and as queries do that see nothing."""
    q, k = (rng.normal(size=(1, 10, 4)).astype("f4") for _ in range(2))
    n = Variable("n", 0, 10)
    for size in (3, 0):
        query, keys = Tensor(q, requires_grad=True), Tensor(k)[:, : n.bind(size)]
        found = query.scaled_dot_product_attention(keys, keys, is_causal=is_causal)
        seen = np.tri(10, size, dtype=bool) | (not is_causal)
        weights = np.where(seen, np.exp(q @ k[:, :size].swapaxes(1, 2) / 2), 0)
        total = np.maximum(weights.sum(-1, keepdims=True), 1e-30)
        expected = weights / total @ k[:, :size]
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-6)
        assert np.isfinite(found.sum().gradient(query)[0].numpy()).all()


def test_sizes_that_add_up_are_known():
    """What is padded to a size, or cut and joined again, has a size that is no expression."""
    i = Variable("i", 1, 10).bind(5)
    x = Tensor.ones(10).contiguous()
    assert x[:i].pad(((0, 10 - i),)).shape == x[:i].pad((0, 10 - i)).shape == (10,)
    assert x[:i].cat(x[i:]).shape == (10,)
    assert x[:i][-1:].shape == (1,) and x[i - 1 : i].shape == (1,)


def test_what_is_known_of_a_size_holds_for_every_value():
    """A value that is bound is one of many: nothing is made simpler because of it."""
    i = Variable("i", 1, 10).bind(5)
    assert (i.vmin, i.vmax) == (1, 10)
    clamped = (i - 2).maximum(0).simplify()
    assert clamped is not (i - 2).simplify() and int(clamped) == 3
    assert (i.vmin, (i + 1 - i).simplify().vmin) == (1, 1)


def test_what_leaves_the_axis_is_refused():
    i, mixed = Variable("i", 1, 10).bind(2), Variable("n", -3, 3).bind(1)
    x = Tensor(A.copy())
    for code, error in (("x[:i][2]", PositionError), ("x[:i][-3]", PositionError),
                        ("x[i + 9]", PositionError), ("x[i:i + 9]", ShapeError),
                        ("x[:i].pad((0, -3))", ShapeError), ("x[n]", ShapeError),
                        ("x[n:]", ShapeError), ("x[:i][::0]", UsageError),
                        ("x[:i].topk(2)", ShapeError), ("x[:i].unique()", UsageError),
                        ("x[:i][::'a']", UsageError), ("x[:i][:1.5]", UsageError)):  # fmt: skip
        with pytest.raises(error):
            eval(code, {"x": x, "i": i, "n": mixed})
    with pytest.raises(ShapeError, match="lies between -3 and 3"):
        x[mixed:]


# code over x (n, 2, 6, 5) of which x[:i] is seen; the same of what numpy has cut is expected
WINDOWS = [
    "x.conv2d(w, padding=1)", "x.conv2d(w, stride=2, padding=(2, 1), dilation=2)",
    "x.conv_transpose2d(w, stride=2)", "x.max_pool2d(2)", "x.groupnorm(2)", "x.diagonal(1, 2, 3)",
    "x.avg_pool2d((3, 2), stride=1, padding=1, count_include_pad=False)", "x.sort(2)[0]",
    "x.pad((1, 2, 1, 0), mode='reflect')", "x.adaptive_avg_pool2d((3, 2))", "x.unfold(2, 3, 2)",
    "x.interpolate((4, 7))", "x.scatter_add(1, (x > 0).cast('i32'), x)", "x.topk(2, 3)[0]",
]  # fmt: skip
SLID = [  # over what moves along the symbolic axis
    "x.conv2d(w, padding=1)", "x.conv2d(w, padding=(2, 1), stride=(2, 1))", "x.max_pool2d(2)",
    "x.conv2d(w, padding=4, dilation=(3, 1))", "x.avg_pool2d((2, 2), stride=1, ceil_mode=False)",
    "x + x.conv2d(w, padding=1)", "x.conv2d(w[:, :, :1], stride=(4, 1))", "x.unfold(2, 2, 3)",
    "x.max_pool2d((3, 1), stride=2, padding=(1, 0))", "x.pad((0, 0, 1, 1), mode='replicate')",
    "x.pad((0, 0, 1, 1), mode='circular')", "x.pad((0, 0, 1, 1), mode='reflect')", "x.groupnorm(1)",
    "(x.square().sum((0, 1)) @ x[0, 0].T).diagonal(1)", "x[0, 0].diagonal(-1)",
]  # fmt: skip


@pytest.mark.parametrize("axis, code", [(0, c) for c in WINDOWS] + [(2, c) for c in SLID])
def test_windows_over_a_part_are_those_of_the_part_alone(axis, code, rng):
    x, w = (rng.normal(size=s).astype("f4") for s in ((6, 2, 6, 5), (2, 2, 3, 3)))
    whole, weights = Tensor(x), {d: Tensor(w, device=d).realize() for d in ("C", "INTERP")}

    def of(part):
        names = {"x": part.transpose(0, axis), "w": weights[part.device]}
        return eval(code, names).square().sum(-1)

    def masked(i):  # a symbolic size is no result: each element in a place of the longest
        value = of(whole[:i])
        return value.pad([(0, 9 - s if not isinstance(s, int) else 0) for s in value.shape])

    step = jit(lambda i: masked(i).realize())
    for value in (4, 3, 6, 2):
        found = step(Variable("i", 1, 6).bind(value)).numpy()
        expected = of(Tensor(x[:value], device="INTERP")).numpy()
        cut = found[tuple(slice(0, s) for s in expected.shape)]
        np.testing.assert_allclose(cut, expected, rtol=1e-4, atol=1e-5)
        assert np.count_nonzero(found) == np.count_nonzero(expected)


def test_a_window_that_does_not_fit_the_part_is_refused_when_it_is_bound():
    x, window = Tensor.ones(1, 1, 9), Tensor.ones(1, 1, 3)
    step = jit(lambda i: x[:, :, :i].conv1d(window).sum().realize())
    for value in (3, 5, 4):
        assert step(Variable("i", 1, 9).bind(value)).item() == 3 * (value - 2)
    with pytest.raises(RulewrightError):
        step(Variable("i", 1, 9).bind(2))
    with pytest.raises(ShapeError, match="a window of 3 does not fit in a padded size of i"):
        x[:, :, : Variable("i", 1, 9).bind(2)].conv1d(window)


DEVICES = pytest.mark.parametrize(
    "device", ["C", "INTERP", "OPENCL", "CUDA_EMULATED", "METAL_EMULATED"]
)


@DEVICES
def test_one_name_may_have_several_bounds(device):
    """As two programs have them that are put together: one kernel, where the values agree."""
    if Device.why_not(device):
        pytest.skip(Device.why_not(device))
    numbers = np.arange(8, dtype=np.float32)
    x = Tensor(numbers, device=device).realize()
    narrow, wide = Variable("n", 1, 4), Variable("n", 0, 8)
    for size in (3, 1, 4):
        both = x[: narrow.bind(size)].sum() * 10 + x[wide.bind(size) :].sum()
        assert both.item() == numbers[:size].sum() * 10 + numbers[size:].sum()
    with pytest.raises(VariableError, match="n is bound to 2 and to 3"):
        (x[: narrow.bind(2)].sum() + x[: wide.bind(3)].sum()).item()


def test_powers_of_variables_are_sizes_and_operands():
    x, n = Tensor(np.arange(100.0)), Variable("n", 1, 10)
    for value in (1, 4, 10):
        i = n.bind(value)
        assert x[: i**2].sum().item() == np.arange(value**2).sum()
        assert (i ** Tensor([2.0])).item() == (Tensor([1.0]) * i**2).item() == value**2


def test_a_symbolic_count_is_refused_in_words():
    with pytest.raises(ShapeError, match=r"expected k from 0 to 5, .*, found n \+ 1$"):
        Tensor.arange(5).topk(Variable("n", 1, 3).bind(2) + 1)


@DEVICES
def test_a_symbolic_size_may_be_none(device):
    if Device.why_not(device):
        pytest.skip(Device.why_not(device))
    numbers = np.arange(72, dtype=np.float32).reshape(9, 8)
    x, n = Tensor(numbers, device=device).realize(), Variable("n", 1, 9)
    for size in (4, 1, 9, 1):
        part = x[1 : n.bind(size)]
        np.testing.assert_array_equal((part * 2).numpy(), numbers[1:size] * 2)
        np.testing.assert_array_equal(part.sum(0).numpy(), numbers[1:size].sum(0))
        np.testing.assert_array_equal(part.sum(1).numpy(), numbers[1:size].sum(1))


def test_a_size_left_to_be_computed_is_without_factors_that_both_have():
    n, m = Variable("n", 1, 9).bind(5), Variable("m", 0, 4).bind(2)
    x, y = Tensor.zeros(9, 4, 6)[:n], Tensor.zeros(9, 4, 6)[:n, :m]
    assert x.reshape(n, -1).shape == x.reshape(n, -1, 1).shape[:2] == (n, 24)
    assert x.reshape(-1, n).shape == (24, n)
    assert x.reshape(n * 8, -1).shape[1] == 3
    assert x.reshape(n, -1, 3).unflatten(1, (-1, 4)).shape == (n, 2, 4, 3)
    assert y.reshape(m, n, -1).shape == (m, n, 6)
    assert y.reshape(n * m, -1, 2).shape[1] == 3
    assert Tensor.zeros(9, 6)[: n + 1].reshape(n + 1, 2, -1).shape[1:] == (2, 3)
    assert Tensor.zeros(18, 6)[: n * 2].reshape(n, -1).shape == (n, 12)
    with pytest.raises(ShapeError, match=r"n \* 24 elements do not divide .* of \(n, -1, 7\)"):
        x.reshape(n, -1, 7)
    with pytest.raises(ShapeError, match=r"n \* 24 elements do not divide .* of \(n, 0, -1\)"):
        x.reshape(n, 0, -1)
    assert Tensor.zeros(9, 0)[:n].reshape(n, -1).shape == (n, 0)
    layer = nn.Linear(24, 2)
    numbers = np.arange(9 * 24, dtype=np.float32).reshape(9, 4, 6) / 100
    expected = numbers[:5].reshape(5, 24) @ layer.weight.numpy().T + layer.bias.numpy()
    result = layer(Tensor(numbers)[:n].reshape(n, -1))
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-5, atol=1e-5)


def test_no_elements_have_no_middle_no_quantile_and_no_covariance():
    numbers, n = np.arange(12.0).reshape(4, 3) ** 2, Variable("n", 0, 4)
    calls = {
        "nanmedian": lambda x: x.nanmedian(0)[0],
        "quantile": lambda x: x.quantile(0.25, 0),
        "nanquantile": lambda x: x.nanquantile(0.25, dim=0, keepdim=True),
        "cov": lambda x: x.T.cov(),
    }
    expected = {
        "nanmedian": lambda x: np.quantile(x, 0.5, 0, method="lower"),
        "quantile": lambda x: np.quantile(x, 0.25, 0),
        "nanquantile": lambda x: np.quantile(x, 0.25, 0, keepdims=True),
        "cov": lambda x: np.cov(x.T) if len(x) > 1 else np.full((3, 3), np.nan),
    }
    step = jit(lambda x: [call(x) for call in calls.values()])
    for size in (4, 0, 1, 3, 0):
        results = step(Tensor(numbers)[: n.bind(size)])
        for result, (name, value) in zip(results, expected.items(), strict=True):
            known = value(numbers[:size]) if size else np.full(result.shape, np.nan)
            np.testing.assert_allclose(result.numpy(), known, err_msg=f"{name} of {size}")
    none = Tensor(numbers)[: n.bind(0)]
    assert np.isnan([none.nanmedian().item(), none.quantile(0.5).item()]).all()
    with pytest.raises(PositionError, match=r"axis 0 of shape \(n, 3\) may be empty; give its var"):
        none.median(0)
