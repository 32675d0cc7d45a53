"""What building a program costs, in counts of work: nothing is found out twice.

Counts rather than seconds, so that a verdict does not hang on the machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from walks import counting

from rulewright import Context, Tensor, Variable, nn
from rulewright.codegen import lower
from rulewright.codegen.lower import lower_kernel
from rulewright.examples.transformer import Config, Transformer
from rulewright.ir import derived
from rulewright.ir.known import forget_results
from rulewright.ir.ops import Ops
from rulewright.ir.pipeline import phases, run_entries
from rulewright.schedule import indices, order, stages
from rulewright.schedule.callify import callify
from rulewright.tensor import assign
from rulewright.tensor.realize import Plan


def counted(monkeypatch: pytest.MonkeyPatch, home: Any, name: str) -> Counter[str]:
    """Counts the calls of a function from now on, under its name."""
    calls: Counter[str] = Counter()
    plain: Callable[..., Any] = getattr(home, name)

    def call(*args: Any, **named: Any) -> Any:
        calls[name] += 1
        return plain(*args, **named)

    monkeypatch.setattr(home, name, call)
    return calls


def floats(*shape: int) -> Tensor:
    return Tensor(np.ones(shape, np.float32)).realize()


def chain(length: int) -> Tensor:
    """Elementwise steps on what lies in memory another way round."""
    x = floats(6, 10).T.reshape(4, 15)
    for number in range(length):
        x = x * 2 + number
    return x.contiguous()


def transformer(layers: int) -> tuple[int, int, int]:
    """Reads of operands while one is scheduled and lowered, kernels, and different ones."""
    model = Transformer(Config(layers, 32, 2, 64, 16))
    for weight in nn.state.get_state_dict(model).values():
        weight.assign(floats(*weight.shape)).realize()
    with Context(CACHE=0), counting(float("inf")) as reads:
        items = model(Tensor([[1, 2, 3, 4]])).schedule()
    return reads.total(), len(items), len({lower_kernel(i.ast, "C").source for i in items})


def test_each_layer_of_a_transformer_is_as_much_work_and_no_new_kernel():
    transformer(1)
    (a, first, few), (b, second, same), (c, third, many) = map(transformer, (2, 4, 8))
    assert few == same == many, "layers are alike"
    assert third - second == 2 * (second - first)
    assert c - b < 1.05 * 2 * (b - a), f"reads for 2, 4 and 8 layers: {a}, {b}, {c}"


def trained(layers: int) -> int:
    """Reads of operands while a step of training is built and scheduled."""
    model = Transformer(Config(layers, 32, 2, 64, 16))
    weights = nn.state.get_state_dict(model).values()
    for weight in weights:
        weight.assign(floats(*weight.shape)).realize()
        weight.requires_grad_()
    optimiser = nn.optim.SGD(weights)
    with Context(CACHE=0), counting(float("inf")) as reads:
        loss = model(Tensor([[1, 2, 3, 4]])).square().mean()
        loss.backward()
        Tensor.schedule(loss, *optimiser.update())
    return reads.total()


def test_each_layer_that_is_trained_is_as_much_work():
    trained(1)
    a, b, c = map(trained, (2, 6, 14))
    assert c - b < 1.01 * 2 * (b - a), f"reads for 2, 6 and 14 layers: {a}, {b}, {c}"


def test_equal_kernels_are_lowered_once(monkeypatch: pytest.MonkeyPatch):
    forget_results()
    lowered = counted(monkeypatch, lower, "lower_fresh")
    items = Tensor.schedule(*(floats(7, 13) * 3 + floats(7, 13) for _ in range(3)))
    assert len(items) == 3
    for item in items:
        lower_kernel(item.ast, "C")
    assert lowered["lower_fresh"] == 1


def ranged(*tensors: Tensor) -> tuple[int, int]:
    """Kernels of a program, and different ones, while views are still in them."""
    body = callify(Plan([*tensors]).sink).body
    behind = dict(run_entries(body, phases("resolve", "kernelize")))["rangeify"]
    called = [node.src[0] for node in behind.toposort() if node.op is Ops.CALL]
    return len(called), len(set(called))


def test_equal_layers_are_one_kernel_before_their_indices_move():
    found = []
    for layers in (2, 6):
        model = Transformer(Config(layers, 32, 2, 64, 16))
        for weight in nn.state.get_state_dict(model).values():
            weight.assign(floats(*weight.shape)).realize()
        found.append(ranged(model(Tensor([[1, 2, 3, 4]]))))
    (few, different), (many, still) = found
    assert many > 2 * few and still == different, found


def test_so_are_the_steps_of_an_optimiser_for_parameters_of_one_shape():
    found = []
    for count in (3, 9):
        parameters = [floats(3, 5).requires_grad_() for _ in range(count)]
        optimiser = nn.optim.SGD(parameters, momentum=0.9)
        for parameter in parameters:
            parameter.grad = floats(3, 5)
        found.append(ranged(*optimiser.update()))
    (few, different), (many, still) = found
    assert many > 2 * few and still == different, found


def test_a_graph_whose_rows_are_short_is_gone_through_once(monkeypatch: pytest.MonkeyPatch):
    planned = counted(monkeypatch, stages, "_Planner")
    q, k, v = (floats(1, 12, 64, 64) for _ in range(3))
    with Context(CACHE=0):
        q.scaled_dot_product_attention(k, v).schedule()
    assert planned["_Planner"] == 1


def test_indices_are_simplified_once_however_many_nodes_ask(monkeypatch: pytest.MonkeyPatch):
    counts = []
    for length in (10, 40):
        with Context(CACHE=0), monkeypatch.context() as patched:
            simplified = counted(patched, indices, "rewrite")
            chain(length).schedule()
            counts.append(simplified["rewrite"])
    assert counts[0] == counts[1] > 0, counts


def test_shapes_are_not_derived_again_where_memory_becomes_a_parameter(
    monkeypatch: pytest.MonkeyPatch,
):
    counts = []
    for length in (10, 40):
        sink = Plan([chain(length)]).sink
        with monkeypatch.context() as patched:
            derivations = counted(patched, derived, "_shape_of")
            body = callify(sink).body
            shapes = [node.shape for node in body.toposort()]
            counts.append(derivations["_shape_of"])
        assert shapes.count((4, 15)) >= length
    assert max(counts) < 10, counts


def test_sizes_that_are_variables_are_derived_from_the_variable():
    n = Variable("n", 1, 8)
    part = floats(8)[: n.bind(5)] * 2
    body = callify(Plan([part.contiguous()]).sink).body
    for node in body.toposort():
        for size in node.shape or ():
            bound = [] if isinstance(size, int) else size.toposort()
            assert not any(inner.op is Ops.BIND for inner in bound), node


def test_what_kernels_wait_for_is_found_once_for_each_graph(monkeypatch: pytest.MonkeyPatch):
    found = counted(monkeypatch, order, "_calls")
    x = floats(300, 400)
    with Context(CACHE=0):
        items = Tensor.schedule(x.sum(), (x @ x.T).sum(0), x.softmax(0), x.cumsum(1))
    assert len(items) > 4
    assert found["_calls"] <= 3  # as split, as fused, as gathered


def test_the_memory_of_a_clone_is_looked_for_among_no_other_tensors(
    monkeypatch: pytest.MonkeyPatch,
):
    looked = counted(monkeypatch, assign, "showing")
    parameters = [floats(3).requires_grad_() for _ in range(5)]
    optimiser = nn.optim.AdamW(parameters)
    for parameter in parameters:
        parameter.grad = floats(3)
    optimiser.step()
    assert looked["showing"] == 0


def test_the_views_of_a_memory_are_looked_for_among_no_other_tensors(
    monkeypatch: pytest.MonkeyPatch,
):
    x = floats(5)
    others = [floats(3)[1:] for _ in range(20)]
    first, again = x[1:], x[1:][2:]
    again.replace(x[:2])
    del first
    added = counted(monkeypatch, assign, "rebased")
    x += 2
    assert added["rebased"] < len(others)
    assert (x.tolist(), again.tolist(), others[0].tolist()) == ([3] * 5, [3] * 2, [1] * 2)


def test_what_became_a_view_late_is_moved_and_what_is_none_any_more_is_not():
    x, y = floats(4), floats(4)
    late, gone = y[1:], x[1:]
    late.replace(x[2:])
    gone.replace(y[1:])
    x += 4
    assert (x.tolist(), late.tolist()) == ([5] * 4, [5] * 2)
    assert (y.tolist(), gone.tolist()) == ([1] * 4, [1] * 3)


def test_a_clone_that_others_show_too_is_still_parted():
    x = floats(3)
    clone = x.clone()
    other = clone._equal()
    clone += 1
    assert (x.tolist(), clone.tolist(), other.tolist()) == ([1] * 3, [2] * 3, [1] * 3)
    view = other.clone()[1:]
    view += 5
    assert (view.tolist(), other.tolist()) == ([6] * 2, [1] * 3)
