"""Random programs whose tensors are on several devices: cut along an axis, or all of it on each.

They are those of `fuzz_methods`, and the model runs them as it does these: to be on several devices
changes no value. What would mix devices is not kept.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from fuzz_methods import MethodWriter, Program, write_of
from pytest import MonkeyPatch

from rulewright import Tensor, nn
from rulewright.errors import DeviceError
from rulewright.schedule import shards
from rulewright.verify.methods.row import Shape

Devices = tuple[str, ...]
SIZES = (2, 4, 4, 6, 6, 8, 12, 12, 3, 1, 5, 0)
"""Sizes of axes: most are equal parts of several devices."""

PIECES = 64
"""Bytes of a reduction across devices that is done in pieces, where these are to be small."""

OPTIMISERS = ("SGD", "Adam", "AdamW", "RMSprop", "LAMB", "Muon")
"""Some that add up along other axes than each other."""


def sets_of(count: int, kind: str = "C") -> list[Devices]:
    """Sets of 2 to a number of devices: in order and not, and with the interpreter among them."""
    rows = [tuple(f"{kind}:{i}" if i else kind for i in range(n)) for n in range(2, count + 1)]
    turned = [row[::-1] for row in rows[-1:]] + [row[1:] for row in rows[1:]]
    return rows * 2 + turned + [(kind, "INTERP:1"), ("INTERP", "INTERP:1")]


class ShardWriter(MethodWriter):
    """Writes programs whose tensors are on some devices, cut in any way."""

    def __init__(self, rng: random.Random, kind: str, devices: Devices) -> None:
        super().__init__(rng, kind)
        self.devices = devices
        if kind != "symbolic":
            self.sizes = SIZES

    def placed(self, code: str, shape: Shape) -> str:
        even = [i for i, size in enumerate(shape) if size % len(self.devices) == 0]
        axis = self.pick([*even, *range(len(shape)), None])
        return f"{code}.shard({self.devices}{'' if axis is None else f', {axis}'})"

    def step(self) -> None:
        self.cut_again() if self.pick(range(8)) == 0 else super().step()

    def cut_again(self) -> None:
        """Let a tensor be cut in another way, or come and go by way of one device."""
        name = self.pick(self.tensors)
        way = self.pick(["", "", f".to({self.pick(self.devices)!r})"])
        self.add(self.placed(name + way, self.tensor(name).shape))

    def kept(self, line: str) -> bool:
        return not self.mixes(line) and super().kept(line)

    def mixes(self, line: str) -> bool:
        """Whether a line needs tensors of other devices."""
        try:
            exec(line, self.names)
        except DeviceError as error:
            return "move one" in str(error) or "must be on" in str(error)
        except Exception:
            return False  # the model says what may be refused
        return False


def spread(seed: int, kind: str, sets: Sequence[Devices]) -> MethodWriter:
    """The writer of the program of a seed on one of some sets of devices."""
    rng = random.Random(f"shards {kind} {seed}")
    writer = write_of(ShardWriter(rng, kind, rng.choice(sets)), seed)
    writer.program = writer.program._replace(devices=writer.devices)
    return writer


@contextmanager
def small_pieces(are_small: bool = True) -> Iterator[None]:
    """Let reductions across devices be done in pieces that are small too."""
    with MonkeyPatch.context() as patch:
        if are_small:
            patch.setattr(shards, "IN_PIECES", PIECES)
        yield


# ---- checks ------------------------------------------------------------------------------------


def misplaced(program: Program, names: dict[str, Any]) -> str:
    """Which results are not where the program has its tensors; "" if all are."""
    wrong = [n for n in program.outputs if names[n].device != program.devices]
    return f"{wrong[0]} is on {names[wrong[0]].device}, not {program.devices}" if wrong else ""


def stepped(program: Program, names: dict[str, Any], slopes: dict[str, Tensor]) -> str:
    """Where a step of an optimiser is not that of one device; "" if none is."""
    if not slopes:
        return ""
    leaves = {n: names[n] for n in slopes if names[n].dtype.is_float}
    for name, leaf in leaves.items():
        if slopes[name].uop.device != leaf.uop.device:
            return f"the gradient of {name} is on {slopes[name].uop.device}, not {leaf.uop.device}"
    make = getattr(nn.optim, OPTIMISERS[program.seed % len(OPTIMISERS)])
    plain = [Tensor(leaf.numpy(), requires_grad=True) for leaf in leaves.values()]
    for params in (list(leaves.values()), plain):
        for param, name in zip(params, leaves, strict=True):
            param.grad = Tensor(slopes[name].numpy()) if params is plain else slopes[name]
        make(params, lr=0.1).step()
    for (name, leaf), other in zip(leaves.items(), plain, strict=True):
        if not np.allclose(leaf.numpy(), other.numpy(), 1e-9, 1e-9, equal_nan=True):
            return f"after a step of {make.__name__} {name} is {leaf.numpy()}, not {other.numpy()}"
    return ""
