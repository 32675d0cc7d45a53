"""`rulewright fmt`."""

import subprocess
import sys

import pytest

UGLY = 'ruleset  mine{\n rule r<T:Int> x:T-x=>{0}:T trust "t"\n}\n'


@pytest.fixture
def ugly(tmp_path):
    path = tmp_path / "ugly.uop"
    path.write_text(UGLY)
    return path


def test_check_changes_nothing_and_fails(cli, ugly):
    result = cli("fmt", "--check", ugly)
    assert result.exit_code == 1
    assert result.stdout == f"would change {ugly}\n1 of 1 file would change\n"
    assert ugly.read_text() == UGLY


def test_fmt_changes_the_file_once(cli, ugly):
    first = cli("fmt", ugly)
    assert (first.exit_code, first.stdout) == (0, f"changed {ugly}\n1 of 1 file changed\n")
    assert "ruleset mine {\n" in ugly.read_text()
    assert cli("fmt", ugly).stdout == "0 of 1 file changed\n"
    assert cli("fmt", "--check", ugly).exit_code == 0


def test_a_file_that_does_not_parse_is_reported_and_left(cli, ugly, tmp_path):
    bad = tmp_path / "bad.uop"
    bad.write_text("ruleset {\n")
    result = cli("fmt", tmp_path)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"{bad}:1:") and bad.read_text() == "ruleset {\n"
    assert f"changed {ugly}" in result.stdout


def test_files_are_needed(cli):
    assert cli("fmt").exit_code == 2


def test_the_spec_is_laid_out(shell):
    result = shell("fmt", "--check", "spec")
    assert result.returncode == 0, result.stdout


_ON_A_FULL_DISK = """
import resource, sys
from rulewright.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
sys.argv = ["rulewright", "fmt", *sys.argv[1:]]
main()
"""


def test_what_is_laid_out_is_written_whole_or_not_at_all(ugly):
    """Where a disk has no room, here where a file may have no more than 4 KiB, nothing is lost."""
    before = "".join(UGLY.replace("mine", f"mine{i}") for i in range(100))
    ugly.write_text(before)
    command = [sys.executable, "-c", _ON_A_FULL_DISK, str(ugly)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 2 and ugly.read_text() == before
    assert f"error: fmt: cannot write {ugly}: " in result.stderr
    assert [path.name for path in ugly.parent.iterdir()] == ["ugly.uop"]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_lines_may_end_otherwise(cli, ugly, end):
    text = f"# A note.\n{UGLY}"
    ugly.write_text(text)
    assert cli("fmt", ugly).exit_code == 0
    wanted = ugly.read_bytes()
    ugly.write_text(text, newline=end)
    assert cli("fmt", ugly).exit_code == 0
    assert ugly.read_bytes() == wanted
