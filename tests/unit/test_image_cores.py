"""Convolutions by dot products of a CPU: values beside numpy, what is copied, what goes without."""

from __future__ import annotations

import re

import numpy as np
import pytest
from arrays import as_dtype, in_memory, normal

from rulewright import Context, Tensor, jit
from rulewright.codegen.lower import lower_kernel, lowering_stages
from rulewright.interp import run_kernel
from rulewright.ir.ops import Ops
from rulewright.lang.build import load_table

NAME = "C_DOT"
SHAPES = [  # images, weights, options
    ((2, 16, 6, 7), (24, 16, 3, 3), {"padding": 1}),  # a copy for each place across the window
    ((1, 16, 6, 40), (25, 16, 3, 3), {"padding": 1}),
    ((2, 8, 9, 11), (32, 8, 3, 3), {"stride": 2, "padding": 1}),  # one for each place
    ((1, 6, 12, 9), (17, 6, 5, 3), {"dilation": (1, 2)}),
    ((2, 16, 70), (20, 16, 4), {"padding": 2}),  # windows that are read where the image is
    ((2, 12, 4, 5, 5), (16, 12, 2, 2, 2), {"padding": 1}),
    ((1, 32, 12, 13), (32, 16, 3, 3), {"groups": 2}),
    ((4, 64, 7, 7), (64, 64, 3, 3), {"padding": 1}),  # all images at once
]
OTHERS = [  # kernels of an odd number of values
    ((2, 7, 8, 9), (24, 7, 3, 3), {"padding": 1}),
    ((1, 3, 20, 20), (16, 3, 5, 5), {"stride": 2}),
]
BATCHES = [  # several images share the copy of a kernel
    ((8, 32, 7, 7), (64, 32, 3, 3), {"padding": 1}),
    ((12, 20, 6, 5), (48, 20, 3, 2), {"padding": 1}),
]
APART = [  # no windows, but pixels some steps apart
    ((2, 64, 9, 8), (32, 64, 1, 1), {"stride": 2}),
    ((3, 40, 13, 13), (17, 40, 1, 1), {"stride": (1, 3)}),
]


def rounded(rng, shape):
    """Random numbers as bfloat16, and as f64."""
    tensor = in_memory(as_dtype(normal(rng, *shape), "bf16"))
    return tensor, tensor.numpy().astype(np.float64)


def convolution(x, w, groups=1, stride=1, padding=0, dilation=1):
    """The same of arrays."""
    rank = x.ndim - 2
    stride, padding, dilation = (
        v if isinstance(v, tuple) else (v,) * rank for v in (stride, padding, dilation)
    )
    x = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)])
    reach = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilation, strict=True)]
    places = np.lib.stride_tricks.sliding_window_view(x, reach, axis=tuple(range(2, rank + 2)))
    places = places[(slice(None), slice(None), *(slice(None, None, s) for s in stride))]
    places = places[(..., *(slice(None, None, d) for d in dilation))]
    xs, ws = np.split(places, groups, axis=1), np.split(w, groups)
    inner = [1, *range(rank + 2, 2 * rank + 2)]
    each = [np.tensordot(a, b, (inner, range(1, rank + 2))) for a, b in zip(xs, ws, strict=True)]
    return np.moveaxis(np.concatenate(each, axis=-1), -1, 1)


def is_near(made, wanted):
    """The results of a sum in f32, rounded to bfloat16 once, or twice with what follows it."""
    np.testing.assert_allclose(made.astype("f8"), wanted, rtol=2**-7, atol=0.02)


def kernel_of(tensor):
    [kernel] = tensor.schedule()
    return kernel.ast


CASES = [(NAME, *case) for case in SHAPES]
CASES += [("C_AMX", *case) for case in [*SHAPES, *OTHERS, *APART, *BATCHES]]


@pytest.mark.parametrize(("target", "images", "weights", "options"), CASES)
def test_the_program_computes_what_numpy_does(target, images, weights, options, rng):
    (x, a), (w, b) = rounded(rng, images), rounded(rng, weights)
    kernel, wanted = kernel_of(x.conv2d(w, **options)), convolution(a, b, **options)
    *_, (_, last) = lowering_stages(kernel, target)
    assert Ops.MMA in {node.op for node in last.src}
    out = Tensor.zeros(wanted.size, dtype="bf16").numpy()
    run_kernel(last, [out, x.numpy().reshape(-1), w.numpy().reshape(-1)])
    is_near(out.reshape(wanted.shape), wanted)


@pytest.mark.parametrize(("channels", "near"), [(30, 160_000), (50, 200_000)])
def test_pixels_of_all_images_are_multiplied_whole_pairs_at_a_time(
    channels, near, monkeypatch, rng
):
    """There is room for 15 channels of 30, or 25 of 50: an odd number is no pairs of steps."""
    monkeypatch.setitem(load_table()["targets"][NAME]["limits"], "near_memory", near)
    (x, _), (w, _) = (rounded(rng, (n, channels, s, s)) for n, s in ((3, 6), (512, 3)))
    kernel = kernel_of(x.conv2d(w, padding=1))
    *_, (_, last) = lowering_stages(kernel, NAME)
    assert Ops.MMA in {node.op for node in last.src}
    assert "split(r4, 10)" in last.arg[1] and "slide" not in last.arg[1]


@pytest.mark.parametrize(
    ("target", "images", "weights", "word"),
    [
        (NAME, (1, 8, 40), (32, 8, 4), "dot_bf16(&"),
        ("C_AMX", (1, 8, 40), (32, 8, 4), "tile_mma_bf16("),
        ("C_AMX", (2, 5, 6, 13), (24, 5, 3, 3), "tile_mma_bf16("),  # 45 steps, in whole matrices
    ],
)
def test_each_stage_keeps_its_meaning(target, images, weights, word, rng):
    (x, _), (w, _) = rounded(rng, images), rounded(rng, weights)
    with Context(VERIFY=2):
        program = lower_kernel(kernel_of(x.conv2d(w).relu()), target)
    assert word in program.source


@pytest.mark.parametrize(("images", "weights", "options"), BATCHES)
def test_images_share_the_copy_of_a_kernel(images, weights, options, rng):
    (x, _), (w, _) = rounded(rng, images), rounded(rng, weights)
    choices = lower_kernel(kernel_of(x.conv2d(w, **options)), "C_AMX").choices
    inner = re.search(r"r\d+, (r\d+) = split\(r0, \d+\)", choices)
    assert inner and f"block({inner[1]})" in choices
    pixels, kernel = (copy for copy in re.findall(r"= pack\((.*?)\)", choices)[::-1])
    assert inner[1] in pixels.split(", ") and inner[1] not in kernel.split(", ")


@pytest.mark.parametrize("dtype", ["i8", "u8"])
def test_bytes_are_multiplied_by_tiles(dtype, rng):
    low, high = (-128, 128) if dtype == "i8" else (0, 256)
    a, b = (rng.integers(low, high, shape) for shape in ((2, 15, 9, 8), (20, 15, 3, 3)))
    x, w = (Tensor(v.astype("i1" if dtype == "i8" else "u1")).realize() for v in (a, b))
    kernel = kernel_of(x.cast("i32").conv2d(w.cast("i32"), padding=1))
    *_, (_, last) = lowering_stages(kernel, "C_AMX")
    assert Ops.MMA in {node.op for node in last.src}
    wanted = convolution(a, b, padding=1)
    out = np.zeros(wanted.size, "i4")
    run_kernel(last, [out, x.numpy().reshape(-1), w.numpy().reshape(-1)])
    assert np.array_equal(out.reshape(wanted.shape), wanted)


@pytest.mark.parametrize(("images", "weights", "options"), [*SHAPES, *OTHERS, *APART, *BATCHES])
def test_values_on_this_processor(images, weights, options, rng):
    (x, a), (w, b) = rounded(rng, images), rounded(rng, weights)
    (bias, c), wanted = rounded(rng, weights[:1]), convolution(a, b, **options)
    shape = (-1, *[1] * (len(images) - 2))
    made = (x.conv2d(w, **options) + bias.reshape(shape)).relu()
    assert len(made.schedule()) == 1
    result = np.maximum(wanted + c.reshape(shape), 0)
    is_near(made.numpy(), result)


GRADIENTS = [
    ((2, 64, 13, 14), (48, 64, 3, 3), {"padding": 1}),
    ((2, 40, 9, 9), (33, 40, 3, 3), {"padding": 1}),  # rows of an odd number of pixels
    ((1, 32, 17, 12), (32, 32, 3, 3), {"stride": 2, "padding": 1}),
    ((3, 32, 40), (40, 32, 5), {"dilation": 3}),
    ((1, 64, 10, 12), (40, 32, 3, 2), {"groups": 2}),
    ((2, 64, 6, 6), (64, 64, 1, 1), {}),
]


def derivatives(x, w, upstream, groups=1, stride=1, padding=0, dilation=1):
    """Those of the sum of a convolution times `upstream`, one value of the kernel at a time."""
    rank, outputs, inner = x.ndim - 2, len(w) // groups, w.shape[1]
    wide = np.pad(x, [(0, 0), (0, 0), *[(padding, padding)] * rank])
    of_x, of_w = np.zeros_like(wide), np.zeros_like(w)
    for group in range(groups):
        channels = slice(group * inner, (group + 1) * inner)
        rows = slice(group * outputs, (group + 1) * outputs)
        for at in np.ndindex(*w.shape[2:]):
            ends = [
                slice(i * dilation, i * dilation + (n - 1) * stride + 1, stride)
                for i, n in zip(at, upstream.shape[2:], strict=True)
            ]
            place, part = (slice(None), channels, *ends), upstream[:, rows]
            flat = (v.reshape(*v.shape[:2], -1) for v in (part, wide[place]))
            of_w[(rows, slice(None), *at)] = np.einsum("nop,ncp->oc", *flat)
            of_x[place] += np.einsum("no...,oc->nc...", part, w[(rows, slice(None), *at)])
    inside = [slice(padding, n - padding) for n in wide.shape[2:]]
    return of_x[(..., *inside)], of_w


@pytest.mark.parametrize(("images", "weights", "options"), GRADIENTS)
def test_derivatives_on_this_processor(images, weights, options, rng):
    (x, a), (w, b) = rounded(rng, images), rounded(rng, weights)
    made = x.conv2d(w, **options)
    upstream, g = rounded(rng, made.shape)
    of_x, of_w = (made * upstream).sum().gradient(x, w)
    wanted = derivatives(a, b, g, **options)
    for found, expected in zip((of_x, of_w), wanted, strict=True):
        np.testing.assert_allclose(found.numpy().astype("f8"), expected, rtol=2**-7, atol=0.05)


@pytest.mark.parametrize("options", [{"padding": 1}, {"stride": 2, "padding": 1}, {"groups": 2}])
@pytest.mark.parametrize(("target", "word"), [(NAME, "dot_bf16(&"), ("C_AMX", "tile_mma_bf16(")])
def test_derivatives_go_by_dot_products(target, word, options, rng):
    (x, _), (w, _) = rounded(rng, (2, 128, 28, 28)), rounded(rng, (128, 128, 3, 3))
    made = x.conv2d(w[:, :64] if "groups" in options else w, **options)
    for gradient in (made * rounded(rng, made.shape)[0]).sum().gradient(x, w):
        sources = [lower_kernel(item.ast, target).source for item in gradient.schedule()]
        assert any(word in source for source in sources)


@pytest.mark.parametrize(
    ("shape", "steps"),
    [((16, 19, 14, 16, 3), 266), ((20, 5, 64, 17, 2), 64), ((9, 3, 100, 12, 5), 300)],
)
def test_rows_that_lie_are_summed_along_several_axes(shape, steps, rng):
    """As if they were one axis, but where the last is whole matrices long."""
    o, i, j, c, t = shape
    (rows, a), (wide, b) = rounded(rng, (o, i, j)), rounded(rng, (i, j + 1, t, c + 3))
    kernel = kernel_of(Tensor.einsum("oij,ijtc->oct", rows, wide[:, 1:, :, :c]))
    with Context(VERIFY=2):
        program = lower_kernel(kernel, "C_AMX")
    assert "tile_mma_bf16(" in program.source
    assert ("join(r3, r4)" in program.choices) == (steps != j)
    *_, (_, last) = lowering_stages(kernel, "C_AMX")
    out = Tensor.zeros(o * c * t, dtype="bf16").numpy()
    run_kernel(last, [out, rows.numpy().reshape(-1), wide.numpy().reshape(-1)])
    is_near(out.reshape(o, c, t), np.einsum("oij,ijtc->oct", a, b[:, 1:, :, :c]))


def test_in_a_captured_function_after_a_write_and_of_a_part(rng):
    (x, a), (w, b) = rounded(rng, (2, 20, 9, 9)), rounded(rng, (40, 20, 3, 3))

    @jit
    def step(x, w):
        return x[:, 4:].conv2d(w[::2, :16], padding=1).realize()

    for scale in (1, 1, 0.5, 2):
        x[1, 5] = Tensor(a[1, 5] * scale).cast("bf16")
        a[1, 5] *= scale
        wanted = convolution(a[:, 4:], b[::2, :16], padding=1)
        is_near(step(x, w).numpy(), wanted)


@pytest.mark.parametrize(("images", "weights", "options"), OTHERS)
def test_kernels_that_do_not_lie_in_pairs_go_without(images, weights, options, rng):
    (x, _), (w, _) = rounded(rng, images), rounded(rng, weights)
    assert "dot_bf16(&" not in lower_kernel(kernel_of(x.conv2d(w, **options)), NAME).source


def test_what_is_put_in_pairs_is_read_in_vectors(rng):
    (x, _), (w, _) = rounded(rng, (2, 32, 14, 14)), rounded(rng, (32, 32, 3, 3))
    source = lower_kernel(kernel_of(x.conv2d(w, padding=1)), NAME).source
    assert "shuffle_wide(u16x32" in source and "omp simd" not in source
