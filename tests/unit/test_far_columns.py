"""Products whose results lie apart in memory: gradients of filters, results with axes exchanged."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import Context, Tensor
from rulewright.codegen.lower import lower_kernel


def small(*shape: int, seed: int = 0) -> np.ndarray:
    """Whole numbers, of which products and sums are exact."""
    return np.random.default_rng(seed).integers(-2, 3, shape).astype(np.float32)


def windows(x: np.ndarray, side: int, stride: int, padding: int) -> np.ndarray:
    """What each place of a filter is multiplied with, by numpy."""
    wide = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    under = np.lib.stride_tricks.sliding_window_view(wide, (side, side), (2, 3))
    return under[:, :, ::stride, ::stride]


@pytest.mark.parametrize(
    "images, ins, outs, size, side, stride, padding",
    [
        (2, 5, 16, 28, 3, 1, 1),
        (3, 3, 17, 30, 3, 1, 0),
        (2, 3, 64, 40, 7, 2, 3),
        (1, 20, 33, 37, 3, 1, 1),
        (4, 16, 16, 19, 1, 1, 0),
        (5, 8, 40, 17, 5, 2, 2),
        (2, 1, 16, 32, 3, 1, 1),
        (7, 6, 100, 13, 3, 1, 1),
    ],
)
def test_the_gradient_of_filters(
    images: int, ins: int, outs: int, size: int, side: int, stride: int, padding: int
) -> None:
    x, w = small(images, ins, size, size), small(outs, ins, side, side, seed=1)
    wt = Tensor(w, requires_grad=True)
    y = Tensor(x).conv2d(wt, stride=stride, padding=padding)
    g = small(*map(int, y.shape), seed=2)
    with Context(VERIFY=1):
        (found,) = (y * Tensor(g)).sum().gradient(wt)
        values = found.numpy()
    wanted = np.einsum("ncyxij,noyx->ocij", windows(x, side, stride, padding), g)
    np.testing.assert_array_equal(values, wanted)


@pytest.mark.parametrize("b, i, j, k", [(3, 24, 40, 1024), (2, 37, 19, 1500), (5, 16, 64, 2048)])
@pytest.mark.parametrize("result", ["ijb", "jib", "ibj", "bij"])
def test_results_with_axes_exchanged(b: int, i: int, j: int, k: int, result: str) -> None:
    """Where the batch is innermost neither rows nor columns are neighbours."""
    x, y = small(b, i, k), small(b, k, j, seed=1)
    text = f"bik,bkj->{result}"
    with Context(VERIFY=1):
        found = Tensor.einsum(text, Tensor(x), Tensor(y)).numpy()
    np.testing.assert_array_equal(found, np.einsum(text, x, y))


def test_a_panel_serves_all_places_of_a_window() -> None:
    """The gradient that meets an image is turned and copied once for its nine neighbours."""
    w = Tensor(small(32, 16, 3, 3), requires_grad=True)
    x = Tensor(small(4, 16, 32, 32)).realize()
    g = Tensor(small(4, 32, 32, 32)).realize()
    (found,) = (x.conv2d(w, padding=1) * g).sum().gradient(w)
    programs = [lower_kernel(item.ast, "C") for item in found.schedule()]
    (program,) = [p for p in programs if "pack(" in p.choices]
    assert "block(r2); block(r3)" in program.choices  # the places of the window
    assert "shuffle(" in program.source and "mulacc_f32x16" in program.source


@pytest.mark.parametrize(
    "groups, ins, outs", [(1, 12, 20), (2, 12, 20), (3, 12, 21), (4, 32, 64), (8, 8, 24)]
)
@pytest.mark.parametrize("size", [7, 14, 28])
def test_channels_of_a_group_share_their_image(groups: int, ins: int, outs: int, size: int) -> None:
    x, w = small(2, ins, size, size), small(outs, ins // groups, 3, 3, seed=1)
    with Context(VERIFY=1):
        found = Tensor(x).conv2d(Tensor(w), groups=groups, padding=1).numpy()
    each = zip(np.split(windows(x, 3, 1, 1), groups, 1), np.split(w, groups, 0), strict=True)
    wanted = [np.einsum("ncyxij,ocij->noyx", u, v) for u, v in each]
    np.testing.assert_array_equal(found, np.concatenate(wanted, 1))


def test_groups_are_products_of_tiles() -> None:
    x, w = Tensor(small(2, 64, 28, 28)).realize(), Tensor(small(64, 16, 3, 3)).realize()
    program = lower_kernel(x.conv2d(w, groups=4, padding=1).schedule()[-1].ast, "C")
    assert program.choices.startswith("r7, r8 = split(r1, 16)") and "roll(" in program.choices
    assert "mulacc_f32x16" in program.source


def test_results_that_are_neighbours_stay_one_range() -> None:
    """Vectors are made of them, whatever groups they share something by."""
    x, w = Tensor(small(8, 16, 40)).realize(), Tensor(small(64, 40)).realize()
    items = (x.repeat_interleave(4, 1) * w).sum(-1).schedule()
    assert "split(r1, 4)" not in lower_kernel(items[-1].ast, "C").choices
    wanted = (x.numpy().repeat(4, 1) * w.numpy()).sum(-1)
    np.testing.assert_array_equal((x.repeat_interleave(4, 1) * w).sum(-1).numpy(), wanted)


@pytest.mark.parametrize(
    "side, stride, size", [(3, 2, 28), (3, 2, 57), (7, 1, 28), (5, 3, 40), (3, 4, 33), (2, 5, 41)]
)
def test_channels_of_their_own(side: int, stride: int, size: int) -> None:
    """Depthwise: each channel has one filter, and steps leave elements out."""
    x, w = small(2, 17, size, size), small(17, 1, side, side, seed=1)
    with Context(VERIFY=1):
        found = Tensor(x).conv2d(Tensor(w), groups=17, stride=stride, padding=1).numpy()
    wanted = np.einsum("ncyxij,cij->ncyx", windows(x, side, stride, 1), w[:, 0])
    np.testing.assert_array_equal(found, wanted)


def test_short_sums_of_steps_are_vectors() -> None:
    x, w = Tensor(small(2, 8, 64, 64)).realize(), Tensor(small(8, 1, 3, 3)).realize()
    source = lower_kernel(x.conv2d(w, groups=8, stride=2).schedule()[-1].ast, "C").source
    assert "shuffle(" in source and "#pragma omp simd" not in source


@pytest.mark.parametrize("scale", [(1,), (1, 24, 1, 1), (2, 24, 1, 1), (2, 1, 1, 1)])
def test_an_image_that_is_scaled_is_done_in_blocks(scale: tuple[int, ...]) -> None:
    """By one number, or one for each channel, as gates do: what says no place is no other axis."""
    x, w, s = small(2, 24, 14, 14), small(32, 24, 3, 3, seed=1), small(*scale, seed=2)
    found = (Tensor(s) * Tensor(x)).conv2d(Tensor(w), padding=1)
    choices = [lower_kernel(item.ast, "C").choices for item in found.schedule()]
    assert any("slide(" in text for text in choices), choices
    with Context(VERIFY=1):
        wanted = np.einsum("ncyxij,ocij->noyx", windows(x * s, 3, 1, 1), w)
        np.testing.assert_array_equal(found.numpy(), wanted)
