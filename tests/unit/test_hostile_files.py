"""Files and programs that are broken, or made to break: a message with the place, no traceback."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from rulewright.checks import check
from rulewright.checks.userfile import load_rules
from rulewright.errors import RuleError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.text import read_graph
from rulewright.ir.uop import UOp
from rulewright.lang import build
from rulewright.lang.limits import MOST_DIGITS, MOST_LEVELS

GRAPH = 'graph g {\n  return PARAM[0, (4,), "C"]:i32 + 1\n}\n'
RULE = 'ruleset mine { rule tests_r x + 7 => x trust "t" example PARAM[0]:i32 + 7 }\n'
RIGHT = (
    "ruleset mine { rule tests_r x:i32 ^ x => 0 prove smt "
    "example PARAM[0]:i32 ^ PARAM[0]:i32 => 0:i32 }\n"
)
X = 'PARAM[0, (4,), "C"]:i32'

DEEP = {
    "nodes": lambda n: "NEG(" * n + X + ")" * n,
    "sums": lambda n: X + " + 1" * n,
    "signs": lambda n: "- " * n + X,
    "inversions": lambda n: "~" * n + X,
    "tuples": lambda n: f"PARAM[0, {'(' * n}4,{'),' * (n - 1)}), none]:i32",
    "fields": lambda n: f"({X})" + ".op" * n,
    "types": lambda n: "(" * n + X + "):i32" * n,
}
GRAPH_COMMANDS = ("check", "fmt --check", "run", "compile", "reduce", "bisect", "explain")
RULE_COMMANDS = ("check", "fmt --check", "prove --jobs 1")


def graph_file(tmp_path, expr: str):
    path = tmp_path / "deep.uop"
    path.write_text(f"graph g {{\n  return {expr}\n}}\n")
    return path


def refused(result, path, says: str, command: str) -> None:
    """A message that begins with the place, and no traceback; `check` answers that it is wrong."""
    assert result.exit_code == (1 if command == "check" else 2)
    assert isinstance(result.exception, SystemExit | None)
    assert re.search(rf"{re.escape(str(path))}:\d+:\d+: error: {says}", result.output)
    assert max(map(len, result.output.splitlines())) < 1000


@pytest.mark.parametrize("command", GRAPH_COMMANDS)
@pytest.mark.parametrize("kind", ["nodes", "sums"])
def test_a_graph_that_is_nested_too_deep_is_refused_by_every_command(cli, tmp_path, command, kind):
    """Deeper than Python recurses; what is far deeper is refused where all of them read it."""
    path = graph_file(tmp_path, DEEP[kind](2_000))
    refused(
        cli(*command.split(), path),
        path,
        f"this is nested deeper than {MOST_LEVELS} levels",
        command,
    )


@pytest.mark.parametrize("kind", DEEP)
def test_whatever_is_nested_too_deep_is_refused(tmp_path, kind):
    text = f"graph g {{ return {DEEP[kind](100_000)} }}"
    with pytest.raises(RuleError, match=f"deeper than {MOST_LEVELS} levels"):
        read_graph(text)


@pytest.mark.parametrize("command", RULE_COMMANDS)
@pytest.mark.parametrize("place", ["pattern", "result", "guard", "let", "example"])
def test_so_is_a_rule(cli, tmp_path, command, place):
    deep = DEEP["nodes" if place != "guard" else "signs"](2_000).replace(X, "x")
    lines = {
        "pattern": f"{deep} => x", "result": f"NEG(NEG(x)) => {deep}",
        "guard": f"NEG(NEG(x)) => x when {deep}", "let": f"NEG(NEG(x)) => y let y = {deep}",
        "example": f"NEG(NEG(x)) => x example {deep}",
    }  # fmt: skip
    path = tmp_path / "rule.uop"
    path.write_text(f'ruleset mine {{ rule tests_r {lines[place]} trust "t" }}')
    refused(cli(*command.split(), path), path, "this is nested deeper", command)


def test_brackets_alone_are_no_levels():
    text = f"graph g {{ return {'(' * 5_000}1:i32{')' * 5_000} }}"
    assert read_graph(text) is UOp.const(dtypes.i32, 1)


@pytest.mark.parametrize("kind", DEEP)
def test_what_is_within_the_limit_is_followed(cli, tmp_path, kind):
    count = (MOST_LEVELS - 20) // 2
    path = graph_file(tmp_path, DEEP[kind](count))
    for command in ("check", "fmt --check", "compile"):
        result = cli(*command.split(), path)
        assert "nested deeper" not in result.output
        assert isinstance(result.exception, SystemExit | None)


@pytest.mark.parametrize("part", ["pattern", "result"])
def test_a_rule_within_the_limit_runs(cli, tmp_path, part):
    deep = "NEG(" * 50 + "x" + ")" * 50
    node = deep.replace("x", "PARAM[0]:i32")
    rule = f"{deep} => x" if part == "pattern" else f"NEG(NEG(x)) => {deep}"
    example = (
        f"{node} => PARAM[0]:i32" if part == "pattern" else f"NEG(NEG(PARAM[0]:i32)) => {node}"
    )
    path = tmp_path / "rule.uop"
    why = "" if part == "pattern" else ' expands "a test"'
    path.write_text(
        f"ruleset mine strategy = once {{ rule tests_r<T: Int> {rule.replace('x', 'x:T', 1)}"
        f' trust "t" example {example} reject PARAM[0]:f32{why} }}'
    )
    assert check([path]) == []


DIGITS = "9" * 10_000


@pytest.mark.parametrize(
    "text",
    [
        f"graph g {{ return PARAM[0]:i32 + {DIGITS} }}",
        f"graph g {{ return PARAM[{DIGITS}]:i32 }}",
        f"graph g {{\n  p = PARAM[{DIGITS}, (), none]:i32\n  return p\n}}\n",
        f"graph g {{ return PARAM[0]:f32*{DIGITS} }}", f"graph g {{ return 1.{DIGITS}:f32 }}",
        f"graph g {{ return 1e{DIGITS}:f32 }}", f"ruleset a limit = {DIGITS} {{ }}",
        f'ruleset a {{ rule b priority +{DIGITS} x + 0 => x trust "t" }}',
        f"pipeline p {{ tolerate ulp:{DIGITS} }}", f"dtype x9 : Int bits = {DIGITS}",
        f"graph g {{ return 1:i32 }}}}\ngraph h {{ return {DIGITS}:i32 }}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", ["check", "fmt --check", "prove --jobs 1"])
def test_a_number_of_ten_thousand_digits_is_refused(cli, tmp_path, text, command):
    path = tmp_path / "digits.uop"
    path.write_text(text)
    refused(
        cli(*command.split(), path), path, f"a number has at most {MOST_DIGITS} characters", command
    )


# ---- bytes that are no text --------------------------------------------------------------------

BYTES = {
    "binary": bytes(range(256)) * 4,
    "latin": RULE.replace('"t"', '"\xe9"').encode("latin-1"),
    "utf-16": RULE.encode("utf-16"),
    "cut": "ruleset é".encode()[:-1],
}


@pytest.mark.parametrize("data", BYTES.values(), ids=list(BYTES))
@pytest.mark.parametrize(
    "words",
    ["prove --jobs 1 {f}", "rewrite {g} --rules {f}", "bisect {g} --rules {f}", "run {f}",
     "reduce {g} --rules {f}", "explain {g} --rules {f}", "fmt {f}", "compile {f}", "bisect {f}"],
)  # fmt: skip
def test_a_file_that_is_no_text_is_misuse(cli, tmp_path, data, words):
    (tmp_path / "g.uop").write_text(GRAPH)
    path = tmp_path / "f.uop"
    path.write_bytes(data)
    result = cli(*words.format(f=path, g=tmp_path / "g.uop").split())
    assert result.exit_code == 2 and isinstance(result.exception, SystemExit)
    assert re.search(r"f\.uop: expected UTF-8 text, byte \d+ of line 1 is 0x", result.stderr)
    assert path.read_bytes() == data


@pytest.mark.parametrize(
    "words", ["check {f}", "fmt {f}", "run {f}", "prove --jobs 1 {f}", "compile {f}"]
)
@pytest.mark.parametrize("kind", ["endless", "long", "unreadable"])
def test_what_has_no_end_or_cannot_be_read_is_misuse(cli, tmp_path, monkeypatch, kind, words):
    (tmp_path / "g.uop").write_text(GRAPH)
    path, says = tmp_path / "long.uop", "expected at most 1 MiB of text"
    monkeypatch.setattr("rulewright.lang.reading.MOST_BYTES", 1 << 20)
    path.write_text("# comment\n" * 150_000)
    if kind == "endless":
        path = Path("/dev/zero")
        if words.split()[0] in ("check", "fmt", "prove"):  # which take files and folders
            says = "expected a file or folder, found a pipe or device: /dev/zero"
    elif kind == "unreadable":
        path, says = Path("/proc/self/mem"), "cannot read /proc/self/mem: "
    if not path.exists():
        pytest.skip(f"there is no {path} here")
    result = cli(*words.format(f=path, g=tmp_path / "g.uop").split())
    problem = words.startswith("check") and kind != "endless"
    assert result.exit_code == (1 if problem else 2)
    assert isinstance(result.exception, SystemExit) and says in result.output


def test_the_mark_that_some_editors_put_first_is_left_out(cli, tmp_path):
    path = tmp_path / "marked.uop"
    path.write_text(RIGHT, encoding="utf-8-sig")
    assert check([path]) == []
    assert cli("fmt", path).exit_code == 0
    assert path.read_text(encoding="utf-8").startswith("ruleset mine {")


def test_a_character_that_is_not_seen_is_told_by_its_number(tmp_path):
    path = tmp_path / "space.uop"
    path.write_text(RIGHT.replace("^ x =>", "^\u200bx =>"), encoding="utf-8")
    (problem,) = check([path])
    assert problem.message == "unexpected character `U+200B`"
    assert problem.help == "take it out"


def test_a_file_that_comes_to_the_spec_meanwhile_is_not_looked_at(tmp_path, monkeypatch):
    path = tmp_path / "mine.uop"
    path.write_text(RIGHT, encoding="utf-8")
    monkeypatch.setattr(build, "spec_files", lambda: [*build.spec_dir().rglob("*.uop"), path])
    assert check([path]) == []


def test_of_very_many_errors_some_are_told(tmp_path):
    path = tmp_path / "many.uop"
    path.write_text("rule x\n" * 20_000)
    assert len(check([path])) == 100


def test_so_it_is_for_the_library(tmp_path):
    path = tmp_path / "f.uop"
    path.write_bytes(BYTES["binary"])
    with pytest.raises(UsageError, match="expected UTF-8 text, byte 1 of line 1 is"):
        load_rules(path)
    assert [d.code for d in check([path])] == ["text"]


# ---- arrays ------------------------------------------------------------------------------------


@pytest.fixture
def arrays(tmp_path):
    np.save(tmp_path / "good.npy", np.arange(4, dtype=np.int32))
    data = (tmp_path / "good.npy").read_bytes()
    (tmp_path / "truncated.npy").write_bytes(data[:-5])
    (tmp_path / "header.npy").write_bytes(data[:20])
    (tmp_path / "garbage.npy").write_bytes(b"garbage" * 20)
    (tmp_path / "empty.npy").write_bytes(b"")
    (tmp_path / "huge.npy").write_bytes(data.replace(b"(4,)", b"(9999999999999,)"))
    np.save(tmp_path / "objects.npy", np.array([{}, 1, 2, 3], dtype=object), allow_pickle=True)
    np.savez(tmp_path / "several.npz", a=np.arange(4))
    np.save(tmp_path / "longer.npy", np.arange(5, dtype=np.int32))
    (tmp_path / "g.uop").write_text(GRAPH)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("truncated.npy", "expected an array of numbers as numpy.save writes it"),
        ("header.npy", "expected an array of numbers as numpy.save writes it"),
        ("garbage.npy", "expected an array of numbers as numpy.save writes it"),
        ("empty.npy", "expected an array of numbers as numpy.save writes it"),
        ("huge.npy", "expected an array of numbers as numpy.save writes it"),
        ("objects.npy", "expected an array of numbers as numpy.save writes it"),
        ("several.npz", "expected one array"),
        ("longer.npy", "expected int32 of shape"),
    ],
)
def test_what_is_no_array_is_misuse(cli, arrays, name, says):
    result = cli("run", arrays / "g.uop", "--input", f"0={arrays / name}")
    assert result.exit_code == 2 and f"{name}: {says}" in result.stderr
    assert "pickle" not in result.stderr  # numpy's word for any other file


def test_an_array_is_read(cli, arrays):
    result = cli("run", arrays / "g.uop", "--input", f"0={arrays / 'good.npy'}")
    assert result.exit_code == 0 and "[1 2 3 4]" in result.output


@pytest.mark.parametrize(
    "option",
    ["--seed -1", "--seed x", f"--seed {'9' * 5000}", f"--var n={'9' * 5000}", "--input x=g.npy",
     f"--input {'9' * 5000}=good.npy", "--input 0=nowhere.npy"],
)  # fmt: skip
def test_an_option_that_means_nothing_is_misuse(cli, arrays, monkeypatch, option):
    monkeypatch.chdir(arrays)
    result = cli("run", "g.uop", *option.split())
    assert result.exit_code == 2 and "Error: " in result.stderr


# ---- programs ----------------------------------------------------------------------------------

PROGRAM = """
from rulewright import Tensor

def needs(x):
    return x

def raises():
    def inner():
        raise ValueError("of my own")
    return inner()

def wrong():
    return Tensor([1, 2]).reshape(5)

def deep():
    return deep()

def exits():
    raise SystemExit(3)

def caused():
    try:
        raises()
    except ValueError as error:
        raise KeyError("for that") from error

number = 5
"""


@pytest.fixture
def programs(tmp_path, monkeypatch):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "syntax.py").write_text("def f(:\n  pass\n")
    (tmp_path / "latin.py").write_bytes(b'x = "\xe9"\n')
    (tmp_path / "nul.py").write_bytes(b"x = 1\x00\n")
    (tmp_path / "early.py").write_text('raise KeyError("while it is read")\n')
    (tmp_path / "needs_module.py").write_text("import nowhere_at_all\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", ["bisect", "explain"])
@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("program.py:raises", "ValueError: of my own"),
        ("program.py:wrong", "reshape: "),
        ("program.py:deep", "RecursionError"),
        ("program.py:exits", "ended itself: SystemExit(3)"),
        ("program.py:caused", "KeyError: 'for that'"),
        ("syntax.py:f", "SyntaxError"),
        ("latin.py:f", "SyntaxError"),
        ("nul.py:f", "null bytes"),
        ("early.py:f", "KeyError: 'while it is read'"),
        ("needs_module:f", "No module named 'nowhere_at_all'"),
    ],
)
def test_a_program_that_fails_shows_its_own_frames(cli, programs, command, program, says):
    result = cli(command, program)
    assert result.exit_code == 1 and isinstance(result.exception, SystemExit)
    assert says in result.stderr and result.stderr.rstrip().splitlines()[-1].startswith("error: ")
    frames = re.findall(r'File "([^"]+)"', result.stderr)
    assert all("rulewright/" not in f and "runpy" not in f and "<frozen" not in f for f in frames)
    assert len(frames) <= 20 * 2


@pytest.mark.parametrize("command", ["bisect", "explain"])
@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("program.py:needs", "a function that takes nothing"),
        ("program.py:number", "has no function"),
        ("program.py:nothing", "has no function"),
        ("program.py:", "expected MODULE:FUNCTION"),
        ("nowhere.py:f", "no such file"),
        ("nowhere:f", "cannot import nowhere"),
        ("nowhere.inner:f", "cannot import nowhere.inner"),
        ("..bad:f", "expected a module or a file"),
        ("a b:f", "expected a module or a file"),
        ("json:loads", "a function that takes nothing"),
    ],
)
def test_what_is_no_program_is_misuse(cli, programs, command, program, says):
    result = cli(command, program)
    assert result.exit_code == 2 and says in result.stderr


@pytest.mark.parametrize("script", ["syntax.py", "latin.py", "nul.py", "early.py"])
def test_a_profiled_script_shows_its_own_frames(cli, programs, script):
    result = cli("profile", script)
    assert result.exit_code == 1
    assert not re.search(r'File "[^"]*(rulewright/|runpy)', result.stderr)
