"""Axes of symbolic size: each call is what numpy makes of the part that is bound, at every value.

Each is computed lazily, from memory, and by one jitted function that is called with all values.
"""

import numpy as np
import pytest

from rulewright import Tensor, Variable, jit
from rulewright.errors import PositionError, ShapeError, UsageError

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
    "x[:i].expand(2, i)[1, -1:] ; x[i - 1:i]",
]  # fmt: skip

TWO = [
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
                        ("x[:i][::'a']", UsageError), ("x[:i][:1.5]", UsageError)):  # fmt: skip
        with pytest.raises(error):
            eval(code, {"x": x, "i": i, "n": mixed})
    with pytest.raises(ShapeError, match="lies between -3 and 3"):
        x[mixed:]
