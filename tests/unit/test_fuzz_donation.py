"""Random functions that are given their arguments, beside the same ones that are not."""

from __future__ import annotations

import random

import numpy as np
import pytest

from rulewright import Context, Tensor, jit
from rulewright.errors import UsageError

SHAPE = (192, 160)  # more than the 64 KiB up to which nothing is taken
OPS = {
    "add": lambda x, y, k: x + y,
    "mix": lambda x, y, k: x * 0.5 - y * 0.25,
    "chosen": lambda x, y, k: (x > y).where(x, y * 3),
    "relu": lambda x, y, k: x.relu(),
    "clone": lambda x, y, k: x.clone(),
    "softmax": lambda x, y, k: x.softmax(-1),
    "flip": lambda x, y, k: x.flip(0),
    "roll": lambda x, y, k: x + x.roll(1, 1),
    "mean": lambda x, y, k: x - y.mean(0, keepdim=True),
    "scan": lambda x, y, k: x.cumsum(0) * 0.01,
    "outer": lambda x, y, k: x.sum(1, keepdim=True) * y.sum(0, keepdim=True) * 1e-4,
    "turned": lambda x, y, k: x.T.reshape(*SHAPE) + 0,
    "part": lambda x, y, k: _part(x.clone(), y, k),
    "added": lambda x, y, k: _added(x.clone(), y),
}


def _part(x, y, k):
    x[k : k + 8] = y[:8] * 2
    return x


def _added(x, y):
    x += y
    return x


def function_of(rng, count):
    """A function of some tensors that returns one to three."""
    steps = [
        (rng.choice(sorted(OPS)), rng.random(), rng.random(), rng.randrange(SHAPE[0] - 8))
        for _ in range(rng.randint(1, 8))
    ]
    results = [rng.random() for _ in range(rng.randint(1, 3))]

    def made(*tensors):
        values = list(tensors)
        for name, one, other, k in steps:
            x, y = values[int(one * len(values))], values[int(other * len(values))]
            values.append(OPS[name](x, y, k))
        return [values[int(at * len(values))] for at in results]

    text = ", ".join(f"x{i}" for i in range(count))
    return eval(f"lambda {text}: made({text})", {"made": made})


HOLD = {
    "nothing": (lambda x: None, lambda a: None),
    "view": (lambda x: x[2:5], lambda a: a[2:5]),
    "lazy": (lambda x: x * 2, lambda a: a * 2),
    "array": (np.from_dlpack, lambda a: a),
}


@pytest.mark.parametrize("seed", range(40))
def test_a_donated_call_gives_what_a_plain_one_gives(seed):
    rng, draw = random.Random(seed), np.random.default_rng(seed)
    count = rng.randint(1, 3)
    function = function_of(rng, count)
    donate = tuple(sorted(rng.sample(range(count), rng.randint(1, count))))
    step = jit(function, donate=donate)
    for number in range(4):
        data = [draw.normal(size=SHAPE).astype(np.float32) for _ in range(count)]
        wanted = [t.numpy() for t in function(*[Tensor(d) for d in data])]
        given = [Tensor(d).realize() for d in data]
        held, (hold, known) = rng.randrange(count), HOLD[rng.choice(sorted(HOLD))]
        kept = hold(given[held])
        with Context(VERIFY=int(seed % 8 == 0)):
            found = step(*given)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one.numpy(), other, rtol=1e-4, atol=1e-4)
        if kept is not None:
            there = kept.numpy() if isinstance(kept, Tensor) else kept
            np.testing.assert_array_equal(there, known(data[held]))
        for place, tensor in enumerate(given):
            if place in donate:
                with pytest.raises(UsageError, match="was donated"):
                    tensor.numpy()
            else:
                np.testing.assert_array_equal(tensor.numpy(), data[place])
        assert number < 2 or step.captures == 1
