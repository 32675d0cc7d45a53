"""Devices of other packages: found by their entry points, loaded when they are asked for.

A package that is installed names the class of its device in its `pyproject.toml`:

    [project.entry-points."rulewright.devices"]
    C99 = "rulewright_c99:C99Device"

Nothing of it is imported before the device is used, or listed by `rulewright devices`. What is
wrong with one is an error that names its package, and concerns no other device.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

from rulewright.errors import DeviceError, RulewrightError
from rulewright.ir.expected import shown

if TYPE_CHECKING:
    from rulewright.runtime.device import BaseDevice

GROUP = "rulewright.devices"
_NAME = re.compile("[A-Z][A-Z0-9_]*")


@dataclass(frozen=True)
class Plugin:
    """A device of another package: its name, and its entry points: one, or those that clash."""

    name: str
    points: tuple[EntryPoint, ...]
    is_builtin: bool

    @property
    def distribution(self) -> str:
        """The packages that declare it, with their versions."""
        return " and ".join(dict.fromkeys(_package(point) for point in self.points))

    @property
    def clash(self) -> str:
        """Why the name cannot be used; "" if it can."""
        if self.is_builtin:
            return "the name is that of a device of Rulewright, which is used in its place"
        if len(self.points) > 1:
            return "several packages have a device of this name; uninstall all but one"
        if not _NAME.fullmatch(self.name):
            return "a device's name is of letters, digits and _, such as C99"
        return ""

    def load(self) -> type[BaseDevice]:
        """The class, with its files beside the spec loaded and its target there.

        Raises DeviceError, which names the package, for anything that is wrong with it.
        """
        if self.clash:
            raise self.error(self.clash)
        (point,) = self.points
        try:
            loaded = point.load()
        except (Exception, SystemExit) as error:  # a module may do anything while it is imported
            text = f"{point.value} cannot be imported: {type(error).__name__}: {error}"
            raise self.error(text) from error
        with self.blamed():  # what looks like a class of a device may be none
            try:
                self._check(loaded)
            except RulewrightError as error:
                raise self.error(str(error)) from error
        device: type[BaseDevice] = loaded
        return device

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Let what the class raises here that is no error of Rulewright name the package."""
        try:
            yield
        except RulewrightError:
            raise
        except (Exception, SystemExit) as error:
            raise self.error(f"{type(error).__name__}: {error}") from error

    def _check(self, device: object) -> None:
        """Raise what is wrong with a class, or with the files that it names."""
        take_in(self.name, device, self.points[0].value)

    def error(self, reason: str) -> DeviceError:
        """An error about this device that names its package."""
        return DeviceError(f"device {self.name!r} of {self.distribution}: {reason}")


def take_in(name: str, device: object, where: str) -> None:
    """Load the files that the class of a device names, and note its target under the device's name.

    Raises what is wrong with them, and DeviceError for what is no such class.
    """
    from rulewright.checks.beside import load_spec
    from rulewright.runtime.device import BaseDevice, CompilingDevice

    if not (isinstance(device, type) and issubclass(device, BaseDevice)):
        raise DeviceError(
            f"{where} is {shown(device)}, expected a class that extends CompilingDevice"
        )
    missing = ", ".join(sorted(device.__abstractmethods__))
    if missing:
        raise DeviceError(f"{device.__name__} does not define {missing}")
    for member, things in (("spec", "paths"), ("externs", "names of modules")):
        value = getattr(device, member)
        if not isinstance(value, tuple | list):
            raise DeviceError(f"`{member}` is {shown(value)}, expected a tuple of {things}")
    for path in device.spec:
        load_spec(path, device.externs)
    if issubclass(device, CompilingDevice):
        from rulewright.ir.devices import TARGET_OF
        from rulewright.render.target import target

        target(device.target_name or name)
        TARGET_OF[name] = device.target_name or name


def _package(point: EntryPoint) -> str:
    distribution = point.dist
    return (
        f"{distribution.name} {distribution.version}"
        if distribution
        else "a package without metadata"
    )


def find_plugins(builtin: Collection[str]) -> dict[str, Plugin]:
    """All devices of other packages by name, in alphabetical order; nothing of them is imported."""
    points_of: dict[str, dict[tuple[str, str], EntryPoint]] = {}
    points = sorted(entry_points(group=GROUP), key=lambda point: (_package(point), point.value))
    for point in points:  # one package may be on the path twice
        points_of.setdefault(point.name.upper(), {})[_package(point), point.value] = point
    return {
        name: Plugin(name, tuple(points_of[name].values()), name in builtin)
        for name in sorted(points_of)
    }
