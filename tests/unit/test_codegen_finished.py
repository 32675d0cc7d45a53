"""What is made of a register tile: written out where it is little, else loops over its vectors."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import Context, Tensor
from rulewright.codegen import tiles
from rulewright.codegen.lower import lower_kernel

TARGETS = ("C", "C_AVX2", "C_SSE", "C_NEON")
ACTIVATIONS = ("gelu", "sigmoid", "mish", "tanh")


def drawn(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def filled(*arrays):
    return [Tensor(a).realize() for a in arrays]


def source_of(made, target="C"):
    (item,) = made.schedule()
    source = lower_kernel(item.ast, target).source
    return source[source.rindex("void r_") :]


@pytest.mark.parametrize(
    ("target", "columns"), [*((t, n) for t in TARGETS for n in (192, 256)), ("C", 517)]
)
def test_a_long_activation_of_a_product_stands_once_in_its_kernel(target, columns):
    a, b = filled(drawn(0, 64, 48), drawn(1, 48, columns))
    assert source_of((a @ b).gelu(), target).count("0.044715f") == 1


def test_a_short_one_is_written_out(monkeypatch):
    a, b = filled(drawn(0, 64, 48), drawn(1, 48, 192))
    assert source_of((a @ b).relu()).count("<= (f32x16)") == 24  # vectors of a tile
    monkeypatch.setattr(tiles, "MOST_OPERATIONS", 0)
    assert source_of((b.T @ a.T).relu()).count("<= (f32x16)") == 1


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("shape", [(64, 33, 192), (61, 40, 517), (1, 70, 523), (9, 16, 7)])
def test_values_are_those_of_the_activation_alone(name, shape):
    rows, depth, columns = shape
    a, b, c = filled(drawn(0, rows, depth), drawn(1, depth, columns), drawn(2, columns))
    with Context(VERIFY=1):
        found = getattr(a @ b + c, name)().numpy()
        wanted = getattr(Tensor((a @ b + c).numpy()), name)().numpy()
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_steps_are_those_of_the_interpreter():
    a, b, c, d = filled(drawn(0, 16, 9), drawn(1, 9, 64), drawn(2, 16), drawn(3, 16, 64))
    with Context(VERIFY=2):
        found = ((a @ b) * c.reshape(16, 1) + d).gelu().numpy()
    total = Tensor(a.numpy() @ b.numpy() * c.numpy()[:, None] + d.numpy())
    np.testing.assert_allclose(found, total.gelu().numpy(), rtol=1e-4, atol=1e-5)


def test_several_results_of_one_product_and_memory_that_is_written_over():
    a, b, c = filled(drawn(0, 64, 48), drawn(1, 48, 192), drawn(2, 64, 192))
    product = a.numpy() @ b.numpy()
    before = c.numpy()
    first = (a @ b).gelu()
    c.assign((a @ b + c).gelu())
    Tensor.realize(first, c)
    np.testing.assert_allclose(first.numpy(), Tensor(product).gelu().numpy(), rtol=1e-4, atol=1e-4)
    wanted = Tensor(product + before).gelu().numpy()
    np.testing.assert_allclose(c.numpy(), wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("choices", [
    "r3, r4 = split(r1, 64); r5, r6 = split(r0, 4); simd(r4); upcast(r6); thread(r5)",
    "r3, r4 = split(r1, 32); r5, r6 = split(r3, 2); r7, r8 = split(r0, 4); "
    "simd(r4); upcast(r6); upcast(r8); thread(r7)",
    "r3, r4 = split(r1, 16); r5, r6 = split(r3, 3); r7, r8 = split(r0, 16); "
    "simd(r4); upcast(r6); upcast(r8); thread(r7)",
])  # fmt: skip
def test_tiles_of_other_forms(choices):
    """Several vectors in the range over lanes, loops between, and more of them than registers."""
    a, b = filled(drawn(0, 64, 48), drawn(1, 48, 192))
    with Context(VERIFY=1):
        found = (a @ b).gelu().contiguous(arg=choices).numpy()
    wanted = Tensor(a.numpy() @ b.numpy()).gelu().numpy()
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)
