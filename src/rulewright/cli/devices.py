"""`rulewright devices`: what can run kernels here, and why the rest cannot."""

from __future__ import annotations

import platform
from pathlib import Path

import click

from rulewright.cli.inputs import example
from rulewright.cli.output import print_table
from rulewright.paths import cache_dir

# Processor features as Linux names them -> bits of the vectors they bring; the widest counts.
_VECTOR_BITS = {"avx512f": 512, "avx": 256, "sse2": 128, "asimd": 128, "neon": 128}
_MACHINE_BITS = {"arm64": 128, "aarch64": 128, "x86_64": 128, "amd64": 128}  # what all of them have


@click.command(epilog=example("rulewright devices\nDEVICE=INTERP rulewright devices"))
def command() -> None:
    """Say which devices are here, and why others are not.

    Shows each device with what was found for it (compiler, driver, cores), the default device,
    the width of this processor's vectors, and the folder of the caches. Devices of other packages
    stand last, with the package; one that cannot be loaded says why.
    """
    from rulewright.runtime.device import Device
    from rulewright.runtime.threads import cores

    rows = [_row(name) for name in Device]
    clashes = [p for p in Device.plugins.values() if p.is_builtin]
    rows += [(p.name, "no", str(p.error(p.clash))) for p in clashes]
    print_table(["device", "here", "found"], rows)
    click.echo()
    click.echo(f"default device  {Device.default}")
    click.echo(f"vector width    {vector_bits()} bits")
    click.echo(f"cores           {cores()}")
    click.echo(f"caches          {cache_dir()}")


def _row(name: str) -> tuple[str, str, str]:
    from rulewright.runtime.device import Device

    reason = Device.why_not(name)
    if reason is not None:
        return name, "no", reason
    plugin = Device.plugins.get(name)
    if plugin is None or plugin.is_builtin:
        return name, "yes", Device.device_class(name).describe()
    try:
        return (
            name,
            "yes",
            f"{Device.device_class(name).describe()} [{plugin.distribution}]".strip(),
        )
    except (Exception, SystemExit) as error:  # whatever a class of another package raises
        return name, "no", str(plugin.error(f"{type(error).__name__}: {error}"))


def vector_bits(cpuinfo: Path = Path("/proc/cpuinfo"), machine: str | None = None) -> int:
    """Bits of the widest vectors of this processor; 64 if nothing is known about it."""
    known = _MACHINE_BITS.get((machine or platform.machine()).lower(), 64)
    try:
        words = set(cpuinfo.read_text(errors="replace").lower().split())
    except OSError:
        return known
    return max([known, *(bits for name, bits in _VECTOR_BITS.items() if name in words)])
