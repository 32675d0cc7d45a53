"""How the work items of a GPU share what is reduced, and read and write neighbours at once."""

from __future__ import annotations

import re
from math import prod

import numpy as np
import pytest
from pairs import in_turn

from rulewright import Tensor
from rulewright.codegen.lower import lower_fresh, lower_kernel
from rulewright.lang.build import load_table

DECODE = [(2, 3, 1, 64), (2, 3, 300, 64), (2, 3, 300, 64)]
DEVICES = ("CUDA_EMULATED", "METAL_EMULATED")
SUMS = {
    "one query": (lambda q, k, v: q.scaled_dot_product_attention(k, v), DECODE),
    "columns": (lambda x: x.sum(0), [(600, 96)]),
    "odd columns": (lambda x: x.sum(0), [(333, 97)]),
    "middle": (lambda x: x.max(1), [(3, 300, 40)]),
    "variance of columns": (lambda x: x.var(0), [(300, 40)]),
    "vector by matrix": (lambda x, w: x @ w, [(1, 256), (256, 160)]),
    "rows by matrix": (lambda x, w: x @ w, [(6, 259), (259, 163)]),
    "rows by turned": (lambda x, w: x @ w.transpose(0, 1), [(2, 299), (160, 299)]),
    "more rows by turned": (lambda x, w: x @ w.transpose(0, 1), [(16, 512), (164, 512)]),
    "few by few": (lambda x, y: x.transpose(0, 1) @ y, [(2049, 12), (2049, 8)]),
    "turned": (lambda x: x.transpose(0, 1).contiguous(), [(128, 96)]),
    "turned and more": (lambda x, y: x.transpose(0, 1) * y, [(64, 96), (96, 64)]),
    "turned within": (lambda x: x.permute(2, 1, 0).contiguous(), [(32, 5, 64)]),
    "turned on itself": (lambda x: x * x.transpose(0, 1), [(64, 64)]),
    "turned odd": (lambda x: x.transpose(0, 1) + 1, [(65, 98)]),
    "long rows": (lambda x: x.log_softmax(), [(3, 24001)]),
    "rows by fours": (lambda x: x.softmax(), [(40, 4096)]),
    "part of rows": (lambda x: x[:, 1:2046].sum(1), [(5, 2048)]),
    "scan": (lambda x: x.cumsum(1), [(40, 512)]),
    "short rows": (lambda x: x.sum(1), [(400, 16)]),
    "all": (lambda x: x.sum(), [(250,)]),
    "all of two kernels": (lambda x: x.sum(), [(60000,)]),
    "deviation": (lambda x: (x - x.mean()).abs().max(), [(999,)]),
    "one row for many": (lambda x: x.expand(2048, 7).max(1), [(1, 7)]),
    "a row for each of many": (lambda x: x.expand(3, 4099, 7).sum(2), [(3, 1, 7)]),
    "first of the largest": (lambda x: x.argmax(0), [(300, 40)]),
}


@pytest.mark.parametrize(("name", "device"), in_turn(SUMS, DEVICES))
def test_values(name, device, rng):
    make, shapes = SUMS[name]
    arrays = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    actual = make(*(Tensor(a, device=device) for a in arrays)).numpy()
    expected = make(*(Tensor(a.astype(np.float64), device="INTERP") for a in arrays)).numpy()
    np.testing.assert_allclose(actual, expected, rtol=2e-5, atol=2e-4)


@pytest.mark.parametrize("device", DEVICES)
def test_the_gradient_of_a_window(device, rng):
    """Its reduced axes lie beside each other in part, and elements use again what others read."""
    shapes = ((3, 8, 33, 33), (12, 8, 3, 3), (3, 12, 33, 33))
    arrays = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    gradients = []
    for on in (device, "C"):
        x, weight, g = (Tensor(a, device=on) for a in arrays)
        weight.requires_grad_()
        (x.conv2d(weight, padding=1) * g).sum().backward()
        gradients.append(weight.grad.numpy())
    np.testing.assert_allclose(*gradients, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("device", DEVICES)
def test_neighbours_use_what_one_reads(device, rng, monkeypatch):
    """Each work item has four of them, of a window and of the rows of a table."""
    limits = load_table()["targets"][device.removesuffix("_EMULATED")]["limits"]
    monkeypatch.setitem(limits, "groups", 1)
    image, weight, g = (
        rng.standard_normal(s).astype("f4") for s in ((3, 8, 24, 24), (8, 1, 3, 3), (60, 32))
    )
    where = np.arange(60) % 7
    results = []
    for on in (device, "C"):
        table = Tensor(np.zeros((290, 32), np.float32), device=on).requires_grad_()
        (table[Tensor(where, device=on)] * Tensor(g, device=on)).sum().backward()
        windows = Tensor(image, device=on).conv2d(Tensor(weight, device=on), padding=1, groups=8)
        results.append((table.grad.numpy(), windows.numpy()))
    for actual, expected in zip(*results, strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-4)


def launch(make, *shapes):
    """The launch of the last kernel on CUDA."""
    values = [Tensor(np.zeros(shape, np.float32)).realize() for shape in shapes]
    return lower_kernel(make(*values).schedule()[-1].ast, "CUDA").launch


@pytest.mark.parametrize(
    ("make", "shapes"),
    [
        (lambda x: x.sum(0), [(2048, 1024)]),
        (lambda x, w: x @ w, [(1, 1024), (1024, 1024)]),
        (lambda x, w: x @ w.transpose(0, 1), [(2, 1024), (4096, 1024)]),
    ],
)
def test_there_are_groups_for_all_of_a_gpu(make, shapes):
    groups, items = launch(make, *shapes)
    assert prod(groups) >= 128 and prod(items) >= 128


def test_one_group_reduces_all_to_one():
    assert launch(lambda x: x.sum(), (250,)) == ((1, 1, 1), (224, 1, 1))
    assert launch(lambda x: x.sum(), (40,)) == ((1, 1, 1), (1, 1, 1))


@pytest.mark.parametrize(
    ("rows", "length", "items"),
    [(300, 300, 32), (300, 1000, 64), (300, 2048, 256), (200, 300, 256)],
)
def test_of_many_groups_each_has_items_with_some_values_each(rows, length, items, rng):
    """Those that have fewer would wait for each other for most of their time."""
    x = rng.standard_normal((rows, length)).astype(np.float32)
    total = Tensor(x, device="CUDA_EMULATED").sum(1)
    [item] = total.schedule()
    assert f", {items}); group(" in str(lower_kernel(item.ast, "OPENCL").choices)
    np.testing.assert_allclose(total.numpy(), x.astype(np.float64).sum(1), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(("groups", "shared"), [(128, True), (10, True), (9, False), (1, False)])
def test_reductions_are_shared_of_as_few_elements_as_groups_run_at_once(
    groups, shared, monkeypatch
):
    monkeypatch.setitem(load_table()["targets"]["OPENCL"]["limits"], "groups", groups)
    [item] = Tensor(np.zeros((300, 2048), np.float32)).realize().sum(1).schedule()
    assert ("group(" in str(lower_fresh(item.ast, "OPENCL").choices)) == shared


@pytest.mark.parametrize("of", ["CUDA", "CUDA_SM90", "METAL"])
@pytest.mark.parametrize("dtype", ["f4", "f2"])
@pytest.mark.parametrize("side", [2, 3])
def test_what_a_group_copies_of_an_image_is_used_for_all_channels_of_a_block(of, dtype, side):
    """Loops over a window go around those over channels, whose values are copied together."""
    x, w = (Tensor(np.zeros(s, dtype)) for s in ((1, 64, 40, 40), (64, 64, side, side)))
    [call] = x.conv2d(w).schedule()
    lines = lower_kernel(call.ast, of).source.splitlines()
    depth = [len(line) - len(line.lstrip()) for line in lines]
    multiply = re.compile(r"= fma|^ +mma_|^ +simdgroup_mul")
    wait = re.compile("barrier|__syncthreads")
    product = max(n for n, line in enumerate(lines) if multiply.search(line))
    barrier = max(n for n, line in enumerate(lines[:product]) if wait.search(line))
    assert depth[barrier] < depth[product], "what is copied anew for each step is used for one"
