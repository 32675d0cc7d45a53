"""Values that read no memory beside tensors of several devices, realised at once."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import Tensor

MATRIX = np.float32([[4, 1, 0], [1, 5, 2], [0, 2, 6]])

SHARED = {
    "kept": (lambda: Tensor.eye(3).contiguous(), np.eye(3)),
    "summed": (lambda: Tensor.arange(9).reshape(3, 3).cumsum(0),
               np.arange(9).reshape(3, 3).cumsum(0)),
    "sorted": (lambda: (3 - Tensor.arange(3)).sort()[0], np.arange(1, 4)),
    "factored": (lambda: Tensor.eye(3).cholesky(), np.eye(3)),
}  # fmt: skip


@pytest.mark.parametrize("devices", [("C", "INTERP"), ("INTERP", "C"), ("INTERP", "C", "INTERP")])
@pytest.mark.parametrize("name", SHARED)
def test_a_value_without_memory_is_computed_on_each_device_that_uses_it(name, devices):
    make, value = SHARED[name]
    shared = make()
    sums = [Tensor(MATRIX, device=device) + shared for device in devices]
    products = [Tensor(MATRIX, device=device) @ shared.cast("f32") for device in devices]
    Tensor.realize(*sums, *products)
    for device, total, product in zip(devices, sums, products, strict=True):
        assert total.device == product.device == device
        np.testing.assert_allclose(total.numpy(), MATRIX + value)
        np.testing.assert_allclose(product.numpy(), MATRIX @ value)


@pytest.mark.parametrize("call", [
    lambda x: x.cholesky(), lambda x: x.svd()[1], lambda x: x.sort()[0], lambda x: x.inverse(),
    lambda x: x.qr()[1].abs(), lambda x: x.cumsum(0), lambda x: x.softmax() @ Tensor.eye(3),
    lambda x: x.tril() + Tensor.arange(3).cumsum(0), lambda x: x.topk(2)[1],
])  # fmt: skip
def test_methods_of_tensors_on_two_devices_are_realised_at_once(call):
    alone = call(Tensor(MATRIX)).numpy()
    both = [call(Tensor(MATRIX, device=device)) for device in ("INTERP", "C")]
    Tensor.realize(*both)
    for found, device in zip(both, ("INTERP", "C"), strict=True):
        assert found.device == device
        np.testing.assert_allclose(found.numpy(), alone, rtol=1e-4, atol=1e-5)


def test_what_is_counted_is_written_on_both_devices_at_once():
    counted = Tensor.arange(4).cumsum(0)
    targets = [Tensor(np.zeros(4, np.int32), device=device) for device in ("C", "INTERP")]
    for target in targets:
        target[1:] = counted[1:]
    Tensor.realize(*targets)
    assert [t.tolist() for t in targets] == [[0, 1, 3, 6]] * 2
