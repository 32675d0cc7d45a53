"""Faults at many moments, in processes of their own: `python load_runs.py KIND TIMES FOLDER`.

It prints one JSON object: how often what was tried, what came of it, and what was wrong. A round
begins with a fork of a warm process, and does what no process did before: it compiles,
differentiates and jits. What it may not do: give a wrong value, end by a signal of its own, raise
what is no error of ours (but MemoryError), harm the cache, or leave something in the temporary
folder.
"""

from __future__ import annotations

import gc
import json
import os
import random
import resource
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from rulewright import Context, Tensor, jit, nn
from rulewright.errors import RulewrightError
from rulewright.ir.node import live_nodes

RIGHT, REFUSED, WRONG, RAISED = 0, 3, 4, 5
NAMES = {RIGHT: "right", REFUSED: "refused", WRONG: "wrong", RAISED: "raised"}
LATE_MODULES = "codegen.lower", "codegen.heuristic", "runtime.c", "driver.row"
"""What is imported where a kernel is made or run first."""
PATIENCE = 60.0
"""Seconds that one round may take."""


def work(number: float) -> bool:
    """Kernels that no other number has: a value, gradients, a jitted step. Are all right?"""
    x = np.arange(8, dtype=np.float32)
    w = Tensor(x, requires_grad=True)
    value = (w * w * (number + 0.25)).sum()
    value.backward()
    step = jit(lambda t: (t * (number + 0.5)).relu().sum())
    found = [step(Tensor(x - i)).item() for i in range(4)]
    expected = [float((np.maximum(x - i, 0) * (number + 0.5)).sum()) for i in range(4)]
    same = np.allclose(found, expected, rtol=1e-6) and w.grad is not None
    slope = np.allclose(w.grad.numpy(), 2 * x * (number + 0.25), rtol=1e-6)
    return same and slope and np.isclose(value.item(), float((x * x * (number + 0.25)).sum()))


NO_ROOM = ("failed to map segment", "cannot allocate memory", "cannot map zero-fill pages")
"""What the loader of libraries says, and Python raises as ImportError, when memory ran out."""


def outcome(run: Callable[[], bool]) -> int:
    """What came of a run, as an exit status."""
    try:
        return RIGHT if run() else WRONG
    except (RulewrightError, MemoryError):
        traceback.print_exc()  # of rounds that may be refused, nobody reads it
        return REFUSED
    except BaseException as error:
        if isinstance(error, ImportError) and any(w in str(error).lower() for w in NO_ROOM):
            return REFUSED  # a module of Python's own, imported when first needed
        traceback.print_exc()
        return RAISED


def forked(run: Callable[[], bool]) -> int:
    """The process in which something runs."""
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        os._exit(outcome(run))
    return pid


def ended(pid: int, seconds: float = PATIENCE) -> str:
    """What came of a process: a name, the signal that ended it, or that it hangs."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return NAMES.get(code, f"signal {-code}" if code < 0 else f"status {code}")
        time.sleep(0.001)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "hangs"


def left(folder: Path, but: Sequence[str] = ()) -> list[str]:
    """What is in a folder, once those that tidy up had a moment to leave only some of it."""
    until = time.monotonic() + 5
    while (found := sorted(os.listdir(folder))) != [*but] and time.monotonic() < until:
        time.sleep(0.01)
    return found


class Rounds:
    """What came of rounds, each over the cache that the ones before left."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.came: Counter[str] = Counter()
        self.bad: list[str] = []
        self.kind, self.cache, self.temporary = kind, folder / "cache", folder / "tmp"
        self.number = 1.0

    def new(self) -> float:
        """A number that no round had."""
        self.number += 1
        return self.number

    def note(self, what: str, good: tuple[str, ...]) -> None:
        """Count what came of a round; nothing else than `good` may."""
        self.came[what] += 1
        if what not in good:
            self.bad.append(what)

    def check(self) -> None:
        """That the cache is whole, the temporary folder empty, and a new process right."""
        after = ended(forked(lambda: work(self.number)))
        if after != "right":
            self.bad.append(f"afterwards: {after}")
        if rest := left(self.temporary):
            self.bad.append(f"left: {rest}")
        if rest := [p.name for p in self.cache.rglob("*.tmp")]:
            self.bad.append(f"left in the cache: {rest}")


def killed(rounds: Rounds, times: int) -> None:
    """SIGKILL at a random moment of compiling."""
    draw = random.Random(times)
    for _ in range(times):
        number = rounds.new()
        pid = forked(lambda n=number: work(n))
        time.sleep(draw.random() * 0.5)
        os.kill(pid, signal.SIGKILL)
        rounds.note(ended(pid), ("signal 9", "right"))
        rounds.check()


def limited(rounds: Rounds, times: int, which: int, sizes: Callable[[int], int]) -> None:
    for place in range(times):
        number, size = rounds.new(), sizes(place)

        def run(number: float = number, size: int = size) -> bool:
            resource.setrlimit(which, (size, resource.RLIM_INFINITY))
            try:
                return work(number)
            finally:  # to tell what came takes room
                resource.setrlimit(which, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

        rounds.note(ended(forked(run)), ("right", "refused"))
        rounds.check()


def memory(rounds: Rounds, times: int) -> None:
    """RLIMIT_AS, from what there is to 64 MiB more."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    begin = pages * resource.getpagesize()
    limited(rounds, times, resource.RLIMIT_AS, lambda k: begin + (k << 26) // times)


def files(rounds: Rounds, times: int) -> None:
    """RLIMIT_FSIZE, from nothing to 64 KiB."""
    limited(rounds, times, resource.RLIMIT_FSIZE, lambda k: (k << 16) // times)


def processes(rounds: Rounds, times: int) -> None:
    """As many processes at once, over kernels that none has yet."""
    number = rounds.new()
    for pid in [forked(lambda: work(number)) for _ in range(times)]:
        rounds.note(ended(pid, PATIENCE * times), ("right",))
    rounds.check()


def threads(rounds: Rounds, times: int) -> None:
    """Eight threads at once."""
    found: list[int] = []

    def many(seed: int) -> None:
        for turn in range(times):
            found.append(outcome(lambda n=1000.0 + seed % 3 + 10 * turn: work(n)))

    def all_of_them() -> bool:
        sys.setswitchinterval(1e-5)
        started = [threading.Thread(target=many, args=(seed,)) for seed in range(8)]
        for thread in started:
            thread.start()
        for thread in started:
            thread.join()
        return found == [RIGHT] * 8 * times

    rounds.note(ended(forked(all_of_them), PATIENCE * times), ("right",))
    rounds.check()


def forks(rounds: Rounds, times: int) -> None:
    """Forks of a fork after use, and forks while other threads work."""
    for turn in range(times):
        inner = rounds.new()

        def run(inner: float = inner, turn: int = turn) -> bool:
            busy = [
                threading.Thread(target=work, args=(inner + k / 8,)) for k in range(turn % 2 * 3)
            ]
            for thread in busy:
                thread.start()
            mine = work(inner)
            child = ended(forked(lambda: work(inner) and work(inner + 0.0625)), PATIENCE / 2)
            for thread in busy:
                thread.join()
            return mine and child == "right"

        rounds.note(ended(forked(run)), ("right",))
        rounds.check()


def steps(rounds: Rounds, times: int) -> None:
    """Training, with and without jit: memory, nodes and open files after a tenth and at the end."""

    def measured() -> tuple[int, int, int]:
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize(), live_nodes(), len(os.listdir("/proc/self/fd"))

    def train(wrap: Callable[..., Callable[..., Tensor]], count: int) -> bool:
        layer, draw = nn.Linear(8, 4), np.random.default_rng(0)
        optimiser = nn.optim.Adam(nn.state.get_parameters(layer), lr=1e-3)
        x, y = draw.normal(size=(16, 8)).astype("f4"), draw.integers(0, 4, 16)

        def step(x: Tensor, y: Tensor) -> Tensor:
            optimiser.zero_grad()
            loss = layer(x).cross_entropy(y)
            loss.backward()
            return loss.realize(*optimiser.update())

        step = wrap(step)
        before, after = (0, 0, 0), (0, 0, 0)
        for number in range(count):
            loss = step(Tensor(x), Tensor(y)).item()
            if number == count // 10:
                before = measured()
        after = measured()
        grown = after[0] - before[0]
        flat = grown < 4 << 20 and after[1] <= before[1] + 16 and after[2] <= before[2]
        if not flat:
            print(f"{count} steps: {before} -> {after}", file=sys.stderr)
        return flat and np.isfinite(loss)

    for wrap in (jit, lambda function: function):
        rounds.note(ended(forked(lambda w=wrap: train(w, times)), PATIENCE * times), ("right",))
    rounds.check()


def training(wrap: Callable[..., Any]) -> tuple[dict[str, Tensor], Callable[[], Tensor]]:
    """The state of a small model and its optimiser, and a step."""
    Tensor.manual_seed(1)
    parts, draw = [nn.Linear(8, 6), nn.BatchNorm(6), nn.Linear(6, 4)], np.random.default_rng(0)
    optimiser = nn.optim.Adam(nn.state.get_parameters(parts), lr=1e-2)
    x = Tensor(draw.normal(size=(16, 8)).astype("f4")).realize()
    y = Tensor(draw.integers(0, 4, 16)).realize()

    def step(x: Tensor, y: Tensor) -> Tensor:
        with Tensor.train():
            optimiser.zero_grad()
            first, norm, last = parts
            loss = last(norm(first(x)).relu()).cross_entropy(y)
            loss.backward()
            return loss.realize(*optimiser.update())

    wrapped = wrap(step)
    state = nn.state.get_state_dict(parts) | nn.state.get_state_dict(optimiser, "optimiser")
    return state, lambda: wrapped(x, y)


def interrupted(wrap: Callable[..., Any], times: int) -> bool:
    """Whether after each Ctrl-C all tensors can be read, and training gives what it always does."""
    state, step = training(wrap)
    begin = {name: tensor.numpy() for name, tensor in state.items()}

    def losses() -> list[float]:
        for name, tensor in state.items():
            tensor.assign(Tensor(begin[name])).realize()
        return [step().item() for _ in range(3)]

    expected, started = losses(), time.perf_counter()
    if losses() != expected:
        return False
    taken, draw = (time.perf_counter() - started) / 3, random.Random(times)
    going = [False]

    def interrupt(*_: object) -> None:
        if going[0]:
            raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, interrupt)
    for number in range(times):
        going[0] = True  # again and again: Python drops what is raised while it frees something
        while going[0]:
            try:
                try:
                    signal.setitimer(signal.ITIMER_REAL, draw.random() * 2 * taken + 1e-6, 0.01)
                    while True:
                        step()
                finally:
                    going[0] = False
            except KeyboardInterrupt:
                pass
        finite = all(np.isfinite(tensor.numpy()).all() for tensor in state.values())
        if not finite or not np.isfinite(step().item()) or losses() != expected:
            print(f"interrupt {number}: {finite}, {losses()}, not {expected}", file=sys.stderr)
            return False
    return True


def interrupts(rounds: Rounds, times: int) -> None:
    """Ctrl-C at a random moment of training, with and without jit: all goes on as before it."""
    for wrap, many in ((jit, times), (lambda function: function, times // 4)):  # which is slower
        pid = forked(lambda w=wrap, n=many: interrupted(w, n))
        rounds.note(ended(pid, PATIENCE + times), ("right",))
    rounds.check()


def checkpoints(rounds: Rounds, times: int) -> None:
    """SIGKILL, and a limit of the size of files, at moments of writing a checkpoint: it is one of
    those that were written, and alone in its folder."""
    folder, draw = rounds.cache / "models", random.Random(times)
    folder.mkdir(parents=True)
    path = folder / "model.safetensors"
    values = [np.full(20_000, k, np.float32) for k in range(4)]

    def save(more: int) -> None:
        nn.state.safe_save({f"t{k}": Tensor(v + more) for k, v in enumerate(values)}, path)

    def whole() -> bool:
        found = nn.state.safe_load(path)
        more = found["t0"].numpy()[0]
        same = all((found[f"t{k}"].numpy() == v + more).all() for k, v in enumerate(values))
        return same and more in (0, 1, 2) and left(folder, [path.name]) == [path.name]

    def again() -> bool:
        while True:
            save(1)
            save(2)

    def refused(size: int) -> bool:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        save(0)
        return True

    rounds.note(ended(forked(lambda: save(0) is None)), ("right",))
    for number in range(times):
        pid = forked(again)
        time.sleep(0.05 + draw.random() * 0.1)
        os.kill(pid, signal.SIGKILL)
        rounds.note(ended(pid), ("signal 9",))
        size = number * path.stat().st_size // times
        rounds.note(ended(forked(lambda size=size: refused(size))), ("refused",))
        rounds.note("whole" if ended(forked(whole)) == "right" else "not whole", ("whole",))


KINDS = {
    f.__name__: f
    for f in (killed, memory, files, processes, threads, forks, steps, interrupts, checkpoints)
}


def main(kind: str, times: int, folder: Path) -> None:
    rounds = Rounds(kind, folder)
    rounds.temporary.mkdir(parents=True)
    os.environ["TMPDIR"] = str(rounds.temporary)
    with Context(CACHE_DIR=str(rounds.cache)):
        first = ended(forked(lambda: work(1.0)))  # what all need is in the cache, and nowhere else
        if first != "right":
            rounds.bad.append(f"at first: {first}")
        # this process has the rules, and no library, no thread and no folder of its own
        with Context(DEVICE="INTERP"):
            assert (Tensor([1.0]) + 1).item() == 2
        for module in LATE_MODULES:  # CPython fails to import without memory, by errors of its own
            import_module(f"rulewright.{module}")
        KINDS[kind](rounds, times)
    print(json.dumps({"came": rounds.came, "bad": rounds.bad}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
