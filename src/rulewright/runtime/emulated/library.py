"""The emulator itself, and kernels, compiled; and their foreign functions.

The C structs are those of requests.c.
"""

from __future__ import annotations

import platform
from functools import cache
from pathlib import Path
from typing import Any

from rulewright.errors import CompileError, DeviceError
from rulewright.options import options
from rulewright.runtime.clib import foreign, load_function
from rulewright.runtime.compiler import DEFAULT_FLAGS, Compiler, compile_c, find_compiler
from rulewright.runtime.emulated.source import FOLDER

PARTS = ("requests.c", "fibers.c", "watch.c", "cores.c", "warps.c", "blocks.c", "launches.c")
SIGNATURE = "void(*)(const struct rw_request *, struct rw_fault *)"
_WATCHED = (
    "-std=gnu++17",
    "-g1",  # lines of code, for reports
    "-fsigned-char",
    "-fno-exceptions",
    "-fno-rtti",
    f"-I{FOLDER / 'include'}",
    f"-Werror=frame-larger-than={384 << 10}",  # bytes: most of a fiber's stack, as in requests.c
    "-Wno-attributes",
    "-Wno-literal-suffix",
)
# With -fwrapv, of what overflows only quotients are told.
_UNDEFINED = "alignment,integer-divide-by-zero,signed-integer-overflow,shift-exponent"
_NO_CPP = "install g++ or clang++, or set CC to a compiler that takes C++ too"

_DECLARATIONS = """
struct rw_memory { int64_t address, size, skew, item_shift; };
struct rw_shared { int64_t offset, size; };
struct rw_request {
  void *kernel;
  const struct rw_memory *memories; int64_t memory_count;
  const int64_t *arguments; int64_t argument_count;
  const int64_t *variables; int64_t variable_count;
  const struct rw_shared *shared; int64_t shared_count;
  int64_t image, image_size;
  int64_t grid[3], block[3];
  uint64_t seed;
};
struct rw_fault {
  int64_t kind, memory, shared, offset, size, is_write, code, number, count;
  int64_t thread, block, other_thread, other_block, other_is_write, line, other_line;
  const char *type;
};
"""


def _flags(compiler: Compiler) -> tuple[str, ...]:
    """How kernels are compiled: -O2 would leave out more of what is to be watched.

    What is too large for a fiber's stack is an error, which `-w` would hide. Registers hold no
    plausible numbers before they are written: 0xfe in each byte.
    """
    level = ("-O1",) if compiler.optimises else ()
    bounds = "array-bounds" if "clang" in compiler.version else "bounds"
    watched = f"-fsanitize=thread,{bounds},{_UNDEFINED}"
    usual = [flag for flag in compiler.kernel_flags if flag not in ("-w", "-std=gnu11")]
    filled = ["-ftrivial-auto-var-init=pattern"] if compiler.major >= 12 else []
    return (*usual, *level, *_WATCHED, watched, *filled)


def compile_unit(source: str, name: str) -> Path:
    """The library of one translation unit of kernels. Raises what `compile_c` raises."""
    compiler = find_compiler()
    linked = _hooks(compiler, options().CACHE_DIR)
    if not linked.is_file():  # the cache was cleared
        _hooks.cache_clear()
        linked = _hooks(compiler, options().CACHE_DIR)
    return compile_c(source, (*_flags(compiler), "-xnone", str(linked)), name, "c++")


@cache
def _hooks(compiler: Compiler, _folder: str) -> Path:
    """The object that is linked to each unit: to compile it takes as long as most units do."""
    text = "\n".join((FOLDER / part).read_text(encoding="utf-8") for part in ("shim.h", "hooks.cc"))
    return compile_c(text, (*_flags(compiler), "-c"), "hooks of the GPU emulator", "c++")


@cache
def emulator() -> Any:
    """The foreign function that runs a request. Raises what compiling C raises.

    It is optimised whatever CC says: each access to memory of each thread comes here.
    """
    foreign()[0].cdef(_DECLARATIONS)
    text = "\n".join((FOLDER / part).read_text(encoding="utf-8") for part in PARTS)
    path = compile_c(text, (*DEFAULT_FLAGS, "-O2"), "GPU emulator")
    return load_function(path, "rw_emulate", SIGNATURE)


def why_not() -> str | None:
    """Why nothing can be emulated here, or None."""
    if platform.system() != "Linux":
        return "GPUs are emulated on Linux only"
    try:
        return _why_no_cpp(find_compiler(), options().CACHE_DIR)
    except DeviceError as error:
        return str(error)


@cache
def _why_no_cpp(compiler: Compiler, _folder: str) -> str | None:
    """Why the compiler takes no C++, or watches no memory; None if it does both."""
    command = " ".join(compiler.command)
    if "ziglang" in compiler.command:
        return f"{command} does not check bounds of arrays; {_NO_CPP}"
    try:
        compile_unit((FOLDER / "shim.h").read_text(encoding="utf-8"), "C++ probe")
    except CompileError as error:
        errors = [line for line in error.output.splitlines() if "error" in line]
        said = errors[0] if errors else str(error).partition("\n")[0]
        return f"{command} compiles no C++ that is watched ({said}); {_NO_CPP}"
    return None
