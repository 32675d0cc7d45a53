"""Convolutions beside a loop over the positions of the window: values and both derivatives."""

from itertools import product

import numpy as np
import pytest
from pairs import in_turn

from rulewright import Context, Tensor
from rulewright.codegen.lower import lower_kernel
from rulewright.ir.ops import Ops

TOLERANCE = {"f64": 1e-10, "f32": 1e-4, "f16": 2e-2, "bf16": 1e-1}


def under(x, position, options, places):
    """What one position of the window sees at all places."""
    steps = zip(position, options["stride"], options["dilation"], places, strict=True)
    return tuple(slice(j * d, j * d + (n - 1) * s + 1, s) for j, s, d, n in steps)


def expected(x, w, weights, options):
    """A convolution, and the derivatives of its sum with `weights`, if any, by x and w."""
    groups, pads = options["groups"], [(p, p) for p in options["padding"]]
    padded = np.pad(x, [(0, 0), (0, 0), *pads])
    places = tuple(
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(
            padded.shape[2:], w.shape[2:], options["stride"], options["dilation"], strict=True
        )
    )
    split = padded.reshape(len(x), groups, -1, *padded.shape[2:])
    kernel = w.reshape(groups, -1, *w.shape[1:])
    value = np.zeros((len(x), groups, kernel.shape[1], *places))
    seen = {j: (..., *under(x, j, options, places)) for j in product(*map(range, w.shape[2:]))}
    for j, at in seen.items():
        value += np.einsum("ngc...,goc->ngo...", split[at], kernel[(..., *j)])
    if weights is None:
        return value.reshape(len(x), len(w), *places)
    part = weights.reshape(value.shape)
    by_x, by_w = np.zeros_like(split), np.zeros_like(kernel)
    for j, at in seen.items():
        by_x[at] += np.einsum("ngo...,goc->ngc...", part, kernel[(..., *j)])
        flat = [a.reshape(*a.shape[:3], -1) for a in (part, split[at])]
        by_w[(..., *j)] = np.einsum("ngop,ngcp->goc", *flat)
    inside = tuple(slice(a, n - b) for (a, b), n in zip(pads, padded.shape[2:], strict=True))
    by_x = by_x.reshape(padded.shape)[(..., *inside)]
    return value.reshape(len(x), len(w), *places), by_x, by_w.reshape(w.shape)


def close(found, wanted, dtype):
    room = TOLERANCE[dtype] * (1 + np.abs(wanted).max())
    np.testing.assert_allclose(found.cast("f64").numpy(), wanted, rtol=0, atol=room)


def some(rng):
    """Shapes and options of a convolution, of any number of axes, narrow or wide."""
    rank, groups = int(rng.choice([1, 2, 2, 3])), int(rng.choice([1, 1, 2, 3]))
    inner, outer = int(rng.choice([1, 3, 8, 16])), int(rng.choice([1, 4, 5, 16, 17, 40]))
    options = {
        "groups": groups,
        "stride": tuple(map(int, rng.integers(1, 4, rank))),
        "dilation": tuple(map(int, rng.integers(1, 3, rank))),
        "padding": tuple(map(int, rng.integers(0, 3, rank))),
    }
    window = tuple(map(int, rng.integers(1, 4, rank)))
    least = [d * (k - 1) + 1 for d, k in zip(options["dilation"], window, strict=True)]
    sizes = [1, 3, 7, 13, 16, 17] if rank == 3 else [1, 3, 7, 14, 16, 17, 28, 33, 61]
    image = tuple(max(int(rng.choice(sizes)), n) for n in least)
    batch = int(rng.choice([1, 2, 5]))
    return (batch, groups * inner, *image), (groups * outer, inner, *window), options


@pytest.mark.parametrize(("number", "dtype"), in_turn(range(12), TOLERANCE))
def test_values_and_derivatives_are_those_of_loops(number, dtype):
    rng = np.random.default_rng([number, *dtype.encode()])
    images, kernel, options = some(rng)
    x, w = rng.normal(size=images), rng.normal(size=kernel)
    weights = rng.normal(size=expected(x, w, None, options).shape)
    a, b = (Tensor(v, requires_grad=True) for v in (x, w))
    found = a.cast(dtype).conv2d(b.cast(dtype), **options)
    (found.cast("f64") * Tensor(weights)).sum().backward()
    for got, wanted in zip((found, a.grad, b.grad), expected(x, w, weights, options), strict=True):
        close(got, wanted, dtype)


SHAPES = [  # images, weights, options
    ((8, 32, 5, 5), (64, 32, 3, 3), {"padding": 1}),
    ((16, 40, 9, 7), (67, 40, 3, 2), {"stride": 2}),
    ((4, 64, 7, 3), (64, 64, 3, 3), {"padding": (1, 0)}),
    ((64, 48, 11), (64, 48, 5), {"dilation": 2}),
    ((3, 20, 33, 31), (24, 20, 3, 3), {"stride": 2, "padding": 1}),
    ((1, 16, 56, 56), (32, 16, 3, 3), {"padding": 1}),
    ((1, 3, 64, 62), (24, 3, 7, 7), {"stride": 2, "padding": 3}),
    ((2, 8, 6, 7, 9), (20, 8, 3, 2, 3), {"padding": 1}),
]


@pytest.mark.parametrize("images, weights, options", SHAPES)
def test_no_windows_are_kept_in_memory(images, weights, options, rng):
    """One kernel, with nothing in memory but operands and result."""
    x, w = rng.normal(size=images), rng.normal(size=weights)
    rank = len(images) - 2
    full = {"groups": 1, "stride": 1, "dilation": 1, "padding": 0} | options
    wide = {k: v if isinstance(v, tuple) or k == "groups" else (v,) * rank for k, v in full.items()}
    a, b = (Tensor(v, dtype="f32").realize() for v in (x, w))
    with Context(VERIFY=1):
        close(a.conv2d(b, **options), expected(x, w, None, wide), "f32")
    (item,) = a.conv2d(b, **options).schedule()
    assert len(item.buffers) == 3


FEW = [  # the same, of images so small that their windows are little beside the kernel
    ((1, 48, 2, 2), (64, 48, 3, 3), {"stride": 2, "padding": 1}),
    ((4, 32, 2, 3), (131, 32, 3, 3), {"padding": 1}),
    ((2, 60, 5, 4), (40, 30, 4, 4), {"groups": 2, "stride": 3, "padding": 1}),
    ((3, 64, 7), (192, 64, 5), {"dilation": 2, "padding": 3, "stride": 4}),
    ((1, 40, 2, 3, 2), (64, 40, 2, 3, 3), {"padding": 1, "stride": (1, 2, 3)}),
]


UNEVEN = [  # the same, with more taps for some places of the gradient than for others
    ((2, 32, 9, 8), (64, 32, 3, 3), {"stride": 2, "padding": 1}),
    ((2, 48, 11, 9), (36, 24, 4, 5), {"groups": 2, "stride": (3, 2)}),
    ((1, 24, 5, 4, 7), (32, 24, 3, 3, 3), {"stride": 2, "padding": (1, 0, 1)}),
    ((2, 40, 50), (60, 40, 7), {"stride": 2, "padding": 3}),
]


def beside_loops(images, weights, options, dtype, rng):
    """Values and both derivatives; gives the sizes of memories."""
    full = {"groups": 1, "stride": 1, "dilation": 1, "padding": 0} | options
    rank = len(images) - 2
    wide = {k: v if isinstance(v, tuple) or k == "groups" else (v,) * rank for k, v in full.items()}
    x, w = rng.normal(size=images), rng.normal(size=weights)
    upstream = rng.normal(size=expected(x, w, None, wide).shape)
    a, b = (Tensor(v, requires_grad=True).realize() for v in (x, w))
    with Context(VERIFY=1):
        found = a.cast(dtype).conv2d(b.cast(dtype), **options)
        (found.cast("f64") * Tensor(upstream)).sum().backward()
        sizes = [n.size for item in a.grad.schedule(b.grad) for n in item.buffers]
        results = (found, a.grad, b.grad)
        for got, wanted in zip(results, expected(x, w, upstream, wide), strict=True):
            close(got, wanted, dtype)
    return sizes


@pytest.mark.parametrize("dtype", ["f64", "bf16"])
@pytest.mark.parametrize("images, weights, options", FEW)
def test_few_windows_are_put_in_the_order_of_the_kernel(images, weights, options, dtype, rng):
    """Nothing in memory is much larger than the kernel."""
    sizes = beside_loops(images, weights, options, dtype, rng)
    assert max(sizes) <= 2 * np.prod(weights)


def test_single_rows_of_a_block_are_not_copied_as_rows(rng):
    """Windows of three by three by one, where two axes are a row of 99 places."""
    beside_loops((2, 64, 7, 13, 9), (96, 64, 3, 3, 1), {}, "f32", rng)


@pytest.mark.parametrize(
    ("images", "channels", "stride"),
    [
        ((8, 32, 14, 14), 48, 2), ((3, 256, 13, 9), 128, (2, 3)), ((1, 64, 7, 7), 32, 2),
        ((2, 16, 40, 16), 24, (3, 2)),
    ],
)  # fmt: skip
def test_pixels_some_steps_apart_lie_in_one_row_near_by(images, channels, stride, rng):
    """They would be picked one by one, where a row of results is less than a vector."""
    beside_loops(images, (channels, images[1], 1, 1), {"stride": stride}, "f32", rng)
    x, w = Tensor.rand(images).realize(), Tensor.rand(channels, images[1], 1, 1).realize()
    [kernel] = x.conv2d(w, stride=stride).schedule()
    assert "hold(" in lower_kernel(kernel.ast, "C").choices


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_all_pixels_of_an_image_may_be_one_vector(dtype, rng):
    """Three places of each of two images: no vector is beside it."""
    beside_loops(
        (2, 64, 3, 5), (128, 32, 3, 3), {"stride": 2, "padding": (0, 1), "groups": 2}, dtype, rng
    )


@pytest.mark.parametrize("images, weights, options", UNEVEN)
def test_each_phase_of_a_gradient_has_as_many_taps_as_it_needs(images, weights, options, rng):
    beside_loops(images, weights, options, "f64", rng)
    x, w = Tensor.ones(*images).contiguous(), Tensor.ones(*weights).contiguous()
    x.requires_grad = True
    (by_x,) = x.realize().conv2d(w.realize(), **options).sum().gradient(x)
    rank = len(images) - 2
    steps = [options["stride"]] * rank if isinstance(options["stride"], int) else options["stride"]
    counts = [{-(-(k - f) // s) for f in range(s)} for k, s in zip(weights[2:], steps, strict=True)]
    taps = {tuple(n.size for n in item.ast.toposort() if n.op is Ops.RANGE and n.arg[1] == "reduce")
            for item in by_x.schedule()}  # fmt: skip
    for each in product(*counts):
        wanted = [n for n in each if n > 1]
        assert any(all(t.count(n) >= wanted.count(n) for n in wanted) for t in taps), (each, taps)


def test_a_transposed_kernel_is_read_as_it_lies_for_few_places(rng):
    """As the adjoint of a convolution, and its own derivatives."""
    y, w = rng.normal(size=(2, 64, 2, 1)), rng.normal(size=(64, 48, 3, 2))
    wide = {"groups": 1, "stride": (2, 2), "dilation": (1, 1), "padding": (1, 0)}
    a, b = Tensor(y, requires_grad=True), Tensor(w, requires_grad=True)
    found = a.conv_transpose2d(b, stride=2, padding=(1, 0))
    inside = rng.normal(size=found.shape)
    there, back, by_w = expected(inside, w, y, wide)
    np.testing.assert_allclose(found.numpy(), back, rtol=1e-9, atol=1e-9)
    by_a, by_b = (found * Tensor(inside)).sum().gradient(a, b)
    np.testing.assert_allclose(by_a.numpy(), there, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(by_b.numpy(), by_w, rtol=1e-9, atol=1e-9)


def test_values_beside_an_image_are_not_read(rng):
    """Zeros around an image are zeros whatever lies beside it in memory."""
    x, w = rng.normal(size=(1, 4, 14, 14)), rng.normal(size=(16, 4, 3, 3))
    around = np.full((3, 4, 14, 14), np.nan)
    around[1] = x[0]
    found = Tensor(around)[1:2].conv2d(Tensor(w), padding=1)
    options = {"groups": 1, "stride": (1, 1), "dilation": (1, 1), "padding": (1, 1)}
    close(found, expected(x, w, None, options), "f64")


def test_infinities_stay_in_the_windows_that_see_them(rng):
    x, w = rng.normal(size=(1, 16, 9, 7)), rng.normal(size=(24, 16, 3, 3))
    x[0, 3, 4, 6] = np.inf
    found = Tensor(x).conv2d(Tensor(w), padding=1).numpy()
    assert (~np.isfinite(found)).any(axis=(0, 1)).sum() == 6, "three rows, two columns"


@pytest.mark.parametrize("images", [(), (2,), (0,)])
def test_folded_windows_add_up_where_they_overlap_and_nowhere_else(images, rng):
    """An infinity is seen in one place; derivatives are what windows see."""
    window, places, stride = (2, 3), (4, 2), (1, 2)
    columns = rng.normal(size=(*images, 2 * 6, 8))
    if columns.size:
        columns[..., 0, 3] = np.inf
    wanted = np.zeros((*images, 2, 5, 6))  # with a column of zeros around
    seen = columns.reshape(*images, 2, *window, *places)
    for (i, j), (p, q) in product(np.ndindex(window), np.ndindex(places)):
        wanted[..., p * stride[0] + i, q * stride[1] + j] += seen[..., i, j, p, q]
    a = Tensor(columns, requires_grad=True)
    found = a.fold((5, 4), window, 1, (0, 1), stride)
    np.testing.assert_allclose(found.numpy(), wanted[..., 1:-1], rtol=1e-12, atol=1e-12)
    upstream = rng.normal(size=found.shape)
    (by_a,) = (found * Tensor(upstream)).sum().gradient(a)
    wide = np.pad(upstream, [(0, 0)] * (upstream.ndim - 1) + [(1, 1)])
    for (i, j), (p, q) in product(np.ndindex(window), np.ndindex(places)):
        seen[..., i, j, p, q] = wide[..., p * stride[0] + i, q * stride[1] + j]
    np.testing.assert_allclose(by_a.numpy(), seen.reshape(columns.shape), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("number", range(8))
def test_a_transpose_is_the_adjoint(number):
    """<conv(x), y> = <x, transpose(y)>, and the derivatives of one are those of the other."""
    rng = np.random.default_rng(number)
    images, kernel, options = some(rng)
    x, w = rng.normal(size=images), rng.normal(size=kernel)
    y = rng.normal(size=expected(x, w, None, options).shape)
    there = Tensor(x).conv2d(Tensor(w), **options)
    more = [
        n - ((m - 1) * s - 2 * p + d * (k - 1) + 1)
        for n, m, k, s, d, p in zip(
            images[2:], y.shape[2:], kernel[2:], *list(options.values())[1:], strict=True
        )
    ]
    if any(
        m >= max(s, d) for m, s, d in zip(more, options["stride"], options["dilation"], strict=True)
    ):
        more = [0] * len(more)
    a, b = Tensor(y, requires_grad=True), Tensor(w, requires_grad=True)
    back = a.conv_transpose2d(b, output_padding=tuple(more), **options)
    whole = Tensor(x).shrink([(0, min(m, n)) for m, n in zip(x.shape, back.shape, strict=True)])
    pads = [(0, n - m) for m, n in zip(whole.shape, back.shape, strict=True)]
    inside = whole.pad(pads)
    total = (back * inside).sum()
    np.testing.assert_allclose(total.item(), (there * Tensor(y)).sum().item(), rtol=1e-9, atol=1e-8)
    by_a, by_b = total.gradient(a, b)
    np.testing.assert_allclose(by_a.numpy(), there.numpy(), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(by_b.numpy(), expected(x, w, y, options)[2], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize(
    "image, kernel", [((3, 7, 6), (17, 3, 3, 2)), ((36, 3, 2), (96, 36, 2, 3))]
)
def test_derivatives_of_derivatives_go_on(image, kernel, stride, rng):
    """Beside differences of the first ones."""
    x, w, v = rng.normal(size=(1, *image)), rng.normal(size=kernel), rng.normal(size=image[0])

    def first(at):
        a = Tensor(at, requires_grad=True)
        found = a.conv2d(Tensor(w), stride=stride, padding=1)
        return a, (found * found * found).sum().gradient(a)[0]

    direction = np.broadcast_to(v[:, None, None], x.shape)
    a, slope = first(x)
    (second,) = (slope * Tensor(direction)).sum().gradient(a)
    step = 1e-5
    ahead, behind = (first(x + sign * step * direction)[1].numpy() for sign in (1, -1))
    np.testing.assert_allclose(second.numpy(), (ahead - behind) / (2 * step), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("empty", [(0, 4, 4), (2, 0, 4), (2, 4, 0), (0, 64, 48)])
def test_derivatives_of_nothing_have_its_shape(empty):
    """No images, no output channels, no input channels."""
    images, outputs, inputs = empty
    x = Tensor.zeros(images, inputs, 5, 6, requires_grad=True)
    w = Tensor.zeros(outputs, inputs, 3, 2, requires_grad=True)
    for stride in (1, 2):
        by_x, by_w = x.conv2d(w, stride=stride).sum().gradient(x, w)
        assert (by_x.numpy().shape, by_w.numpy().shape) == (x.shape, w.shape)


def test_the_derivative_of_an_image_keeps_no_matrix_of_windows():
    """Nothing in memory is larger than an image with its zeros."""
    x = Tensor.ones(2, 16, 30, 30).contiguous().realize()
    w = Tensor.ones(16, 16, 3, 3).contiguous().realize()
    x.requires_grad = True
    (by_x,) = x.conv2d(w, padding=1).sum().gradient(x)
    sizes = [b.size for item in by_x.schedule() for b in item.buffers]
    assert max(sizes) <= 2 * 16 * 32 * 32


PHASES = [  # places, kernel, stride, padding, output_padding, groups: phases are convolutions
    ((3, 24, 4, 4), (24, 48, 4, 4), (2, 2), (1, 1), (0, 0), 1),
    ((2, 64, 7, 5), (64, 32, 3, 3), (2, 2), (1, 1), (1, 1), 2),
    ((2, 64, 1, 3), (64, 64, 2, 4), (2, 2), (0, 3), (0, 1), 1),
    ((2, 32, 6, 5), (32, 40, 6, 5), (3, 2), (1, 2), (2, 0), 2),
    ((2, 96, 11), (96, 66, 7), (3,), (2,), (1,), 1),
    ((1, 16, 3, 3, 2), (16, 24, 4, 4, 4), (2, 2, 2), (1, 1, 1), (0, 0, 1), 2),
]


@pytest.mark.parametrize("places, kernel, stride, padding, more, groups", PHASES)
def test_phases_of_a_transpose_are_computed_where_they_are_kept(
    places, kernel, stride, padding, more, groups, rng
):
    upstream, w = rng.normal(size=places), rng.normal(size=(kernel[0], *kernel[1:]))
    sizes = zip(places[2:], kernel[2:], stride, padding, more, strict=True)
    image = [(n - 1) * s + k - 2 * p + m for n, k, s, p, m in sizes]
    ones = (1,) * len(stride)
    options = {"groups": groups, "stride": stride, "dilation": ones, "padding": padding}
    x = np.zeros((places[0], groups * kernel[1], *image))
    wanted = expected(x, w, upstream, options)[1]
    a, b = (Tensor(v, requires_grad=True) for v in (upstream, w))
    found = a.conv_transpose2d(
        b, stride=stride, padding=padding, output_padding=more, groups=groups
    )
    close(found, wanted, "f64")
    weights = rng.normal(size=wanted.shape)
    by_places, by_kernel = (found * Tensor(weights)).sum().gradient(a, b)
    close(by_places, expected(weights, w, None, options), "f64")
    close(by_kernel, expected(weights, w, upstream, options)[2], "f64")


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
@pytest.mark.parametrize("size, window", [(4, 3), (7, 3), (7, 5), (12, 3), (9, 4)])
def test_channels_with_kernels_of_their_own(size, window, dtype, rng):
    """Windows of three columns are vectors with a mask too, and channels stay where they lie."""
    channels, pads = 24, (window // 2,) * 2
    x = rng.integers(-2, 3, (3, channels, size, size)).astype(float)
    w = rng.integers(-2, 3, (channels, 1, window, window)).astype(float)
    options = {"groups": channels, "stride": (1, 1), "dilation": (1, 1), "padding": pads}
    shape = expected(x, w, None, options).shape
    weights = rng.integers(-1, 2, shape).astype(float)
    a, b, u = (Tensor(v).cast(dtype).realize() for v in (x, w, weights))
    a.requires_grad_(True), b.requires_grad_(True)
    found = a.conv2d(b, **options)
    by_x, by_w = (found.cast("f64") * u.cast("f64")).sum().gradient(a, b)
    for got, wanted in zip((found, by_x, by_w), expected(x, w, weights, options), strict=True):
        np.testing.assert_allclose(
            got.cast("f64").numpy(), wanted, rtol=0 if dtype == "f32" else 8e-3
        )
