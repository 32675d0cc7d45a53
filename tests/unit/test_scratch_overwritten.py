"""Scratch memory that a kernel is the last to read is what the kernel fills."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rulewright import Context, Tensor
from rulewright.ir.ops import Ops
from rulewright.schedule import overwrite
from rulewright.schedule.callees import read_slots, written_slots
from rulewright.tensor.realize import schedule

draw = np.random.default_rng(0)


def floats(*shape):
    return Tensor(draw.normal(size=shape).astype(np.float32) * 0.2).realize()


def chain(x, weights):
    """Products of which each is added to the one before: two of them live at once."""
    for weight in weights:
        x = (x @ weight).relu() + x
    return x.sum(1)


def written_over(made):
    """How many kernels fill scratch memory that they read."""
    found = 0
    for call in made.compiled.linear.src:
        slots = set(written_slots(call.src[0])) & set(read_slots(call.src[0]))
        found += any(call.src[1 + slot].op is Ops.SCRATCH for slot in slots)
    return found


def test_residuals_are_added_in_place():
    x, weights = floats(32, 64), [floats(64, 64) for _ in range(4)]
    made = schedule([chain(x, weights)])
    assert written_over(made) == 0  # a product reads rows, of which it writes one element each
    a, b = floats(64, 64), floats(64, 64)
    first = (x @ a).contiguous()
    second = (first @ b).contiguous()
    third = (second @ b + first).contiguous()  # the last to read `first`, at the same place
    total = (third @ a + third.sum()).sum(1)
    made = schedule([total])
    assert written_over(made) == 1 and made.compiled.plan.after < 3 * 32 * 64 * 4


def value(x, a, b):
    first = (x @ a).contiguous()
    second = (first @ b).contiguous()
    return (second @ b + first).contiguous().softmax(1)


def wanted(x, a, b):
    x, a, b = (t.numpy().astype(np.float64) for t in (x, a, b))
    first = x @ a
    powers = np.exp(first @ b @ b + first)
    return powers / powers.sum(1, keepdims=True)


@pytest.fixture
def small(monkeypatch):
    """Memory of a few bytes is worth it, too."""
    monkeypatch.setattr(overwrite, "LEAST", 16)


@pytest.mark.parametrize("level", [0, 1, "prove"])
def test_values_stay(level, tmp_path, small):
    """At 1 the plan is checked, at `prove` each step of the schedule."""
    x, a, b = floats(4, 5), floats(5, 5), floats(5, 5)
    with Context(VERIFY=level, CERTIFICATES=str(tmp_path), CACHE=0):
        found = value(x, a, b)
        made = schedule([found])
        assert written_over(made) == 1
        made.run()
    np.testing.assert_allclose(found.numpy(), wanted(x, a, b), rtol=1e-4, atol=1e-5)
    if level == "prove":
        (certificate,) = tmp_path.glob("*.json")
        steps = json.loads(certificate.read_text())["chains"][0]["steps"]
        assert steps[-1]["before"] != steps[-1]["after"]
        assert {step["status"] for step in steps} == {"proved"}


def test_values_stay_for_the_interpreter(small):
    with Context(VERIFY=2, CACHE=0):
        x, a, b = floats(3, 4), floats(4, 7), floats(7, 7)
        found = value(x, a, b)
        assert written_over(schedule([found])) == 1
        found = value(x, a, b)
        np.testing.assert_allclose(found.numpy(), wanted(x, a, b), rtol=1e-4, atol=1e-5)


def test_padded_rows_read_nothing_that_others_store():
    """34 columns are padded to whole vectors, and none of them reads the row's last sum."""
    x, a, b = floats(32, 33), floats(33, 34), floats(34, 34)
    with Context(VERIFY=1, CACHE=0):
        found = value(x, a, b)
        np.testing.assert_allclose(found.numpy(), wanted(x, a, b), rtol=1e-4, atol=1e-5)
        sums = floats(32, 34)
        exact = sums.numpy() + x.numpy() @ a.numpy()
        sums.assign(sums + x @ a)
        np.testing.assert_allclose(sums.numpy(), exact, rtol=1e-4, atol=1e-5)


def test_methods_stay_known():
    x, a, b = floats(32, 32), floats(32, 32), floats(32, 32)
    made = schedule([value(x, a, b)])
    assert all(item.metadata for item in made.items)


def test_what_others_read_later_stays():
    x, a, b = floats(32, 32), floats(32, 32), floats(32, 32)
    first = (x @ a).contiguous()
    third = ((first @ b).contiguous() @ b + first).contiguous()
    found = (third @ a) * first.sum()
    values = found.numpy()
    x, a, b = (t.numpy().astype(np.float64) for t in (x, a, b))
    first = x @ a
    exact = ((first @ b @ b + first) @ a) * first.sum()
    np.testing.assert_allclose(values, exact, rtol=1e-3, atol=1e-2)
