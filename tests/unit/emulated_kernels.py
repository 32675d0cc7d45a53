"""One kernel body written for CUDA and for Metal, and how tests launch it."""

from __future__ import annotations

import numpy as np

from rulewright.ir.dtypes import dtypes
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import Device

DEVICES = ("CUDA_EMULATED", "METAL_EMULATED")
THREADS, BLOCKS = 64, 2
SIZE = THREADS * BLOCKS

_CUDA = """extern "C" __global__ void k(float *out, const float *in, const long n) {
  int t = threadIdx.x, b = blockIdx.x, i = b * 64 + t;
%s
}
"""
_METAL = """#include <metal_stdlib>
using namespace metal;

kernel void k(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
              constant long &n [[buffer(2)]],
              uint3 group_id [[threadgroup_position_in_grid]],
              uint3 local_id [[thread_position_in_threadgroup]]) {
  int t = local_id.x, b = group_id.x, i = b * 64 + t;
%s
}
"""
_WORDS = {
    "CUDA": {"SHARED": "__shared__ ", "BARRIER": "__syncthreads();", "NEAR": "", "FAR": ""},
    "METAL": {
        "SHARED": "threadgroup ",
        "BARRIER": "threadgroup_barrier(mem_flags::mem_threadgroup);",
        "NEAR": "threadgroup ",
        "FAR": "device ",
    },
}


def source(body: str, device: str) -> str:
    """A kernel k(out, in, n) whose threads know t, b and i; see _WORDS for what is replaced."""
    kind = device.partition("_")[0]
    for word, text in _WORDS[kind].items():
        body = body.replace(word, text)
    return (_CUDA if kind == "CUDA" else _METAL) % body


def numbers(count: int = SIZE) -> np.ndarray:
    return np.arange(count, dtype=np.float32)


def launch(body: str, device: str, out: Buffer | None = None, given: Buffer | None = None):
    """Run it once over two blocks of 64 threads; gives the output buffer."""
    on = Device[device]
    out = out or Buffer(on, SIZE, dtypes.f32).copyin(np.zeros(SIZE, np.float32))
    given = given or Buffer(on, SIZE, dtypes.f32).copyin(numbers())
    runtime = on.runtime(on.compile(source(body, device), "k"))
    runtime.bind([out, given], [SIZE], (BLOCKS,), (THREADS,))(wait=True)
    return out
