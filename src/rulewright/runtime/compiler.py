"""The system's C compiler: found, run, its shared objects kept on disk.

A shared object is keyed by its source, the compiler's identity, this machine's processor (the
code is made for it alone) and the flags. See `rulewright.diskcache` for what happens to damaged
entries and to folders that cannot be used.
"""

from __future__ import annotations

import contextvars
import functools
import itertools
import os
import platform
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

from rulewright.diskcache import DiskCache, private_dir
from rulewright.errors import CompileError, DeviceError, DeviceRuntimeError
from rulewright.options import options
from rulewright.profile import span
from rulewright.runtime.gcc_steps import steps_of
from rulewright.runtime.processes import run_within, together

_INTEL_NAMES = ("x86_64", "amd64", "i686")
_NATIVE = "-march=native" if platform.machine().lower() in _INTEL_NAMES else "-mcpu=native"

# No flag here changes a value that IEEE 754 defines. -fno-trapping-math gives up only exception
# flags, which nothing reads, and without it gcc vectorises neither rounding nor conversions.
# -ffp-contract=off: a fused multiply-add happens where the kernel says so, nowhere else.
# -fwrapv: integers wrap around, as the ops define. Warnings about generated code help nobody.
DEFAULT_FLAGS = (
    _NATIVE,
    "-std=gnu11",
    "-fPIC",
    "-shared",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=off",
    "-fwrapv",
    "-fopenmp-simd",
    "-w",
)
_SHOWN_ERRORS = 5
_AROUND = 2  # source lines shown before and after an offending one

_INSTALL = "install gcc or clang, run `pip install ziglang`, or set CC to a C compiler"
_LONGER = "set COMPILE_TIMEOUT to more seconds (0: no limit) if it needs longer"

_T = TypeVar("_T")

_objects = DiskCache("kernels")
_versions = DiskCache("compilers")
_names = itertools.count()


@dataclass(frozen=True)
class Compiler:
    """A C compiler: the words that start it, and a text that changes when it does."""

    command: tuple[str, ...]
    version: str

    @property
    def identity(self) -> str:
        """What compiled objects are keyed by."""
        return " ".join([*self.command, self.level]) + "\n" + self.version

    @property
    def major(self) -> int:
        """The first number of its version, or 0."""
        number = re.search(r"(\d+)\.\d+\.\d+", self.version)
        return int(number[1]) if number else 0

    @property
    def optimises(self) -> bool:
        """Whether CC does not say that it shall not."""
        return "-O0" not in self.command[1:]

    @property
    def level(self) -> str:
        """The optimisation level, without `-O…` where CC says one.

        From -O2 on, gcc vectorises loops that nobody asked it to. gcc 12.2 then adds a wrong
        element in ordered sums that read backwards. Kernels say where vectors are wanted, so that
        is switched off; -O1 instead would cost a third of a product's speed, in registers. So
        would constants of other loops, if moving them did not look at how many are left. gcc 12.2
        makes two conditional moves of a branch, the second of flags that are lost by then: it is
        to make one at most. clang cuts vectors of 512 bits in halves unless it is told that they
        are wanted.
        """
        if "clang" not in self.version:
            words = "-O2 -fno-tree-vectorize -fno-tree-slp-vectorize -fira-loop-pressure"
            if self.major >= 12:
                words += " --param=max-rtl-if-conversion-insns=1"
        else:
            words = "-O3 -mprefer-vector-width=512" if _NATIVE == "-march=native" else "-O3"
        says = any(word.startswith("-O") for word in self.command[1:])
        return words.partition(" ")[2] if says else words

    @property
    def kernel_flags(self) -> tuple[str, ...]:
        """The flags for a unit of kernels.

        Kernels begin and end nothing, and what they call of the C library is in this process
        already: not looking for either saves a quarter of the time that a small unit takes.
        """
        if "clang" in self.version or sys.platform != "linux":
            return DEFAULT_FLAGS
        return (*DEFAULT_FLAGS, "-nostartfiles", "-nodefaultlibs", "-lgcc")


def _version(command: tuple[str, ...]) -> str:
    """First line of `--version`, remembered on disk for as long as the program is the same."""
    program = Path(command[0]).resolve()
    info = program.stat()
    key = f"{command} {program} {info.st_mtime_ns} {info.st_size}"
    known = _versions.get(key)
    if known is None:
        done = run_within(options().COMPILE_TIMEOUT, [*command, "--version"])
        known = (done.output or done.errors).split(b"\n")[0]
        if done.status == 0:
            _versions.put(key, known)
    return known.decode(errors="replace")


def _candidates() -> list[tuple[str, ...]]:
    programs = [shutil.which(name) for name in ("gcc", "clang", "cc")]
    return [(program,) for program in programs if program]


def _zig() -> list[tuple[str, ...]]:
    from importlib.util import find_spec

    return [(sys.executable, "-m", "ziglang", "cc")] if find_spec("ziglang") else []


@functools.lru_cache(maxsize=16)
def _find(chosen: str) -> Compiler | str:
    """The compiler, or why there is none: a search that fails is not repeated either."""
    if chosen:
        try:
            words = shlex.split(chosen)
        except ValueError as error:
            return f"CC={chosen!r}: {error}"
        program = shutil.which(words[0]) if words else None
        if program is None:
            return f"CC={chosen!r}: no such program on PATH; {_INSTALL}"
        command: tuple[str, ...] = (program, *words[1:])
    else:
        commands = _candidates() or _zig()
        if not commands:
            return f"no C compiler found (looked for gcc, clang, cc, ziglang); {_INSTALL}"
        command = commands[0]
    try:
        return Compiler(command, _version(command))
    except TimeoutError as error:
        return f"the C compiler {' '.join(command)} --version: {error}; {_LONGER}, or {_INSTALL}"
    except OSError as error:
        return f"the C compiler {' '.join(command)} does not start: {error}; {_INSTALL}"


def find_compiler() -> Compiler:
    """The CC option's compiler, else gcc, clang or cc on PATH, else the `ziglang` wheel.

    Raises DeviceError, saying what to install, if there is none.
    """
    compiler_or_problem = _find(options().CC)
    if isinstance(compiler_or_problem, str):
        raise DeviceError(compiler_or_problem)
    return compiler_or_problem


@functools.lru_cache(maxsize=1)
def cpu_identity() -> str:
    """A digest of this processor's model and features, since objects are built for it alone."""
    about = [platform.machine(), platform.processor()]
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").split("\n\n")[0].splitlines()
    except OSError:
        lines = []
    kept = ("model", "flags", "Features", "CPU part", "CPU implementer", "vendor_id", "stepping")
    about += [line for line in lines if line.startswith(kept)]
    return blake2b("\n".join(about).encode(), digest_size=16).hexdigest()


def defined_macros(compiler: Compiler) -> frozenset[str]:
    """What the compiler's preprocessor defines for this processor; remembered on disk.

    Raises DeviceError if it does not say so within the option COMPILE_TIMEOUT.
    """
    key = f"macros\n{compiler.identity}\n{cpu_identity()}"
    known = _versions.get(key)
    if known is None:
        command = [*compiler.command, _NATIVE, "-dM", "-E", "-x", "c", os.devnull]
        try:
            done = run_within(options().COMPILE_TIMEOUT, command)
        except TimeoutError as error:
            raise DeviceError(f"{' '.join(command)}: {error}; {_LONGER}") from None
        known = b"\n".join(line.split()[1] for line in done.output.splitlines() if b" " in line)
        if done.status == 0:
            _versions.put(key, known)
    return frozenset(known.decode(errors="replace").split())


def _excerpt(source: str, output: str) -> str:
    """The offending lines with their numbers and neighbours, as far as `output` names any."""
    lines = source.split("\n")
    # gcc and clang call it <stdin>, zig a file whose name ends in stdin.c
    numbers = re.findall(r"stdin[^:\n]*:(\d+):(?:\d+:)? (?:fatal )?error", output)
    bad = sorted(
        {int(number) for number in numbers[:_SHOWN_ERRORS]} & set(range(1, len(lines) + 1))
    )
    near = sorted({k for n in bad for k in range(n - _AROUND, n + _AROUND + 1)})
    rows, previous = [], 0
    for number in near:
        if not 1 <= number <= len(lines):
            continue
        if previous and number != previous + 1:
            rows.append("   ...")
        rows.append(f"{'>' if number in bad else ' '} {number:5} | {lines[number - 1]}")
        previous = number
    return "\n".join(rows)


def _refused(compiler: Compiler, source: str, status: int, output: str) -> CompileError:
    said = [line for line in output.splitlines() if "error" in line][:_SHOWN_ERRORS]
    how = f"was stopped by signal {-status}" if status < 0 else "refused the source"
    text = "\n".join(said) or output.strip()[:2000] or f"no message, exit status {status}"
    message = f"the C compiler {' '.join(compiler.command)} ({compiler.version}) {how}:\n{text}"
    excerpt = _excerpt(source, output)
    return CompileError(message + (f"\nsource:\n{excerpt}" if excerpt else ""), source, output)


def _built_in_steps(
    compiler: Compiler, words: tuple[str, ...], source: str, target: Path, seconds: float
) -> bool:
    """Whether the compiler's own programs made the file; if not, it says itself what is wrong."""
    script = steps_of(compiler.command, words, seconds)
    if not script:
        return False
    between = [target.with_name(f"{target.name}.{ending}") for ending in "so"]
    try:
        done = run_within(seconds, ["/bin/sh", "-c", script, "sh", str(target)], source)
        return done.status == 0 and target.is_file()
    finally:
        for path in between:
            path.unlink(missing_ok=True)


def _build(
    compiler: Compiler,
    source: str,
    flags: Sequence[str],
    name: str,
    seconds: float,
    language: str = "c",
) -> bytes:
    try:
        target = private_dir() / f"build-{next(_names)}.so"
    except OSError as error:
        raise DeviceRuntimeError(f"no temporary folder to compile in: {error}") from error
    words = (*compiler.level.split(), "-x", language, "-")
    words += (*flags, "-lm")  # behind the source, whose symbols an archive among flags may hold
    command = [*compiler.command, *words, "-o", str(target)]
    try:
        if _built_in_steps(compiler, words, source, target, seconds):
            return target.read_bytes()
        done = run_within(seconds, command, source, target.parent, TMPDIR=str(target.parent))
        if done.status != 0 or not target.is_file():
            raise _refused(compiler, source, done.status, done.errors.decode(errors="replace"))
        return target.read_bytes()
    except CompileError as error:
        error.unit = name
        raise
    except TimeoutError:
        text = f"the C compiler {' '.join(compiler.command)} took more than {seconds:g} s"
        raise CompileError(f"{text}; {_LONGER}", source, unit=name) from None
    except OSError as error:
        raise CompileError(f"cannot run {' '.join(command)}: {error}", source, unit=name) from error
    finally:
        target.unlink(missing_ok=True)


def compile_c(
    source: str, flags: Sequence[str] = DEFAULT_FLAGS, name: str = "C source", language: str = "c"
) -> Path:
    """Compile one translation unit; returns a shared object that is whole and ours.

    `name` is for profiles and errors; `language` is "c" or "c++", whose flags differ.
    With the CACHE option at 0 it is always compiled, and kept
    from other processes. Raises CompileError (source refused, or no end within COMPILE_TIMEOUT),
    DeviceError (no compiler) or DeviceRuntimeError (no disk takes the result).
    """
    compiler = find_compiler()
    key = "\0".join([source, compiler.identity, cpu_identity(), *flags])
    reuse = options().CACHE != 0
    known = _objects.find(key, ".so") if reuse else None
    if known is not None:
        return known
    with span("compile", name):
        data = _build(compiler, source, flags, name, options().COMPILE_TIMEOUT, language)
    path = _objects.put(key, data, ".so", private=not reuse)
    if path is None:
        raise DeviceRuntimeError(
            f"no disk takes a compiled kernel of {len(data)} bytes: neither the cache folder nor "
            "the temporary folder can be written to; free some space or set CACHE_DIR or TMPDIR"
        )
    return path


def compile_apart(source: str, timeout: float) -> Path:
    """Compile one translation unit past the cache, in at most `timeout` seconds.

    The shared object is for the caller to remove. Raises what `compile_c` raises.
    """
    with span("compile", "a trial"):
        compiler = find_compiler()
        data = _build(compiler, source, compiler.kernel_flags, "a trial", timeout)
    path = private_dir() / f"trial-{next(_names)}.so"
    path.write_bytes(data)
    path.chmod(0o600)  # it is not loaded if others can write it, as an umask may let them
    return path


def compile_many(
    sources: Iterable[str], flags: Sequence[str] = DEFAULT_FLAGS, name: str = "C source"
) -> list[Path]:
    """`compile_c` of each source, in parallel; results in the order of `sources`.

    Raises what `compile_c` raises, for the first source that fails.
    """
    wanted = list(sources)
    unique = dict.fromkeys(wanted)
    compiled = in_threads(partial(compile_c, source, flags, name) for source in unique)
    paths = dict(zip(unique, compiled, strict=True))
    return [paths[source] for source in wanted]


def in_threads(tasks: Iterable[Callable[[], _T]]) -> list[_T]:
    """What tasks give, in their order. Each begins when it is known, beside those before it.

    Raises what the first of them raises that fails; those that have not begun by then never do.
    Ctrl-C ends the programs that they wait for.
    """
    with together() as running, ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        try:
            jobs = [pool.submit(contextvars.copy_context().run, task) for task in tasks]
            return [job.result() for job in jobs]
        except BaseException as error:
            pool.shutdown(wait=False, cancel_futures=True)
            if not isinstance(error, Exception):
                running.end()
            raise
