"""Whole tensor programs on the emulated GPU devices, against numpy and the interpreter."""

from __future__ import annotations

import numpy as np
import pytest
from emulated_kernels import DEVICES
from pairs import in_turn

from rulewright import Context, Tensor, Variable, dtypes, jit, nn
from rulewright.errors import DTypeError
from rulewright.nn.optim import SGD
from rulewright.runtime.profile import GlobalCounters

RNG = np.random.default_rng(7)
A = RNG.normal(size=(13, 37)).astype(np.float32)
B = RNG.normal(size=(37, 11)).astype(np.float32)
LONG = RNG.normal(size=(3, 1031)).astype(np.float32)
SQUARE = RNG.normal(size=(64, 64)).astype(np.float32)
IMAGES = RNG.normal(size=(2, 3, 7, 9)).astype(np.float32)
FILTERS = RNG.normal(size=(5, 3, 3, 3)).astype(np.float32)
INTS = RNG.integers(-1000, 1000, 331)
PLACES = RNG.integers(0, 13, (5, 37))

PROGRAMS = {
    "elementwise": lambda t: (t(A) * 2 + 1).relu() - t(A[:, :1]),
    "moved": lambda t: t(A).transpose(0, 1).pad(((1, 0), (0, 3))).flip(0)[:, ::2] + 1,
    "sum_of_all": lambda t: t(LONG).sum(),
    "long_rows": lambda t: t(LONG).sum(1),
    "columns": lambda t: t(LONG).max(0),
    "mean_and_variance": lambda t: t(LONG).var(1) + t(LONG).mean(1),
    "softmax": lambda t: t(LONG).softmax(-1),
    "cumulative": lambda t: t(A).cumsum(1),
    "matmul": lambda t: t(A) @ t(B),
    "square_matmul": lambda t: t(SQUARE) @ t(SQUARE).relu(),
    "half_matmul": lambda t: t(SQUARE).half() @ t(SQUARE).half(),
    "bfloat_matmul": lambda t: t(SQUARE).bfloat16() @ t(SQUARE).bfloat16(),
    "convolution": lambda t: t(IMAGES).conv2d(t(FILTERS), padding=1).relu(),
    "pooling": lambda t: t(IMAGES).max_pool2d((2, 3)),
    "attention": lambda t: t(IMAGES).scaled_dot_product_attention(t(IMAGES), t(IMAGES)),
    "argmax": lambda t: t(LONG).argmax(1),
    "sort": lambda t: t(LONG[:, :75]).sort()[0],
    "gather": lambda t: t(A).gather(0, t(PLACES)),
    "scatter": lambda t: (t(A) * 0).scatter_add(0, t(PLACES), t(A[:5])),
    "division": lambda t: t(INTS) // 7 + t(INTS) % 5,
    "narrow_integers": lambda t: t(INTS.astype(np.int8)) * t(INTS.astype(np.int8)),
    "unsigned": lambda t: t(INTS.astype(np.uint64)) >> 3,
    "comparison": lambda t: (t(A) < 0.5) & (t(A) > -0.5),
}  # fmt: skip


@pytest.mark.parametrize(("name", "device"), in_turn(PROGRAMS, DEVICES))
def test_a_program_gives_what_the_interpreter_gives(name, device):
    def on(where):
        return PROGRAMS[name](lambda array: Tensor(array, device=where))

    before = GlobalCounters.kernels_on[device]
    found, expected = on(device).numpy(), on("INTERP").numpy()
    assert GlobalCounters.kernels_on[device] > before
    assert found.dtype == expected.dtype and found.shape == expected.shape
    if expected.dtype.kind in "biu":
        np.testing.assert_array_equal(found, expected)
    else:
        near = 2e-5 if expected.dtype.itemsize > 2 else 1e-2
        wide = found.astype(np.float64), expected.astype(np.float64)
        np.testing.assert_allclose(*wide, rtol=near, atol=near * np.abs(wide[1]).max())


def test_doubles_are_for_cuda_alone():
    values = np.linspace(-2, 2, 37)
    found = Tensor(values, device="CUDA_EMULATED").exp().numpy()
    np.testing.assert_allclose(found, np.exp(values), rtol=1e-15)
    with pytest.raises(DTypeError, match="METAL has no type f64"):
        Tensor(values, device="METAL_EMULATED").exp().numpy()


@pytest.mark.parametrize("device", DEVICES)
def test_random_numbers_are_those_of_the_interpreter(device):
    found = []
    for where in (device, "INTERP"):
        Tensor.manual_seed(3)
        found.append(Tensor.rand(5, 67, device=where).numpy())
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("device", DEVICES)
def test_tensors_go_to_other_devices_and_back(device):
    x = Tensor(A, device=device)
    there = (x + 1).to("C") * 2
    np.testing.assert_array_equal((there.to(device) - 2).numpy(), (A + 1) * 2 - 2)


@pytest.mark.parametrize("device", DEVICES)
def test_a_jitted_function_of_a_symbolic_size(device):
    @jit
    def sums(x, n):
        return (x[:n] * 2).sum(0)

    x = Tensor(A, device=device)
    for size in (3, 7, 1, 13, 4):
        n = Variable("n", 1, 13).bind(size)
        np.testing.assert_allclose(sums(x, n).numpy(), A[:size].sum(0) * 2, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("device", DEVICES)
def test_a_jitted_training_step_learns_as_on_the_interpreter(device):
    def losses(where):
        with Context(DEVICE=where):
            Tensor.manual_seed(1)
            layer = nn.Linear(37, 5)
            optimiser = SGD(nn.state.get_parameters(layer), lr=0.1)
            x, wanted = Tensor(A), Tensor(PLACES.reshape(-1)[:13] % 5)

            @jit
            def step():
                optimiser.zero_grad()
                loss = layer(x).cross_entropy(wanted)
                loss.backward()
                optimiser.step()
                return loss

            return [step().item() for _ in range(4)]

    found = losses(device)
    np.testing.assert_allclose(found, losses("INTERP"), rtol=1e-4)
    assert found[-1] < found[0]


@pytest.mark.parametrize("device", DEVICES)
def test_a_write_into_a_part_changes_that_part(device):
    x = Tensor(A, device=device).clone().realize()
    x[2:9:3, 1:] = Tensor(B.T[:3, :36], device=device)
    expected = A.copy()
    expected[2:9:3, 1:] = B.T[:3, :36]
    np.testing.assert_array_equal(x.numpy(), expected)


@pytest.mark.parametrize("device", DEVICES)
def test_every_dtype_comes_and_goes(device):
    kinds = [d for d in dtypes.all() if d.name != "f64"]
    values = [Tensor(INTS % (2 if d.is_bool else 13), device="INTERP").cast(d) for d in kinds]
    first, *others = moved = [v.to(device).reshape(331, 1).expand(331, 2).flip(0) for v in values]
    first.realize(*others)
    for value, found in zip(values, moved, strict=True):
        assert found.tolist() == [[x, x] for x in reversed(value.tolist())], value.dtype
