"""Runs random programs in batches, compares them with the model, and makes wrong ones small.

Programs of a batch go on together from one realising to the next, so that the C compiler runs once
for all of them.
"""

from __future__ import annotations

import gc
import re
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from fuzz_gradients import difference, gradients, leaves
from fuzz_memory import Memory, compiled, forget_lines, parsed
from fuzz_methods import BOUND, MethodWriter, Program, written
from fuzz_shards import Devices, misplaced, spread, stepped
from fuzz_steps import step_code, step_results

from rulewright import Tensor
from rulewright.collector import without_gc
from rulewright.errors import JitError, RulewrightError
from rulewright.interp import Shadowed


class Wrong(AssertionError):
    """A program does not hold what the model says."""


class Case(NamedTuple):
    """A program, and what the model says of its names."""

    program: Program
    memory: Memory

    @property
    def bound(self) -> int:
        """What the variable is bound to, of which a schedule can have one."""
        return int(self.memory.plain.get("n", 0))


def cases(writer: MethodWriter) -> list[Case]:
    """The programs of a writer: several that differ in what a variable is bound to, else one."""
    if writer.kind != "symbolic":
        return [Case(writer.program, writer.memory)]
    program = accepted(writer.program)
    bound = [_bound(program, number) for number in (1, 3, 6)]
    return [case for case in map(_case_if_any, bound) if case]


def accepted(program: Program) -> Program:
    """Without the lines that tensors of symbolic shapes refuse, and those whose shape hangs on what
    a variable is: which axes have one element."""
    names: dict[str, Any] = {}
    kept = []
    for line in program.lines:
        try:
            exec(compiled(line, "exec"), names)
            name = line.split(" = ")[0]
            shape = getattr(names.get(name), "shape", ())
            if "squeeze()" in line and not all(isinstance(size, int) for size in shape):
                del names[name]
            else:
                kept.append(line)
        except (RulewrightError, NameError):
            pass
        except Exception:
            kept.append(line)  # it is found when the program runs
    return program._replace(lines=kept, outputs=[n for n in program.outputs if n in names])


def _bound(program: Program, number: int) -> Program:
    return program._replace(lines=[BOUND.format(number) if line.startswith("n = ") else line
                                   for line in program.lines])  # fmt: skip


def _case_if_any(program: Program) -> Case | None:
    try:
        return case_of(program)
    except IndexError:  # there are fewer parts with this binding
        return None


def case_of(program: Program) -> Case | None:
    """A program with its model; None if the model refuses a line."""
    bound = [int(line.split("bind(")[1][:-1]) for line in program.lines if line.startswith("n = ")]
    memory = Memory(dict(zip("n", bound, strict=False)))
    try:
        for line in program.lines:
            memory.run(line)
    except (RulewrightError, NameError):
        return None
    return Case(program, memory) if set(program.outputs) <= set(memory.held) else None


# ---- running -----------------------------------------------------------------------------------


def going(case: Case) -> Iterator[list[Tensor]]:
    """Run a program; gives what is to be realised next, and in the end compares."""
    program, names = case.program, {}
    for line in program.lines:
        if line.startswith("Tensor.realize("):
            yield [names[n.id] for n in parsed(line, mode="eval").body.args]
        else:
            exec(compiled(line, "exec"), names)
    found = [names[n].contiguous() for n in program.outputs]
    slopes = gradients(program, names) if program.kind == "gradient" else {}
    yield [*found, *slopes.values()]
    for name, tensor in zip(program.outputs, found, strict=True):
        compare(name, tensor.numpy(), case.memory.held[name].shown())
    if slopes:
        problem = difference(program, {n: t.numpy() for n, t in slopes.items()})
        if problem:
            raise Wrong(problem)
    if program.devices:
        problem = misplaced(program, names) or stepped(program, names, slopes)
        if problem:
            raise Wrong(problem)


def compare(name: str, found: np.ndarray, wanted: Shadowed) -> None:
    """Raise Wrong where an array is not what the model says."""
    exact = wanted.exact
    if (found.shape, found.dtype) != (exact.shape, exact.dtype):
        wrong = f"{found.dtype}{found.shape}"
        raise Wrong(f"{name}: expected {exact.dtype}{exact.shape}, found {wrong}")
    agrees = wanted.agrees(found)
    if not agrees.all():
        at = tuple(np.argwhere(~agrees)[0])
        raise Wrong(
            f"{name}{list(map(int, at))}: expected {exact[at]!r} (within "
            f"{wanted.tolerance[at]!r} of {wanted.shadow[at]!r}), found {found[at]!r}; "
            f"{int((~agrees).sum())} of {agrees.size} differ"
        )


def together(batch: list[Case]) -> None:
    """Run programs side by side, each until its end or until it is refused."""
    running = [(case, going(case)) for case in batch]
    while running:
        wanted = [(case, run, _next(case, run)) for case, run in running]
        running = [(case, run) for case, run, tensors in wanted if tensors is not None]
        tensors = [t for _, _, several in wanted for t in several or []]
        if tensors:
            Tensor.realize(*tensors)


def _next(case: Case, run: Iterator[list[Tensor]]) -> list[Tensor] | None:
    """What a program wants to be realised next; None where it ends."""
    try:
        return next(run, None)
    except Exception as error:
        if _refuses(error, case):
            return None
        raise


class Fault(NamedTuple):
    """What is wrong; `cause` is equal where the reason seems to be."""

    cause: str
    text: str


def fault(case: Case) -> Fault | None:
    """What is wrong with a program by itself."""
    try:
        if case.program.kind == "jit":
            step_results(case.program, compare)
        else:
            together([case])
    except Exception as error:
        return None if _refuses(error, case) else fault_of(error)
    return None


def _refuses(error: Exception, case: Case) -> bool:
    """Whether an error says what may be refused: a step, a cut beyond what a variable leaves, a
    gradient through what was overwritten, a type that the device does not have."""
    beyond = ("expected a size of 0 or more", "leave axis")
    is_beyond = case.bound > 0 and any(words in str(error) for words in beyond)
    if isinstance(error, JitError):
        refused[str(error)[:60]] += 1
    is_past = case.program.kind == "gradient" and "needs the old contents" in str(error)
    is_typeless = "target METAL has no type f64" in str(error)
    return is_beyond or is_past or is_typeless or isinstance(error, JitError)


refused: Counter[str] = Counter()
"""Messages of steps that could not be captured, and how often."""


def fault_of(error: Exception) -> Fault:
    """A failure in words: the error and where it was raised, without numbers.

    What the error holds is dropped: tensors that are left in a bad state harm what runs next.
    """
    text = "\n".join(f"{type(error).__name__}: {error}".splitlines()[:12])
    if isinstance(error, Wrong):
        cause = "wrong gradient" if "differences give" in text else "wrong value"
    else:
        frames = traceback.extract_tb(error.__traceback__)
        frames = [frame for frame in frames if "/tests/" not in frame.filename]
        where = f"{frames[-1].filename.rsplit('/', 1)[-1]}:{frames[-1].name}" if frames else ""
        first = (str(error).splitlines() or [""])[0]
        cause = f"{type(error).__name__} in {where}: {re.sub(r'[-+]?[0-9.]+', '#', first)[:90]}"
    error.__traceback__ = error.__context__ = error.__cause__ = None
    gc.collect()
    return Fault(cause, text)


class Failure(NamedTuple):
    """A program that is wrong, made small; `cause` is equal where the reason seems to be."""

    seed: int
    program: Program
    cause: str
    error: str


def failures(seeds: Iterable[int], kind: str, sets: Sequence[Devices] = ()) -> list[Failure]:
    """What goes wrong with the programs of some seeds, which run side by side: on one device, or
    each on one of some sets of devices.

    The cyclic collector waits: which tensors of dead cycles are still known does not hang on it.
    """
    with without_gc():
        try:
            return _failures(seeds, kind, sets)
        finally:
            forget_lines()


def _failures(seeds: Iterable[int], kind: str, sets: Sequence[Devices]) -> list[Failure]:
    found: list[Failure] = []
    batch: list[Case] = []
    for seed in seeds:
        writer = spread(seed, kind, sets) if sets else written(seed, kind)
        batch += cases(writer)
        found += [_crash(seed, program, error) for program, error in writer.crashes]
    if kind == "jit":
        return found + [failure for case in batch if (failure := smallest(case))]
    for bound in sorted({case.bound for case in batch}):
        found += wrong_of([case for case in batch if case.bound == bound])
    return found


def wrong_of(batch: list[Case]) -> list[Failure]:
    """What goes wrong with programs side by side; if anything does, by halves."""
    try:
        together(batch)
        return []
    except Exception as error:
        refuses = _refuses(error, batch[0])
        if len(batch) == 1 and refuses:
            return []
        wrong = fault_of(error)
    middle = len(batch) // 2
    halves = [batch[:middle], batch[middle:]] if middle else []
    found = [failure for half in halves for failure in wrong_of(half)]
    alone = None if middle else smallest(batch[0])
    found += [alone] if alone else []
    if found or batch[0].bound or refuses:  # one of the programs may have refused
        return found
    seeds = sorted({case.program.seed for case in batch})
    text = f"seeds {seeds}, right in other company: {wrong.text}"
    return [Failure(seeds[0], batch[0].program, f"only together: {wrong.cause}", text)]


# ---- small -------------------------------------------------------------------------------------


def smallest(case: Case) -> Failure | None:
    """The failure of a program, without the outputs and lines that are not needed for it."""
    wrong = fault(case)
    if wrong is None:
        return None

    def is_wrong(less: Program) -> bool:
        try:
            other = case_of(less)
        except Exception:
            return False
        found = fault(other) if other and less.outputs else None
        return found is not None and found.cause == wrong.cause

    program = less_of(case.program, is_wrong)
    small = case_of(program)
    final = (small and fault(small)) or wrong
    methods = f": {_methods(program)}" if wrong.cause.startswith("wrong") else ""
    return Failure(program.seed, program, wrong.cause + methods, final.text)


def _crash(seed: int, program: Program, error: Exception) -> Failure:
    """A line that the model cannot run, nor refuses; with the lines that it needs."""
    wrong = fault_of(error)

    def is_wrong(less: Program) -> bool:
        try:
            case_of(less)
        except Exception as other:
            return fault_of(other).cause == wrong.cause
        return False

    return Failure(seed, less_of(program, is_wrong), wrong.cause, wrong.text)


def less_of(program: Program, is_wrong: Callable[[Program], bool]) -> Program:
    """Without outputs and lines, as long as it stays wrong."""
    for name in program.outputs:
        less = program._replace(outputs=[n for n in program.outputs if n != name])
        program = less if less.outputs and is_wrong(less) else program
    for at in reversed(range(len(program.lines))):
        lines = [*program.lines[:at], *program.lines[at + 1 :]]
        less = program._replace(lines=lines, setup=program.setup - (at < program.setup))
        program = less if is_wrong(less) else program
    return program


def code(program: Program) -> str:
    """A function that can be pasted; `rulewright bisect FILE.py:program` takes it."""
    if program.kind == "jit" and program.outputs:
        return step_code(program)
    lines = [*program.lines, f"return {', '.join(program.outputs)},"]
    if program.kind == "gradient":
        wrt = ", ".join(leaves(program))
        terms = [f"({n} * Tensor(weights({n}.shape), device={n}.device)).sum()"
                 for n in program.outputs]  # fmt: skip
        lines[-1:] = ["from fuzz_gradients import weights", f"loss = {' + '.join(terms)}",
                      f"return loss.gradient({wrt}, materialize_grads=True)"]  # fmt: skip
    return "\n    ".join(["def program():", *lines])


def _methods(program: Program) -> str:
    """The methods that a program calls, for want of a better name of what is wrong."""
    body = [line for line in program.lines if not line.startswith(("import", "from", "n ="))]
    words = {w for line in body for w in re.findall(r"\.([a-z_A-Z0-9]+)\b(?=\(|$)", line)}
    words -= {"default_rng", "normal", "integers", "full", "arange", "reshape", "clone"}
    marks = {"[]=" for line in body if re.match(r"t\d+\[.*\] *[-+*]?= ", line)}
    return " ".join(sorted(words | marks))
