"""The command itself: help, misuse, errors."""

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import click
import pytest

from rulewright.cli.main import COMMANDS, Failure, LazyGroup
from rulewright.errors import RewriteError, RuleError, ShapeError


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_of_each_command_has_an_example(cli, name):
    result = cli(name, "--help")
    assert result.exit_code == 0
    assert "Usage: " in result.output
    assert f"Example:\n    rulewright {name}" in result.output


def test_help_lists_every_command_with_its_line(cli):
    result = cli("--help")
    assert result.exit_code == 0
    for name, line in COMMANDS.items():
        assert name in result.output and line.split()[0] in result.output


def test_help_imports_nothing_heavy():
    code = (
        "import sys, click.testing, rulewright.cli.main as m;"
        "r = click.testing.CliRunner().invoke(m.main, ['--help']);"
        "print(r.exit_code, [n for n in ('lark', 'numpy', 'rich', 'cffi') if n in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.strip() == "0 []", result.stderr


def test_ctrl_c_while_modules_are_imported_is_no_traceback():
    code = (
        "import sys\n"
        "class Pressed:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'click': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Pressed())\n"
        "import rulewright.__main__"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (1, "\nAborted!\n")


def test_version(cli):
    result = cli("--version")
    assert result.exit_code == 0
    assert result.output.startswith("rulewright ")


def test_sources_that_nobody_installed_have_no_version(cli, monkeypatch):
    """As where PYTHONPATH names `src`: what prints a version goes on without one."""

    def absent(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", absent)
    assert cli("--version").output == "rulewright 0+not.installed\n"
    result = cli("conformance", "-k", "values/relu6", "--format", "json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["version"] == "0+not.installed"


@pytest.mark.parametrize("args", [["nonsense"], ["check", "--nonsense"], ["check", "no/such/file"]])
def test_misuse_exits_2(cli, args):
    assert cli(*args).exit_code == 2


@pytest.mark.parametrize(
    "error, status, text",
    [
        (ShapeError("expected (2, 3), found (3, 2)"), 2, "error: expected (2, 3), found (3, 2)\n"),
        (RuleError("a.uop:1:2: error: no\n  help: yes"), 2, "a.uop:1:2: error: no\n  help: yes\n"),
        (RewriteError("it does not end"), 1, "error: it does not end\n"),
    ],
)
def test_an_error_is_its_message_on_stderr(cli, monkeypatch, error, status, text):
    @click.command()
    def fail():
        raise error

    monkeypatch.setattr(LazyGroup, "get_command", lambda self, ctx, name: fail)
    result = cli("fail")
    assert (result.exit_code, result.stderr, result.stdout) == (status, text, "")


@pytest.mark.parametrize("words", ["--help", "devices", "conformance --list", "lsp --textmate"])
def test_a_full_disk_behind_the_output_is_one_line(words):
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "rulewright", *words.split()]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "error: [Errno 28] No space left on device\n")


def test_a_bug_is_not_dressed_up_as_an_error_of_the_user(cli, monkeypatch):
    @click.command()
    def fail():
        raise ZeroDivisionError

    monkeypatch.setattr(LazyGroup, "get_command", lambda self, ctx, name: fail)
    assert isinstance(cli("fail").exception, ZeroDivisionError)


@pytest.mark.parametrize(("word", "near"), [("chek", "check"), ("benhc", "bench"), ("x" * 9, None)])
def test_a_misspelt_command(cli, word, near):
    result = cli(word)
    hint = f" Did you mean {near!r}?" if near else ""
    assert result.exit_code == 2 and f"No such command {word!r}.{hint}\n" in result.stderr


def test_failure_exits_1():
    assert Failure("x").exit_code == 1


def test_as_a_process(shell):
    good, misuse = shell("--version"), shell("nonsense")
    assert (good.returncode, misuse.returncode) == (0, 2)
    assert "No such command" in misuse.stderr and "Traceback" not in misuse.stderr


@pytest.mark.parametrize("words", [["--textmate"], []])
def test_colours_need_no_server(tmp_path, words) -> None:
    (tmp_path / "lsprotocol.py").write_text("raise ModuleNotFoundError('not here')")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run(
        [sys.executable, "-m", "rulewright", "lsp", *words],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if words:
        assert done.returncode == 0 and '"scopeName"' in done.stdout, done.stderr
    else:
        assert done.returncode == 1 and "pip install 'rulewright[lsp]'" in done.stderr
    assert "Traceback" not in done.stderr
