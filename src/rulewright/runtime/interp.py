"""The INTERP device: kernels run in the reference interpreter, on host memory. Needs nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from rulewright.errors import DeviceError
from rulewright.runtime.allocator import HostAllocator
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import BaseDevice, timed


class InterpreterDevice(BaseDevice):
    """Slow and exact: the meaning that every other device is compared with."""

    in_host_memory = True
    interprets = True
    target_name = "C"  # what is printed of a kernel

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._allocator = HostAllocator(name)

    @classmethod
    def describe(cls) -> str:
        """What it is."""
        return "reference interpreter"

    @property
    def allocator(self) -> HostAllocator:
        """Host memory."""
        return self._allocator

    def compile(self, source: str, name: str) -> NoReturn:
        """Raise DeviceError: it has no language."""
        raise DeviceError(
            f"device {self.name} compiles no source: it runs graphs; Device['C'].compile takes C"
        )

    def run(
        self, ast: Any, buffers: Sequence[Buffer], variables: Mapping[str, int] | None = None
    ) -> float:
        """Run a kernel graph on buffers, written in place; returns the seconds it took.

        Buffers stand in the order of the kernel's parameters. Raises InterpreterError.
        """
        from rulewright.interp import run_kernel

        arrays = [buffer.as_numpy() for buffer in buffers]
        return timed(lambda: run_kernel(ast, arrays, dict(variables or {})))
