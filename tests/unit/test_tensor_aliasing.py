"""Random programs of views, writes, lazy reads and realisings, step by step against numpy."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rulewright import Tensor

SIDE = 3
PLACES = [0, -1, slice(None), slice(1, None), slice(None, -1), slice(None, None, -1),
          slice(None, None, 2), slice(2, None, -2)]  # fmt: skip


class World:
    """Tensors and numpy arrays that should always hold the same."""

    def __init__(self, log):
        self.log = log
        self.pairs = []
        self.lazy = []  # values computed earlier, with what they were then
        for i in range(2):
            array = np.arange(SIDE * SIDE, dtype=np.float32).reshape(SIDE, SIDE) + 10 * i
            tensor = Tensor(array, device="INTERP")
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

    def update(self, draw):
        tensor, array = self.pick(draw)
        self.note("update", tensor)
        tensor += 1
        array += 1

    def read(self, draw):
        tensor, array = self.pick(draw)
        self.note("read", tensor)
        self.lazy.append((tensor * 3 + 1, array * 3 + 1))

    def realize(self, draw):
        tensor, _ = self.pick(draw)
        self.note("realize", tensor)
        tensor.realize()

    def check(self):
        for tensor, array in (*self.lazy, *self.pairs):
            np.testing.assert_array_equal(tensor.numpy(), array)

    def pick(self, draw):
        return self.pairs[draw(st.integers(0, len(self.pairs) - 1))]

    def note(self, what, *tensors):
        numbers = [i for t in tensors for i, p in enumerate(self.pairs) if p[0] is t]
        self.log.append(f"{what} {numbers}")


ACTIONS = ["view", "write", "update", "read", "realize", "write", "update"]


@settings(max_examples=60)
@given(st.data())
def test_every_program_means_what_it_means_in_numpy(data):
    log = []
    world = World(log)
    for _ in range(data.draw(st.integers(1, 9), "steps")):
        getattr(world, data.draw(st.sampled_from(ACTIONS)))(data.draw)
    try:
        world.check()
    except AssertionError as error:
        raise AssertionError("\n".join([*log, str(error)])) from None
