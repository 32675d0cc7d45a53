"""Kernels of one graph tried out: lowered, compiled, and timed in a process of their own.

What a candidate does there harms nobody: if it crashes, or takes too long, the process is replaced.
"""

from __future__ import annotations

import contextvars
import json
import os
import queue
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from rulewright.codegen.lower import lower_fresh
from rulewright.codegen.program import KernelProgram, size_at
from rulewright.diskcache import private_dir
from rulewright.errors import RulewrightError, UsageError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.options import Context, options
from rulewright.render import render_unit, target
from rulewright.runtime.compiler import compile_apart
from rulewright.runtime.threads import cores, thread_count
from rulewright.schedule.callees import written_slots

COMPILE_SECONDS = 30.0
"""What compiling one candidate may take."""
TRIAL_SECONDS = 10.0
"""What one trial may take, beside a thousand times what the reference takes."""
DUEL = 41
"""Rounds in which two kernels run in turns, at most."""


@dataclass(frozen=True)
class TrialOutcome:
    """The seconds that a kernel takes, infinite with the reason `why` if it cannot be taken."""

    seconds: float
    why: str = ""


Compiling = Future[dict[str, Any] | TrialOutcome]
"""A kernel as the worker takes it, or what became of one that does not compile."""


class Process:
    """A worker, which answers requests; each within a time."""

    def __init__(self) -> None:
        folders = [os.path.abspath(folder) for folder in sys.path]  # so it finds what is found here
        path = os.pathsep.join(dict.fromkeys([str(Path(__file__).parents[2]), *folders]))
        now = options()
        mine = {"THREADS": str(thread_count()), "CC": now.CC, "CACHE": str(now.CACHE)}
        mine |= {"CACHE_DIR": now.CACHE_DIR, "PYTHONPATH": path, "DEVICE": "C"}
        mine |= dict.fromkeys(("DEBUG", "BEAM", "VERIFY", "PROFILE"), "0") | {"STOP_AFTER": ""}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "rulewright.driver.trial_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=private_dir(),
            env={**os.environ, **mine},
            start_new_session=True,  # Ctrl-C is for the process that searches
        )
        self._answers: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put(b"")

    def ask(self, timeout: float, do: str, **request: Any) -> dict[str, Any]:
        """The answer to a request; one with a `why` if there is none in time."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"do": do, **request}).encode() + b"\n")
            self._process.stdin.flush()
            line = self._answers.get(timeout=timeout)
        except queue.Empty:
            return {"why": f"no end within {timeout:.0f} s"}
        except OSError:
            line = b""
        return dict(json.loads(line)) if line else {"why": "it crashed"}

    def stop(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue  # what was not sent yet, to a process that is gone


class Trials:
    """Trials of one kernel graph on the C device. A context manager: its process ends with it."""

    def __init__(self, ast: UOp, target_name: str, seconds: float = TRIAL_SECONDS) -> None:
        self.ast, self.target, self.seconds = ast, target_name, seconds
        self.name = ast.arg[0] if ast.arg else None
        self._process: Process | None = None
        self._reference: dict[str, Any] | None = None
        self._paths: list[Path] = []
        self._pool = ThreadPoolExecutor(max_workers=cores())

    def __enter__(self) -> Trials:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        if self._process is not None:
            self._process.stop()
        for path in self._paths:
            path.unlink(missing_ok=True)

    def lower(self, choices: str) -> KernelProgram:
        """The kernel with these choices. Raises RulewrightError if it cannot have them."""
        with Context(VERIFY=0, PROFILE=0):
            return lower_fresh(self.ast.replace(arg=(self.name, choices)), self.target)

    def is_sound(self, choices: str) -> bool:
        """Whether the checks of VERIFY=1 find nothing wrong with the kernel with these choices."""
        try:
            with Context(VERIFY=1, PROFILE=0):
                lower_fresh(self.ast.replace(arg=(self.name, choices)), self.target)
        except RulewrightError:
            return False
        return True

    def compile(self, program: KernelProgram) -> Compiling:
        """Begin to compile a kernel, beside what else is done."""
        return self._pool.submit(contextvars.copy_context().run, self._compile, program)

    def wait(self, compiling: Compiling) -> None:
        """Wait until a kernel is compiled."""
        compiling.result()

    # ---- timing -----------------------------------------------------------------------------

    def refer_to(self, program: KernelProgram) -> None:
        """Take a kernel's results for right. Raises RulewrightError if it does not run."""
        kernel = self.compile(program).result()
        if not isinstance(kernel, TrialOutcome):
            self._reference = kernel
            answer = self._restart()
            if "why" not in answer:
                return
            kernel = TrialOutcome(inf, answer["why"])
        raise UsageError(f"kernel {program.name}: {kernel.why}")

    def time(self, compiling: Compiling, best: float) -> TrialOutcome:
        """How long a kernel takes. `best` seconds: one that is much slower is not looked at long.

        Nothing should compile meanwhile.
        """
        kernel = compiling.result()
        if isinstance(kernel, TrialOutcome):
            return kernel
        limit = self.seconds + 1000 * (best if best < inf else 0.0)
        answer = self._ask(limit, "time", kernel=kernel, best=best if best < inf else 0.0)
        Path(kernel["path"]).unlink(missing_ok=True)
        return (
            TrialOutcome(inf, answer["why"]) if "why" in answer else TrialOutcome(answer["seconds"])
        )

    def duel(self, one: KernelProgram, other: KernelProgram) -> tuple[list[float], list[float]]:
        """Seconds of two kernels that are run in turns; none if they do not run."""
        kernels = [self.compile(program).result() for program in (one, other)]
        if any(isinstance(kernel, TrialOutcome) for kernel in kernels):
            return [], []
        answer = self._ask(60 * self.seconds, "duel", kernels=kernels, rounds=DUEL)
        mine, others = answer.get("rounds", ([], []))
        return mine, others

    def _ask(self, timeout: float, do: str, **request: Any) -> dict[str, Any]:
        """The answer of the process, which is replaced where it may have been harmed."""
        if self._process is None:
            self._restart()
        assert self._process is not None
        answer = self._process.ask(timeout, do, **request)
        if "why" in answer:
            self._process.stop()
            self._process = None
        return answer

    def _restart(self) -> dict[str, Any]:
        """A new process with its buffers and the results that are right."""
        self._process = Process()
        sizes = {n.arg[0]: (n.dtype.name, n.arg[1][0]) for n in self._nodes(Ops.PARAM)}
        parameters = [sizes.get(slot, ("f32", 0)) for slot in range(1 + max(sizes))]
        written = sorted(written_slots(self.ast))
        # memory of the same sizes as the user's: whoever has no room for it twice has no search
        limit, ask = 60 * self.seconds, self._process.ask
        answer = ask(limit, "buffers", parameters=parameters, written=written)
        return answer if "why" in answer else ask(limit, "reference", kernel=self._reference)

    def _nodes(self, op: Any) -> list[UOp]:
        return [n for n in self.ast.toposort() if n.op is op]

    # ---- compiling --------------------------------------------------------------------------

    def _compile(self, program: KernelProgram) -> dict[str, Any] | TrialOutcome:
        unit = render_unit([(program.uops, program.name)], target(self.target))
        try:
            path = compile_apart(unit, COMPILE_SECONDS)
        except RulewrightError as error:
            return TrialOutcome(inf, str(error).split("\n")[0])
        self._paths.append(path)
        variables = [
            [[values[v.arg[0]] for v in program.variables], size_at(program.launch[0][0], values)]
            for values in self._values()
        ]
        block = program.launch[1][0] if program.launch[1] else 0
        return {
            "path": str(path),
            "name": program.name,
            "order": list(program.parameters),
            "variables": variables,
            "block": block,
            "state": target(self.target).limit("state"),
        }

    def _values(self) -> list[dict[str, int]]:
        """What the variables are tried with: the least, the most, and what is timed."""
        bounds = {v.arg[0]: (v.arg[1], v.arg[2]) for v in self._nodes(Ops.VAR)}
        if not bounds:
            return [{}]
        return [
            {name: low for name, (low, _) in bounds.items()},
            {name: high for name, (_, high) in bounds.items()},
            {name: (low + high + 1) // 2 for name, (low, high) in bounds.items()},
        ]
