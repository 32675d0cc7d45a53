"""A kernel is done in one memory where each round reads there only what it writes."""

import numpy as np
import pytest

from rulewright import Tensor
from rulewright.driver.execute import run_items
from rulewright.ir.ops import Ops
from rulewright.schedule.overwrite import in_one_memory

draw = np.random.default_rng(0)


def floats(*shape):
    return Tensor(draw.normal(size=shape).astype(np.float32)).realize()


def joined(*results, read):
    """The one kernel of results, the first of them in the memory of a tensor that is read."""
    (item,) = results[0].schedule(*results[1:])
    run_items([item])  # from now on the results stand for their memory
    memory = read.uop.base
    places = [b for b in item.buffers if b.is_allocated]
    wanted = next(b for b in places if b.address == buffer_of(memory).address)
    written = item.buffers.index(buffer_of(results[0].uop.base))
    return in_one_memory(item.ast, written, item.buffers.index(wanted)), item


def buffer_of(node):
    from rulewright.runtime.memories import buffer_of as found

    return found(node)


def slots(kernel):
    return sorted({n.arg[0] for n in kernel.toposort() if n.op is Ops.PARAM})


def test_an_elementwise_kernel_has_one_parameter_fewer():
    x, y = floats(8, 8), floats(8, 8)
    kernel, item = joined(x * 2 + y, read=x)
    assert slots(item.ast) == [0, 1, 2] and slots(kernel) == [0, 1]


def test_a_kernel_that_copies_has_no_effect_left():
    x = floats(8, 8)
    kernel, _ = joined(x.clone(), read=x)
    assert kernel.op is Ops.SINK and not kernel.src


def test_the_store_that_needs_both_comes_before_what_it_needs_is_overwritten():
    x, y = floats(8, 8), floats(8, 8)
    mean = x * 0.9 + y
    kernel, item = joined(mean, y - mean * x, read=x)
    assert len(item.ast.src) == len(kernel.src) == 2
    written = [effect.src[0].src[0].src[0].arg[0] for effect in kernel.src]
    assert written == [1, 0]


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x.flip(0),
        lambda x: x.T,
        lambda x: x + x.roll(1, 1),
        lambda x: x @ x,
        lambda x: x.softmax(1),
        lambda x: x[Tensor([1, 0, 2, 3, 4, 5, 6, 7]).realize()],
    ],
)
def test_what_is_read_elsewhere_stays_apart(make):
    x = floats(8, 8)
    assert joined(make(x).contiguous(), read=x)[0] is None


def test_memory_of_another_size_or_dtype_stays_apart():
    x = floats(8, 8)
    assert joined(x.sum(1), read=x)[0] is None
    assert joined(x.bitcast("i32") + 1, read=x)[0] is None
    assert joined(x.cast("i32"), read=x)[0] is None


def test_sums_beside_what_they_read_stay_apart():
    x = floats(512, 64)
    kernel, item = joined(x.max(1), x.sum(1), read=x)
    assert len(item.ast.src) == 2 and kernel is None


def test_a_kernel_that_somebody_chose_how_to_run_stays_as_it_is():
    x = floats(8, 8)
    assert joined((x * 2).contiguous(arg="upcast(r1)"), read=x)[0] is None


def test_what_is_read_while_it_adds_up_stays_apart():
    """A kernel that adds values to places which data names goes over the values, not the places,
    unless it reads what it stores."""
    x, row = floats(8, 8), floats(5)
    kernel, item = joined((x.unsqueeze(-1) * row).exp().sum(-1), read=x)
    assert kernel is None and in_one_memory(item.ast, 0, 0) is None
