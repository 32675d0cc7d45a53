"""A wheel is complete: it imports and finds its spec with no checkout in sight."""

import os
import re
import subprocess
import sys
import zipfile

import pytest

from rulewright.cli.main import COMMANDS

RULES = """ruleset mine {
  rule sum_of_extremes<T: Int>
    MAX(x:T, y) + MIN(x, y) => x + y
    prove smt
    example MAX(PARAM[0]:i32, PARAM[1]:i32) + MIN(PARAM[0]:i32, PARAM[1]:i32)
      => PARAM[0]:i32 + PARAM[1]:i32
    reject MAX(PARAM[0]:f32, PARAM[1]:f32) + MIN(PARAM[0]:f32, PARAM[1]:f32)
}
"""
GRAPH = "graph g {\n  return MAX(PARAM[0]:i32, PARAM[1]:i32) + MIN(PARAM[0]:i32, PARAM[1]:i32)\n}\n"
TARGET = "/// As C is.\ntarget Mine extends C {\n}\n"
CERTIFICATE = """{"format": 1, "spec": "", "memory": [], "arenas": [], "assumed": [], "graphs": [],
"chains": []}"""
ANYWHERE = [
    "bench --list", "bisect g.uop", "check fold.uop", "compile g.uop", "conformance -k relu6",
    "devices", "explain g.uop", "fmt --check g.uop", "lsp --textmate",
    "overlaps minmax", "profile -m rulewright.examples.transformer --help",
    "prove fold.uop --quick", "rewrite g.uop --rules fold.uop", "run g.uop",
    "golden --spec mine.uop --target Mine --folder mine sum_all --update",
]  # fmt: skip
FINDING = {"discover --ops XOR --size 1": "0 rules", "verify certificate.json": "not borne out"}
"""Commands that end with status 1 for what they find here, and what they say."""
IN_A_CHECKOUT = [
    "cover", "cover --cases .", "doc", "doc --help", "golden", "golden --update",
    "mutate", "mutate --summary", "mutate --rule add_zero --record",
]  # fmt: skip


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory, root):
    """The unpacked wheel of this checkout, built without a network."""
    out = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    result = subprocess.run(build, cwd=root, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    (wheel,) = out.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(out / "unpacked")
    return out / "unpacked"


def run_in(folder, code, *args):
    """Run code where `rulewright` can only come from `folder`."""
    start = f"import sys; sys.path.insert(0, {str(folder)!r});"
    command = [sys.executable, "-I", "-c", start + code, *map(str, args)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_wheel_carries_the_whole_spec(unpacked, root):
    inside = sorted(
        p.relative_to(unpacked / "rulewright/spec").as_posix()
        for p in (unpacked / "rulewright/spec").rglob("*")
        if p.is_file()
    )
    outside = sorted(
        p.relative_to(root / "spec").as_posix() for p in (root / "spec").rglob("*") if p.is_file()
    )
    assert inside == outside and "uop.lark" in inside


def test_wheel_carries_generated_files_data_and_licence(unpacked):
    assert any((unpacked / "rulewright/_generated").iterdir())
    assert (unpacked / "rulewright/py.typed").exists()
    assert (unpacked / "rulewright/bench/roofline.c").exists()
    assert (unpacked / "rulewright/examples/data/digits.npz").exists()
    assert list(unpacked.glob("*.dist-info/licenses/LICENSE"))


def test_generated_files_are_used_so_nothing_is_parsed(unpacked, tmp_path):
    """With no cache and no parser at hand, simplifying still works."""
    code = (
        "import os; os.environ['CACHE_DIR'] = sys.argv[1];"
        "sys.modules['lark'] = None;"
        "from rulewright.ir.uop import UOp; from rulewright.ir.dtypes import dtypes;"
        "x = UOp.variable('x', 0, 9);"
        "print((x + 0).simplify() is x)"
    )
    assert run_in(unpacked, code, tmp_path).stdout == "True\n"


def test_wheel_imports_and_reads_its_own_spec(unpacked):
    code = (
        "import rulewright, rulewright.paths as p;"
        "print(p.spec_dir());"
        "from rulewright.examples.digits_data import load_digits;"
        "print(len(load_digits().train_labels))"
    )
    result = run_in(unpacked, code)
    assert result.stdout.split() == [str(unpacked / "rulewright/spec"), "1437"], result.stderr


@pytest.fixture
def away(unpacked, tmp_path):
    """Runs a command of the installed package, far from any checkout."""
    (tmp_path / "fold.uop").write_text(RULES)
    (tmp_path / "g.uop").write_text(GRAPH)
    (tmp_path / "mine.uop").write_text(TARGET)
    (tmp_path / "certificate.json").write_text(CERTIFICATE)

    def call(command):
        code = (
            f"import os; os.chdir({str(tmp_path)!r}); os.environ.pop('CI', None)\n"
            "from rulewright.cli.main import main; main(prog_name='rulewright')"
        )
        return run_in(unpacked, code, *command.split())

    return call


def test_devices_without_a_compiler_says_so_and_what_to_do(away, monkeypatch, tmp_path):
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setenv("CACHE_DIR", str(tmp_path / "cache"))
    result = away("devices")
    assert result.returncode == 0, result.stderr
    assert "no-such-compiler" in result.stdout and "install gcc" in result.stdout
    assert "default device  INTERP" in result.stdout


def test_a_cache_that_cannot_be_used_is_said_of_the_user_s_line(unpacked, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import rulewright\nprint(rulewright.Tensor([1.0, 2.0]).exp().tolist(), rulewright)\n"
    )
    (tmp_path / "file").write_text("")
    paths = {"CACHE_DIR": str(tmp_path / "file" / "cache"), "PYTHONPATH": str(unpacked)}
    result = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, env={**os.environ, **paths}
    )
    assert str(unpacked / "rulewright") in result.stdout
    [first] = [line for line in result.stderr.splitlines() if "RulewrightWarning" in line]
    assert re.match(rf"{program}:[12]: RulewrightWarning: the cache folder", first)
    assert str(unpacked / "rulewright") not in result.stderr


@pytest.mark.parametrize("command", ANYWHERE)
def test_a_command_works_where_there_is_no_checkout(away, command):
    result = away(command)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("command", FINDING)
def test_a_command_finds_what_it_finds_where_there_is_no_checkout(away, command):
    result = away(command)
    assert result.returncode == 1
    assert FINDING[command] in result.stdout + result.stderr


@pytest.mark.parametrize("command", IN_A_CHECKOUT)
def test_a_command_that_needs_the_checkout_says_so_at_once(away, command):
    result = away(command)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("error: this runs inside a checkout, which holds ")


def test_every_command_was_tried_away_from_the_checkout():
    tried = {command.split()[0] for command in [*ANYWHERE, *FINDING, *IN_A_CHECKOUT]}
    assert set(COMMANDS) - tried == {"demo", "reduce"}  # slow; and what `bisect` finds wrong
