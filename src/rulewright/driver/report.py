"""The lines that DEBUG prints: one a schedule, one a kernel, source and axis choices."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulewright.codegen.naming import name_of
from rulewright.options import options

if TYPE_CHECKING:
    from rulewright.codegen.program import KernelProgram
    from rulewright.driver.execute import ExecItem


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def report_schedule(
    kernels: int, milliseconds: float, hit: bool, key: str, nodes: int, caller: str, memory: str
) -> None:
    """DEBUG=1: what scheduling did, how long it took, and for which line of the user's."""
    if options().DEBUG >= 1:
        state = "hit" if hit else "miss"
        _say(
            f"schedule {kernels:4d} kernels {milliseconds:8.2f} ms  cache {state} {key}  "
            f"{nodes} UOps  {caller}{'  ' + memory if memory else ''}"
        )


def report_replay(kernels: int, reason: str) -> None:
    """DEBUG=1: why a replay of captured kernels is more than one foreign call or graph."""
    if options().DEBUG >= 1:
        _say(f"replay   {kernels:4d} kernels, not as one: {reason}")


def report_certificate(path: Path, certificate: Any) -> None:
    """VERIFY=prove: what was shown about the steps of a program, and where that is written."""
    counts = certificate.counts()
    shares = ", ".join(f"{number} {status}" for status, number in counts.items())
    _say(f"certificate: {sum(counts.values())} steps, {shares}: {path}")


def report_kernel(
    item: ExecItem, program: KernelProgram | None, seconds: float | None, flops: int, moved: int
) -> None:
    """DEBUG=2: device, name, memory, time and rates of one run; DEBUG=4: also the source.

    `flops` and `moved` are the operations and the bytes of this run.
    """
    debug = options().DEBUG
    if debug < 2:
        return
    if debug >= 4 and program is not None:
        _say(f"// axis choices: {program.choices or 'none'}\n{program.source}")
    if program is not None or item.is_copy:
        name = program.name if program else "copy"
    else:
        name = name_of(item.ast) if item.is_kernel else str(item.ast.arg[0])
    taken = seconds or 0.0
    line = f"{item.device.name:8} {name:32} args {len(item.buffers):2d}"
    line += f"  mem {_total_bytes(item) / 1e6:9.2f} MB  {taken * 1e6:10.1f} us"
    if program is not None and taken > 0:
        line += f"  {flops / taken / 1e9:8.1f} GFLOP/s {moved / taken / 1e9:7.1f} GB/s"
    methods = ", ".join(dict.fromkeys(m.method for m in item.metadata))
    _say(f"{line}  {methods}" if methods else line)


def _total_bytes(item: ExecItem) -> int:
    return sum(buffer.nbytes for buffer in item.buffers)
