"""Images copied near by whose rows lie one behind the other: what is computed, what is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest
from codegen_kernels import agrees, axis, chosen, padded_convolution, param, reduced
from pairs import in_pairs

from rulewright import Context, Tensor
from rulewright.codegen.lower import lower_kernel
from rulewright.errors import UsageError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


def rolled(rows: int, length: int, more: str = "", held: str = "") -> str:
    """Choices for blocks of so many rows, which are so long."""
    return (
        f"r7, r8 = pad(r2, {rows}); r9, r10 = pad(r3, {length}); r11, r12 = pad(r1, 8); "
        "r13 = join(r11, r7); r14 = join(r13, r9); "
        f"r15, r16 = roll(r4, r8, r5, r10, r6{more}); r23, r24 = split(r12, 4); "
        f"r25, r26 = hold(r24, r8, r10{held}); block(r23); stored(r24); stored(r8); simd(r10); "
        f"r17, r18 = split(r16, {length}); simd(r18); r27, r28 = split(r26, 16); upcast(r27); "
        "simd(r28); upcast(r25)"
    )


@pytest.mark.parametrize(
    ("side", "rows", "longer"), in_pairs([3, 7, 8, 13], [2, 3, 4, 8], [1, 2, 3, 6])
)
def test_windows_go_on_in_the_next_row(side, rows, longer, rng):
    """One zero between rows is enough for two; blocks may go on beyond the image."""
    held = -(-rows * (side + longer) // 16) * 16
    kernel = padded_convolution(2, 6, 3, side)
    agrees(kernel, rolled(rows, side + longer, held=f", {held}"), rng)


@pytest.mark.parametrize("more", [", 1", ", 72", ", 90", ", 126"])
def test_the_row_goes_on_as_far_as_is_said(more, rng):
    """At least as far as windows read, whatever is said."""
    agrees(padded_convolution(1, 6, 2, 8), rolled(4, 9, more, ", 48"), rng)


def test_each_element_is_copied_once():
    kernel = chosen(padded_convolution(2, 6, 3, 8), rolled(4, 9, held=", 48"))
    copies = [n.src[1:] for n in kernel.toposort() if n.op is Ops.STAGE and n.src[1].size == 3]
    assert [[fill.size for fill in fills] for fills in copies] == [[3, 8, 9]]


def test_rows_have_room_for_what_windows_read_beyond_them():
    with pytest.raises(UsageError, match=r"beyond the end of a row of 8 is not what .* make it 10"):
        chosen(padded_convolution(2, 6, 3, 8), rolled(4, 8))


def image_without_zeros():
    o, y, x = axis(2, 0), axis(3, 1), axis(4, 2)
    c, dy, dx = reduced(2, 3), reduced(2, 4), reduced(3, 5)
    pixel = param(1, 2 * 4 * 6).index(c * 24 + (y + dy) * 6 + x + dx)
    total = (pixel * param(2, 24).index(o * 12 + c * 6 + dy * 3 + dx)).reduce(Ops.ADD, c, dy, dx)
    return UOp.sink(param(0, 24).index(o * 12 + y * 4 + x).store(total).end(o, y, x))


def test_rows_without_zeros_are_as_long_as_what_is_read(rng):
    text = "r6, r7 = pad(r2, {}); r8, r9 = roll(r3, r1, r4, r7, r5); r10, r11 = split(r9, {})"
    agrees(image_without_zeros(), text.format(6, 6), rng)
    with pytest.raises(
        UsageError, match="row of 5 is not what the next one begins with; make it 6"
    ):
        chosen(image_without_zeros(), text.format(5, 5))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("r7 = roll(r1, r2, r5)", "nothing is read in windows along r1, r2, r5"),
        ("r7, r8 = roll(r3, r6)", "it makes no range, found names for 2"),
        ("r7 = roll(r2, r4, r3)", "nothing is read in windows along r2, r4, r3"),
        ("r7, r8, r9 = roll(r2, r5, r3, r6)", "it makes two ranges, found names for 3"),
    ],
)
def test_what_is_not_rows_and_columns_does_not_roll(text, why):
    with pytest.raises(UsageError, match=why):
        chosen(padded_convolution(2, 8, 3, 8), text)


def convolution(x, w, padding, step=(1, 1), dilation=(1, 1)):
    """By numpy, of float64 numbers."""
    around = [(0, 0), (0, 0), *[(p, p) for p in padding]]
    wide = np.pad(x.astype(np.float64), around)
    spans = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilation, strict=True)]
    under = np.lib.stride_tricks.sliding_window_view(wide, spans, (2, 3))
    under = under[:, :, :: step[0], :: step[1], :: dilation[0], :: dilation[1]]
    return np.einsum("ncyxij,ocij->noyx", under, w.astype(np.float64))


IMAGES = [  # an image, a kernel, padding, step, dilation; rows of a block, and how long they are
    ((2, 48, 20, 20), (24, 48, 3, 3), (1, 1), (1, 1), (1, 1), 20, 21),
    ((2, 64, 23, 31), (19, 64, 3, 3), (1, 1), (1, 1), (1, 1), 8, 32),
    ((2, 40, 19, 17), (32, 40, 5, 5), (2, 2), (1, 1), (1, 1), 5, 19),
    ((3, 7, 18, 21), (33, 7, 5, 5), (2, 1), (1, 1), (1, 1), 6, 22),
    ((2, 11, 21, 18), (32, 11, 3, 3), (0, 0), (1, 1), (1, 1), 7, 18),
    ((2, 6, 17, 20), (35, 6, 2, 5), (0, 2), (1, 1), (1, 1), 4, 22),
    ((2, 6, 24, 22), (32, 6, 3, 3), (2, 2), (1, 1), (2, 2), 24, 24),
    ((2, 6, 24, 22), (32, 6, 3, 3), (1, 3), (1, 1), (1, 1), 9, 28),
    ((2, 24, 37, 41), (32, 24, 5, 5), (2, 2), (2, 2), (1, 1), 6, 22),
    ((2, 4, 38, 40), (32, 4, 5, 5), (2, 2), (1, 2), (1, 1), 11, 22),
    ((2, 4, 38, 40), (32, 4, 5, 5), (0, 1), (2, 1), (1, 1), 5, 41),
    ((2, 4, 46, 49), (40, 4, 5, 5), (2, 2), (3, 3), (1, 1), 8, 18),
    ((2, 3, 60, 61), (32, 3, 7, 7), (3, 3), (2, 2), (1, 1), 7, 33),
    ((2, 5, 40, 44), (16, 5, 3, 3), (1, 1), (2, 2), (2, 2), 5, 24),
    ((2, 5, 40, 61), (16, 5, 6, 6), (0, 0), (4, 4), (1, 1), 4, 15),
]


@pytest.mark.parametrize("image, kernel, padding, step, dilation, rows, length", IMAGES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_convolutions_by_rolled_rows(
    image, kernel, padding, step, dilation, rows, length, dtype, rng
):
    x = rng.integers(-3, 4, image).astype(dtype)
    w = rng.integers(-2, 3, kernel).astype(dtype)
    text = rolled(rows, length, held=f", {-(-rows * length // 16) * 16}")
    with Context(VERIFY=1):
        y = Tensor(x).conv2d(Tensor(w), stride=step, padding=padding, dilation=dilation)
        values = y.contiguous(arg=text).numpy()
    np.testing.assert_array_equal(values, convolution(x, w, padding, step, dilation))


@pytest.mark.parametrize(
    ("image", "kernel", "options"),
    [
        ((1, 64, 23, 31), (32, 64, 3, 3), {"padding": 1}),
        ((8, 64, 29, 31), (64, 64, 3, 3), {}),
        ((2, 24, 37, 41), (40, 24, 5, 5), {"padding": 2, "stride": 2}),
        ((2, 3, 60, 61), (32, 3, 7, 7), {"padding": 3, "stride": 2}),
    ],
)
def test_long_sums_are_worth_it(image, kernel, options, rng):
    x, w = (rng.integers(-3, 4, shape).astype(np.float32) for shape in (image, kernel))
    y = Tensor(x).conv2d(Tensor(w), **options)
    assert "roll(" in lower_kernel(y.schedule()[-1].ast, "C").choices
    two = {k: v if isinstance(v, tuple) else (v, v) for k, v in options.items()}
    wanted = convolution(x, w, two.get("padding", (0, 0)), two.get("stride", (1, 1)))
    np.testing.assert_array_equal(y.numpy(), wanted)


def test_what_is_no_number_stays_in_its_windows(rng):
    """Places between rows read elements of others, and are not stored."""
    x = rng.integers(-3, 4, (1, 48, 20, 20)).astype(np.float32)
    w = rng.integers(-2, 3, (16, 48, 3, 3)).astype(np.float32)
    x[0, 5, 7, 19], x[0, 9, 12, 0] = np.nan, np.inf
    y = Tensor(x).conv2d(Tensor(w), padding=1)
    assert "roll(" in lower_kernel(y.schedule()[-1].ast, "C").choices
    values, wanted = y.numpy(), convolution(x, w, (1, 1))
    np.testing.assert_array_equal(np.isnan(values), np.isnan(wanted))
    finite = np.isfinite(wanted)
    np.testing.assert_array_equal(values[finite], wanted[finite])


def test_short_sums_are_not_worth_it():
    x, w = Tensor.rand(2, 3, 32, 32).realize(), Tensor.rand(32, 3, 3, 3).realize()
    choices = lower_kernel(x.conv2d(w, padding=1).schedule()[-1].ast, "C").choices
    assert re.search(r"slide\(", choices) and "roll(" not in choices
