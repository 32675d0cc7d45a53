"""Realising one of many lazy tensors: the others take note of it when they are looked at."""

import gc
import threading

import numpy as np
import pytest
from arrays import realized
from calls import calls_of
from pairs import in_pairs

from rulewright import Tensor, Variable, jit
from rulewright.ir.ops import Ops
from rulewright.runtime.profile import GlobalCounters
from rulewright.tensor import forwarding
from rulewright.tensor.registry import live_tensors, lock


def kernels_of(function):
    before = GlobalCounters.kernels
    function()
    return GlobalCounters.kernels - before


def ready(function):
    """Run what is to be measured three times: then its kernels are ready."""
    for _ in range(3):
        function()


# ---- scale ---------------------------------------------------------------------------------------


def alone(x, n):
    return [x * 3 + (x + 1) for _ in range(n)], [4 * k + 1 for k in (1, 2, 3)]


def chain(x, n):
    tensors = [x]
    for _ in range(n):
        tensors.append(tensors[-1] * 2 - x)  # x again
    return tensors[1:], [1, 2, 3]


def fan(x, n):
    base = x.cumsum(0)
    return [base, *(base * realized(2.0, 2.0, 2.0) for _ in range(n))], [2, 6, 12]


def views(x, n):
    return [(x + 1).reshape(3, 1).flip(0).T[0] for _ in range(n)], [4, 3, 2]


def looked_at(x, n):
    base = x.cumsum(0)
    tensors = [base, *(base * realized(2.0, 2.0, 2.0) for _ in range(n))]
    base.realize()
    assert {tensor.shape for tensor in tensors} == {(3,)}  # all take note, none is computed
    return tensors, [2, 6, 12]


def losses(x, n):
    w = realized(2.0, 2.0, 2.0).requires_grad_()
    return [(w * x - k).square().sum() for k in range(n)], np.square(2 * np.arange(1, 4) - n + 1)


def dependent(x, n):
    return chain(x.requires_grad_(), n)


MANY = {"alone": alone, "chain": chain, "fan": fan, "views": views,
        "looked at": looked_at, "losses": losses, "dependent": dependent}  # fmt: skip


@pytest.mark.parametrize("make", MANY.values(), ids=MANY)
def test_lazy_tensors_are_realised_one_by_one_in_linear_time(make):
    def run(n):
        x, others = realized(1.0, 2.0, 3.0), [realized(0.0) + 1 for _ in range(n)]
        tensors, wanted = [], []

        def work():
            nonlocal tensors, wanted
            tensors, wanted = make(x, n)
            for tensor in tensors:
                tensor.realize()

        calls = calls_of(work)  # the others have nothing to do with it
        assert np.sum(tensors[-1].tolist()) == np.sum(wanted) and len(others) == n
        return calls

    ready(lambda: run(10))
    few, many = run(60), run(480)
    assert many < 16 * few


def test_a_chain_is_realised_backwards_and_in_no_order(rng):
    for order in (range(39, -1, -1), rng.permutation(40)):
        tensors, wanted = chain(realized(1.0, 2.0, 3.0), 40)
        for k in order:
            assert tensors[k].tolist() == wanted


# ---- memory that others show ---------------------------------------------------------------------


SHOWN = {
    "the same": lambda x: x + 1,
    "turned": lambda x: (x + 1).flip(0),
    "a part": lambda x: (x + 1)[1:],
    "reshaped": lambda x: (x + 1).reshape(3, 1),
    "repeated": lambda x: (x + 1).expand(2, 3),
    "detached": lambda x: (x + 1).detach(),
    "another handle": lambda x: Tensor(x + 1),
    "copied": lambda x: (x + 1).clone(),
    "made of it": lambda x: (x + 1) * 2,
}


@pytest.mark.parametrize(
    ("name", "looks", "other_first"), in_pairs(SHOWN, [True, False], [True, False])
)
def test_a_write_does_not_show_in_what_is_no_view(name, looks, other_first):
    make = SHOWN[name]
    for _ in range(4):  # compiled, and then as it is ready
        x = realized(1.0, 2.0, 3.0)
        wanted = make(x).numpy()
        y, other = x + 1, make(x)
        if other_first:
            other.realize()
        y.realize()
        assert not looks or other.uop is not None
        y[0] = 100
        y += 1
        assert y.tolist() == [101, 4, 5]
        np.testing.assert_array_equal(other.numpy(), wanted)
        assert (x + 1).tolist() == [2, 3, 4]


@pytest.mark.parametrize("make", SHOWN.values(), ids=SHOWN)
def test_a_write_into_what_takes_note_later_does_not_show_in_the_first(make):
    for _ in range(4):
        x = realized(1.0, 2.0, 3.0)
        wanted, first = make(x).numpy(), x + 1
        other = make(x)
        first.realize()
        if other.shape != (2, 3):
            other *= 3
            np.testing.assert_array_equal(other.numpy(), wanted * 3)
        assert first.tolist() == [2, 3, 4]


def test_views_of_a_value_see_writes_into_each_other_once_it_is_computed():
    for _ in range(4):
        x = realized(1.0, 2.0, 3.0)
        y = x + 1
        view, double = y[1:], y * 2
        same = x + 1
        same.realize()  # which makes y memory, too
        view += 10
        assert (y.tolist(), view.tolist(), same.tolist()) == ([2, 13, 14], [13, 14], [2, 3, 4])
        assert double.tolist() == [4, 6, 8]


@pytest.mark.parametrize("write", ["in place", "jit"])
def test_what_is_written_is_no_longer_needed_by_what_was_made_of_a_computed_value(write):
    step = jit(lambda x: x.assign(x * 2).realize())
    for _ in range(6):
        x = realized(1.0, 2.0, 3.0)
        middle = x + 1
        end = middle * 10
        middle.realize()
        if write == "jit":
            step(x)
        else:
            assert kernels_of(lambda x=x: x.assign(x * 2).realize()) == 1  # end is not computed
        assert end.state == "lazy"
        assert kernels_of(end.realize) == 1
        assert (x.tolist(), end.tolist()) == ([2, 4, 6], [20, 30, 40])


def test_a_value_made_anew_after_a_write_is_not_what_it_was_before():
    for _ in range(4):
        x = realized(1.0, 2.0, 3.0)
        double = x * 2
        kept = double + 1  # so that the value stays
        double.realize()
        x += 1
        x.realize()
        assert (x * 2).tolist() == [4, 6, 8]
        assert (kept.tolist(), double.tolist()) == ([3, 5, 7], [2, 4, 6])


# ---- taking note ---------------------------------------------------------------------------------


def test_what_took_note_computes_no_value_again():
    for _ in range(3):
        x = realized(*range(16))
        first = (x + 1).cumsum(0).realize
        tensors = [x.cumsum(0)]
        for _ in range(5):
            tensors.append(tensors[-1].cumsum(0))
        last = tensors[-1]
        for tensor in tensors[:-1]:
            tensor.realize()
        assert kernels_of(last.realize) == kernels_of(first)
    wanted = np.arange(16)
    for _ in range(6):
        wanted = wanted.cumsum()
    np.testing.assert_array_equal(last.numpy(), wanted)


def test_values_that_became_other_values_that_became_memory_are_found():
    def run():
        x = realized(1.0, 2.0)
        a = x + 1
        b = a * 3
        c = b.exp2()
        d = c - 1
        a.realize()
        assert len(b.uop.toposort()) < len(c._node.toposort())  # b took note, c did not
        b.realize()
        assert kernels_of(d.realize) == 1
        assert d.tolist() == [63, 511] and c.tolist() == [64, 512]

    ready(run)


def test_what_became_of_a_value_is_found_in_what_became_of_another():
    x = realized(1.0, 2.0)
    for look in (lambda tensor: None, lambda tensor: live_tensors()):
        a, w = x + 1, x.exp2()
        b = a * w
        d = b - 1
        a.realize()
        assert w.state == b.state == "lazy"  # b took note: it became another value with w in it
        w.realize()
        look(d)
        assert all(node.op is not Ops.EXP2 for node in d.uop.toposort())
        assert d.tolist() == [3, 11] and b.tolist() == [4, 12]


@pytest.mark.parametrize("flush", [True, False])
def test_a_value_that_is_asked_for_anew_is_computed_anew(flush):
    """Whether somebody still holds what it was before hangs on the collector."""
    x = realized(1.0, 2.0)
    ready(lambda: (x * 2).realize())
    for others in (0, 20):
        y = x * 2
        kept = y + 1
        y.realize()
        again, more = x * 2, x * 2 + 7
        for k in range(others):
            (x + k).realize()
        if flush:
            live_tensors()
        assert any(node.op is Ops.MUL for node in more.uop.toposort())
        assert kernels_of(again.realize) == 1
        assert (again.tolist(), kept.tolist(), more.tolist()) == ([2, 4], [3, 5], [9, 11])


def test_a_value_that_is_computed_again_is_the_newest_change():
    x = realized(1.0, 2.0)
    y, z = x * 2, x + 5
    kept = [y + 1, z + 1]
    y.realize()
    z.realize()
    (x * 2).realize()
    changes = forwarding.all_changes()
    assert [value.op for _, value, _ in changes] == [Ops.ADD, Ops.MUL]
    assert changes[0][0] < changes[1][0]
    assert [t.tolist() for t in kept] == [[3, 5], [7, 8]]


def test_a_tensor_is_read_while_another_thread_computes():
    x = realized(1.0, 2.0)
    ready(lambda: (x + 1).realize())
    y = x + 1
    z = y * 2
    y.realize()
    seen = []
    with lock:  # what computes holds it
        thread = threading.Thread(target=lambda: seen.append(z + 1))
        thread.start()
        thread.join(20)
    assert seen and seen[0].tolist() == [5, 7] and z.tolist() == [4, 6]


def test_threads_compute_parts_of_one_graph():
    x = realized(1.0, 2.0, 3.0)
    ready(lambda: chain(x, 3)[0][-1].realize())
    tensors, wanted = chain(x, 120)
    wrong = []

    def work(part):
        wrong.extend(t for t in part if t.tolist() != wanted)

    threads = [threading.Thread(target=work, args=(tensors[k::4],)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_gradients_go_through_what_took_note():
    for _ in range(4):
        w = realized(1.0, 2.0).requires_grad_()
        x = realized(3.0, 4.0)
        plain, y = x + 1, w * x
        z = y * plain
        plain.realize()
        y.realize()
        z.sum().backward()
        assert w.grad.tolist() == [12, 20] and z.tolist() == [12, 40]


def test_symbolic_sizes():
    x = realized(*range(8))
    n = Variable("n", 1, 8)
    for size in (3, 5, 8, 3, 5):
        y = x[: n.bind(size)] + 1
        z = y * 2
        y.realize()
        assert z.sum().item() == size * (size + 1)


# ---- what is held --------------------------------------------------------------------------------


def held():
    gc.collect()
    return GlobalCounters.mem_used


def test_nothing_is_noted_when_no_graph_holds_the_value():
    x = realized(1.0, 2.0)
    ready(lambda: (x + 1).realize())
    gc.collect()
    forwarding.all_changes()
    y = x + 1
    y.realize()
    assert not forwarding.is_any()
    z = y * 2
    w = z + 1
    z.realize()
    assert forwarding.is_any() and w.tolist() == [5, 7]
    del w
    assert not forwarding.is_any()


def test_a_value_with_a_gradient_goes_with_the_last_that_holds_it():
    w = realized(*range(1000)).cast("f32").requires_grad_().realize()
    ready(lambda: (w * 2).realize())
    before = held()
    forwarding.all_changes()
    for _ in range(5):
        y = w * 2
        z = y + 1
        y.realize()
        assert forwarding.is_any()
        del z
        assert not forwarding.is_any()
        y.sum().backward()
        assert set(w.grad.tolist()) == {2}
        w.grad = None
        del y
    assert held() == before


def test_memory_of_what_is_computed_from_nothing_goes_with_its_tensor():
    def run():
        return (Tensor.arange(1000) * 2).realize()

    before = held()
    for _ in range(5):
        y = run()
    del y
    assert held() == before


def test_large_memory_is_not_kept_for_what_was_computed_from_it():
    tensors, size = [], 1 << 22
    before = held()
    for k in range(12):
        large = Tensor(np.full(size, k / size, np.float32))
        total = large.sum()
        tensors.append(total + 1)
        total.realize()
        del large
    assert held() - before < 8 * 4 * size
    assert [t.item() for t in tensors] == [k + 1 for k in range(12)]


def test_many_changes_are_taken_note_of_before_there_are_more():
    x = realized(1.0, 2.0)
    tensors = [x + k for k in range(400)]
    end = Tensor.stack(*tensors).sum(0)
    most = 0
    while tensors:
        tensors.pop().realize()
        most = max(most, len(forwarding._links))
    assert 64 <= most < 300
    assert end.tolist() == [400 + 399 * 200, 800 + 399 * 200]
