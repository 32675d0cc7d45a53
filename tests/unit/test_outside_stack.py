"""The stack machine of `tests/outside/stack`: a device of another family than C."""

from __future__ import annotations

from pathlib import Path

import pytest
from outside_tools import install, run

pytestmark = pytest.mark.timeout(60)  # processes of their own, whose caches may be cold


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A folder with the packages of both devices."""
    folder = tmp_path_factory.mktemp("stack") / "site"
    return install("stack", install("c99", folder))


COMPUTES = """
import numpy as np
from rulewright import Context, GlobalCounters, Tensor, Variable, dtypes, jit
rng = np.random.default_rng(0)
x = rng.standard_normal((5, 6)).astype(np.float32)
i = rng.integers(-20, 20, (5, 6)).astype(np.int32)
def close(tensor, wanted, **room):
    np.testing.assert_allclose(tensor.numpy(), wanted, **room)
def same(tensor, wanted):
    np.testing.assert_array_equal(tensor.numpy(), wanted)
with Context(DEVICE="STACK", VERIFY=1):
    t, n = Tensor(x), Tensor(i)
    e = np.exp(x.astype(np.float64))
    close(t.softmax(1), e / e.sum(1, keepdims=True), rtol=1e-5)
    close(t @ Tensor(x.T), x @ x.T, rtol=1e-5, atol=1e-5)
    same(n // 7, i // 7)
    same(n % -7, i % -7)
    same((n << 3) ^ (n >> 1), (i << 3) ^ (i >> 1))
    same(n.cast(dtypes.i8) * 13, i.astype(np.int8) * np.int8(13))
    same((t * 100).cast(dtypes.u8), np.clip(np.trunc(x * 100), 0, 255).astype(np.uint8))
    same(Tensor([np.nan, np.inf, -np.inf]).cast(dtypes.i64), [0, 2**63 - 1, -(2**63)])
    same(t.pad((1, 2)), np.pad(x, ((0, 0), (1, 2))))
    same(t.half().realize().float(), x.astype(np.float16))
    same((t.bfloat16().realize() * 2).half().realize().isnan(), np.zeros(x.shape, bool))
    same(t[n[0].abs() % 5], x[np.abs(i[0]) % 5])
    same((t > 0).where(t, -1), np.where(x > 0, x, np.float32(-1)))
    same(t.argmax(1), x.argmax(1))
    same(t.max(0), x.max(0))
    same(t.double().bitcast(dtypes.i64), x.astype(np.float64).view(np.int64))
    step = jit(lambda a: (a * 2).cumsum(1))
    for k in range(4):
        close(step(Tensor(x + k)), ((x + k) * 2).cumsum(1), rtol=1e-5, atol=1e-6)
    size = Variable("size", 1, 5)
    for k in (2, 5, 3):
        close(t[: size.bind(k)].sum(0), x[:k].sum(0), rtol=1e-5, atol=1e-6)
    w = Tensor(x, requires_grad=True)
    (w * w).sum().backward()
    same(w.grad, 2 * x)
    written = Tensor(np.zeros(6, np.float32))
    written[2:4] = Tensor([1.0, 2.0])
    same(written, [0, 0, 1, 2, 0, 0])
assert set(GlobalCounters.kernels_on) == {"STACK"}, GlobalCounters.kernels_on
[kernel] = (Tensor(x, device="STACK") * 2).schedule()
assert kernel.lower().source.startswith("kernel e_")
moved = (Tensor(x * x, device="STACK") * 2).to("C99").sqrt().to("STACK") + 1
close(moved, np.sqrt(x * x * 2) + 1, rtol=1e-6)
assert {"STACK", "C99"} <= set(GlobalCounters.kernels_on)
print("good")
"""


def test_a_stack_machine_computes(site):
    assert run(site, code=COMPUTES).endswith("good\n")


OWN = """
op TWICE<T: f32>(x: T) : T  shape "same"  meaning "np.add(x, x)"
target STACK extends STACK { spell TWICE = "{x} float32:2.0 mul" }
"""

BESIDE = """
from rulewright import Device, Tensor, load_spec, op
from rulewright.errors import *
assert Device["STACK"].target == "STACK"
load_spec("own.uop")
[kernel] = op("TWICE", Tensor([1.5], device="STACK")).schedule()
assert "at float32:2.0 mul to" in kernel.lower().source
assert op("TWICE", Tensor([1.5], device="STACK")).tolist() == [3.0]
load_spec("odd.uop")
for device, error, text in (
    ("C", StageError, f"target {Device['C'].target}, kernel e_1: no spelling for TWICE"),
    ("STACK", CompileError, "device STACK: unknown word 'fold'"),
):
    try:
        op("TWICE" if device == "C" else "FOLD", Tensor([1.5], device=device)).realize()
    except error as found:
        assert text in str(found), found
    else:
        raise AssertionError(device)
print("good")
"""


def test_spellings_are_added_to_a_target_of_another_package(site):
    away = site.parent / "away"
    away.mkdir(exist_ok=True)
    (away / "own.uop").write_text(OWN)
    (away / "odd.uop").write_text(OWN.replace("TWICE", "FOLD").replace("float32:2.0 mul", "fold"))
    assert run(site, code=BESIDE).endswith("good\n")


def test_both_devices_are_listed_and_their_cases_are_right(site):
    said = run(site, "devices")
    assert "a stack machine in Python [rulewright-stack 1.0]" in said
    assert "[rulewright-c99 1.0]" in said
    chosen = "values/where or values/floor/1 or gradients/exp/1 or hazards/swap"
    said = run(site, "conformance", "--device", "STACK", "-k", chosen)
    assert "kernels on STACK" in said


PROFILED = """
from rulewright import Context, Tensor
from rulewright.profile import profile_events
with Context(DEVICE="STACK", PROFILE=1):
    (Tensor([1.0, 2.0, 3.0]).realize() * 2).realize()
with Context(DEVICE="C", PROFILE=1):
    (Tensor([1.0, 2.0, 3.0]).realize() * 2).realize()
for event in profile_events():
    if event.category == "kernel":
        print(event.name, event.seconds > 0, dict(event.details))
"""


def test_kernels_of_a_device_that_records_no_events_are_in_profiles(site):
    """And those of one that does stand there once."""
    said = run(site, code=PROFILED)
    assert said == "e_3 True {'flops': 3, 'bytes': 24, 'dtype': 'f32'}\n" * 2
