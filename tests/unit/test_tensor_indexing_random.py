"""Random keys of every kind read and write what they do in numpy, through views too."""

import random

import numpy as np
import pytest

from rulewright import Tensor

PROGRAMS = 30


def positions(r, rng, size, broadcast):
    return rng.integers(-size, size, r.choice([broadcast, (1,)]))


def random_key(r, rng, shape):
    """Items that use up some axes. Ints stand beside no positions: there numpy is not PyTorch."""
    items, axis, chosen = [], 0, False
    broadcast = r.choice([(3,), (2, 3), (1,), (0,)])
    ints = r.random() < 0.3
    while axis < len(shape):
        size = shape[axis]
        kind = r.choice(
            ["none", "slice", "slice", "int", "positions", "mask", "bool", "dots", "end"]
        )
        if kind == "none":
            items.append(None)
        elif kind == "slice":
            bound = [r.choice([None, r.randint(-size - 2, size + 2)]) for _ in range(2)]
            items.append(slice(*bound, r.choice([None, 1, 2, 3, -1, -2])))
            axis += 1
        elif kind == "int" and size and ints:
            items.append(r.randint(-size, size - 1))
            axis += 1
        elif kind == "positions" and size and not ints:
            items.append(positions(r, rng, size, broadcast))
            axis, chosen = axis + 1, True
        elif kind == "mask" and not chosen and not ints:
            count = r.randint(1, min(2, len(shape) - axis))
            items.append(rng.random(shape[axis : axis + count]) < 0.5)
            axis, chosen = axis + count, True
        elif kind == "bool" and not ints:
            items.append(r.random() < 0.7)
        elif kind == "dots" and not chosen and not any(i is Ellipsis for i in items):
            items.append(Ellipsis)
            axis += r.randint(0, len(shape) - axis)
        elif kind == "end":
            break
    return tuple(items)


def as_ours(r, item):
    """An array as a tensor, a list, or as it is."""
    if not isinstance(item, np.ndarray):
        return item
    ways = [item, Tensor(item, device="INTERP"), item.tolist() if item.size else item]
    return r.choice(ways)


def program(seed):
    r, rng = random.Random(seed), np.random.default_rng(seed)
    shape = tuple(r.choice([0, 1, 2, 3, 4, 5]) for _ in range(r.randint(1, 4)))
    a = rng.permutation(int(np.prod(shape))).reshape(shape).astype(r.choice(["f", "i8", "B", "?"]))
    key = random_key(r, rng, shape)
    try:
        expected = a[key]
    except IndexError:  # more items than axes, after the dots took some
        return
    x = Tensor(a, device="INTERP")
    x = x if r.random() < 0.5 else x.where(x, x) if a.dtype == bool else x * 1
    ours = tuple(as_ours(r, item) for item in key)
    said = f"seed {seed}: {a.dtype}{list(shape)}[{key}]"
    found = x[ours].numpy()
    assert found.shape == expected.shape, said
    np.testing.assert_array_equal(found, expected, said)
    masked = any(isinstance(i, np.ndarray) and i.dtype == bool for i in key)
    small = tuple(1 if r.random() < 0.2 and not masked else s for s in expected.shape)
    value = rng.integers(0, 99, r.choice([small, small, ()])).astype(a.dtype)
    view = x.reshape(-1)
    x[ours] = Tensor(value, device="INTERP")
    a[key] = value
    np.testing.assert_array_equal(view.numpy(), a.reshape(-1), said)
    np.testing.assert_array_equal(x.numpy(), a, said)


@pytest.mark.parametrize("start", range(8))
def test_random_keys_mean_what_they_mean_in_numpy(start):
    for seed in range(start * PROGRAMS, (start + 1) * PROGRAMS):
        program(seed)
