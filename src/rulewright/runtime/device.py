"""Devices: the registry, and what each device gives the rest of the runtime.

`Device["C"]` is a device object, made at first use. `"C:1"` is a second device of the same kind
with its own memory; `"C:0"` is `"C"`. Names are read in any case. Packages that are installed may
bring devices of their own: see `rulewright.runtime.plugins`.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from threading import RLock
from typing import TYPE_CHECKING, Any, NoReturn

from rulewright.errors import ArgumentError, DeviceError, UsageError, nearest
from rulewright.forks import free_in_child
from rulewright.ir.arguments import is_name
from rulewright.ir.expected import refuse, shown, unknown_name
from rulewright.options import options
from rulewright.warning import warn

if TYPE_CHECKING:
    from pathlib import Path

    from rulewright.runtime.allocator import CachingAllocator
    from rulewright.runtime.buffer import Buffer
    from rulewright.runtime.plugins import Plugin


@dataclass(frozen=True)
class Program:
    """A compiled kernel: its function's name, its source, and what the device made of it."""

    name: str
    source: str
    binary: Any


class Launch(ABC):
    """A kernel with its arguments bound; calling it runs the kernel once.

    `launch()` returns None and may return before the device is done; `launch(wait=True)` returns
    the seconds that the kernel took.
    """

    @abstractmethod
    def __call__(self, wait: bool = False) -> float | None:
        """Run once; the seconds it took if `wait`. Raises DeviceRuntimeError if it fails."""


class Runtime(ABC):
    """A loaded program: `bind` its arguments, then launch; or call it to do both.

    global_size: for the C device the extent of the outermost axis, for GPUs the number of
    work-groups (blocks) along up to three axes. local_size: for the C device the iterations that
    a thread takes at a time, or None to stay in the calling thread; for GPUs the work-items
    (threads) of a work-group, along up to three axes too.
    """

    @abstractmethod
    def bind(
        self,
        buffers: Sequence[Buffer],
        variables: Sequence[int] = (),
        global_size: Sequence[int] = (1,),
        local_size: Sequence[int] | None = None,
    ) -> Launch:
        """Arguments in the order of the kernel's parameters, as a launch that can run often."""

    def __call__(
        self,
        buffers: Sequence[Buffer],
        variables: Sequence[int] = (),
        global_size: Sequence[int] = (1,),
        local_size: Sequence[int] | None = None,
        wait: bool = False,
    ) -> float | None:
        """Bind and run once; see `Launch`."""
        return self.bind(buffers, variables, global_size, local_size)(wait)


@dataclass(frozen=True)
class Use:
    """A place where a row's launch has the address of what is in a slot: the launch's place in the
    row, the index among its buffers, the slot, and bytes added to the address."""

    place: int
    index: int
    slot: int
    offset: int


class LaunchRow(ABC):
    """Launches that run in order as one. What differs from run to run is set before.

    `reason` says why they are launched one by one nevertheless; "" if they are not.
    """

    reason = ""

    @abstractmethod
    def put(self, slot: int, buffer: Buffer) -> None:
        """Let the memory in a slot be that of a buffer, which is allocated."""

    def take(self, slots: Sequence[int], buffers: Sequence[Buffer]) -> None:
        """`put` for some slots, of as many buffers as there are slots."""
        for slot in slots:
            self.put(slot, buffers[slot])

    @abstractmethod
    def number(self, place: int, index: int, value: int) -> None:
        """Set a variable, by its index among those of a launch."""

    @abstractmethod
    def size(self, place: int, groups: Sequence[int]) -> None:
        """Set the global size of a launch."""

    @abstractmethod
    def run(self) -> None:
        """Run all; like a launch it may return before the device is done."""


class BaseDevice(ABC):
    """What every device defines.

    in_host_memory: buffers have addresses in this process. interprets: kernels are not compiled
    but handed to `run(ast, buffers, variables)`. is_native: kernels are foreign functions of this
    process. is_searched: BEAM times its kernels. view_alignment: bytes that the offset of a planned
    sub-buffer must be a multiple of. row_of: what runs launches in a row (`launch_row`), by a name
    that devices may share; "" if each launch is run by itself.

    target_name: the target whose source stands for the device on any host; "" for the one of the
    device's name. spec: files of targets, ops and rules that are loaded with the class; externs:
    modules whose functions they may name.
    """

    in_host_memory = False
    interprets = False
    is_native = False
    is_searched = False
    row_of = ""
    view_alignment = 64
    target_name = ""
    spec: Sequence[str | Path] = ()
    externs: Sequence[str] = ()

    def __init__(self, name: str) -> None:
        """Raises DeviceError or MissingExtraError if the device is not available here."""
        self.name = name

    @property
    def kind(self) -> str:
        """The name without its number: "C" for "C:1"."""
        return self.name.partition(":")[0]

    @property
    def target(self) -> str:
        """The name of the target whose source it runs."""
        return self.target_name or self.kind

    @property
    def is_simulated(self) -> bool:
        """Whether a program executes each instruction of kernels, which takes thousands of times
        as long as hardware does."""
        return False

    @property
    def index(self) -> int:
        """The number after the colon, or 0."""
        return int(self.name.partition(":")[2] or 0)

    @classmethod
    def why_not(cls) -> str | None:
        """Why this kind of device cannot be used here, or None if it can."""
        return None

    @classmethod
    def describe(cls) -> str:
        """One line about what was found, for `rulewright devices`; call only if usable."""
        return ""

    @property
    @abstractmethod
    def allocator(self) -> CachingAllocator:
        """Where this device's buffers come from."""

    def launch_row(self, launches: Sequence[Launch], uses: Sequence[Use], slots: int) -> LaunchRow:
        """Launches of devices with this `row_of`, in order, as one; slots have no memory yet.

        Memory is put in any of so many slots, whether a launch uses it or not.
        """
        raise DeviceError(f"device {self.name} runs launches one by one")

    def synchronize(self) -> None:  # noqa: B027  # devices that run at once are always done
        """Return once all launches so far are done."""


class CompilingDevice(BaseDevice):
    """A device whose kernels are compiled from source."""

    @property
    def unit_length(self) -> int:
        """Characters from which on a translation unit is compiled. 0: each kernel is one of its
        own, as its compiler runs in this process."""
        return 0

    @abstractmethod
    def compile(self, source: str, name: str) -> Program:
        """Compile the kernel `name` of a source. Raises CompileError if it is refused."""

    def check_text(self, source: object, name: object) -> None:
        """Raise ArgumentError for a source that is no text, or a kernel's name that is none."""
        if not isinstance(source, str):
            refuse("compile", f"the source of kernels as text for {self.name}", source)
        if not (isinstance(name, str) and is_name(name)):
            refuse("compile", "the name of a kernel in the source, such as 'scale'", name)

    def check_program(self, program: object) -> None:
        """Raise ArgumentError for what no `compile` gives."""
        if not isinstance(program, Program):
            refuse("runtime", f"a Program, as compile() of {self.name} gives it", program)

    def compile_many(self, units: Iterable[tuple[str, Sequence[str]]]) -> list[list[Program]]:
        """Compile several sources, each holding the kernels named; programs in the same order.

        `units` may be made while those before them are compiled.
        """
        return [[self.compile(source, name) for name in names] for source, names in units]

    @abstractmethod
    def runtime(self, program: Program) -> Runtime:
        """Load a program. Raises DeviceRuntimeError if the device does not take it."""


_OTHER_NAMES = {"CPU": "C", "MPS": "METAL"}  # PyTorch's
DISK = "DISK"
"""Where tensors of files are. It runs nothing, and is in no list of devices."""


def file_of(device: Any) -> str:
    """The path in "DISK:path"; "" in the name of another device, and in what is no name."""
    kind, _, path = device.partition(":") if isinstance(device, str) else ("", "", "")
    return path if kind.strip().upper() == DISK else ""


_OPTION = "what the option DEVICE says, as in `with Context(DEVICE='CUDA'):`"


class _Devices:
    """The registry behind `Device`."""

    def __init__(self) -> None:
        self._classes: dict[str, str | type[BaseDevice]] = {
            "C": "rulewright.runtime.c:CDevice",
            "INTERP": "rulewright.runtime.interp:InterpreterDevice",
            "OPENCL": "rulewright.runtime.opencl:OpenCLDevice",
            "CUDA": "rulewright.runtime.cuda.device:CudaDevice",
            "METAL": "rulewright.runtime.metal:MetalDevice",
            "WEBGPU": "rulewright.runtime.webgpu:WebGPUDevice",
            "CUDA_EMULATED": "rulewright.runtime.emulated.device:EmulatedCudaDevice",
            "CUDA_SM90_EMULATED": "rulewright.runtime.emulated.device:EmulatedSM90Device",
            "METAL_EMULATED": "rulewright.runtime.emulated.device:EmulatedMetalDevice",
        }
        self._opened: dict[str, BaseDevice] = {}
        self._lock = free_in_child(RLock())
        self._registered: set[str] = set()  # whose files are still to be loaded
        self._plugins: dict[str, Plugin] | None = None
        self._warned = False

    def __getattr__(self, name: str) -> Any:
        """Raise UnknownAttributeError."""
        if name.startswith("_"):
            return object.__getattribute__(self, name)
        raise unknown_name("Device", name, {"DEFAULT": f"Device.default, {_OPTION}"}, dir(self))

    def __setattr__(self, name: str, value: Any) -> None:
        """Raise UsageError for the device of new tensors, which is an option."""
        if name in ("DEFAULT", "default"):
            raise UsageError(f"Device.{name} cannot be set: it is {_OPTION}")
        super().__setattr__(name, value)

    def __iter__(self) -> Any:
        """Names of the kinds known, available or not; those of other packages last."""
        return iter(tuple(dict.fromkeys([*self._classes, *self.plugins])))

    @property
    def plugins(self) -> dict[str, Plugin]:
        """The devices of other packages, by name, also those that cannot be used."""
        if self._plugins is None:
            from rulewright.runtime.plugins import find_plugins

            self._plugins = find_plugins(list(self._classes))
        return self._plugins

    def register(self, name: str, device: str | type[BaseDevice]) -> None:
        """Add a kind of device: its class, or "module:Class", imported at first use, when the files
        that the class names as `spec` are loaded too. Raises ArgumentError for what is no name."""
        if not (isinstance(name, str) and is_name(name)):
            refuse("register", "the name of a device, such as 'C99'", name)
        self._classes[name.upper()] = device
        self._registered.add(name.upper())

    def canonical(self, name: Any) -> Any:
        """`name` as it is printed: "c:0" and "cpu" are "C"; of several, the tuple of theirs.

        None is the default device.

        Raises DeviceError if no device is meant, or one of several twice, ArgumentError for what is
        no text.
        """
        if name is None:
            return self.default
        if isinstance(name, tuple | list) and name:
            return self._several(name)
        if not isinstance(name, str):
            raise ArgumentError(
                f"device: expected a name such as 'C', found {name!r} of type {type(name).__name__}"
            )
        if name in self._opened:
            return str(name)
        kind, colon, number = name.strip().upper().partition(":")
        kind = _OTHER_NAMES.get(kind, kind)
        if kind == DISK and not colon:
            return DISK
        if kind not in self._classes and kind not in self.plugins:
            if kind == DISK:
                raise DeviceError(
                    f"device {name!r}: Tensor.from_file(path) opens a file, x.to('DISK:path') "
                    "writes one"
                )
            near = nearest(kind, self)
            hint = f" Did you mean {near!r}?" if near else ""
            known = ", ".join(self)
            raise DeviceError(f"unknown device {name!r}.{hint} Known devices: {known}")
        if colon and not (number.isascii() and number.isdigit()):
            raise DeviceError(f"device {name!r}: expected a whole number after the colon")
        return f"{kind}:{int(number)}" if colon and int(number) else kind

    def _several(self, names: Sequence[Any]) -> Any:
        """Several devices; one is that itself."""
        known = tuple(map(self.canonical, names))
        if len(set(known)) < len(known):
            raise DeviceError(f"devices: expected each once, found {tuple(names)}")
        return known if len(known) > 1 else known[0]

    def device_class(self, name: str) -> type[BaseDevice]:
        """The class behind a name; imports its module, not the packages that it needs.

        Raises DeviceError for one that cannot be loaded.
        """
        kind = self.canonical(name).partition(":")[0]
        if kind == DISK:
            from rulewright.runtime.disk import DiskDevice

            return DiskDevice
        if kind not in self._classes:
            self._classes[kind] = self.plugins[kind].load()
        known = self._classes[kind]
        if isinstance(known, str):
            module, _, attribute = known.partition(":")
            try:
                known = self._classes[kind] = getattr(importlib.import_module(module), attribute)
            except (ImportError, AttributeError) as error:
                message = f"device {name!r}: its runtime cannot be loaded: {error}"
                raise DeviceError(message) from error
        if kind in self._registered:
            from rulewright.runtime.plugins import take_in

            take_in(kind, known, f"device {kind!r}")
            self._registered.discard(kind)
        return known

    def __getitem__(self, name: str) -> BaseDevice:
        """The device of this name. Raises DeviceError or MissingExtraError if it is not here."""
        known = self._opened.get(name)
        if known is not None:
            return known
        canonical = self.canonical(name)
        kind, plugin = self.device_class(canonical), self._plugin(canonical)
        with self._lock:  # of threads that ask at once each gets the same one
            if canonical not in self._opened:
                with plugin.blamed() if plugin else nullcontext():
                    device = kind(canonical)
                    if plugin and not hasattr(device.allocator, "allocate"):
                        refuse_result(device, "allocator", device.allocator, "a CachingAllocator")
                    self._opened[canonical] = device
        return self._opened[canonical]

    def _plugin(self, name: str) -> Plugin | None:
        """What brings a device, if another package does."""
        # packages are not looked for where the name is known without them
        plugin = None if self._plugins is None else self._plugins.get(name.partition(":")[0])
        return None if plugin is None or plugin.is_builtin else plugin

    def why_not(self, name: str) -> str | None:
        """Why the device of this name cannot be used here, or None if it can."""
        plugin = self._plugin(self.canonical(name))
        if plugin is None:
            return self.device_class(name).why_not()
        try:
            with plugin.blamed():
                reason = self.device_class(name).why_not()
                if not isinstance(reason, str | None):
                    raise TypeError(f"why_not() gives {shown(reason)}, expected text or None")
                return reason
        except DeviceError as error:
            return str(error)

    def target_of(self, name: str) -> str:
        """The target whose source stands for a device on any host: "C" for "C:1" and INTERP.

        Raises DeviceError as `device_class` does.
        """
        target = self.device_class(name).target_name
        return target or self.canonical(name).partition(":")[0]

    @property
    def default(self) -> str:
        """Canonical name of the DEVICE option, the device of new tensors.

        "C" without a C compiler becomes "INTERP", with one warning a process.
        """
        name = self.canonical(options().DEVICE)
        if name.partition(":")[0] != "C":
            return name
        reason = self.why_not(name)
        if reason is None:
            return name
        if not self._warned:
            self._warned = True
            warn(f"kernels run in the interpreter, slowly: {reason}")
        return "INTERP"


Device = _Devices()


def refuse_result(device: BaseDevice, member: str, value: object, expected: str) -> NoReturn:
    """Raise DeviceError: a method of a device's class, or a property, gives something else."""
    raise DeviceError(f"{member} of {device.name} gives {shown(value)}, expected {expected}")


def timed(run: Callable[[], object]) -> float:
    """Seconds that `run` takes."""
    import time

    start = time.perf_counter()
    run()
    return time.perf_counter() - start
