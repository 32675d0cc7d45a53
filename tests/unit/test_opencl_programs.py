"""Whole tensor programs on an OpenCL device (oclgrind in tests), against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from arrays import softmax
from opencl_tools import LONG, on_device, source_of

A = np.linspace(-2, 2, 8 * 32).reshape(8, 32).astype(np.float32)
B = np.linspace(1, -3, 32 * 12).reshape(32, 12).astype(np.float32)
INTS = np.arange(-12, 12, dtype=np.int32)


PROGRAMS = {
    "elementwise": (lambda: on_device(A) * 2 + 1, lambda: A * 2 + 1),
    "broadcast": (lambda: on_device(A) + on_device(A[:, :1]), lambda: A + A[:, :1]),
    "transpose": (lambda: on_device(A).transpose(0, 1) + 1.0, lambda: A.T + 1),
    "pad": (lambda: on_device(A).pad(((1, 0), (0, 3))), lambda: np.pad(A, ((1, 0), (0, 3)))),
    "functions": (lambda: on_device(A).tanh().exp(), lambda: np.exp(np.tanh(A))),
    "matmul": (lambda: on_device(A) @ on_device(B), lambda: A @ B),
    "softmax": (lambda: on_device(A).softmax(), lambda: softmax(A)),
    "long_sum": (lambda: on_device(LONG).sum(1), lambda: LONG.sum(1)),
    "column_sum": (lambda: on_device(A).sum(0), lambda: A.sum(0)),
    "maximum": (lambda: on_device(LONG).max(1), lambda: LONG.max(1)),
    "argmax": (lambda: on_device(A).argmax(1), lambda: A.argmax(1)),
    "division": (lambda: on_device(INTS) // 5, lambda: INTS // 5),
    "comparison": (lambda: on_device(A) < 0.5, lambda: A < 0.5),
    "half": (lambda: on_device(A.astype(np.float16)) * 3, lambda: A.astype(np.float16) * 3),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    make, reference = PROGRAMS[name]
    tensor = make()
    assert tensor.device == "OPENCL"
    found, expected = tensor.numpy(), reference()
    assert found.dtype.kind == expected.dtype.kind and found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-5)


def test_a_long_sum_is_shared_by_a_workgroup():
    source = source_of(on_device(LONG).sum(1))
    assert "__local float" in source and "barrier(CLK_LOCAL_MEM_FENCE);" in source


def test_neighbours_are_read_together():
    assert "vload4(" in source_of(on_device(A) + 1)


def test_an_index_that_is_read_is_read_within_memory(capfd):
    """The simulator reports reads outside of memory; a read inside an index has its own gate."""
    shuffled = np.random.default_rng(0).permutation(148).reshape(4, 37).astype(np.float32)
    np.testing.assert_array_equal(on_device(shuffled).sort()[0].numpy(), np.sort(shuffled))
    assert "Invalid" not in capfd.readouterr().err
