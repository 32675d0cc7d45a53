"""`rulewright bench`: names of workloads, options, files; nothing here looks at a time."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from bench_fakes import double

from rulewright.bench import roofline as roofline_module, transformers
from rulewright.bench.chart import belongs
from rulewright.bench.first import main as first_main, seconds_of_first_call
from rulewright.bench.kinds import KINDS, STANDARD
from rulewright.bench.libraries import PEERS, library
from rulewright.bench.measure import Measurement, Timed, check, measure, reference
from rulewright.bench.roofline import Roofline
from rulewright.bench.workload import find, read_size, size_text
from rulewright.errors import MissingExtraError, UsageError
from rulewright.options import Context

QUICK = ("--rounds", 1, "--seconds", 0, "--peers")


@pytest.fixture(autouse=True)
def known_roofline(monkeypatch):
    """Measuring the machine's takes seconds."""
    known = Roofline(threads=2, gflops={"f32": 100.0, "f64": 50.0}, gbytes=10.0)
    monkeypatch.setattr(roofline_module, "measure", lambda: known)
    monkeypatch.setattr(roofline_module._kept, "get", lambda key: None)
    monkeypatch.setattr(roofline_module._kept, "put", lambda key, data: None)


def names(*words, sizes=None):
    return [case.name for case in find(KINDS, words, sizes)]


def test_a_name_a_pattern_and_a_kind_find_workloads():
    assert names("matmul/512") == ["matmul/512"]
    assert names("matmul/77") == ["matmul/77"]  # of any size
    assert names("matmul/?t/512") == ["matmul/nt/512", "matmul/tt/512"]
    assert set(names("matmul")) > {"matmul/512", "matmul/f64/1024", "matmul/rows-4/4096"}
    assert names("matmul/512", "matmul/512") == ["matmul/512"]
    assert names("matmul/f64", sizes=[8, 16]) == ["matmul/f64/8", "matmul/f64/16"]
    assert names("vecmat", sizes="grow")[:2] == ["vecmat/256", "vecmat/1024"]


@pytest.mark.parametrize("word", ["matmull", "matmul/f65", "nothing/*", "matmul/x", "matmul/-1"])
def test_a_word_that_fits_nothing_is_misuse(cli, word):
    result = cli("bench", word, "--list")
    assert result.exit_code == 2
    assert "expected" in result.stderr and repr(word.rpartition("/")[2])[1:-1] in result.stderr


def test_sizes_read_as_they_are_written():
    for size in (1, 512, 4096, 1 << 16, 1 << 24, 3 << 30):
        assert read_size(size_text(size)) == size
    assert (size_text(1 << 24), size_text(512), read_size("4k")) == ("16M", "512", 4096)
    for text in ("", "M", "0", "-1", "1.5", "²"):
        with pytest.raises(UsageError, match="expected a size such as 512 or 16M"):
            read_size(text)


def test_the_list_names_all_workloads_and_their_work(cli):
    lines = cli("bench", "--list").stdout.splitlines()
    assert lines[0].split() == ["workload", "MFLOP"]
    found = dict(line.split() for line in lines[1:])
    assert found["matmul/512"] == "268.435"  # 2 * 512**3
    assert set(STANDARD) <= set(found)


def runs_right(case):
    """Plain, captured and replayed it gives what the reference gives."""
    ours, inputs = library("rulewright"), case.inputs()
    call = ours.prepare(case, [ours.put(a) for a in inputs])
    expected = reference(case, inputs)
    for _ in range(3):
        check(case, ours, call(), expected)


SMALL = [k for k in KINDS if k.name not in ("gpt2", "import") and not k.name.startswith("cold/")]


@pytest.mark.timeout(60)  # gradients, in a suite that shares the machine
@pytest.mark.parametrize("kind", SMALL, ids=lambda kind: kind.name)
def test_each_workload_gives_what_the_reference_gives(kind):
    runs_right(kind.case(6))


def test_a_small_gpt2_gives_what_the_reference_gives():
    runs_right(transformers.gpt2("gpt2/5", 5, layers=1, vocabulary=20))


def test_the_standard_workloads_are_there():
    assert names(*STANDARD) == list(STANDARD)


@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
def test_a_transposed_operand_lies_in_memory_transposed(layout):
    word = "matmul/16" if layout == "nn" else f"matmul/{layout}/16"
    (case,) = find(KINDS, [word])
    inputs = case.inputs()
    a, b = (x.T if t == "t" else x for x, t in zip(inputs, layout, strict=True))
    (found,) = reference(case, inputs)
    assert abs(found - a.astype("f8") @ b.astype("f8")).max() < 1e-12


def test_a_run_prints_a_row_a_library_and_writes_json(cli, tmp_path):
    result = cli("bench", "matmul/16", *QUICK, "numpy", "--json", tmp_path / "out.json")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[1].split()[:2] == ["matmul/16", "rulewright"] and "numpy" in lines[2]
    assert "100 GFLOP/s f32" in lines[-1]
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["roofline"]["gbytes"] == 10.0
    assert set(found["machine"]["versions"]) == {"rulewright", "numpy"}
    assert {"cpu", "cores", "caches", "compiler", "load", "clock"} <= set(found["machine"])
    (workload,) = found["workloads"]
    assert (workload["workload"], workload["flops"]) == ("matmul/16", 8192)
    assert workload["bytes"] == 3 * 16 * 16 * 4
    assert [entry["library"] for entry in workload["libraries"]] == ["rulewright", "numpy"]


def test_ours_alone_has_no_ratio(cli):
    result = cli("bench", "matmul/4", *QUICK, "none", "--clock", "cpu", "--measure-roofline")
    assert result.exit_code == 0 and "x (" not in result.stdout


def test_what_was_timed_before_an_interruption_is_told(cli, monkeypatch, tmp_path):
    def interrupted(case, *more):
        if case.name == "matmul/5":
            raise KeyboardInterrupt
        return measure(case, *more)

    monkeypatch.setattr("rulewright.bench.measure.measure", interrupted)
    words = ("matmul/4", "matmul/5", "matmul/6", "--json", tmp_path / "a.json")
    result = cli("bench", *words, *QUICK, "none")
    assert "stopped: 1 of 3 workloads were timed" in result.stderr and "matmul/4" in result.stdout
    assert len(json.loads((tmp_path / "a.json").read_text())["workloads"]) == 1


def test_other_devices_are_timed_too(cli, tmp_path):
    with Context(DEVICE="INTERP"):
        result = cli("bench", "matmul/4", *QUICK, "none", "--json", tmp_path / "a.json")
    assert result.exit_code == 0, result.output
    (workload,) = json.loads((tmp_path / "a.json").read_text())["workloads"]
    assert workload["libraries"][0]["share_of_roofline"] is None


def test_a_wrong_result_of_ours_is_a_failure(cli, monkeypatch):
    monkeypatch.setattr("rulewright.bench.measure.tolerance", lambda case: -1.0)
    result = cli("bench", "matmul/4", *QUICK, "none")
    assert result.exit_code == 1 and "wrong: result 0 is off by" in result.stdout


def test_a_peer_that_is_unknown_or_missing_is_an_error(cli, monkeypatch):
    result = cli("bench", "matmul/4", *QUICK, "numpy,nunpy")
    assert result.exit_code == 2
    assert f"out of {', '.join(PEERS)}, or none, found 'nunpy'" in result.stderr
    with pytest.raises(UsageError, match=r"out of rulewright, numpy, torch.*found 'nunpy'"):
        library("nunpy")
    monkeypatch.setattr("rulewright.bench.libraries.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"needs the package 'torch'.*rulewright\[peers\]"):
        library("torch")


def test_a_peer_that_does_not_start_says_why_and_others_go_on(cli, monkeypatch):
    monkeypatch.setattr("rulewright.bench.libraries.installed", lambda: ["numpy", "tinygrad"])
    monkeypatch.setattr("rulewright.bench.libraries.find_spec", lambda name: True)
    monkeypatch.setattr("rulewright.bench.libraries.import_module", _broken)
    result = cli("bench", "matmul/4", "--rounds", 1)
    assert result.exit_code == 0, result.output
    assert "peer tinygrad does not start: OSError: no clang" in result.stderr
    assert "numpy" in result.stdout


def _broken(name):
    from importlib import import_module

    if name.endswith("tinygrad"):
        raise OSError("no clang\nat all")
    return import_module(name)


def test_nothing_is_imported_before_it_is_used():
    code = (
        "import sys; from rulewright.bench import kinds, measure, chart, libraries;"
        "libraries.installed(); libraries.library('numpy');"
        "print([n for n in ('torch', 'jax', 'tinygrad', 'matplotlib') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_threads_hold_for_the_run_alone(cli):
    before = os.environ.get("OMP_NUM_THREADS")
    assert cli("bench", "matmul/4", *QUICK, "numpy", "--threads", 1).exit_code == 0
    assert os.environ.get("OMP_NUM_THREADS") == before
    result = cli("bench", "matmul/4", *QUICK, "numpy", "--threads", 100_000)
    assert result.exit_code == 2 and "100000 threads: this process may use" in result.stderr


def test_other_sizes_may_be_asked_for(cli):
    result = cli("bench", "vecmat", "--sizes", "8,4k", "--list")
    assert [line.split()[0] for line in result.stdout.splitlines()[1:]] == [
        "vecmat/8", "vecmat/4096"]  # fmt: skip
    assert cli("bench", "vecmat", "--sizes", "8,x").exit_code == 2


def test_a_first_call_is_made_in_a_process_of_its_own():
    assert 0 < seconds_of_first_call("rulewright", "vecmat/3") < 1000
    assert 0 < seconds_of_first_call("numpy") < 1000
    with pytest.raises(UsageError, match=r"new process with numpy failed: .*no workload fits"):
        seconds_of_first_call("numpy", "nothing/1")


def test_what_that_process_prints_is_seconds(capsys):
    first_main(["numpy", "vecmat/3"])
    first_main(["numpy"])
    assert len([float(line) for line in capsys.readouterr().out.split()]) == 2


def test_cold_workloads_time_first_calls(cli, monkeypatch):
    asked = []
    done = SimpleNamespace(returncode=0, stdout="0.25\n")
    processes = SimpleNamespace(run=lambda args, **more: asked.append(args) or done)
    monkeypatch.setattr("rulewright.bench.first.subprocess", processes)
    result = cli("bench", "cold/matmul/8", "import", "--rounds", 2, "--peers", "none")
    assert result.exit_code == 0, result.output
    assert [args[3:] for args in asked] == [["rulewright", "matmul/8"]] * 2 + [["rulewright"]] * 2
    assert result.stdout.count("250 ms") == 4  # medians and best calls of both


def test_a_chart_is_drawn_as_svg_and_png(cli, tmp_path):
    pytest.importorskip("matplotlib")
    for name, start in (("a.svg", b"<?xml"), ("b.svg", b"<?xml"), ("a.png", b"\x89PNG")):
        result = cli(
            "bench",
            "matmul/4",
            "sum/64K",
            "matmul/f64/64",
            *QUICK,
            "numpy",
            "--chart",
            tmp_path / name,
        )
        assert result.exit_code == 0, result.output
        assert (tmp_path / name).read_bytes().startswith(start)
    assert "roofline f64" in (tmp_path / "a.svg").read_text()


def test_calls_and_cold_starts_are_not_drawn_under_the_roofline():
    top = Roofline(threads=1, gflops={"f32": 1.0, "f64": 1.0}, gbytes=1.0)

    def outcome(seconds, **facts):
        return Measurement(double(**facts), 24, [Timed("numpy", [[seconds]])])

    assert belongs(outcome(24e-9), top) and belongs(outcome(2400e-9), top)
    assert not belongs(outcome(1e-3), top)
    assert not belongs(outcome(24e-9, timer=lambda name: 1.0), top)
    assert not belongs(Measurement(double(), 24, []), top)


def test_a_chart_of_another_kind_or_without_matplotlib_is_refused_at_once(
    cli, tmp_path, monkeypatch
):
    result = cli("bench", "matmul/4", "--chart", tmp_path / "a.pdf")
    assert result.exit_code == 2 and "expected a file .svg or .png, found a.pdf" in result.stderr
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = cli("bench", "matmul/4", "--chart", tmp_path / "a.svg")
    assert result.exit_code == 1
    assert "charts need matplotlib" in result.stderr and "rulewright[bench]" in result.stderr


def test_a_busy_machine_is_told(cli, monkeypatch):
    monkeypatch.setattr("rulewright.bench.machine.load", lambda: 1e6)
    assert "others use this machine" in cli("bench", "matmul/4", *QUICK, "none").stderr
    assert "others use" not in cli("bench", "matmul/4", *QUICK, "none", "--clock", "cpu").stderr
