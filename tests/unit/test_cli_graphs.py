"""`rulewright compile` and `rulewright run`: a softmax through every stage."""

import numpy as np
import pytest

from rulewright.ir.pipeline import entries

SOFTMAX = """graph softmax {
  x = PARAM[0, (4, 8), "C"]:f32
  top = EXPAND[(4, 8)](REDUCE_AXIS[MAX, (1,)](x):f32):f32
  e = EXP(x - top):f32
  total = EXPAND[(4, 8)](REDUCE_AXIS[ADD, (1,)](e):f32):f32
  return e / total
}
"""
STAGES = [entry.name for entry in entries()]
EIGHTH = "\n".join(["[0.125 0.125 0.125 0.125 0.125 0.125 0.125 0.125]"] * 4)


@pytest.fixture
def softmax(tmp_path):
    path = tmp_path / "softmax.uop"
    path.write_text(SOFTMAX)
    return path


@pytest.fixture
def ones(tmp_path):
    """A row of equal numbers, whose softmax is 1/8 everywhere."""
    path = tmp_path / "ones.npy"
    np.save(path, np.ones((4, 8), np.float32))
    return f"0={path}"


def values(output):
    """The numbers that `run` printed under its one heading."""
    heading, _, rows = output.partition("\n")
    assert heading == "PARAM[1] f32 (4, 8)"
    return "\n".join(row.strip(" []").join("[]") for row in rows.strip().splitlines())


@pytest.mark.parametrize("stage", STAGES)
def test_each_stage_reads_back_and_goes_on_to_the_same_end(cli, softmax, tmp_path, stage):
    text = cli("compile", softmax, "--stage", stage)
    assert text.exit_code == 0, text.output
    between = tmp_path / "between.uop"
    between.write_text(text.stdout)
    assert cli("compile", between, "--stage", stage).stdout == text.stdout
    end = cli("compile", between, "--stage", STAGES[-1])
    assert end.stdout == cli("compile", softmax, "--stage", STAGES[-1]).stdout


@pytest.mark.parametrize("stage", STAGES)
def test_each_stage_means_the_same_to_the_interpreter(cli, softmax, tmp_path, ones, stage):
    between = tmp_path / "between.uop"
    between.write_text(cli("compile", softmax, "--stage", stage).stdout)
    result = cli("run", between, "--device", "INTERP", "--input", ones)
    assert result.exit_code == 0, result.output
    assert values(result.stdout) == EIGHTH


@pytest.mark.parametrize("device", ["C", "INTERP"])
def test_run_on_a_device(cli, softmax, ones, device):
    result = cli("run", softmax, "--device", device, "--input", ones)
    assert result.exit_code == 0, result.output
    assert values(result.stdout) == EIGHTH


def test_a_graph_from_standard_input(cli, ones):
    result = cli("run", "-", "--input", ones, stdin=SOFTMAX)
    assert values(result.stdout) == EIGHTH


def test_random_inputs_follow_from_the_seed(cli, softmax):
    one, same, other = (cli("run", softmax, "--seed", n).stdout for n in (1, 1, 2))
    assert one == same != other


@pytest.mark.parametrize(
    "device, sign",
    [("C", "restrict"), ("OPENCL", "__kernel"), ("CUDA", "__global__"), ("METAL", "[[buffer(")],
)
def test_source_for_each_target(cli, softmax, device, sign):
    result = cli("compile", softmax, "--device", device)
    assert result.exit_code == 0, result.output
    assert sign in result.stdout


def test_a_kernel_alone_compiles_and_runs(cli, tmp_path):
    kernel = tmp_path / "double.uop"
    kernel.write_text(
        "graph double {\n"
        '  i = RANGE[0, "loop"](3:index):index\n'
        "  x = INDEX(PARAM[1, (3,), none]:f32, i):f32\n"
        "  place = INDEX(PARAM[0, (3,), none]:f32, i):f32\n"
        "  return SINK(END(STORE(place, x + x), i))\n"
        "}\n"
    )
    np.save(tmp_path / "x.npy", np.array([1, 2, 3], np.float32))
    for device in ("C", "INTERP"):
        result = cli("run", kernel, "--device", device, "--input", f"1={tmp_path / 'x.npy'}")
        assert result.stdout == "PARAM[0] f32 (3,)\n[2. 4. 6.]\n", result.output
    assert "for (" in cli("compile", kernel, "--device", "C").stdout


def test_memory_that_names_no_device_is_on_the_one_asked_for(cli, tmp_path):
    plain = "graph g {\n  x = PARAM[0]:i32\n  y = PARAM[1]:i32\n  return MIN(x, y) + MAX(y, x)\n}\n"
    program = tmp_path / "g.uop"
    for text in (
        plain,
        plain.replace("PARAM[0]", 'PARAM[0, (), "C"]'),
        plain.replace("PARAM", "BUFFER"),
    ):
        program.write_text(text)
        for device in ("C", "INTERP"):
            assert cli("bisect", program, "--device", device).exit_code == 0
            result = cli("run", program, "--device", device)
            assert result.exit_code == 0 and result.stdout.startswith("PARAM[2] i32 ()")
        assert cli("compile", program, "--device", "CUDA").exit_code == 0
        assert cli("explain", program).exit_code == 0
        assert cli("reduce", program).stderr.startswith("nothing to reduce")
        early = cli("compile", program, "--stage", "early").stdout
        assert early.count('"C"') == 3 and "none" not in early


def test_a_schedule_by_hand_keeps_its_kernels(cli, tmp_path):
    """Parameters of a kernel name no device, even where the caller's are the same nodes."""
    np.save(tmp_path / "x.npy", np.array([1, 2, 3], np.float32))
    text = (
        "graph after_order {\n"
        '  i = RANGE[0, "loop"](3:index):index\n'
        "  x = PARAM[1, (3,)]:f32\n"
        "  y = PARAM[0, (3,)]:f32\n"
        "  k = SINK(END(STORE(INDEX(y, i), INDEX(x, i) * 2.0), i))\n"
        "  return LINEAR(CALL(k, y, x))\n"
        "}\n"
    )
    for device in ("C", "INTERP"):
        given = f"1={tmp_path / 'x.npy'}"
        result = cli("run", "-", "--device", device, "--input", given, stdin=text)
        assert result.stdout == "PARAM[0] f32 (3,)\n[2. 4. 6.]\n", result.output


def test_a_schedule_of_any_name_goes_on_behind_the_last_entry_of_schedules(
    cli, softmax, tmp_path, ones
):
    """As those on record in `golden/` do."""
    between, named = tmp_path / "between.uop", tmp_path / "named.uop"
    between.write_text(cli("compile", softmax, "--stage", "order").stdout)
    named.write_text(between.read_text().replace("graph after_order {", "graph graph {"))
    assert named.read_text() != between.read_text()
    result = cli("compile", named)
    assert result.exit_code == 0, result.output
    assert result.stdout == cli("compile", softmax).stdout
    assert values(cli("run", named, "--input", ones).stdout) == EIGHTH
    refused = cli("explain", named)
    assert refused.exit_code == 2 and "behind entry 'order'" in refused.output


def test_symbolic_variable(cli):
    text = 'graph g {\n  n = VAR["n", 1, 9]:index\n  return CAST(n):i32 + 1:i32\n}\n'
    assert cli("run", "-", "--var", "n=4", stdin=text).stdout == "PARAM[0] i32 ()\n5\n"
    missing = cli("run", "-", stdin=text)
    assert missing.exit_code == 2 and "variable n has no value" in missing.stderr
    other = cli("run", "-", "--var", "n=4", "--var", "m=4", stdin=text)
    assert other.exit_code == 2 and "has no variable 'm'; those that it has are n" in other.stderr


@pytest.mark.parametrize("device", ["C", "INTERP"])
def test_a_variable_of_sizes_may_be_given(cli, device):
    text = (
        'graph g {\n  n = VAR["n", 1, 9]:index\n  x = EXPAND[(9,)](RESHAPE[(1,)](2.0:f32))\n'
        "  y = SHRINK[((0, none),)](x, BIND(n, 4:index))\n"
        "  return RESHAPE[()](REDUCE_AXIS[ADD, (0,)](y))\n}\n"
    )
    for given, found in ((["--var", "n=7"], "14.0"), ([], "8.0")):
        result = cli("run", "-", "--device", device, *given, stdin=text)
        assert result.exit_code == 0 and result.stdout.split()[-1] == found, result.output


@pytest.mark.parametrize(
    "args, status, text",
    [
        (["compile", "--stage", "nope"], 2, "unknown stage 'nope'; stages are functions, "),
        (["compile", "--device", "cud"], 2, "Did you mean 'CUDA'?"),
        (["run", "--input", "x"], 2, "expected SLOT=FILE.npy, found 'x'"),
        (["run", "--input", "0=missing.npy"], 2, "no such file: missing.npy"),
        (["run", "--var", "n=x"], 2, "expected NAME=NUMBER, found 'n=x'"),
        (["run", "--var", "n=4"], 2, "--var: the graph has no variable 'n'\n"),
    ],
)
def test_misuse(cli, softmax, args, status, text):
    result = cli(args[0], softmax, *args[1:])
    assert result.exit_code == status and text in result.stderr


def test_inputs_that_do_not_fit(cli, softmax, tmp_path):
    np.save(tmp_path / "x.npy", np.ones((8, 4), np.float32))
    wrong = cli("run", softmax, "--input", f"0={tmp_path / 'x.npy'}")
    assert wrong.exit_code == 2 and "expected float32 of shape (4, 8)" in wrong.stderr
    for number in (1, 7):  # 1 is that of the result, which the file does not name
        unknown = cli("run", softmax, "--input", f"{number}={tmp_path / 'x.npy'}")
        says = f"--input: the graph has no PARAM or BUFFER {number}; those that it has are 0"
        assert unknown.exit_code == 2 and says in unknown.stderr


def test_inputs_have_the_numbers_of_the_file(cli, tmp_path):
    graph = tmp_path / "less.uop"
    graph.write_text("""graph less {
  left = BUFFER[7, (2,), "C"]:f32
  right = BUFFER[3, (2,), "C"]:f32
  return left - right
}
""")
    for number in (7, 3):
        np.save(tmp_path / f"{number}.npy", np.full(2, number, np.float32))
    options = [part for n in (7, 3) for part in ("--input", f"{n}={tmp_path / f'{n}.npy'}")]
    assert cli("run", graph, *options).stdout == "PARAM[2] f32 (2,)\n[4. 4.]\n"
    assert "those that it has are 3, 7" in cli("run", graph, *options[:-1],
                                               f"0={tmp_path / '3.npy'}").stderr  # fmt: skip


def test_going_back_and_running_a_lowered_graph_on_a_device_are_refused(cli, softmax, tmp_path):
    late = tmp_path / "late.uop"
    late.write_text(cli("compile", softmax, "--stage", "axes").stdout)
    back = cli("compile", late, "--stage", "early")
    assert back.exit_code == 2 and "has passed 'early' already" in back.stderr
    run = cli("run", late, "--device", "C")
    assert run.exit_code == 2 and "runs on --device INTERP only" in run.stderr


def test_a_bad_graph_shows_place_and_no_traceback(shell, tmp_path):
    bad = tmp_path / "bad.uop"
    bad.write_text("graph g {\n  return ADDD(1:i32, 2:i32)\n}\n")
    result = shell("run", bad)
    assert result.returncode == 2
    assert result.stderr.startswith(f"{bad}:2:10: error: ") and "Traceback" not in result.stderr
