"""Kernels of a replay as a CUDA graph: one launch, whose kernels' arguments change between runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rulewright.errors import DeviceRuntimeError
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.cuda.driver import driver
from rulewright.runtime.cuda.launches import CudaLaunch
from rulewright.runtime.cuda.streams import Block, note, order
from rulewright.runtime.device import LaunchRow, Use
from rulewright.warning import warn

if TYPE_CHECKING:
    from rulewright.runtime.cuda.device import CudaDevice


class CudaGraph(LaunchRow):
    """Launches in order as one graph, made when it first runs.

    The driver copies arguments when a kernel's node is set, so a run that is still queued keeps
    those that it had. One launch alone is queued as it is; where the driver makes no graph of them,
    `reason` says why, and all are queued one after the other.
    """

    def __init__(
        self, device: CudaDevice, launches: Sequence[CudaLaunch], uses: Sequence[Use]
    ) -> None:
        self.device, self._launches = device, list(launches)
        self._uses: dict[int, list[Use]] = {}
        for use in uses:
            self._uses.setdefault(use.slot, []).append(use)
        self._addresses: dict[int, int] = {}  # by slot
        self._moving: dict[int, Block] = {}
        self._fixed = list(dict.fromkeys(b for x in launches for b in x.blocks if b is not None))
        self._changed: set[int] = set()  # launches whose nodes are to be set
        self._nodes: list[Any] = []
        self._parameters: list[Any] = []
        self._idle: set[int] = set()  # launches of no work-groups, whose nodes are left out
        self._graph: Any = None
        self._ready: Any = None
        self.reason = "it is one kernel" if len(launches) == 1 else ""

    def put(self, slot: int, buffer: Buffer) -> None:
        """Let the memory in a slot be that of a buffer."""
        block = buffer.block
        address = block.address + buffer.offset
        if self._moving.get(slot) is block and self._addresses[slot] == address:
            return
        self._moving[slot], self._addresses[slot] = block, address
        for use in self._uses.get(slot, ()):
            launch = self._launches[use.place]
            launch.values[use.index] = address + use.offset
            launch.blocks[use.index] = block
            self._changed.add(use.place)

    def number(self, place: int, index: int, value: int) -> None:
        """Set a variable of a launch."""
        launch = self._launches[place]
        at = len(launch.blocks) + index
        if launch.values[at] != value:
            launch.values[at] = value
            self._changed.add(place)

    def size(self, place: int, groups: Sequence[int]) -> None:
        """Set how many work-groups a launch has."""
        wanted = (*groups, 1, 1, 1)[:3]
        launch = self._launches[place]
        if launch.groups != wanted:
            launch.groups = (wanted[0], wanted[1], wanted[2])
            self._changed.add(place)

    def run(self) -> None:
        """Queue all of them."""
        if not self.reason and self._ready is None:
            self._make()
        if self.reason:
            for launch in self._launches:
                launch()
            return
        device = self.device
        with device.lock:
            device.use()
            device.destroy_dropped()
            self._set_changed()
            streams = device.streams
            blocks = [*self._fixed, *self._moving.values()]
            if not streams.compute.is_behind(streams.all):
                order(streams.compute, blocks)
            name = f"{self._launches[0].name} to {self._launches[-1].name}"
            device.check(driver().cuGraphLaunch(self._ready, streams.compute.handle), name)
            streams.compute.queued(name)
            note(streams.compute, blocks)

    def _make(self) -> None:
        """Make the graph; note why where the driver does not."""
        device = self.device
        try:
            with device.lock:
                device.use()
                self._build()
        except (DeviceRuntimeError, MemoryError) as error:
            if device.lost:
                raise
            self.reason = str(error)
            warn(
                f"jit: device {device.name} makes no graph of {len(self._launches)} kernels "
                f"({error}); they are launched one by one, which takes longer"
            )

    def _build(self) -> None:
        """Add a node for each launch behind the one before, and make the graph ready to launch."""
        api, check = driver(), self.device.check
        self._graph = check(api.cuGraphCreate(0))
        for launch in self._launches:
            before = self._nodes[-1:]
            node = self._node_of(launch)
            add = api.cuGraphAddKernelNode(self._graph, before, len(before), node)
            self._nodes.append(check(add))
            self._parameters.append(node)
        self._ready = check(api.cuGraphInstantiate(self._graph, 0))
        for place in range(len(self._launches)):
            self._set_idle(place)
        self._changed.clear()

    @staticmethod
    def _node_of(launch: CudaLaunch) -> Any:
        node = driver().CUDA_KERNEL_NODE_PARAMS()
        function, parameters = launch.runtime.function, launch.parameters
        shared = launch.runtime.shared
        fields = {"func": function, "kernelParams": parameters, "sharedMemBytes": shared}
        for name, value in fields.items():
            setattr(node, name, value)
        _set_sizes(node, "blockDim", launch.items)
        _set_sizes(node, "gridDim", _whole(launch.groups))
        return node

    def _set_changed(self) -> None:
        for place in sorted(self._changed):
            node = self._parameters[place]
            _set_sizes(node, "gridDim", _whole(self._launches[place].groups))
            set_node = driver().cuGraphExecKernelNodeSetParams
            self.device.check(set_node(self._ready, self._nodes[place], node))
            self._set_idle(place)
        self._changed.clear()

    def _set_idle(self, place: int) -> None:
        """Leave out the node of a launch that has no work-groups, and take it in again."""
        is_idle = 0 in self._launches[place].groups
        if is_idle != (place in self._idle):
            set_enabled = driver().cuGraphNodeSetEnabled
            self.device.check(set_enabled(self._ready, self._nodes[place], int(not is_idle)))
            self._idle ^= {place}

    def __del__(self) -> None:
        """Leave the graph to the device: this runs at any moment, in any thread."""
        if getattr(self, "_graph", None) is not None:
            self.device.dropped.append((self._graph, self._ready))


def _whole(groups: Sequence[int]) -> list[int]:
    """Numbers that a node takes: those of a launch, or of one that is left out."""
    return [max(1, count) for count in groups]


def _set_sizes(node: Any, name: str, sizes: Sequence[int]) -> None:
    """Set the fields of a node's parameters that hold sizes along the three axes."""
    for axis, size in zip("XYZ", sizes, strict=True):
        setattr(node, name + axis, size)
