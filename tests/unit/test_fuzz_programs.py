"""Random small tensor programs: the C device against the interpreter.

The reference is the interpreter on the tensor graph itself, so schedule, lowering, rendering and
the device are what is tested. Integers and bools must agree bit by bit, floats within the
tolerance that shadow mode derives. A failing program is printed as code that can be pasted.
"""

from __future__ import annotations

import numpy as np
import pytest
from fuzz_programs import LARGE, Writer, drawn
from hypothesis import given, note, settings, strategies as st
from pairs import in_turn

from rulewright import Tensor
from rulewright.interp import Shadowed, evaluate
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.runtime.memories import buffer_of


def reference(tensor: Tensor) -> Shadowed:
    """What the interpreter says of a tensor's graph."""
    graph = tensor.uop
    held = {n: buffer_of(n).as_numpy() for n in graph.toposort() if n.op is Ops.BUFFER}
    found = evaluate(graph, held, shadow=True)
    assert isinstance(found, Shadowed)
    return found


def check(name: str, found: np.ndarray, wanted: Shadowed) -> None:
    assert found.shape == wanted.exact.shape, name
    assert found.dtype == wanted.exact.dtype, name
    agrees = wanted.agrees(found)
    if agrees.all():
        return
    at = tuple(np.argwhere(~agrees)[0])
    raise AssertionError(
        f"{name}{list(map(int, at))}: C gives {found[at]!r}, the interpreter {wanted.exact[at]!r} "
        f"(in f64 {wanted.shadow[at]!r}, tolerance {wanted.tolerance[at]!r}); "
        f"{int((~agrees).sum())} of {agrees.size} differ"
    )


@settings(max_examples=60)
@given(st.data())
def test_random_programs_agree_with_the_interpreter(data):
    agree(data, Writer(drawn(data.draw)))


@settings(max_examples=20)
@given(st.data())
def test_large_random_programs_agree_with_the_interpreter(data):
    agree(data, Writer(drawn(data.draw), LARGE, 200_000))


def agree(data, writer: Writer) -> None:
    for _ in range(data.draw(st.integers(1, 2))):
        writer.input()
    for _ in range(data.draw(st.integers(1, 8))):
        writer.step()
    note("\n".join([*writer.lines, f"print({writer.tensors[-1]}.numpy())"]))
    outputs = writer.tensors[-2:]
    wanted = [reference(writer.tensor(n)) for n in outputs]
    Tensor.realize(*(writer.tensor(n) for n in outputs))
    for name, value in zip(outputs, wanted, strict=True):
        check(name, writer.tensor(name).numpy(), value)


@pytest.mark.parametrize(
    ("shape", "kind"),
    in_turn([(0,), (1,), (3, 0, 2), (13, 1), (2, 3, 5)], ["f32", "f16", "bf16", "i32", "bool"]),
)
def test_odd_shapes_of_each_dtype(kind, shape):
    array = np.random.default_rng(1).integers(0, 5, shape).astype(dtypes.__getattr__(kind).np)
    t = Tensor(array)
    results = [t.flip(0), t.cast("f32").sum(0), t.cat(t, dim=0), t.cast("i32").cumsum(0)]
    if 0 not in shape:
        results += [t.cast("i32").max(0), t.cast("f32").softmax(-1)]
    wanted = [reference(r) for r in results]
    Tensor.realize(*results)
    for result, value in zip(results, wanted, strict=True):
        check(kind, result.numpy(), value)


@pytest.mark.parametrize("shape", [(4, 2), (8, 4), (3, 5), (16, 16)])
def test_sums_that_read_backwards(shape):
    """gcc 12.2 vectorises an ordered sum over reversed elements wrongly at -O2 and -O3."""
    array = 2.0 ** np.arange(np.prod(shape)).reshape(shape).astype("f8")
    for kind in ("f32", "f64"):
        t = Tensor((array % 1e6).astype(dtypes.__getattr__(kind).np))
        for axis in (0, 1):
            result = t.flip(axis).sum()
            check(kind, result.numpy(), reference(t.flip(axis).sum()))
