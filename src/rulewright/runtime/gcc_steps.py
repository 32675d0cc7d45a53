"""The programs that gcc starts for a shared object, started without it.

`gcc` is a driver: it starts a compiler, an assembler and a linker, and says with `-###` how. To do
so by what it says saves a quarter to a third of the time that a small unit of kernels takes: that
of the driver, of another one around the linker, and of looking through libraries of which most
units need nothing. Where anything is other than expected the driver compiles.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from functools import lru_cache
from pathlib import Path

from rulewright.runtime.processes import run_within

_OUT = "result.so"
"""What the driver is told to write."""
_OF_C, _OF_CPP = ["cc1", "as", "collect2"], ["cc1plus", "as", "collect2"]


def steps_of(command: tuple[str, ...], words: tuple[str, ...], seconds: float) -> str:
    """A shell script that compiles standard input into the file `$1`; "" without such steps.

    `command` starts the compiler, `words` are what it is told besides the file; it says what the
    steps are within `seconds`. Only for gcc itself, of which no more is asked than a level.
    Raises OSError if it does not start, or is not done by then.
    """
    program = shutil.which(command[0])
    plain = all(word.startswith("-O") for word in command[1:])
    if not plain or program is None or not _is_gcc(program) or sys.platform != "linux":
        return ""
    return _steps(command, words, Path(program).stat().st_mtime_ns, seconds)


def _is_gcc(program: str) -> bool:
    """Whether a program is gcc, and not another one that is called so and starts it."""
    name = Path(program).resolve().name
    return re.fullmatch(r"([a-z0-9_]+-)*gcc(-[0-9.]+)?", name) is not None


@lru_cache(maxsize=64)
def _steps(command: tuple[str, ...], words: tuple[str, ...], changed: int, seconds: float) -> str:
    """The steps of the compiler that has `changed` then."""
    told = run_within(seconds, [*command, *words, "-o", _OUT, "-###"])
    lines = told.errors.decode(errors="replace").splitlines()
    steps = [shlex.split(line) for line in lines if line.startswith(" ")]
    programs = [Path(step[0]).name for step in steps]
    if told.status != 0 or programs not in (_OF_C, _OF_CPP):
        return ""
    linker = run_within(seconds, [*command, "-print-prog-name=ld"]).output.decode().strip()
    return _script(steps[0], steps[1], [linker, *steps[2][1:]])


def _script(compiling: list[str], assembling: list[str], linking: list[str]) -> str:
    """The steps one after another; a plugin for what is optimised while linking has nothing to do.

    First nothing is looked for in libraries, which is refused if anything is missing.
    """
    text, binary = (step[step.index("-o") + 1] for step in (compiling, assembling))
    own = {text: '"$1".s', binary: '"$1".o', _OUT: '"$1"'}

    def line(words: list[str]) -> str:
        return " ".join(own.get(word) or shlex.quote(word) for word in words)

    if "-plugin" in linking:
        at = linking.index("-plugin")
        linking = [*linking[:at], *linking[at + 2 :]]
    linking = [word for word in linking if not word.startswith("-plugin-opt=")]
    alone = [*(word for word in linking if not word.startswith("-l")), "-z", "defs"]
    links = f"{{ {line(alone)} 2>/dev/null || {line(linking)}; }}"
    return f"{line(compiling)} && {line(assembling)} && {links}"
