"""`rulewright run`: run a graph file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from rulewright.cli.inputs import check_file, device_option, example, graph_argument, spec_option

if TYPE_CHECKING:
    import numpy as np

    from rulewright.ir.uop import UOp

_EXAMPLE = """
rulewright run softmax.uop
rulewright run softmax.uop --device INTERP --input 0=x.npy
"""


def _slots(ctx: click.Context, option: click.Parameter, values: tuple[str, ...]) -> dict[int, Path]:
    paths = {}
    for value in values:
        slot, equals, name = value.partition("=")
        if not (equals and slot.isascii() and slot.isdigit() and len(slot) < 10):
            raise click.BadParameter(f"expected SLOT=FILE.npy, found {value!r}")
        check_file(name)
        paths[int(slot)] = Path(name)
    return paths


def _numbers(
    ctx: click.Context, option: click.Parameter, values: tuple[str, ...]
) -> dict[str, int]:
    numbers = {}
    for value in values:
        name, _, number = value.partition("=")
        try:
            numbers[name] = int(number)
        except ValueError as error:
            raise click.BadParameter(f"expected NAME=NUMBER, found {value!r}") from error
    return numbers


@click.command(epilog=example(_EXAMPLE))
@graph_argument
@spec_option
@device_option("device to run on")
@click.option(
    "--input", "inputs", metavar="SLOT=FILE.npy", multiple=True, callback=_slots,
    help="contents of PARAM or BUFFER number SLOT; may be repeated",
)  # fmt: skip
@click.option(
    "--var", "variables", metavar="NAME=NUMBER", multiple=True, callback=_numbers,
    help="value of a symbolic variable; may be repeated",
)  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True,
    help="of inputs that are not given",
)  # fmt: skip
def command(
    graph: Path, device: str, inputs: dict[int, Path], variables: dict[str, int], seed: int
) -> None:
    """Run GRAPH and print its results.

    GRAPH is a tensor program, a function, a schedule or a kernel, as `rulewright compile --stage`
    prints them. What it reads comes from --input, or is drawn at random from --seed: floats from
    the normal distribution, integers from 0 to 9. What it only writes starts as zeros.
    """
    program = _program(graph, device, variables)
    arrays = _arrays(program, inputs, seed)
    _run(program.calls, device, arrays, program.variables)
    _print_results(program.calls, arrays)


class _Runnable(NamedTuple):
    """A list of calls to run, the values of its variables, and the slots that the memories of a
    graph have in the calls, by the numbers that the graph gives them."""

    calls: UOp
    variables: dict[str, int]
    slots: dict[int, int]


def _program(path: Path, device: str, variables: dict[str, int]) -> _Runnable:
    """What there is to run of a file, lowered only if the file is."""
    from rulewright.cli import graphs
    from rulewright.ir.ops import Ops
    from rulewright.ir.pipeline import entries
    from rulewright.render import target
    from rulewright.runtime.device import Device

    root, done, _ = graphs.read_program(path, device)
    _check_known("--var: the graph has no variable", variables, graphs.variables_of(root))
    names = [entry.name for entry in entries()]
    last = names[graphs.first_kernel_entry() - 1]
    lowered = done and names.index(done) > names.index(last)
    if lowered and device != "INTERP":
        raise click.UsageError(f"a graph behind {done!r} runs on --device INTERP only")
    numbers = sorted({n.arg[0] for n in root.toposort() if n.op is Ops.PARAM})
    slots = {number: number for number in numbers}
    if lowered and graphs.is_schedule(root):
        return _Runnable(root, variables, slots)
    if lowered or (not done and graphs.is_kernel(root)):
        slots = {number: slot for slot, number in enumerate(numbers)}
        return _Runnable(graphs.as_schedule(root, device), variables, slots)
    if not done:
        root, buffers, bound = graphs.as_function(root, device)
        slots = {memory.arg[0]: slot for slot, memory in enumerate(buffers)} or slots
        variables = {**bound, **variables}
    calls = graphs.advance(root, done, last, target(Device.target_of(device)))
    return _Runnable(calls, variables, slots)


def _check_known(what: str, asked: Collection[Any], known: Collection[Any]) -> None:
    unknown = sorted(set(asked).difference(known))
    if unknown:
        others = f"; those that it has are {', '.join(map(str, sorted(known)))}" if known else ""
        raise click.UsageError(f"{what} {unknown[0]!r}{others}")


def _arrays(program: _Runnable, inputs: Mapping[int, Path], seed: int) -> dict[UOp, np.ndarray]:
    """Contents of each parameter of the calls, in its shape and dtype."""
    import numpy as np

    from rulewright.cli.graphs import parameters_of, written_by

    written = written_by(program.calls)
    params = parameters_of(program.calls)
    there = {p.arg[0] for p in params}
    known = {number: slot for number, slot in program.slots.items() if slot in there}
    _check_known("--input: the graph has no PARAM or BUFFER", inputs, known)
    by_slot = {known[number]: path for number, path in inputs.items()}
    rng = np.random.default_rng(seed)
    arrays = {}
    for param in params:
        if param.arg[0] in by_slot:
            arrays[param] = _load(by_slot[param.arg[0]], param)
        elif param in written:
            arrays[param] = np.zeros(param.arg[1], param.dtype.np)
        else:
            arrays[param] = _drawn(param, rng)
    return arrays


def _load(path: Path, param: UOp) -> np.ndarray:
    import numpy as np

    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)  # nothing is read or run yet
    except Exception as error:  # a damaged file may raise anything
        reason = str(error).partition("\n")[0]
        why = "" if "pickle" in reason else f": {reason}"  # numpy takes any other file for one
        raise click.UsageError(
            f"{path}: expected an array of numbers as numpy.save writes it, found none{why}"
        ) from error
    if not isinstance(array, np.ndarray):
        array.close()
        raise click.UsageError(f"{path}: expected one array (.npy), found an archive of several")
    if array.shape != param.arg[1] or array.dtype != param.dtype.np:
        raise click.UsageError(
            f"{path}: expected {param.dtype.np} of shape {param.arg[1]} for parameter "
            f"{param.arg[0]}, found {array.dtype} of shape {array.shape}"
        )
    return np.array(array)


def _drawn(param: UOp, rng: np.random.Generator) -> np.ndarray:
    shape, kind = param.arg[1], param.dtype
    if kind.is_float:
        return rng.standard_normal(shape).astype(kind.np)
    return rng.integers(0, 2 if kind.name == "bool" else 10, shape).astype(kind.np)


def _run(
    program: UOp, device: str, arrays: dict[UOp, np.ndarray], variables: dict[str, int]
) -> None:
    """Run the calls; the arrays of what they write are changed in place."""
    if device == "INTERP":
        _interpret(program, arrays, variables)
        return
    from rulewright.driver.schedules import bind_schedule, plan_schedule
    from rulewright.ir.dtypes import dtypes
    from rulewright.runtime.buffer import Buffer
    from rulewright.runtime.device import Device

    buffers = {
        p: Buffer(Device[device], array.size, p.dtype).copyin(array) for p, array in arrays.items()
    }
    by_slot = {p.arg[0]: buffer for p, buffer in buffers.items()}
    unused = Buffer(Device[device], 0, dtypes.u8)
    listed = [by_slot.get(slot, unused) for slot in range(1 + max(by_slot, default=-1))]
    bind_schedule(plan_schedule(program), listed, variables).run(wait=True)
    Device[device].synchronize()
    for param, array in arrays.items():
        array[...] = buffers[param].numpy().reshape(array.shape)


def _interpret(
    program: UOp, arrays: Mapping[UOp, np.ndarray], variables: Mapping[str, int]
) -> None:
    """Run the calls one by one in the interpreter, whatever stage their kernels are at."""
    import numpy as np

    from rulewright.interp import run_kernel

    memory = dict(arrays)
    for call in program.src:
        for node in call.src[1:]:
            if node not in memory:
                memory[node] = np.zeros(node.arg[1], node.dtype.np)
        run_kernel(call.src[0], [memory[node].reshape(-1) for node in call.src[1:]], variables)


def _print_results(program: UOp, arrays: Mapping[UOp, np.ndarray]) -> None:
    from rulewright.cli.graphs import written_by

    written = written_by(program)
    for param, array in arrays.items():
        if param in written:
            click.echo(f"PARAM[{param.arg[0]}] {param.dtype.name} {param.arg[1]}")
            click.echo(str(array))
