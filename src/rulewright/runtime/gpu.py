"""What the GPU devices share: optional packages, launches, messages."""

from __future__ import annotations

import importlib
import re
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from rulewright.errors import CompileError, DeviceError, MissingExtraError
from rulewright.profile import span
from rulewright.runtime.buffer import Buffer, check_launch
from rulewright.runtime.device import CompilingDevice, Launch, Runtime, timed

DYNAMIC = re.compile(
    r"extern __shared__ (?P<begin>(?:__align__\(\d+\) )?(?P<type>\w[\w ]*) \w+)"
    r"\[/\* (?P<bytes>\d+) bytes \*/\];"
)
"""Where a CUDA kernel names shared memory that it is launched with, of bytes."""


def import_extra(module: str, extra: str, device: str) -> Any:
    """Import an optional module. Raises MissingExtraError that names the extra to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"device {device} needs the package behind {module!r} ({error}); install it with "
            f"`pip install 'rulewright[{extra}]'`"
        ) from error


class QueuedLaunch(Launch):
    """A launch into a device's queue, timed by the host from an empty queue to the next."""

    def __init__(self, device: CompilingDevice, name: str) -> None:
        self.device, self.name = device, name

    @abstractmethod
    def _queue(self) -> None:
        """Queue the kernel once."""

    def _run_to_end(self) -> None:
        self._queue()
        self.device.synchronize()

    def __call__(self, wait: bool = False) -> float | None:
        """Queue the kernel; wait and return seconds if asked."""
        if not wait:
            self._queue()
            return None
        self.device.synchronize()
        with span("kernel", self.name):
            return timed(self._run_to_end)


Grid = tuple[tuple[int, int, int], tuple[int, int, int]]
"""How many groups, and items of a group, along each axis."""


class GroupedRuntime(Runtime):
    """A loaded kernel that runs in groups of work-items along three axes."""

    name: str
    device: Any  # of a kind that has such kernels

    def bind(
        self,
        buffers: Sequence[Buffer],
        variables: Sequence[int] = (),
        global_size: Sequence[int] = (1,),
        local_size: Sequence[int] | None = None,
    ) -> Launch:
        """Arguments as a launch; buffers are allocated now and kept alive by it.

        Raises DeviceError for sizes that are none, memory of another device and what this one
        cannot take, ArgumentError for what are no buffers or numbers.
        """
        check_launch(self.name, self.device, buffers, variables, global_size, local_size)
        return self.launch(launch_sizes(self.name, global_size, local_size), buffers, variables)

    @abstractmethod
    def launch(self, sizes: Grid, buffers: Sequence[Buffer], variables: Sequence[int]) -> Launch:
        """The launch of so many groups of so many items."""


def launch_sizes(kernel: str, global_size: Sequence[int], local_size: Sequence[int] | None) -> Grid:
    """Work-groups and work-items a group, each padded with ones to three axes. Of no groups, as
    where a symbolic size is 0, nothing is to be launched.

    Raises DeviceError for more than three axes, negative numbers of groups and groups of none.
    """
    local = tuple(local_size) if local_size else ()
    for least, sizes in enumerate((tuple(global_size), local)):
        if len(sizes) > 3 or any(size < least for size in sizes):
            raise DeviceError(
                f"kernel {kernel}: launch sizes must be one to three numbers of at least {least}, "
                f"found {sizes}"
            )
    groups = (*global_size, 1, 1, 1)[:3]
    items = (*local, 1, 1, 1)[:3]
    return (groups[0], groups[1], groups[2]), (items[0], items[1], items[2])


def dynamic_memory(source: str, name: str) -> int:
    """Bytes of shared memory that a CUDA kernel is launched with, as its source says: by
    `extern __shared__ T name[/* 65536 bytes */];`."""
    begin = re.search(rf"\b{re.escape(name)}\s*\([^{{;]*\)\s*\{{", source)
    body = source[begin.end() :].partition("__global__")[0] if begin else ""
    size = DYNAMIC.search(body)
    return int(size["bytes"]) if size else 0


def refused(device: str, compiler: str, name: str, source: str, output: str) -> CompileError:
    """The error for a kernel that a GPU's compiler did not take."""
    lines = source.splitlines()
    numbered = "\n".join(f"{number:5} | {line}" for number, line in enumerate(lines[:200], 1))
    rest = f"\n      ... {len(lines) - 200} more lines" if len(lines) > 200 else ""
    message = f"device {device}: {compiler} refused kernel {name}:\n{output.strip()[:4000]}"
    return CompileError(f"{message}\nsource:\n{numbered}{rest}", source, output)
