"""Limits of targets are obeyed: each is read, and targets that make them small still compute."""

from __future__ import annotations

import json
import re

import pytest
from outside_tools import fake, run

from rulewright import Tensor
from rulewright.codegen.lower import lower_kernel
from rulewright.errors import StageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.known import forget_results
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.lang.build import load_table
from rulewright.options import Context
from rulewright.runtime import c
from rulewright.runtime.compiler import find_compiler
from rulewright.runtime.cuda.device import target_for
from rulewright.runtime.device import Device
from rulewright.schedule.near import room_of
from rulewright.verify import golden

pytestmark = pytest.mark.timeout(60)  # processes of their own, whose caches may be cold

# ---- each is read --------------------------------------------------------------------------------


class Watched(dict):
    """Limits that know which of them were asked for."""

    def __init__(self, limits):
        super().__init__(limits)
        self.asked = set()

    def get(self, name, default=None):
        self.asked.add(name)
        return super().get(name, default)


PROGRAMS = (
    "matmul", "softmax", "linear_half", "concatenate", "argmax", "elementwise", "sum_rows",
    "conv2d", "sum_huge", "sum_columns",
)  # fmt: skip


OF_FEW_BUFFERS = {"METAL": "METAL_EMULATED", "WEBGPU": "WEBGPU"}
"""Targets that limit the buffers of a kernel, and a device of each."""


def scheduled_on(device):
    """Kernels that are only scheduled: what fuses, and what stands side by side."""
    given = [Tensor.empty(16, 128, device=device) for _ in range(5)]
    Tensor.schedule(*((x + 1).sum(0) for x in given))
    given[0].matmul(given[1].T.contiguous()).softmax(1).schedule()
    vector, matrix = (Tensor.ones(*s, device=device).contiguous() for s in ((300,), (300, 256)))
    vector.matmul(matrix).schedule()


def test_every_limit_of_every_target_is_read(monkeypatch):
    rows = load_table()["targets"]
    own = {name: {str(k) for k in row["limits"]} for name, row in rows.items() if row["limits"]}
    watched = {name: Watched(rows[name]["limits"]) for name in own}
    for name, limits in watched.items():
        monkeypatch.setitem(rows[name], "limits", limits)
    forget_results()  # what was lowered before asks for nothing
    for name in own:
        room_of(rows[name])
    with Context(CACHE=0, VERIFY=0):
        for program in PROGRAMS:
            kernels = [call.kernel for call in golden.compile_program(program).calls]
            for name in own:
                golden.source_text(kernels, name)
        scheduled_on("C")
        for device in OF_FEW_BUFFERS.values():
            if not Device.why_not(device):
                scheduled_on(device)
        c.vector_target.__wrapped__(find_compiler())
        assert [target_for(f"sm_{n}") for n in (86, 120)] == ["CUDA", "CUDA_SM89"]
    # what a target inherits is read where it is stated
    stated = {
        (name, limit)
        for name, limits in own.items()
        for limit in limits
        if rows[name]["extends"] not in own or limit not in own[rows[name]["extends"]]
    }
    unread = sorted(f"{n}: {limit}" for n, limit in stated if limit not in watched[n].asked)
    for name, device in OF_FEW_BUFFERS.items():
        if Device.why_not(device):  # what schedules for it is not here
            unread = [line for line in unread if line != f"{name}: buffers"]
    assert unread == [], "limits of spec/80-targets that nothing reads for that target"


# ---- each is obeyed ------------------------------------------------------------------------------

TINY = """
target TINY_CUDA extends CUDA {
  limit local_size = 32
  limit local_memory = 512
  limit load_bits = 32
  limit grid_dimensions = 1
}
target TINY_NONE extends CUDA { limit local_memory = 0 }
target TINY_OUTER extends CUDA { limit grid_outer = 3 }
target TINY_GRID extends CUDA {
  limit buffers = 4
  limit local_size = 64
  limit load_bits = 64
  limit grid_dimensions = 2
  limit grid_outer = 7
  limit grid_inner = 13
}
target TINY_METAL extends METAL {
  limit buffers = 4
  limit local_size = 32
  limit local_memory = 1024
}
target TINY_ROOM extends C { limit own_memory = 96 }
target TINY_FEW extends C { limit buffers = 4 }
target TINY_LANE extends C { limit vector_bits = 32 }
target TINY_PAIR extends C { limit vector_bits = 64 }
target WIDE extends C { limit vector_bits = 4096 }
target TINY_C extends C {
  limit cores = 1
  limit vector_bits = 128
  limit vector_registers = 4
  limit near_memory = 256
  limit kept_memory = 1024
  limit own_memory = 2048
  limit stream_memory = 64
  limit side_by_side = 2
}
"""
CLASSES = """
from pathlib import Path
from rulewright.runtime.c import CDevice
from rulewright.runtime.emulated.device import EmulatedCudaDevice, EmulatedMetalDevice

SPEC = (Path(__file__).with_name("tiny.uop"),)

class Cuda(EmulatedCudaDevice):
    target_name, spec = "TINY_CUDA", SPEC

class Grid(EmulatedCudaDevice):
    target_name, spec = "TINY_GRID", SPEC

class Metal(EmulatedMetalDevice):
    target_name, spec = "TINY_METAL", SPEC

class C(CDevice):
    target_name, spec = "TINY_C", SPEC

class Room(CDevice):
    target_name, spec = "TINY_ROOM", SPEC

class Few(CDevice):
    target_name, spec = "TINY_FEW", SPEC

class Lane(CDevice):
    target_name, spec = "TINY_LANE", SPEC

class Two(CDevice):
    target_name, spec = "TINY_PAIR", SPEC

class Wide(CDevice):
    target_name, spec = "WIDE", SPEC
"""
POINTS = (
    "TINYCUDA = tiny:Cuda\nTINYGRID = tiny:Grid\nTINYMETAL = tiny:Metal\nTINYC = tiny:C\n"
    "TINYROOM = tiny:Room\nTINYFEW = tiny:Few\nTINYLANE = tiny:Lane\nTINYPAIR = tiny:Two\n"
    "WIDE = tiny:Wide"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A package of devices whose limits are small; the emulated ones refuse what is beyond."""
    folder = tmp_path_factory.mktemp("tiny") / "site"
    fake(folder, "rulewright-tiny", POINTS, {"tiny.py": CLASSES, "tiny.uop": TINY})
    return folder


def conformance(site, device, chosen):
    report = site.parent / f"{device}.json"
    words = ("-k", chosen, "--format", "json", "--output", str(report))
    run(site, "conformance", "--device", device, *words)
    found = json.loads(report.read_text(encoding="utf-8"))
    assert found["cases"] and {case["status"] for case in found["cases"]} == {"right"}
    assert device in found["ran"]


@pytest.mark.parametrize(
    ("device", "chosen"),
    [
        ("TINYC", "buffers/as or launches/more"),
        ("TINYFEW", "values/softmax/1 or values/matmul/2 or symbolic/s"),
        ("TINYROOM", "values/sort or values/matmul/1 or values/conv2d/1 or values/softmax/2"),
        ("TINYCUDA", "launches/more or values/layer_norm/1"),
        (
            "TINYGRID",
            "launches/more or buffers/maximum or values/layer_norm/1 or values/qr or hazards/m "
            "or random/captured",
        ),
        ("TINYMETAL", "buffers/maximum"),
    ],
)
def test_a_device_with_small_limits_computes_the_same(site, device, chosen):
    if device not in ("TINYC", "TINYFEW", "TINYROOM") and Device.why_not("CUDA_EMULATED"):
        pytest.skip(Device.why_not("CUDA_EMULATED"))
    conformance(site, device, chosen)


VECTORS = """
import sys
import numpy as np
from rulewright import Tensor
device, kind = sys.argv[1:]
rng = np.random.default_rng(0)
draw = lambda *shape: rng.integers(-8, 8, shape).astype(kind)  # whose sums are exact
a, b, image, weights = draw(64, 64), draw(64, 64), draw(2, 32, 20, 20), draw(32, 32, 3, 3)
x, y, im, w = (Tensor(n, device=device) for n in (a, b, image, weights))
windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3), axis=(2, 3))
for value, wanted in [
    (x @ y, a @ b),
    (im.conv2d(w), np.einsum("nchwij,ocij->nohw", windows, weights)),
    (x.T.contiguous() + y, a.T + b),
    (x.sum(1), a.sum(1)),
    (x.cumsum(0), a.cumsum(0)),
    ((x > y).where(x, y * 2), np.where(a > b, a, b * 2)),
]:
    assert value.device == device and np.array_equal(value.numpy(), wanted), device
"""


@pytest.mark.parametrize("kind", ["float32", "float64", "int64"])
@pytest.mark.parametrize("device", ["TINYLANE", "TINYPAIR", "WIDE"])
def test_vectors_of_any_width_compute_the_same(site, device, kind):
    """Of one element or none, where products were cut into vectors all the same, or of many."""
    run(site, code=VECTORS.replace("sys.argv[1:]", repr((device, kind))))


LOWERED = """
import json, sys
from rulewright import Tensor, load_spec
from rulewright.codegen.lower import lower_kernel
load_spec(sys.argv[1])
x = [Tensor.empty(256, 256) for _ in range(2)]
programs = {"product": x[0] @ x[1], "sum": x[0].sum(0), "row": (x[0] + 1).sum(1), "copy": x[0] + 1,
            "middle": Tensor.empty(64, 3, 513).softmax(1), "turned": x[0].T + 1,
            "long": Tensor.rand(4, 100000).sum(1), "few": Tensor.rand(10000, 3).sum(0)}
made = {}
for name, value in programs.items():
    for on in ("C", "TINY_C", "CUDA", "TINY_CUDA", "TINY_NONE", "TINY_OUTER"):
        kernels = [lower_kernel(k.ast, on) for k in value.schedule()]
        made[f"{name} {on}"] = [[k.source, k.launch] for k in kernels]
print(json.dumps(made, default=str))
"""


@pytest.fixture(scope="module")
def lowered(site):
    """Sources and launches of programs on the targets and on those with small limits."""
    code = LOWERED.replace("sys.argv[1]", repr(str(site / "tiny.uop")))
    return json.loads(run(site, code=code))


def launches(made):
    return [launch for _, launch in made]


def text(made):
    return "\n".join(source for source, _ in made)


def test_vectors_are_no_wider_than_the_limit(lowered):
    assert "f32x16" in text(lowered["product C"])
    widest = {int(n) for n in re.findall(r"\bf32x(\d+)", text(lowered["product TINY_C"]))}
    assert widest and max(widest) == 4


def test_memory_is_streamed_from_the_limit_on(lowered):
    assert "stream_" not in text(lowered["copy C"]) and "stream_" in text(lowered["copy TINY_C"])


def test_groups_loads_and_grids_are_within_the_limits(lowered):
    for program in ("product", "sum", "row", "copy", "middle"):
        for groups, items in launches(lowered[f"{program} TINY_CUDA"]):
            assert items[0] * items[1] * items[2] <= 32 and groups[1:] == [1, 1]
        assert "float4" not in text(lowered[f"{program} TINY_CUDA"])
        for groups, _ in launches(lowered[f"{program} TINY_OUTER"]):
            assert max(groups[1:]) <= 3
    assert "float4" in text(lowered["copy CUDA"])
    assert any(max(groups[1:]) > 3 for groups, _ in launches(lowered["middle CUDA"]))


def test_shared_memory_is_within_the_limit(lowered):
    for program in ("product", "sum", "row"):
        shared = re.findall(r"__shared__ float \w+\[(\d+)\]", text(lowered[f"{program} TINY_CUDA"]))
        assert sum(map(int, shared)) * 4 <= 512


def test_without_memory_of_a_group_nothing_is_shared(lowered):
    assert "__shared__" in text(lowered["product CUDA"])
    for program in ("product", "sum", "row", "copy", "middle", "turned", "long", "few"):
        made = text(lowered[f"{program} TINY_NONE"])
        assert "__shared__" not in made and "__syncthreads" not in made, program


REFUSED = """
from rulewright import Tensor
from rulewright.errors import DeviceRuntimeError
from rulewright.ir.dtypes import dtypes
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import Device

device = Device["TINYGRID"]
def refusal(count, variables, *launch):
    buffers = [Buffer(device, 4, dtypes.f32).allocate() for _ in range(count)]
    names = ["float *b%d" % i for i in range(count)]
    names += ["const long n%d" % i for i in range(variables)]
    text = 'extern "C" __global__ void k(' + ", ".join(names) + ") { if (!b0) b0[0] = 1; }"
    try:
        device.runtime(device.compile(text, "k")).bind(buffers, [1] * variables, *launch)(wait=True)
    except DeviceRuntimeError as error:
        return str(error).partition(": ")[2]
print(refusal(3, 1, (13, 7), (64,)))
print(refusal(4, 1, (1,), (1,)))
print(refusal(1, 0, (14,), (1,)))
print(refusal(1, 0, (1, 8), (1,)))
print(refusal(1, 0, (1, 1, 2), (1,)))
"""


@pytest.mark.skipif(bool(Device.why_not("CUDA_EMULATED")), reason="no emulated device is here")
def test_an_emulated_device_refuses_what_is_beyond_the_limits_of_its_target(site):
    assert run(site, code=REFUSED).splitlines() == [
        "None",
        "buffers and variables are at most 4 on target TINY_GRID, found 5",
        "blocks along the first axis are at most 13 on target TINY_GRID, found 14",
        "blocks along the second or third axis are at most 7 on target TINY_GRID, found 8",
        "axes of a grid are at most 2 on target TINY_GRID, found 3",
    ]


@pytest.mark.parametrize("device", ["C", "INTERP", "OPENCL", "CUDA_EMULATED", "METAL_EMULATED"])
def test_a_hundred_are_joined_on_every_device(device):
    if Device.why_not(device):
        pytest.skip(Device.why_not(device))
    parts = [Tensor([k, k + 0.5], device=device) for k in range(100)]
    assert Tensor.cat(*parts).tolist() == [k + half for k in range(100) for half in (0, 0.5)]


def of_memories(count: int) -> UOp:
    """A kernel that adds up so many memories, less the one that it writes."""
    loop, kind = UOp.range(8, 0), dtypes.f32
    out, *rest = (UOp(Ops.PARAM, kind, (), (slot, (8,), None)).index(loop) for slot in range(count))
    return UOp.sink(out.store(sum(rest[1:], rest[0])).end(loop))


def test_a_kernel_of_more_memories_than_a_target_takes_is_refused():
    """As one that somebody wrote may be: those of the compiler have fewer."""
    assert "buffer(30)" in lower_kernel(of_memories(31), "METAL").source
    with pytest.raises(StageError, match="it has 32 memories, of which the target takes 31; use a"):
        lower_kernel(of_memories(32), "METAL")
    size = UOp.variable("n", 1, 8)
    loop = UOp.range(size, 0)
    kernel = of_memories(31).substitute({UOp.range(8, 0): loop})
    with pytest.raises(StageError, match="31 memories and 1 variables, of which the target takes"):
        lower_kernel(kernel, "METAL")
    assert lower_kernel(of_memories(40), "CUDA").source
