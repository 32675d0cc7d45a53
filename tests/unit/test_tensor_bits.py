"""Bits read and written as another dtype: views of tensors, and parts of memory in graphs."""

from __future__ import annotations

import numpy as np
import pytest
from pairs import in_pairs

from rulewright import Tensor, UOp, dtypes, jit
from rulewright.errors import DTypeError, ShapeError
from rulewright.ir.ops import Ops

BASES = {
    "memory": lambda: Tensor([1.0, -2, 3, 4]).realize(),
    "lazy": lambda: Tensor([0.5, -1, 1.5, 2]) * 2,
    "constant": lambda: Tensor.full((4,), 1.5),
}


def _all(view):
    view[:] = [0, 1, 2, 3]


def _add(view):
    view += 1


def _part(view):
    view[1:3] ^= 5


def _positions(view):
    view[[0, 2]] = 5


def _mask(view):
    view[view < 0] = 7


def _turned(view):
    view.reshape(2, 2).T[0] = 7


@pytest.mark.parametrize("write", [_all, _add, _part, _positions, _mask, _turned])
@pytest.mark.parametrize("base", BASES)
def test_what_is_written_to_the_bits_is_in_the_tensor(base, write):
    x = BASES[base]()
    array = x.clone().numpy()
    bits = x.bitcast("i32")
    write(bits)
    write(array.view(np.int32))
    np.testing.assert_array_equal(x.numpy().view(np.int32), array.view(np.int32))
    np.testing.assert_array_equal(bits.numpy(), array.view(np.int32))
    x *= 2
    array *= 2
    np.testing.assert_array_equal(bits.numpy(), array.view(np.int32))


def test_bits_of_a_strided_view_and_back():
    x, array = Tensor([1.0, 2, 3, 4, 5]), np.array([1, 2, 3, 4, 5], np.float32)
    bits = x[::2].bitcast("u32")[1:]
    bits ^= 1 << 31
    array[::2].view(np.uint32)[1:] ^= np.uint32(1 << 31)
    np.testing.assert_array_equal(x.numpy(), array)
    x.bitcast("i32").bitcast("f32")[0] = 7
    assert x[0].item() == 7


def test_bits_of_every_dtype_of_two_bytes():
    x = Tensor([1, 2, 3], dtype="f16")
    bits = x.bitcast("u16")
    bits += 1
    wanted = (np.array([1, 2, 3], np.float16).view(np.uint16) + 1).astype(np.uint16)
    np.testing.assert_array_equal(x.numpy(), wanted.view(np.float16))


def test_jit_writes_through_bits():
    @jit
    def bump(x):
        bits = x.bitcast("i32")
        bits += 1
        return x * 1

    for _ in range(5):
        x = Tensor([1.0, 2.0]).realize()
        wanted = (np.array([1, 2], np.float32).view(np.int32) + 1).view(np.float32)
        np.testing.assert_array_equal(bump(x).numpy(), wanted)
        np.testing.assert_array_equal(x.numpy(), wanted)


def part(memory, kind, offset, shape):
    return Tensor(UOp(Ops.SUBBUFFER, kind, (memory.uop,), (offset, shape)), device="C")


def test_a_part_of_memory_is_read_as_its_own_dtype_or_one_of_its_size():
    x = Tensor([1.0, 2, 3, 4, 5, 6]).realize()
    array = x.numpy()
    assert part(x, dtypes.f32, 1, (2, 2)).tolist() == array[1:5].reshape(2, 2).tolist()
    assert part(x, dtypes.u32, 2, (3,)).tolist() == array.view(np.uint32)[2:5].tolist()
    assert (part(x, dtypes.i32, 0, (6,)) + 1).tolist() == (array.view(np.int32) + 1).tolist()
    assert part(x, dtypes.f32, 6, (0,)).tolist() == []


@pytest.mark.parametrize(
    ("kind", "offset", "shape", "error"),
    [
        (dtypes.f32, 4, (3,), ShapeError),
        (dtypes.f32, -1, (3,), ShapeError),
        (dtypes.u32, 0, (7,), ShapeError),
        (dtypes.u8, 0, (4,), DTypeError),
        (dtypes.f64, 0, (2,), DTypeError),
        (dtypes.bool, 0, (2,), DTypeError),
    ],
)
def test_a_part_that_is_not_there_is_refused_before_anything_runs(kind, offset, shape, error):
    x = Tensor([1.0, 2, 3, 4, 5, 6]).realize()
    with pytest.raises(error, match="SUBBUFFER"):
        part(x, kind, offset, shape).tolist()


COMPUTED = {
    "masked": lambda x: x & 3,
    "shifted": lambda x: x >> 1,
    "larger": lambda x: np.maximum(x, 2),
    "one of two": lambda x: x.clip(2, 3),
    "divided": lambda x: x // 3,
}


@pytest.mark.parametrize(
    ("signed", "kind", "device"),
    in_pairs(
        [False, True],
        ["f16", "bf16", "fp8e4m3"],
        ["C", "OPENCL", "CUDA_EMULATED", "METAL_EMULATED"],
    ),
)
def test_bits_of_what_is_computed_of_short_integers(device, kind, signed):
    """C computes it in int, of which not every language reads the bits as a shorter number."""
    dtype = getattr(dtypes, kind)
    name = f"{'i' if signed else 'u'}{dtype.bits}"
    numbers = np.array([1, 2, 3, 4], getattr(dtypes, name).np)
    found = [f(Tensor(numbers, device=device)).bitcast(kind) for f in COMPUTED.values()]
    Tensor.realize(*found)
    for computed, value in zip(COMPUTED.values(), found, strict=True):
        wanted = computed(numbers).astype(numbers.dtype)
        np.testing.assert_array_equal(value.numpy().view(numbers.dtype), wanted)
