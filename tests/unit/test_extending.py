"""EXTENDING.md: its files are those of `tests/outside`, its commands say what it shows."""

from __future__ import annotations

import doctest
import re
import shutil
from pathlib import Path

import pytest
from outside_tools import OUTSIDE, ROOT, install, run

FENCE = re.compile(r"^(?:(from |with )?`([\w/.-]+)`:\n\n)?```(\w*)\n(.*?)^```$", re.M | re.S)


@pytest.fixture(scope="module")
def text(root) -> str:
    return (root / "EXTENDING.md").read_text()


@pytest.fixture(scope="module")
def site(tmp_path_factory, text) -> Path:
    """Both packages, installed, and the files of the page in the folder that commands run in."""
    folder = tmp_path_factory.mktemp("extending")
    away = folder / "away"
    away.mkdir()
    for file in ("cube/cube.uop", "c99/rulewright_c99/c99.uop"):
        (away / file).parent.mkdir(parents=True)
        shutil.copy(OUTSIDE / file, away / file)
    (graph,) = [block for how, _, _, block in FENCE.findall(text) if how == "with "]
    (away / "roots.uop").write_text(graph)
    return install("stack", install("c99", folder / "site"))


def test_files_are_those_that_tests_run(text):
    shown = {name: (how, block) for how, name, _, block in FENCE.findall(text) if name}
    assert len(shown) == 7
    for name, (how, block) in shown.items():
        if how == "with ":
            continue
        file = (OUTSIDE / name).read_text()
        if how:
            for part in block.split("…\n"):
                assert part in file, f"{name} has no such lines:\n{part}"
        else:
            assert block == file, name


def commands(text: str) -> list[tuple[str, str]]:
    """Each command of the page with what it says."""
    blocks = [block for _, _, language, block in FENCE.findall(text) if language == "console"]
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.M)[1:]]
    return [tuple(part.split("\n", 1)) for part in parts]


COMMANDS = commands((ROOT / "EXTENDING.md").read_text())


def test_there_are_commands():
    assert len(COMMANDS) == 9


@pytest.mark.timeout(60)  # a process of its own, whose caches may be cold
@pytest.mark.parametrize(("command", "wanted"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_commands_say_what_is_shown(site, command, wanted):
    words = [a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', command)]
    assert words[0] == "rulewright"
    said = run(site, *words[1:], CI="", COLUMNS="200")
    said = re.sub(r"^conformance of .*\n", "", said, flags=re.M)  # progress, where it takes long
    rules = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    wanted = wanted.replace("<BLANKLINE>", "")
    assert doctest.OutputChecker().check_output(wanted, said, rules), said


SESSION = """
import doctest, sys
text = sys.stdin.read()
parsed = doctest.DocTestParser().get_doctest(text, {}, "page", "EXTENDING.md", 0)
assert len(parsed.examples) == 8, parsed.examples
assert not doctest.DocTestRunner().run(parsed).failed
"""


@pytest.mark.timeout(60)  # as above
def test_the_session_gives_the_output_that_is_shown(text, site):
    (session,) = [block for _, _, language, block in FENCE.findall(text) if language == "python"]
    run(site, code=SESSION.replace("sys.stdin.read()", repr(session)))
