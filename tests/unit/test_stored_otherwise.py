"""Products, convolutions and windows that are stored as other axes than they have, or that read
what is put together: each is done as it would be alone."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from pairs import in_turn

from rulewright import Tensor
from rulewright.codegen.choices import parse_choices
from rulewright.codegen.lower import lower_kernel

LAST, FIRST = (0, 2, 3, 1), (0, 3, 1, 2)


def np_conv(x, w, step=1, around=0, groups=1):
    x = np.pad(x, ((0, 0), (0, 0), (around, around), (around, around)))
    windows = sliding_window_view(x, w.shape[2:], (2, 3))[:, :, ::step, ::step]
    parts = zip(np.split(windows, groups, 1), np.split(w, groups, 0), strict=True)
    return np.concatenate([np.einsum("nchwij,ocij->nohw", x, w) for x, w in parts], 1)


def np_pool(x):
    x = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    return sliding_window_view(x, (3, 3), (2, 3))[:, :, ::2, ::2].max((-2, -1))


PROGRAMS = {
    "product as one axis": (
        lambda a, b, s: (a @ b).reshape(-1) * s,
        lambda a, b, s: (a @ b).reshape(-1) * s,
        [(64, 96), (96, 80), (64 * 80,)],
    ),
    "odd product as one axis": (
        lambda a, b, s: (a @ b).reshape(-1) * s,
        lambda a, b, s: (a @ b).reshape(-1) * s,
        [(37, 71), (71, 53), (37 * 53,)],
    ),
    "product in blocks of rows": (
        lambda a, b, s: (a @ b).reshape(8, 6, 40).permute(1, 0, 2).reshape(6, 320) + s,
        lambda a, b, s: (a @ b).reshape(8, 6, 40).transpose(1, 0, 2).reshape(6, 320) + s,
        [(48, 64), (64, 40), (320,)],
    ),
    "convolution as one axis": (
        lambda x, w, s: x.conv2d(w, padding=1).flatten(1) * s,
        lambda x, w, s: np_conv(x, w, 1, 1).reshape(len(x), -1) * s,
        [(3, 8, 14, 10), (16, 8, 3, 3), (16 * 14 * 10,)],
    ),
    "convolution with steps as one axis": (
        lambda x, w, s: x.conv2d(w, padding=1, stride=2).flatten(1) * s,
        lambda x, w, s: np_conv(x, w, 2, 1).reshape(len(x), -1) * s,
        [(5, 8, 14, 14), (12, 8, 4, 4), (12 * 7 * 7,)],
    ),
    "convolution with channels last": (
        lambda x, w, s: x.conv2d(w, padding=1).permute(*LAST) + s,
        lambda x, w, s: np_conv(x, w, 1, 1).transpose(LAST) + s,
        [(3, 8, 13, 7), (32, 8, 3, 3), (32,)],
    ),
    "patches with channels last": (
        lambda x, w, s: x.conv2d(w, stride=4).flatten(2).permute(0, 2, 1) + s,
        lambda x, w, s: np_conv(x, w, 4).reshape(2, 24, -1).transpose(0, 2, 1) + s,
        [(2, 3, 28, 20), (24, 3, 4, 4), (35, 24)],
    ),
    "all channels last": (
        lambda x, w, s: x.permute(*FIRST).conv2d(w, padding=1, stride=2).permute(*LAST) * s,
        lambda x, w, s: np_conv(x.transpose(FIRST), w, 2, 1).transpose(LAST) * s,
        [(2, 11, 9, 16), (24, 16, 3, 3), (24,)],
    ),
    "depthwise, channels last": (
        lambda x, w, s: x.permute(*FIRST).conv2d(w, padding=1, groups=48).permute(*LAST) + s,
        lambda x, w, s: np_conv(x.transpose(FIRST), w, 1, 1, 48).transpose(LAST) + s,
        [(2, 11, 9, 48), (48, 1, 3, 3), (48,)],
    ),
    "few depthwise, channels last": (
        lambda x, w, s: x.permute(*FIRST).conv2d(w, padding=2, groups=5).permute(*LAST) + s,
        lambda x, w, s: np_conv(x.transpose(FIRST), w, 1, 2, 5).transpose(LAST) + s,
        [(1, 30, 9, 5), (5, 1, 5, 5), (5,)],
    ),
    "depthwise, then channels last": (
        lambda x, w, s: x.conv2d(w, padding=2, groups=48).permute(*LAST) + s,
        lambda x, w, s: np_conv(x, w, 1, 2, 48).transpose(LAST) + s,
        [(2, 48, 12, 9), (48, 1, 5, 5), (48,)],
    ),
    "large depthwise, then channels last": (
        lambda x, w, s: x.conv2d(w, padding=3, groups=17).permute(*LAST) + s,
        lambda x, w, s: np_conv(x, w, 1, 3, 17).transpose(LAST) + s,
        [(1, 17, 31, 37), (17, 1, 7, 7), (17,)],
    ),
    "pool, channels last": (
        lambda x: x.permute(*FIRST).max_pool2d(3, stride=2, padding=1).permute(*LAST) * 2,
        lambda x: np_pool(x.transpose(FIRST)).transpose(LAST) * 2,
        [(2, 13, 10, 33)],
    ),
    "pool, then channels last": (
        lambda x: x.max_pool2d(3, stride=2, padding=1).permute(*LAST) * 2,
        lambda x: np_pool(x).transpose(LAST) * 2,
        [(2, 33, 13, 10)],
    ),
    "convolution of channels put together": (
        lambda x, y, w: x.cat(y, dim=1).conv2d(w, padding=1),
        lambda x, y, w: np_conv(np.concatenate([x, y], 1), w, 1, 1),
        [(2, 7, 12, 9), (2, 5, 12, 9), (32, 12, 3, 3)],
    ),
    "convolution of rows put together": (
        lambda x, y, w: x.cat(y, dim=2).conv2d(w, padding=1, stride=2),
        lambda x, y, w: np_conv(np.concatenate([x, y], 2), w, 2, 1),
        [(2, 8, 7, 16), (2, 8, 9, 16), (32, 8, 3, 3)],
    ),
    "product of columns put together": (
        lambda x, y, z, w: x.cat(y, z, dim=1) @ w,
        lambda x, y, z, w: np.concatenate([x, y, z], 1) @ w,
        [(64, 31), (64, 33), (64, 32), (96, 64)],
    ),
    "product by rows put together": (
        lambda x, y, w: w @ x.relu().cat(y, dim=0),
        lambda x, y, w: w @ np.concatenate([np.maximum(x, 0), y]),
        [(31, 64), (33, 64), (80, 64)],
    ),
}


def parts(shapes, rng):
    return [rng.normal(size=shape).astype(np.float32) for shape in shapes]


def kernels(result):
    return [item for item in result.schedule() if item.is_kernel]


@pytest.mark.parametrize(
    ("name", "device"), in_turn(PROGRAMS, ("C", "CUDA_EMULATED", "METAL_EMULATED"))
)
def test_values(name, device, rng):
    make, expected, shapes = PROGRAMS[name]
    arrays = parts(shapes, rng)
    got = make(*(Tensor(a, device=device) for a in arrays)).numpy()
    np.testing.assert_allclose(got, expected(*arrays), rtol=2e-4, atol=2e-4)


def kinds(result, target):
    """What is chosen for the last kernel, and the sizes that it is chosen for."""
    program = lower_kernel(kernels(result)[-1].ast, target)
    return [(choice.name, choice.operand) for choice in parse_choices(program.choices)]


@pytest.mark.parametrize("target", ["C", "CUDA_SM90", "METAL"])
def test_a_product_stored_as_one_axis_is_done_as_one_stored_as_two(target, rng):
    a, b, s = parts([(512, 256), (256, 384), (512 * 384,)], rng)
    a, b, s = (Tensor(x).realize() for x in (a, b, s))
    flat = kinds((a @ b).reshape(-1) * s, target)
    plain = kinds((a @ b) * s.reshape(512, 384), target)
    assert flat[0] == ("split", 384)
    assert [name for name, _ in flat[1:]] == [name for name, _ in plain]


def test_pixels_are_one_range_of_rows_where_channels_are_neighbours(rng):
    x, w = (Tensor(a).realize() for a in parts([(1, 32, 14, 14), (64, 32, 3, 3)], rng))
    assert kinds(x.conv2d(w).permute(*LAST) + 1, "C")[0][0] == "join"
    assert "join" not in [name for name, _ in kinds(x.conv2d(w) + 1, "C")[:1]]


TOGETHER = {
    "channels": (lambda x, y, w: x.cat(y, dim=1).conv2d(w), (2, 32, 14, 14), (64, 64, 3, 3), 1),
    "pixels": (lambda x, y, w: x.cat(y, dim=1).conv2d(w), (2, 32, 14, 14), (64, 64, 1, 1), 1),
    "rows": (lambda x, y, w: w @ x.cat(y, dim=0), (128, 256), (256, 256), 1),
    "columns": (lambda x, y, w: x.cat(y, dim=1) @ w, (256, 128), (256, 256), 2),
}


@pytest.mark.parametrize("name", TOGETHER)
def test_what_is_put_together_is_written_once_or_not_at_all(name, rng):
    make, half, whole, count = TOGETHER[name]
    x, y, w = (Tensor(a).realize() for a in parts([half, half, whole], rng))
    assert len(kernels(make(x, y, w))) == count


def test_an_image_with_channels_last_is_padded_as_it_lies(rng):
    x, w = (Tensor(a).realize() for a in parts([(1, 56, 56, 16), (16, 1, 3, 3)], rng))
    y = x.permute(*FIRST).conv2d(w, padding=1, groups=16).permute(*LAST) + 1
    padded, summed = (lower_kernel(item.ast, "C") for item in kernels(y))
    assert padded.name == "e_58_58_16"
    assert [c.name for c in parse_choices(summed.choices)].count("pack") == 1
    first = kernels(x.permute(*FIRST).conv2d(w, padding=1, groups=16) + 1)[0]
    assert lower_kernel(first.ast, "C").name == "e_16_58_58"  # rows are neighbours there
