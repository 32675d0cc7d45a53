"""NVRTC: CUDA C++ to a cubin, kept on disk. Needs no GPU."""

from __future__ import annotations

import functools
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rulewright.diskcache import DiskCache
from rulewright.options import options
from rulewright.profile import span
from rulewright.runtime.cuda.driver import check
from rulewright.runtime.gpu import import_extra, refused

DEFAULT_ARCHITECTURE = "sm_90"
_HEADERS = ("nvidia-cuda-runtime", "nvidia-cuda-crt")
_cubins = DiskCache("cubins")


def nvrtc() -> Any:
    """The module of the compiler. Raises MissingExtraError without cuda-bindings."""
    return import_extra("cuda.bindings.nvrtc", "cuda", "CUDA")


@functools.cache
def _include_options() -> tuple[bytes, ...]:
    """Where the headers of the CUDA wheels lie (fp16, bf16, fp8, mma)."""
    from importlib.util import find_spec

    spec = find_spec("nvidia")
    roots = list(spec.submodule_search_locations or ()) if spec else []
    folders = [path for root in roots for path in sorted(Path(root).glob("cu*/include"))]
    return tuple(f"--include-path={path}".encode() for path in folders)


@functools.cache
def _headers() -> str:
    """The versions of the headers, which are a part of what is compiled."""
    versions = []
    for name in _HEADERS:
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(versions)


def compile_cubin(source: str, name: str, architecture: str = DEFAULT_ARCHITECTURE) -> bytes:
    """Compile CUDA C++ to a cubin, cached on disk; needs NVRTC but no GPU.

    An entry is found by source, architecture and flags, and the versions of NVRTC and its headers.
    Raises CompileError with NVRTC's log, or MissingExtraError.
    """
    compiler = nvrtc()
    # A multiply and an add fuse only where the kernel says so; helpers that languages of the C
    # family share are for the device.
    flags = [f"--gpu-architecture={architecture}".encode(), b"--fmad=false", b"--std=c++17"]
    flags.append(b"--device-as-default-execution-space")
    number = check(compiler.nvrtcVersion())
    key = "\0".join([source, repr(number), _headers(), *(flag.decode() for flag in flags)])
    known = _cubins.get(key, ".cubin") if options().CACHE else None
    if known is not None:
        return known
    with span("compile", name):
        cubin = _compile(compiler, source, name, [*flags, *_include_options()])
    if options().CACHE:
        _cubins.put(key, cubin, ".cubin")
    return cubin


def _compile(compiler: Any, source: str, name: str, flags: list[bytes]) -> bytes:
    handle = check(compiler.nvrtcCreateProgram(source.encode(), b"kernel.cu", 0, [], []))
    try:
        (status,) = compiler.nvrtcCompileProgram(handle, len(flags), flags)
        if int(status) != 0:
            log = b" " * check(compiler.nvrtcGetProgramLogSize(handle))
            compiler.nvrtcGetProgramLog(handle, log)
            text = log.rstrip(b"\0 ").decode(errors="replace")
            raise refused("CUDA", "NVRTC", name, source, text or status.name)
        cubin = b" " * check(compiler.nvrtcGetCUBINSize(handle))
        check(compiler.nvrtcGetCUBIN(handle, cubin))
        return cubin
    finally:
        compiler.nvrtcDestroyProgram(handle)
