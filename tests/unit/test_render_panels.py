"""Panels of large matrices are asked for while the ones before are multiplied by few rows."""

import re
from itertools import product
from math import prod

import numpy as np
import pytest

from rulewright import Tensor
from rulewright.codegen.lower import lower_kernel

LINE = 64


def operands(m, n, k, turned, kind="f32"):
    a, b = (
        Tensor.empty(m, k, dtype=kind).clone(),
        Tensor.empty(*((n, k) if turned else (k, n)), dtype=kind).clone(),
    )
    Tensor.realize(a, b)
    return a, b.T if turned else b


def lowered(m, n, k, turned, kind="f32", target="C"):
    a, b = operands(m, n, k, turned, kind)
    return lower_kernel((a @ b).schedule()[-1].ast, target)


def asked(source):
    """The index expressions of what is asked for."""
    return re.findall(r"__builtin_prefetch\(&data2\[(.*)\]\);", source)


def lines_asked(source, panel, size):
    """The lines that the loops over a panel ask for."""
    expressions = [text.replace("/", "//") for text in asked(source)]
    names = sorted(set(re.findall(r"\b[a-z]\d+\b", expressions[0])))
    sizes = {n: int(re.search(rf"\b{n} < (\d+);", source)[1]) for n in names if n[0] != "t"}
    (thread,) = (n for n in names if n[0] == "t")
    compiled = [compile(text, "index", "eval") for text in expressions]
    lines = set()
    for values in product(*map(range, sizes.values())):
        known = {**dict(zip(sizes, values, strict=True)), thread: panel}
        lines.update(eval(text, {}, known) * size // LINE for text in compiled)
    assert prod(sizes.values()) > 1
    return lines


def lines_of(panel, width, n, k, turned, size):
    """The lines that hold a panel of so many columns."""
    columns, depth = np.meshgrid(np.arange(panel * width, (panel + 1) * width), np.arange(k))
    elements = columns * k + depth if turned else depth * n + columns
    return set((elements * size // LINE).reshape(-1).tolist())


def check(program, n, k, turned, size):
    """Whether what a thread asks for beside its panels is the next one of each, and little else."""
    width = int(re.search(r"pad\(r1, (\d+)\)", program.choices)[1])
    shared = re.search(r"split\(r5, (\d+)\)", program.choices)
    panels = int(shared[1]) if shared else 1
    wanted = set().union(
        *(lines_of(panel + 1, width, n, k, turned, size) for panel in range(panels, 2 * panels))
    )
    there = lines_asked(program.source, 1, size)
    assert wanted <= there
    assert len(there) <= 1.1 * len(wanted) + 8


@pytest.mark.parametrize("target", ["C", "C_AVX2", "C_NEON"])
@pytest.mark.parametrize(
    ("m", "n", "k", "turned"),
    [
        (64, 3072, 768, True), (32, 3072, 768, False), (37, 2000, 1000, True),
        (40, 2016, 992, False), (60, 2001, 768, True),
    ],
)  # fmt: skip
def test_each_line_of_the_next_panel_is_asked_for(m, n, k, turned, target):
    check(lowered(m, n, k, turned, target=target), n, k, turned, 4)


@pytest.mark.parametrize(("kind", "size"), [("f64", 8), ("f16", 2), ("bf16", 2)])
@pytest.mark.parametrize("turned", [True, False])
def test_so_it_is_for_other_dtypes(kind, size, turned):
    check(lowered(64, 2048, 2048, turned, kind), 2048, 2048, turned, size)


@pytest.mark.parametrize(
    ("m", "n", "k", "turned"),
    [
        (2048, 2048, 2048, False),
        (64, 768, 768, True),
        (1, 4096, 4096, False),
        (4096, 64, 4096, True),
    ],
)
def test_not_for_many_rows_nor_of_memory_that_caches_hold(m, n, k, turned):
    assert not asked(lowered(m, n, k, turned).source)


@pytest.mark.parametrize("target", ["CUDA", "OPENCL", "METAL"])
def test_only_where_a_target_says_so(target):
    assert "prefetch" not in lowered(64, 3072, 768, True, target=target).source


@pytest.mark.parametrize("turned", [True, False])
@pytest.mark.parametrize(("m", "n", "k"), [(37, 1543, 769), (64, 3072, 512), (17, 2001, 1023)])
def test_products_are_right_to_the_last_panel(m, n, k, turned, rng):
    x = rng.standard_normal((m, k)).astype(np.float32)
    w = rng.standard_normal((n, k) if turned else (k, n)).astype(np.float32)
    want = x.astype(np.float64) @ (w.T if turned else w)
    got = (Tensor(x) @ (Tensor(w).T if turned else Tensor(w))).numpy()
    np.testing.assert_allclose(got, want, atol=2e-4)


@pytest.mark.parametrize("target", ["C", "C_AVX2", "C_NEON"])
@pytest.mark.parametrize(("m", "n", "k"), [(4, 4096, 2048), (8, 2048, 1024), (12, 1024, 8192)])
def test_rows_of_the_next_block_are_asked_for(m, n, k, target):
    source = lowered(m, n, k, False, target=target).source
    fetched = re.findall(r"__builtin_prefetch\(&data2\[(.*) \+ (\d+)\]\);", source)
    vectors = re.findall(r"\*\(f32x(\d+) \*\)&data2\[(.*?)\]", source)
    rows = int(re.search(r"r\d+ < (\d+); r\d+\+\+\) {(?:(?!for).)*prefetch", source, re.S)[1])
    assert {int(step) for _, step in fetched} == {rows * n}
    read = {place for _, place in vectors}
    assert {place for place, _ in fetched} <= read
    width = int(vectors[0][0]) * 4
    assert len(fetched) == max(1, len(read) * width // LINE)  # once a line


@pytest.mark.parametrize(("m", "n", "k"), [(1, 4096, 4096), (2, 4096, 4096), (4, 512, 512)])
def test_wide_pieces_and_what_caches_hold_are_not_asked_for(m, n, k):
    assert not asked(lowered(m, n, k, False).source)
