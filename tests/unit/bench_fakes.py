"""Libraries that do what they are told, in a time that they make up."""

import numpy as np

from rulewright.bench.libraries.in_numpy import InNumpy
from rulewright.bench.workload import Workload


class Clock:
    """Time that passes only when somebody works."""

    now = 0.0

    def __call__(self):
        return self.now


class Fake(InNumpy):
    """numpy, each call of which takes the next of these seconds; `off` is added to results."""

    def __init__(self, name, clock, *seconds, off=0.0):
        self.name, self.clock, self.seconds, self.off = name, clock, seconds, off
        self.calls = 0

    def finished(self, function, tensors):
        self.clock.now += self.seconds[self.calls % len(self.seconds)]
        self.calls += 1
        return function(*tensors) + self.off


def double(name="double/3", **facts):
    """A workload of three numbers."""

    def inputs():
        return [np.array([1.0, 2.0, 3.0], np.float32)]

    return Workload(name, lambda library, x: 2 * x, inputs, flops=3, **facts)
