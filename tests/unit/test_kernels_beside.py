"""Small kernels that do not wait for each other, and those of one shape, are one kernel."""

from __future__ import annotations

import random

import numpy as np
import pytest

from rulewright import Context, Tensor, Variable, nn
from rulewright.ir.ops import Ops
from rulewright.schedule.beside import FEWEST, LARGE, SMALL, plain
from rulewright.schedule.parts import over_parts
from rulewright.tensor.realize import schedule

draw = np.random.default_rng(0)
CLASSES = [(96, 128), (128, 96), (96,), (7,)]  # the first two are more than SMALL elements


def filled(values):
    return Tensor(np.asarray(values, np.float32)).realize()


def floats(*shape):
    return filled(draw.normal(size=shape))


def parameters(layers=4, classes=CLASSES):
    """As many tensors of each class as there are layers, with gradients."""
    found = []
    for _ in range(layers):
        for shape in classes:
            found.append(floats(*shape).requires_grad_())
            found[-1].grad = floats(*shape)
    return found


def kernels(*tensors):
    return len(schedule(tensors).items)


def stepped(make, **given):
    """What a step of an optimiser over sixteen parameters of four shapes writes, not run yet."""
    found = parameters()
    optimiser = make(found, **given)
    Tensor.realize(*nn.state.get_state_dict(optimiser).values())
    return optimiser.update()


@pytest.mark.parametrize(
    ("make", "given", "most"),
    [
        (nn.optim.SGD, {}, 3),
        (nn.optim.SGD, {"momentum": 0.9, "weight_decay": 0.1}, 3),
        (nn.optim.Adam, {}, 5),  # and one of each power
        (nn.optim.AdamW, {}, 5),
    ],
)
def test_a_step_is_one_kernel_for_each_large_shape_and_one_for_the_small(make, given, most):
    assert kernels(*stepped(make, **given)) == most


def test_a_step_of_adam_over_many_parameters_is_right():
    found = parameters()
    values = [(p.numpy().astype(np.float64), p.grad.numpy()) for p in found]
    nn.optim.Adam(found, lr=0.1).step()
    for parameter, (value, slope) in zip(found, values, strict=True):
        wanted = value - 0.1 * slope / (np.abs(slope) + 1e-8)
        np.testing.assert_allclose(parameter.numpy(), wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("level", [1, 2, "prove"])
def test_steps_pass_the_checks(level, tmp_path):
    classes = [(2, 3), (5,), (1,), (2, 2)]
    with Context(VERIFY=level, CERTIFICATES=str(tmp_path)):
        found = parameters(2, classes)
        before = [p.numpy() for p in found]
        nn.optim.SGD(found, 0.5).step()
    for parameter, value in zip(found, before, strict=True):
        wanted = value - 0.5 * parameter.grad.numpy()
        np.testing.assert_allclose(parameter.numpy(), wanted, rtol=1e-6)


def test_sums_of_small_tensors_are_one_kernel():
    found = [floats(size) for size in (5, 64, 100, 7, 33)]
    sums = [t.sum() * 2 for t in found]
    assert kernels(*sums) == 1
    values = [t.sum() * 2 for t in found]
    values[0].realize(*values[1:])
    for tensor, value in zip(found, values, strict=True):
        np.testing.assert_allclose(value.item(), tensor.numpy().sum() * 2, rtol=1e-5, atol=1e-5)


# ---- what stays apart ---------------------------------------------------------------------


def test_a_few_results_are_a_kernel_each():
    found = [floats(size) for size in (5, 64, 100, 7)][: FEWEST - 1]
    assert kernels(*[t * 2 for t in found]) == FEWEST - 1


def test_large_kernels_of_unlike_shapes_stay_apart():
    found = [floats(rows, 128) for rows in (96, 97, 98, 99)]
    assert kernels(*[t * 2 for t in found]) == 4
    rows = [floats(SMALL + 1) for _ in range(4)]  # one loop would go over all of them at once
    assert kernels(*[t * 2 for t in rows]) == 4


def test_what_waits_for_others_comes_behind_them():
    x = [floats(5) for _ in range(4)]
    first = [t * 2 for t in x]
    for old, new in zip(x, reversed(x), strict=True):
        old.assign(old + new)
    values = [t.numpy() for t in first]
    made = schedule([*first, *x])
    made.run()
    assert len(made.items) > 1
    for one, other in zip(first, values, strict=True):
        np.testing.assert_array_equal(one.numpy(), other)


def test_kernels_that_were_chosen_how_to_run_and_symbolic_ones_stay_apart():
    found = [floats(16) for _ in range(5)]
    chosen = [(t * 2).contiguous(arg="upcast(r0)") for t in found]
    assert kernels(*chosen) == 5
    size = Variable("size", 1, 16).bind(9)
    assert kernels(*[t[:size] * 2 for t in found]) == 5


def test_other_targets_have_kernels_of_their_own():
    from rulewright.lang.build import load_table

    targets = load_table()["targets"]
    assert "side_by_side" in targets["C"]["limits"]
    assert not any("side_by_side" in targets[t]["limits"] for t in ("CUDA", "METAL", "OPENCL"))
    found = [Tensor(np.ones(size, np.float32), device="INTERP") for size in (5, 6, 7, 8)]
    assert kernels(*[t * 2 for t in found]) == 4


def test_no_more_scratch_memory_is_in_use_at_once():
    """Each norm needs a direction of its own, which goes before the next one is filled."""
    found = parameters(4, [(600,)])
    optimiser = nn.optim.LAMB(found)
    Tensor.realize(*nn.state.get_state_dict(optimiser).values())
    several = schedule(optimiser.update()).compiled.plan.after
    (one,) = parameters(1, [(600,)])
    optimiser = nn.optim.LAMB([one])
    Tensor.realize(*nn.state.get_state_dict(optimiser).values())
    assert several <= schedule(optimiser.update()).compiled.plan.after + 4 * 4 * 64


@pytest.mark.parametrize("sizes", [[9, 9, 7, 9, 9, 9, 8, 9], [5, 6, 7], [4]])
@pytest.mark.parametrize("first", [[], [3, 9]])
def test_more_layers_need_few_more_kernels(sizes, first):
    """What a step does for layers is what it does for others, over other parts of memory."""

    def different(layers):
        own = parameters(1, [(size,) for size in first])
        found = own + parameters(layers, [(size,) for size in sizes])
        optimiser = nn.optim.AdamW(found)
        Tensor.realize(*nn.state.get_state_dict(optimiser).values())
        made = schedule(optimiser.update())
        return len({over_parts(item.ast, 1)[0] for item in made.items})

    assert different(120 // len(sizes)) <= different(72 // len(sizes)) + 1


def test_large_parameters_are_a_kernel_each_compiled_once():
    found = parameters(5, [(LARGE // 128, 128)])
    made = schedule(nn.optim.SGD(found).update())
    assert len(made.items) == 5 and len({item.ast for item in made.items}) == 1


def test_no_kernel_has_more_memories_than_the_target_says():
    found = [floats(size) for size in range(3, 103)]
    made = schedule([t * 2 for t in found])
    assert len(made.items) == 4 and max(len(i.buffers) for i in made.items) == 64
    made.run()
    assert all(len(i.lower().name) < 60 for i in made.items)


def test_what_may_be_beside_others():
    x = floats(4, 4)
    (sums,) = x.softmax(1).schedule()
    found = plain(sums.ast)
    assert (len(found.loops), len(found.steps), found.work) == (2, 2, 4 * 4)
    (product,) = (x @ x).schedule()
    assert plain(product.ast).work == 4 * 4 * 4
    (picked,) = x[Tensor([2, 0]).realize()].schedule()
    assert plain(picked.ast) is not None
    assert plain(picked.ast.replace(arg=("named", None))) is None
    assert plain(next(n for n in picked.ast.toposort() if n.op is Ops.STORE)) is None


# ---- at random ----------------------------------------------------------------------------

SHAPES = [(5,), (64,), (3, 7), (96, 96), (1,), (130, 70)]


def written(rng, numbers):
    """Tensors, some of them written in turns, and what numpy has for them."""
    pool, results = [], []
    for _ in range(rng.randint(4, 14)):
        values = numbers.normal(size=rng.choice(SHAPES)).astype(np.float32)
        pool.append((filled(values), values))
    for _ in range(rng.randint(4, 30)):
        t, a = rng.choice(pool)
        u, b = rng.choice([p for p in pool if p[1].shape == a.shape])
        kind = rng.choice(["update", "update", "new", "shift", "sum", "part"])
        if kind == "update":
            t.assign(t * 0.5 + u)
            a[...] = a * 0.5 + b
        elif kind == "shift":
            t.assign(t + u.sum() * 0.01)
            a[...] = a + b.sum() * np.float32(0.01)
        elif kind == "part" and len(a) > 2:
            t[1:3] = u[0:2] * 3
            a[1:3] = b[0:2] * 3
        else:
            made = (t.sum(), a.sum()) if kind == "sum" else (t * 2 - u, a * 2 - b)
            results.append(made)
    return [*results, *((t, a.copy()) for t, a in pool)]


@pytest.mark.parametrize("seed", range(24))
def test_programs_that_write_and_read_in_turns(seed):
    found = written(random.Random(seed), np.random.default_rng(seed))
    random.Random(seed).shuffle(found)
    Tensor.realize(*(tensor for tensor, _ in found))
    for tensor, values in found:
        np.testing.assert_allclose(tensor.numpy(), values, rtol=1e-3, atol=1e-3)
