"""Random programs of single steps on small tensors beside numpy, whose views share memory as ours.

Shapes are few, so that nearly every step runs kernels that are ready: what needs no plan is
computed, noted, looked at and written in any order. By default half of the programs, which are the
same each time.
"""

import random

import numpy as np
import pytest

from rulewright import Tensor, jit
from rulewright.errors import JitError

PROGRAMS, PART = 120, 40
SHAPES = [(3,), (2, 3), (3, 2)]


def cut(x):
    return x.clip(-500, 500)  # sums of whole numbers stay exact


@jit
def twice(x):
    return cut(x * 2 + 1)


@jit
def counted(x):
    x += 1
    return x * 1


class Program:
    """Tensors, arrays that say what they hold, and what was done with them."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.held = []
        self.lines = []
        for shape in SHAPES:
            self.make(shape)

    def make(self, shape):
        array = self.numbers.integers(-5, 6, shape).astype(np.float32)
        self.held.append((Tensor(array), array))

    def like(self, array):
        """One of the same shape, perhaps the same."""
        return self.rng.choice([pair for pair in self.held if pair[1].shape == array.shape])

    def step(self):
        name = self.rng.choice(STEPS)
        at = self.rng.randrange(len(self.held))
        self.lines.append(f"{name} {at} of {len(self.held)}")
        tensor, array = self.held[at]
        results = getattr(self, name)(tensor, array)
        self.held += [(t, a) for t, a in results or () if a.size]
        if name == "forgotten":
            del self.held[at]
            self.make(self.rng.choice(SHAPES))

    def value(self, t, a):
        c = self.rng.choice([0, 1, 2])
        values = [
            (t + c, a + c),
            (cut(t * c), cut(a * c)),
            (c - t, c - a),
            (t.flip(0), a[::-1].copy()),
            (cut(t.cumsum(0)), cut(a.cumsum(0))),
            (t.clone(), a.copy()),
        ]
        return [self.rng.choice(values)]

    def pair(self, t, a):
        u, b = self.like(a)
        return [self.rng.choice([(cut(t + u), cut(a + b)), (t.maximum(u), np.maximum(a, b))])]

    def view(self, t, a):
        views = [(t[1:], a[1:]), (t[::-1], a[::-1]), (t.detach(), a[:])]
        if a.ndim == 2:
            views += [(t.T, a.T), (t[0], a[0])]
        return [self.rng.choice(views)]

    def realised(self, t, a):
        t.realize()

    def both(self, t, a):
        t.realize(self.rng.choice(self.held)[0])

    def looked_at(self, t, a):
        assert t.tolist() == a.tolist()

    def grown(self, t, a):
        t += 1
        a += 1

    def part(self, t, a):
        t[0] = 7
        a[0] = 7

    def assigned(self, t, a):
        u, b = self.like(a)
        t.assign(u)
        a[...] = b.copy()

    def jitted(self, t, a):
        return [(twice(t), cut(a * 2 + 1))]

    def jitted_write(self, t, a):
        try:
            result = counted(t)
        except JitError:  # of a part whose memory the capture knows as a whole
            return []
        a += 1
        return [(result, a.copy())]

    def forgotten(self, t, a):
        pass


OFTEN = {"value": 6, "pair": 3, "view": 3, "realised": 4, "both": 1, "grown": 2, "part": 1,
         "assigned": 1, "jitted": 1, "jitted_write": 1, "looked_at": 1, "forgotten": 1}  # fmt: skip
STEPS = [name for name, times in OFTEN.items() for _ in range(times)]


@pytest.mark.parametrize("first", range(0, PROGRAMS, PART))
def test_programs_of_single_steps_hold_what_numpy_says(first, search):
    moved = random.randrange(1 << 30) * search
    for seed in range(first + moved, first + moved + (PART if search else PART // 2)):
        program = Program(seed)
        for _ in range(program.rng.randint(15, 60)):
            program.step()
        for tensor, array in program.held:
            assert tensor.tolist() == array.tolist(), f"seed {seed}\n" + "\n".join(program.lines)
