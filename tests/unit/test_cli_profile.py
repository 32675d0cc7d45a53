"""`rulewright profile`: runs a script as Python would, and sums its events up."""

import json
import sys

import pytest

from rulewright import Tensor, jit, profile
from rulewright.bench import profiled, roofline
from rulewright.bench.roofline import Roofline
from rulewright.options import Context
from rulewright.profile import ProfileEvent

TOP = Roofline(threads=1, gflops={"f32": 2.0, "f64": 1.0}, gbytes=1.0)


@pytest.fixture(autouse=True)
def known_roofline(monkeypatch):
    monkeypatch.setattr(roofline, "roofline", lambda: TOP)
    yield
    profile.clear_profile()


@pytest.fixture
def script(tmp_path):
    """Write a script; gives its path."""

    def write(text):
        path = tmp_path / "script.py"
        path.write_text(text)
        return path

    return write


def event(category, start, end, name="k", **details):
    return ProfileEvent(name, category, start, end, 0, details)


def test_kernels_are_summed_by_name_the_longest_first():
    events = [
        event("kernel", 0, 10, "a", flops=20, bytes=5),
        event("kernel", 10, 40, "b", flops=10, bytes=30, dtype="f64"),
        event("kernel", 50, 60, "a", flops=20, bytes=5),
        event("copy", 0, 1_000),
    ]
    b, a = profiled.kernels(events, TOP)
    assert (a.name, a.calls, a.flops, a.moved) == ("a", 2, 40, 10)
    assert (a.seconds, a.least) == pytest.approx((20e-9, 20e-9))
    assert (b.seconds, b.least) == pytest.approx((30e-9, 30e-9))
    assert profiled.row(a, 50e-9) == ("a", "2", "20 ns", "40.0 %", "10 ns", "2", "0.5", "100 %")
    (unknown,) = profiled.kernels([event("kernel", 0, 10)], None)
    assert profiled.row(unknown, 10e-9)[-3:] == ("", "", "")


def test_each_moment_of_a_run_counts_once():
    events = [
        event("schedule", 0, 100),
        event("lower", 100, 300),
        event("compile", 200, 260),
        event("compile", 210, 290),  # another compiler, at once
        event("kernel", 400, 500),
        event("pass", 0, 500),
    ]
    found = dict(profiled.parts(events, 1000e-9))
    expected = {"kernels": 100, "copies": 0, "compiling": 90, "lowering": 110, "scheduling": 100,
                "Python": 600}  # fmt: skip
    assert found == pytest.approx({name: ns * 1e-9 for name, ns in expected.items()})
    assert profiled.union([(3, 4), (0, 2), (1, 3)]) == [(0, 4)]


def test_kernels_say_what_work_they_do():
    profile.clear_profile()
    with Context(PROFILE=1):
        (Tensor([1.0, 2.0, 3.0]).realize() * 2).realize()
    (kernel,) = [e for e in profile.profile_events() if e.category == "kernel"]
    assert kernel.details == {"flops": 3, "bytes": 24, "dtype": "f32"}
    rows = profile.chrome_trace()["traceEvents"]
    assert [r["args"] for r in rows if r["cat"] == "kernel"] == [kernel.details]
    assert all("args" not in r for r in rows if r["cat"] != "kernel")


def test_a_script_runs_with_its_arguments_and_is_summed_up(cli, script, tmp_path):
    settled = jit(lambda x: x + 1)
    for _ in range(2):  # a capture does what other tests left to be computed
        settled(Tensor([1.0]))
    path = script(
        "import sys\nfrom rulewright import Tensor, jit\n"
        "double = jit(lambda x: x * 2 + 1)\n"
        "for _ in range(int(sys.argv[2])): double(Tensor([1.0, 2.0]))\n"
        "print(__name__, sys.argv[1:])\n"
    )
    before = sys.argv, list(sys.path)
    trace = tmp_path / "trace.json"
    result = cli("profile", "--trace", trace, path, "--times", "4")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "__main__ ['--times', '4']"
    assert lines[1].split()[:2] == ["kernel", "calls"] and lines[2].split()[1] == "4"
    assert [line.split()[0] for line in lines[3:]] == [
        "whole", "kernels", "copies", "compiling", "lowering", "scheduling", "Python"]  # fmt: skip
    events = json.loads(trace.read_text())["traceEvents"]
    assert sum(e["cat"] == "kernel" for e in events) == 4
    assert {e["ph"] for e in events} == {"X"} and min(e["ts"] for e in events) == 0
    assert (sys.argv, sys.path) == before


def test_of_many_kernels_the_longest_are_shown(cli, script):
    path = script(
        "from rulewright import Tensor\n"
        "for n in 2, 3, 4: (Tensor.ones(n) + Tensor.arange(n)).realize()\n"
    )
    lines = cli("profile", "--kernels", 1, path).stdout.splitlines()
    assert lines[1].split()[1] == "1" and lines[2].startswith("2 more kernels took ")
    assert "calls" not in cli("profile", "--kernels", 0, path).stdout


@pytest.mark.parametrize(
    "text, status, said",
    [
        ("import sys; sys.exit(3)", 3, ""),
        ("import sys; sys.exit()", 0, ""),
        ("import sys; sys.exit('enough')", 1, "enough"),
        ("1 / 0", 1, "ZeroDivisionError: division by zero"),
        ("from rulewright import Tensor; Tensor([1]) @ Tensor([1, 2])", 1, "ShapeError"),
    ],
)
def test_how_a_script_ends_is_how_the_command_ends(cli, script, text, status, said):
    result = cli("profile", script(text))
    assert (result.exit_code, said in result.stderr) == (status, True)
    assert "whole run" in result.stdout


def test_modules_run_and_other_modules_beside_a_script_are_found(cli, script, tmp_path):
    (tmp_path / "beside.py").write_text("WORD = 'found'\n")
    assert "found" in cli("profile", script("from beside import WORD; print(WORD)")).stdout
    result = cli("profile", "-m", "rulewright.examples.transformer", "--help")
    assert result.exit_code == 0 and "--layers" in result.stdout


def test_a_script_that_is_not_there_is_misuse(cli):
    result = cli("profile", "nothing.py")
    assert result.exit_code == 2 and "no such file: nothing.py" in result.stderr
