"""Which kernels stay apart, and what those of several outputs do to memory that is overwritten."""

from __future__ import annotations

import numpy as np
from outputs_helpers import device, numbers, outputs

from rulewright import Tensor
from rulewright.driver.execute import run_items
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.realize import schedule

__all__ = ["device"]

# ---- memory that is overwritten -----------------------------------------------------------------


def test_an_old_value_is_read_before_it_is_overwritten(device: str) -> None:
    x = numbers(37)
    t = Tensor(x, device=device).realize()
    old = t * 2
    t.assign(t + 1)
    assert outputs(t, old) == [2]
    np.testing.assert_array_equal(old.numpy(), x * 2)
    np.testing.assert_array_equal(t.numpy(), x + 1)


def test_an_old_value_of_what_is_written_without_being_read(device: str) -> None:
    x, y = numbers(37), numbers(37, seed=1)
    t, other = Tensor(x, device=device).realize(), Tensor(y, device=device).realize()
    old = t * other
    t.assign(other + 1)
    assert outputs(t, old) == [2]
    np.testing.assert_array_equal(old.numpy(), x * y)
    np.testing.assert_array_equal(t.numpy(), y + 1)


def test_each_reads_what_the_other_overwrites(device: str) -> None:
    x, y = numbers(20), numbers(20, seed=1)
    a, b = Tensor(x, device=device).realize(), Tensor(y, device=device).realize()
    total, difference = a + b, a - b
    a.assign(total)
    b.assign(difference)
    outputs(a, b)
    np.testing.assert_array_equal(a.numpy(), x + y)
    np.testing.assert_array_equal(b.numpy(), x - y)


def test_a_swap_is_a_swap(device: str) -> None:
    x, y = numbers(20), numbers(20, seed=1)
    a, b = Tensor(x, device=device).realize(), Tensor(y, device=device).realize()
    kept = a + 0
    a.assign(b)
    b.assign(kept)
    outputs(a, b)
    np.testing.assert_array_equal(a.numpy(), y)
    np.testing.assert_array_equal(b.numpy(), x)


def test_elements_that_lie_elsewhere_are_not_read_beside_a_store(device: str) -> None:
    x = numbers(12)
    t = Tensor(x, device=device).realize()
    turned = t.flip(0) + t
    t.assign(t * 2)
    assert outputs(t, turned) == [1, 1]
    np.testing.assert_array_equal(turned.numpy(), x[::-1] + x)
    np.testing.assert_array_equal(t.numpy(), x * 2)


def test_what_is_read_backwards_does_not_come_behind_a_store(device: str) -> None:
    """Vectors of neighbours that are turned round are in a loop of their own."""
    x, y, z = (numbers(64, seed=seed) for seed in range(3))
    a, b, c = (Tensor(v, device=device).realize() for v in (x, y, z))
    other = Tensor.zeros(64, device=device).contiguous().realize()
    other.assign(a * 0.5)
    turned = b.flip(0) + other
    a.assign(a * 0.25 + c)
    outputs(turned, other, a)
    np.testing.assert_array_equal(turned.numpy(), y[::-1] + x * np.float32(0.5))
    np.testing.assert_allclose(a.numpy(), x * np.float32(0.25) + z, rtol=1e-5, atol=1e-6)


def test_vectors_of_what_each_overwrites_are_read_before(device: str) -> None:
    x, y = numbers(16, 40), numbers(16, 40, seed=1)
    a, b = Tensor(x, device=device).realize(), Tensor(y, device=device).realize()
    b.assign(b - a)
    a.assign(a + b * 0.25)
    assert outputs(a, b) == [2]
    np.testing.assert_array_equal(b.numpy(), y - x)
    np.testing.assert_allclose(a.numpy(), x + (y - x) * np.float32(0.25), rtol=1e-5, atol=1e-6)


def test_a_chain_of_updates(device: str) -> None:
    x, y = numbers(9), numbers(9, seed=1)
    a, b = Tensor(x, device=device).realize(), Tensor(y, device=device).realize()
    for _ in range(3):
        a.assign(a + b)
        b.assign(b * 2 + a)
        x, y = x + y, y * 2 + (x + y)
    outputs(a, b)
    np.testing.assert_allclose(a.numpy(), x, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(b.numpy(), y, rtol=1e-5, atol=1e-6)


# ---- what stays apart ---------------------------------------------------------------------------


def test_no_circle_through_another_kernel() -> None:
    """The last kernel reads rows as the first does, but needs the second, which needs the first."""
    x = numbers(8, 8)
    t = Tensor(x).realize()
    first = t * 2
    second = (first @ first).contiguous()
    last = t + second
    assert outputs(first, last) == [1, 1, 1]
    np.testing.assert_allclose(last.numpy(), x + (2 * x) @ (2 * x), rtol=1e-4, atol=1e-4)


def test_products_have_their_registers_for_themselves() -> None:
    x, w, v = numbers(16, 16), numbers(16, 16, seed=1), numbers(16, 16, seed=2)
    t = Tensor(x).realize()
    a, b = t @ Tensor(w).realize(), t @ Tensor(v).realize()
    assert outputs(a, b) == [1, 1]


def test_what_shares_little_stays_apart() -> None:
    row, x, y = numbers(40), numbers(30, 40), numbers(30, 40, seed=1)
    bias = Tensor(row).realize()
    a, b = Tensor(x).realize() + bias, Tensor(y).realize() * bias
    assert outputs(a, b) == [1, 1]


def test_what_is_asked_to_be_kept_for_one_kernel_is_kept() -> None:
    t = Tensor(numbers(30)).realize()
    assert outputs((t + 1).contiguous() * 2) == [1, 1]


def memories_by_loops(kernel: UOp) -> dict[tuple[UOp, ...], set[UOp]]:
    """The parameters that go through memory side by side."""
    found: dict[tuple[UOp, ...], set[UOp]] = {}
    for effect in kernel.src:
        used = {n for n in effect.toposort() if n.op is Ops.PARAM}
        found.setdefault(effect.src[1:], set()).update(used)
    return found


def test_no_loop_has_more_memories_than_go_through_a_cache() -> None:
    t = Tensor(numbers(30)).realize()
    many = [t * float(i) for i in range(2, 30)]
    items = many[0].schedule(*many[1:])
    sides = [used for item in items for used in memories_by_loops(item.ast).values()]
    assert max(map(len, sides)) == 8 and len(sides) == 4
    run_items(items)
    for i, tensor in enumerate(many):
        np.testing.assert_array_equal(tensor.numpy(), numbers(30) * np.float32(i + 2))


def test_memory_on_the_way_is_not_needed_sooner() -> None:
    """Filled together, both operands of the products would be there at once."""
    w = Tensor(numbers(64, 64)).realize()
    t = Tensor(numbers(64, 64, seed=1)).realize()

    def planned(*tensors: Tensor) -> int:
        made = schedule(tensors)
        assert made is not None
        return made.compiled.plan.after

    one = planned(((t + 1).contiguous() @ w).sum())
    both = planned(((t + 1).contiguous() @ w).sum(), ((t * 3).contiguous() @ w).sum())
    assert both <= one + 64 * 64 * 4


def test_tensors_of_several_devices() -> None:
    x = numbers(25)
    found = [Tensor(x, device=name).realize() for name in ("C", "INTERP")]
    results = [r for t in found for r in (t + 1, t * 2)]
    assert outputs(*results) == [2, 2]
    for i, tensor in enumerate(results):
        np.testing.assert_array_equal(tensor.numpy(), x * 2 if i % 2 else x + 1)
