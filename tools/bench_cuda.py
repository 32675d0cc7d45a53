"""Measures what this project promises on a GPU, beside PyTorch on the same one, and writes JSON.

    python tools/bench_cuda.py [--device CUDA] [--only NAME]... [--json FILE] [--small]

Each result is checked before it is timed. What moves memory is compared with the copy bandwidth
that was measured in the same run, products and attention with PyTorch (cuBLAS, its fused kernel),
and a token of GPT-2 with `torch.compile`. Ours and PyTorch's take turns. One measurement that
fails does not end the others: its row says why, and the exit status is 1. `--small` takes sizes
that run anywhere in seconds, to try the tool itself: `--device C --small`.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from rulewright import Context, Tensor, jit, nn
from rulewright.examples.gpt2 import SMALL, Decoder
from rulewright.examples.transformer import Config, Transformer
from rulewright.runtime.device import Device

ROUNDS, TURN, WARM = 7, 0.2, 4  # a turn lasts so many seconds; calls before any is timed
BANDWIDTH, PRODUCTS = 0.85, 0.7  # shares that are wanted, of the copy's and of cuBLAS'
Run = Callable[[], object]


@dataclass
class Row:
    """One measurement. `amount` is what a call does in `unit`s; seconds are of a call, by round.

    share: of the bandwidth of a copy, or how many times as fast as PyTorch, by `of`.
    """

    name: str
    unit: str
    amount: float
    seconds: list[float] = field(default_factory=list)
    peer_seconds: list[float] = field(default_factory=list)
    rate: float = 0.0
    peer_rate: float | None = None
    of: str = ""
    share: float | None = None
    wanted: float | None = None
    note: str = ""
    problem: str = ""

    def finish(self, copies: float | None = None) -> Row:
        """Rates and the share, of what was measured."""
        self.rate = self.amount / median(self.seconds)
        if self.peer_seconds:
            pairs = zip(self.seconds, self.peer_seconds, strict=True)
            self.peer_rate = self.amount / median(self.peer_seconds)
            self.of, self.share = "PyTorch", median(theirs / ours for ours, theirs in pairs)
        if copies is not None:
            self.of, self.share = "copy", self.rate / copies
        return self


class Bench:
    """Where ours and PyTorch run, and how they are timed."""

    def __init__(self, device: str, small: bool) -> None:
        self.device, self.small = device, small
        self.peer = "cuda" if device.startswith("CUDA") else "cpu"
        self.rng = np.random.default_rng(7)

    @cached_property
    def torch(self) -> Any:
        """PyTorch, or None where it is not, or has no such device."""
        try:
            torch = importlib.import_module("torch")
        except ImportError:
            return None
        return torch if self.peer == "cpu" or torch.cuda.is_available() else None

    def size(self, large: int, small: int) -> int:
        """A size, or the one that is tried anywhere."""
        return small if self.small else large

    def random(self, *shape: int) -> Any:
        """An array of f32."""
        return self.rng.standard_normal(shape, np.float32)

    def ours(self, array: Any, dtype: str = "f32") -> Tensor:
        """It in memory of the device."""
        return Tensor(array, device=self.device).cast(dtype).realize()

    def theirs(self, array: Any, dtype: str = "float32") -> Any:
        """It in memory of PyTorch's."""
        return self.torch.from_numpy(array).to(self.peer).to(getattr(self.torch, dtype))

    def wait(self) -> None:
        """Return once all that was asked for is done."""
        Device[self.device].synchronize()
        if self.torch is not None and self.peer == "cuda":
            self.torch.cuda.synchronize()

    def time(self, row: Row, run: Run, peer: Run | None = None) -> Row:
        """Time one, and PyTorch's, in turns."""
        runs = [(run, row.seconds), *([(peer, row.peer_seconds)] if peer else [])]
        counts = [self._warm(each) for each, _ in runs]
        for _ in range(ROUNDS):
            for (each, seconds), count in zip(runs, counts, strict=True):
                self.wait()
                start = time.perf_counter()
                for _ in range(count):
                    each()
                self.wait()
                seconds.append((time.perf_counter() - start) / count)
        return row

    def _warm(self, run: Run) -> int:
        for _ in range(WARM):
            run()
        self.wait()
        start = time.perf_counter()
        run()
        self.wait()
        once = time.perf_counter() - start
        return max(1, min(1000, int((0.01 if self.small else TURN) / max(once, 1e-7))))

    @cached_property
    def copy_row(self) -> Row:
        """How fast a copy within the device is, which is measured once."""
        return copy(self)

    @property
    def copies(self) -> float:
        """GB/s of a copy within the device: bytes read and written."""
        return self.copy_row.rate


def near(actual: Any, expected: Any, tolerance: float) -> None:
    """Raise ValueError unless arrays are near, by the largest of what is expected."""
    error = np.abs(np.asarray(actual, np.float64) - expected).max() / np.abs(expected).max()
    if not error <= tolerance:
        raise ValueError(f"wrong by {error:.3g} of the largest value, {tolerance:g} is allowed")


# ---- memory ---------------------------------------------------------------------------------


def copy(bench: Bench) -> Row:
    nbytes = bench.size(1 << 30, 1 << 22)
    row = Row("copy", "GB/s", 2 * nbytes / 1e9, note="within the device; read and written")
    device = Device[bench.device]
    if not bench.device.startswith("CUDA"):
        one, other = np.ones(nbytes, np.uint8), np.empty(nbytes, np.uint8)
        return bench.time(row, lambda: np.copyto(other, one)).finish()
    from rulewright.runtime.cuda.device import CudaDevice
    from rulewright.runtime.cuda.driver import check, driver

    assert isinstance(device, CudaDevice)
    blocks = [device.allocator.allocate(nbytes) for _ in range(2)]
    call, stream = driver().cuMemcpyDtoDAsync, device.streams.compute

    def run() -> None:
        check(call(blocks[0].address, blocks[1].address, nbytes, stream.handle))
        stream.queued()  # so that waiting for the device waits for it

    try:
        return bench.time(row, run).finish()
    finally:
        for block in blocks:
            device.allocator.free(block, nbytes)


def host_copies(bench: Bench) -> Iterator[Row]:
    from rulewright.ir.dtypes import dtypes
    from rulewright.runtime.buffer import Buffer

    nbytes = bench.size(1 << 28, 1 << 20)
    arrays = {"pageable": np.ones(nbytes, np.uint8)}
    pinned = getattr(Device[bench.device], "pinned", None)
    if pinned is not None:
        arrays["pinned"] = pinned(nbytes, np.uint8)
    buffer = Buffer(bench.device, nbytes, dtypes.u8).allocate()
    for kind, array in arrays.items():
        for name, run in (("in", buffer.copyin), ("out", buffer.copyout)):
            row = Row(f"copy_{name}_{kind}", "GB/s", nbytes / 1e9, note="from or to the host")
            yield bench.time(row, partial(run, array)).finish()


def rows(bench: Bench) -> Iterator[Row]:
    """What moves memory, and does little with it."""
    height, width = bench.size(8192, 64), bench.size(8192, 512)
    data, other = bench.random(height, width), bench.random(height, width)
    x, y = bench.ours(data), bench.ours(other)
    wide = data.astype(np.float64)
    top = np.exp(wide - wide.max(1, keepdims=True))
    centred = wide - wide.mean(1, keepdims=True)
    torch = bench.torch
    functional = torch and torch.nn.functional
    programs: dict[str, tuple[int, Any, Any, Any]] = {
        "elementwise": (3, lambda x, y: (x * 2 + y).relu(), np.maximum(wide * 2 + other, 0),
                        lambda x, y: functional.relu(x * 2 + y)),
        "sum": (1, lambda x, y: x.sum(), wide.sum(), lambda x, y: x.sum()),
        "sum_of_rows": (1, lambda x, y: x.sum(1), wide.sum(1), lambda x, y: x.sum(1)),
        "softmax": (2, lambda x, y: x.softmax(-1), top / top.sum(1, keepdims=True),
                    lambda x, y: x.softmax(-1)),
        "layernorm": (2, lambda x, y: x.layernorm(), centred / np.sqrt(
            (centred**2).mean(1, keepdims=True) + 1e-5),
            lambda x, y: functional.layer_norm(x, (width,))),
    }  # fmt: skip
    peers = [bench.theirs(data), bench.theirs(other)] if torch else []
    for name, (times, ours, expected, theirs) in programs.items():
        step = jit(ours)
        near(step(x, y).numpy(), expected, 1e-4)
        row = Row(name, "GB/s", times * data.nbytes / 1e9, wanted=BANDWIDTH)
        peer = partial(theirs, *peers) if peers else None
        yield bench.time(row, partial(step, x, y), peer).finish(bench.copies)


# ---- products -------------------------------------------------------------------------------


def tf32(x: Tensor) -> Tensor:
    """Rounded to what tensor cores read of an f32."""
    return ((x.bitcast("u32") + 0x1000) & 0xFFFFE000).bitcast("f32")


def products(bench: Bench) -> Iterator[Row]:
    size = bench.size(8192, 128)
    a, b = bench.random(size, size), bench.random(size, size)
    some = a[:64].astype(np.float64) @ b.astype(np.float64)
    kinds: dict[str, tuple[str, str, bool, Any, float, float | None]] = {
        "bf16": ("bf16", "bfloat16", False, lambda x, y: x @ y, 3e-2, PRODUCTS),
        "tf32": ("f32", "float32", True, lambda x, y: tf32(x) @ tf32(y), 2e-3, None),
        "f32": ("f32", "float32", False, lambda x, y: x @ y, 1e-5, None),
    }
    for name, (kind, theirs, rounded, ours, tolerance, wanted) in kinds.items():
        row = Row(f"matmul_{name}", "TFLOP/s", 2 * size**3 / 1e12, wanted=wanted)
        x, y = bench.ours(a, kind), bench.ours(b, kind)
        step, peer = jit(ours), None
        near(step(x, y)[:64].float().numpy(), some, tolerance)
        if bench.torch:
            u, v = bench.theirs(a, theirs), bench.theirs(b, theirs)
            setattr(bench.torch.backends.cuda.matmul, "allow_tf32", rounded)  # noqa: B010
            peer = partial(bench.torch.matmul, u, v)
        yield bench.time(row, partial(step, x, y), peer).finish()


def attention(bench: Bench) -> Iterator[Row]:
    heads, tokens, depth = bench.size(64, 2), bench.size(2048, 32), 64
    inputs = [bench.random(heads, tokens, depth) for _ in range(3)]
    wide = [x.astype(np.float64) for x in inputs]
    scores = wide[0][0] @ wide[1][0].T / np.sqrt(depth)
    scores[~np.tri(tokens, dtype=bool)] = -np.inf
    top = np.exp(scores - scores.max(1, keepdims=True))
    expected = top / top.sum(1, keepdims=True) @ wide[2][0]
    work = 4 * heads * tokens * tokens * depth / 2  # what the mask leaves
    for kind, theirs, tolerance in (("bf16", "bfloat16", 3e-2), ("f32", "float32", 1e-4)):
        row = Row(f"attention_{kind}", "TFLOP/s", work / 1e12)
        q, k, v = (bench.ours(x[None], kind) for x in inputs)
        step = jit(lambda q, k, v: q.scaled_dot_product_attention(k, v, is_causal=True))
        near(step(q, k, v)[0, 0].float().numpy(), expected, tolerance)
        peer = None
        if bench.torch:
            fused = bench.torch.nn.functional.scaled_dot_product_attention
            own = [bench.theirs(x[None], theirs) for x in inputs]
            peer = partial(fused, *own, is_causal=True)
        yield bench.time(row, partial(step, q, k, v), peer).finish()


# ---- calls and a model ----------------------------------------------------------------------


def calls(bench: Bench) -> Iterator[Row]:
    """What a call costs beside its kernels: 32 small ones, by themselves and replayed."""
    x = bench.ours(bench.random(64, 64))

    def function(x: Tensor) -> Tensor:
        for _ in range(32):
            x = (x + 1).contiguous()
        return x

    peer = None
    if bench.torch:
        own = bench.theirs(bench.random(64, 64))

        def peer() -> object:
            y = own
            for _ in range(32):
                y = y + 1
            return y

    step = jit(function)
    near(step(x).numpy(), x.numpy().astype(np.float64) + 32, 1e-6)
    row = Row("kernels_replayed", "kernels/s", 32, note="32 kernels of 16 KB, by jit")
    yield bench.time(row, lambda: step(x), peer).finish()
    row = Row("kernels_eager", "kernels/s", 32, note="the same, built and scheduled each time")
    yield bench.time(row, lambda: function(x).realize(), peer).finish()


class TorchDecoder:
    """The same model in PyTorch, with the same weights: scores of the token behind another."""

    def __init__(self, bench: Bench, weights: dict[str, Any], shape: Config) -> None:
        torch = bench.torch
        self.torch, self.shape, self.depth = torch, shape, shape.size // shape.heads
        self.weights = {name: bench.theirs(value) for name, value in weights.items()}
        sizes = (shape.layers, 2, shape.heads, shape.tokens, self.depth)
        self.caches = torch.zeros(sizes, device=bench.peer)
        self.places = torch.arange(shape.tokens, device=bench.peer)
        for kept in (self.caches, self.places, *self.weights.values()):
            torch._dynamo.mark_static_address(kept)  # so that a CUDA graph may write to it

    def norm(self, x: Any, name: str) -> Any:
        """A layer's norm."""
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return self.torch.nn.functional.layer_norm(x, (self.shape.size,), weight, bias)

    def linear(self, x: Any, name: str) -> Any:
        """A layer's product."""
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return self.torch.nn.functional.linear(x, weight, bias)

    def __call__(self, token: Any, place: Any) -> Any:
        """Scores (vocabulary,) of the token behind the one at a place."""
        functional, heads = self.torch.nn.functional, self.shape.heads
        x = self.weights["words.weight"][token] + self.weights["places.weight"][place]
        seen = (self.places <= place)[None]
        for layer in range(self.shape.layers):
            name = f"blocks.{layer}"
            parts = self.linear(self.norm(x, f"{name}.first_norm"), f"{name}.attention.project")
            q, k, v = parts.reshape(3, heads, 1, self.depth)
            keys, values = self.caches[layer]
            keys.index_copy_(1, place, k)
            values.index_copy_(1, place, v)
            mixed = functional.scaled_dot_product_attention(q, keys, values, attn_mask=seen)
            x = x + self.linear(mixed.reshape(1, -1), f"{name}.attention.output")
            inner = self.linear(self.norm(x, f"{name}.second_norm"), f"{name}.wide")
            x = x + self.linear(functional.gelu(inner, approximate="tanh"), f"{name}.narrow")
        return (self.norm(x, "norm") @ self.weights["words.weight"].T)[0]


def decode(bench: Bench) -> Iterator[Row]:
    """Tokens of GPT-2 (124M), one after the other, each at the next position."""
    shape = SMALL if bench.small else Config()
    Tensor.manual_seed(3)
    with Context(DEVICE=bench.device):
        model = Transformer(shape)
        parameters = nn.state.get_parameters(model)
        parameters[0].realize(*parameters[1:])
        decoder = Decoder(model, shape)
        tokens = [int(t) for t in bench.rng.integers(0, shape.vocabulary, 8)]
        scores = [decoder(token, at).numpy() for at, token in enumerate(tokens)]
        at, last = [8], shape.tokens // 2

        def run() -> object:
            at[0] = at[0] % last + 1
            return decoder(tokens[at[0] % 8], at[0])

        row = Row("gpt2_decode", "tokens/s", 1, note=f"f32, positions up to {last}")
        peer = _peer_decoder(bench, model, shape, tokens, scores, row) if bench.torch else None
        yield bench.time(row, run, peer).finish()


def _peer_decoder(
    bench: Bench, model: Transformer, shape: Config, tokens: list[int], scores: list[Any], row: Row
) -> Run:
    """PyTorch's run of a token, compiled where it can be, and checked against ours."""
    state = nn.state.get_state_dict(model)
    weights = {name: tensor.numpy() for name, tensor in state.items()}
    torch = bench.torch
    plain: Any = TorchDecoder(bench, weights, shape)
    own = plain
    places = [torch.tensor([i], device=bench.peer) for i in range(shape.tokens)]
    words = [torch.tensor([t], device=bench.peer) for t in tokens]
    if not bench.small:
        try:
            own = torch.compile(plain.__call__, mode="reduce-overhead")
            with torch.inference_mode():
                own(words[0], places[0])
            row.note += "; PyTorch by torch.compile"
        except Exception as error:  # whatever a compiler raises: then PyTorch runs plainly
            row.note += f"; torch.compile failed: {type(error).__name__}"
            own = plain
    at, last = [8], shape.tokens // 2
    with torch.inference_mode():
        for place, word, expected in zip(places, words, scores, strict=False):
            near(expected, own(word, place).cpu().numpy(), 1e-3)

    def run() -> object:
        at[0] = at[0] % last + 1
        with torch.inference_mode():
            return own(words[at[0] % 8], places[at[0]])

    return run


MEASURES: dict[str, Callable[[Bench], Iterator[Row]]] = {
    "copy": lambda bench: iter([bench.copy_row]),
    "host_copies": host_copies,
    "rows": rows,
    "products": products,
    "attention": attention,
    "calls": calls,
    "decode": decode,
}


def described(bench: Bench) -> dict[str, Any]:
    """The device, and the versions of what ran."""
    kind = Device.device_class(bench.device)
    return {
        "device": bench.device,
        "hardware": kind.describe(),
        "target": getattr(Device[bench.device], "architecture", ""),
        "torch": bench.torch.__version__ if bench.torch else None,
        "small": bench.small,
    }


def shown(row: Row) -> str:
    """A row in words."""
    if row.problem:
        return f"{row.name:18} {row.problem}"
    line = f"{row.name:18} {row.rate:12.4g} {row.unit:10}"
    if row.peer_rate is not None:
        line += f" PyTorch {row.peer_rate:10.4g}"
    if row.share is not None:
        line += f"  {row.share:.2f} of {row.of}"
    if row.wanted is not None and row.share is not None:
        line += f", {row.wanted} wanted: {'good' if row.share >= row.wanted else 'MISSED'}"
    return line


def main() -> int:
    """Measure, print, write; 1 if a measurement failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="CUDA", help="where ours runs")
    parser.add_argument("--only", action="append", choices=MEASURES, metavar="NAME")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--small", action="store_true", help="sizes that run anywhere")
    options = parser.parse_args()
    device = Device.canonical(options.device)
    reason = Device.why_not(device)
    if reason:
        parser.error(f"device {device} cannot be used here: {reason}")
    bench = Bench(device, options.small)
    rows: list[Row] = []
    for name in options.only or MEASURES:
        try:
            for row in MEASURES[name](bench):
                rows.append(row)
                print(shown(row), flush=True)
        except Exception as error:  # one that fails does not end the others
            traceback.print_exc()
            rows.append(Row(name, "", 0, problem=f"{type(error).__name__}: {error}"))
            print(shown(rows[-1]), flush=True)
        if options.json:  # what there is already, should the next one end the process
            data = {**described(bench), "rows": [asdict(row) for row in rows]}
            options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return int(any(row.problem for row in rows))


if __name__ == "__main__":
    sys.exit(main())
