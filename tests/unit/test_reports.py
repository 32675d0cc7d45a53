"""What the library tells about its own work: DEBUG lines, profile events, counters, metadata."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from rulewright import Context, GlobalCounters, Tensor, Variable, function, profile
from rulewright.driver.schedules import clear_schedule_cache
from rulewright.nn.optim import SGD
from rulewright.tensor.core import Core

SCHEDULE = re.compile(
    r"schedule +(?P<kernels>\d+) kernels +[\d.]+ ms  cache (?P<cache>hit|miss) "
    r"(?P<key>[0-9a-f]{12})  (?P<nodes>\d+) UOps  (?P<file>.+):(?P<line>\d+)"
    r"(  memory: (?P<memory>.+))?"
)
KERNEL = re.compile(
    r"(?P<device>\S+) +(?P<name>\S+) +args +(?P<args>\d+)  mem +(?P<mem>[\d.]+) MB "
    r"+(?P<us>[\d.]+) us +(?P<flops>[\d.]+) GFLOP/s +(?P<bytes>[\d.]+) GB/s  (?P<methods>.+)"
)


@pytest.fixture
def said(capfd: pytest.CaptureFixture[str]):
    """The lines on standard error since the last call; nothing else may be on standard output."""

    def lines() -> list[str]:
        out, err = capfd.readouterr()
        assert out == ""
        return err.splitlines()

    return lines


@pytest.fixture
def events():
    """The profile events of a test."""
    profile.clear_profile()
    yield profile.profile_events
    profile.clear_profile()


def row_sums(seed: int) -> Core:
    """A program of two kernels, over buffers of its own."""
    a = Tensor(np.random.default_rng(seed).normal(size=(6, 7)).astype(np.float32))
    return (a.exp().contiguous() * 3).sum(1)


def test_a_line_a_schedule(said) -> None:
    clear_schedule_cache()
    keys = []
    for seed, cache in enumerate(("miss", "hit")):
        value = row_sums(seed)
        with Context(DEBUG=1):
            value.realize()
        (line,) = said()
        found = SCHEDULE.fullmatch(line)
        assert found and (found["kernels"], found["cache"]) == ("2", cache)
        assert int(found["nodes"]) > 0 and found["file"] == str(Path(__file__))
        assert found["memory"].startswith("1 buffers, 192 -> 192 bytes")
        keys.append(found["key"])
    assert keys[0] == keys[1]
    with Context(DEBUG=1):
        (row_sums(0) + 1).realize()
    other = SCHEDULE.fullmatch(said()[0])
    assert other and other["key"] != keys[0] and other["cache"] == "miss"


def test_a_line_a_kernel(said) -> None:
    a = Tensor(np.ones((50, 20), np.float32))
    with Context(DEBUG=2, DEVICE="C"):
        (a * 2).sum(1).realize()
    first, line = said()
    assert SCHEDULE.fullmatch(first)
    found = KERNEL.fullmatch(line)
    assert found and found["device"] == a.device and found["args"] == "2"
    assert float(found["us"]) > 0
    assert found["methods"].split(", ") == ["sum", "mul"]


def test_source_and_choices_of_axes(said) -> None:
    a = Tensor(np.ones(40, np.float32))
    with Context(DEBUG=4):
        (a * 2).realize()
    lines = said()
    assert SCHEDULE.fullmatch(lines[0])
    assert lines[1].startswith("// axis choices: ")
    name = KERNEL.fullmatch(lines[-1])["name"]
    assert any(name in line and "(" in line for line in lines[2:-1])


def test_nothing_is_said_unasked(said) -> None:
    row_sums(0).realize()
    assert said() == []


def test_profile_of_a_tensor(events, empty_cache) -> None:
    clear_schedule_cache()
    with Context(PROFILE=1):
        (row_sums(3) * 1.0625).realize()
    seen = {(e.category, e.name) for e in events()}
    for name in ("early", "rangeify", "flatten", "order", "axes", "linearize", "render"):
        assert ("pass", name) in seen
    assert {"pass", "lower", "compile", "kernel", "copy"} <= {c for c, _ in seen}
    kernels = [e for e in events() if e.category == "kernel"]
    assert len(kernels) == 2
    assert all(e.start_ns <= e.end_ns for e in events())


def test_profile_of_a_schedule_that_is_known(events) -> None:
    row_sums(4).realize()
    with Context(PROFILE=1):
        row_sums(5).realize()
    assert {e.category for e in events()} == {"kernel", "copy"}


def test_a_kernel_is_compiled_once_for_all_schedules(events, empty_cache) -> None:
    def scaled(*tail: int) -> None:
        a = Tensor(np.ones((3, 11), np.float32)) * 1.03125
        (a.contiguous().sum(tail)).realize()

    clear_schedule_cache()
    scaled(0)
    with Context(PROFILE=1):
        scaled(1)  # another schedule, whose first kernel is known
    lowered = [e for e in events() if e.category == "pass" and e.name == "render"]
    assert len(lowered) == 1


def test_counters_follow_what_ran() -> None:
    value = row_sums(6)
    GlobalCounters.reset()
    value.realize()
    assert GlobalCounters.kernels == 2
    assert GlobalCounters.global_ops >= 6 * 7 * 3
    assert GlobalCounters.global_mem >= 4 * (42 + 42 + 42 + 6)
    value.realize()
    assert GlobalCounters.kernels == 2


def test_run_gives_seconds() -> None:
    (item,) = (Tensor(np.ones(1000, np.float32)) * 1.5).schedule()
    seconds = item.run(wait=True)
    assert seconds is not None and 0 < seconds < 10


def test_a_schedule_with_the_variables_that_it_uses() -> None:
    x = Tensor(np.arange(10, dtype=np.float32))
    n, m = Variable("n", 1, 10), Variable("m", 1, 10)
    unused = x[: m.bind(2)]
    items, values = x[: n.bind(4)].sum().schedule_with_vars()
    assert values == {"n": 4}
    assert [dict(i.fixed_variables) for i in items] == [{"n": 4}]
    assert unused.sum().item() == 1


def test_metadata_is_of_the_outermost_method_and_the_users_line() -> None:
    x = Tensor(np.ones((3, 4), np.float32))
    y = x.softmax(1)
    items = y.schedule()
    found = {(m.method, Path(m.file).name) for i in items for m in i.metadata}
    assert found == {("softmax", Path(__file__).name)}


def test_metadata_of_what_a_function_does_is_of_its_methods() -> None:
    @function
    def norm(x: Tensor) -> Tensor:
        return (x * x).sum(-1).sqrt()

    for _ in range(2):
        [kernel] = (norm(Tensor([[3.0, 4.0]])) + 1).schedule()
        assert [m.method for m in kernel.metadata] == ["add", "sqrt", "sum", "mul"]
        assert {Path(m.file).name for m in kernel.metadata} == {Path(__file__).name}


def test_metadata_of_a_step_is_of_the_methods_of_the_optimiser() -> None:
    x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
    optimiser = SGD([x], lr=0.1)
    for _ in range(3):
        x.grad = Tensor([1.0, 1.0, 1.0])
        [kernel] = x.schedule(*optimiser.update())
        assert {m.method for m in kernel.metadata} == {"mul", "sub"}
        kernel.run()


def test_metadata_is_that_of_the_present_caller_on_a_cache_hit() -> None:
    first = Tensor(np.ones((3, 5), np.float32)).softmax(1).schedule()
    second = Tensor(np.ones((3, 5), np.float32)).softmax(1).schedule()
    lines = [{m.line for i in items for m in i.metadata} for items in (first, second)]
    assert [len(found) for found in lines] == [1, 1]
    assert lines[1] == {line + 1 for line in lines[0]}
    methods = [[[m.method for m in i.metadata] for i in items] for items in (first, second)]
    assert methods[0] == methods[1]


def test_a_hit_behind_another_program_is_not_named_after_it(capsys) -> None:
    def doubled(x: Tensor) -> Tensor:
        return x * 2

    doubled(Tensor([1.0, 5.0])).realize()
    with Context(DEBUG=2):
        (Tensor([1.0, 6.0]) * 2).realize()
        Tensor([1.0, 6.0]).mul(2).realize()
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("C ")]
    assert len(lines) == 2 and all(line.endswith("mul") for line in lines)


def test_kernels_that_are_interpreted_are_named_as_compiled_ones(said, events) -> None:
    lines = []
    for device in ("INTERP", "C"):
        a = Tensor(np.ones((50, 20), np.float32), device=device)
        with Context(DEBUG=2, PROFILE=1, DEVICE=device):
            (a * 2).sum(1).realize()
        lines.append(said()[-1].split())
    assert [line[:2] for line in lines] == [["INTERP", "r_50_20"], ["C", "r_50_20"]]
    assert [e.name for e in events() if e.category == "kernel"] == ["r_50_20"] * 2


def test_a_host_function_is_said_by_its_name(said) -> None:
    with Context(DEBUG=2, DEVICE="INTERP"):
        Tensor.custom_function(np.cumsum, Tensor([1.0, 2.0], device="INTERP")).realize()
    assert any("cumsum" in line for line in said())
