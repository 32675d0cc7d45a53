"""Random programs of views, writes, lazy reads and realisings, step by step against numpy."""

import numpy as np
from hypothesis import given, settings, strategies as st

from rulewright import Tensor

SIDE = 3
DEVICES = ["INTERP", "INTERP", "INTERP", "C"]  # one in four: compiling takes longer
PLACES = [0, -1, slice(None), slice(1, None), slice(None, -1), slice(None, None, -1),
          slice(None, None, 2), slice(2, None, -2)]  # fmt: skip


class World:
    """Tensors and numpy arrays that should always hold the same."""

    def __init__(self, log, device):
        self.log = log
        self.pairs = []
        self.lazy = []  # values computed earlier, with what they were then
        for i in range(2):
            array = np.arange(SIDE * SIDE, dtype=np.float32).reshape(SIDE, SIDE) + 10 * i
            tensor = Tensor(array, device=device)
            self.pairs.append((tensor if i else tensor + 0, array.copy()))

    def view(self, draw):
        tensor, array = self.pick(draw)
        if draw(st.booleans()):
            self.note("view T", tensor)
            self.pairs.append((tensor.T, array.T))
        elif array.ndim:
            key = draw(st.sampled_from(PLACES))
            self.note(f"view {key}", tensor)
            self.pairs.append((tensor[key], array[key, ...]))

    def write(self, draw):
        tensor, array = self.pick(draw)
        key = draw(st.sampled_from(PLACES)) if array.ndim else ...
        other, source = self.pick(draw)
        self.note(f"write {key} from", tensor, other)
        part = array[key, ...] if array.ndim else array[...]
        if source.shape == part.shape:
            tensor[key] = other * 2 - 1
            part[...] = source * 2 - 1
        else:
            tensor[key] = other.sum()
            part[...] = source.sum()

    def shift(self, draw):
        tensor, array = self.pick(draw)
        if array.ndim:
            self.note("shift", tensor)
            tensor[1:] = tensor[:-1]
            array[1:] = array[:-1].copy()

    def turn(self, draw):
        tensor, array = self.pick(draw)
        if array.ndim:
            self.note("turn", tensor)
            tensor += tensor.flip(0)
            array += np.flip(array, 0).copy()

    def mask(self, draw):
        tensor, array = self.pick(draw)
        if array.ndim:
            self.note("mask", tensor)
            tensor[tensor > 5] = -1.5
            array[array > 5] = -1.5

    def swap(self, draw):
        (one, first), (two, second) = self.pick(draw), self.pick(draw)
        if first.shape == second.shape:
            self.note("swap", one, two)
            old, before = one * 1, first * 1
            one.assign(two)
            first[...] = second
            two.assign(old)
            second[...] = before

    def new(self, draw):
        tensor, array = self.pick(draw)
        self.note("new", tensor)
        if draw(st.booleans()):
            self.pairs.append((tensor.clone(), array.copy()))
        else:
            self.pairs.append((tensor + 0.5, np.asarray(array + 0.5)))

    def update(self, draw):
        tensor, array = self.pick(draw)
        self.note("update", tensor)
        tensor += 1
        array += 1

    def read(self, draw):
        tensor, array = self.pick(draw)
        self.note("read", tensor)
        if draw(st.booleans()):
            self.lazy.append((tensor.sum(), array.sum()))
        else:
            self.lazy.append((tensor * 3 + 1, array * 3 + 1))

    def realize(self, draw):
        tensor, _ = self.pick(draw)
        self.note("realize", tensor)
        tensor.realize()

    def kernelize(self, draw):
        tensor, _ = self.pick(draw)
        self.note("kernelize", tensor)
        tensor.kernelize()

    def detach(self, draw):
        tensor, array = self.pick(draw)
        self.note("detach", tensor)
        self.pairs.append((tensor.detach(), array))

    def forget(self, draw):
        if len(self.pairs) > 1:
            place = draw(st.integers(0, len(self.pairs) - 1))
            self.note("forget", self.pairs[place][0])
            del self.pairs[place]

    def check(self, backwards):
        for tensor, array in (*self.lazy, *self.pairs)[:: -1 if backwards else 1]:
            np.testing.assert_array_equal(tensor.numpy(), array)

    def pick(self, draw):
        return self.pairs[draw(st.integers(0, len(self.pairs) - 1))]

    def note(self, what, *tensors):
        numbers = [i for t in tensors for i, p in enumerate(self.pairs) if p[0] is t]
        self.log.append(f"{what} {numbers}")


ACTIONS = [
    "view", "view", "write", "write", "update", "update", "read", "read", "realize", "kernelize",
    "shift", "turn", "mask", "swap", "new", "detach", "forget",
]  # fmt: skip


@settings(max_examples=100)
@given(st.data())
def test_every_program_means_what_it_means_in_numpy(data):
    log = [data.draw(st.sampled_from(DEVICES), "device")]
    world = World(log, log[0])
    for _ in range(data.draw(st.integers(1, 10), "steps")):
        getattr(world, data.draw(st.sampled_from(ACTIONS)))(data.draw)
    try:
        world.check(data.draw(st.booleans(), "last first"))
    except AssertionError as error:
        raise AssertionError("\n".join([*log, str(error)])) from None
