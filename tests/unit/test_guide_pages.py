"""The pages of the guide say what is so: names, commands, sessions, the picture of the layers."""

from __future__ import annotations

import ast
import doctest
import re
import shlex
from pathlib import Path

import pytest

import draw_layers

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "guide"
PAGES = sorted(GUIDE.glob("*.md"))
FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)
NAMED = re.compile(r"`([\w/.-]+\.(?:py|uop|lark))(?::(\w+))?`")
LOOSELY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page: Path, language: str) -> list[tuple[str, str]]:
    """Name and text of each fenced block of a language."""
    found = FENCE.findall(page.read_text(encoding="utf-8"))
    return [(name, text) for kind, name, text in found if kind == language]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Makes a folder with the files that a page shows the one in which things run."""

    def enter(page: Path) -> Path:
        for name, text in blocks(page, "uop"):
            (tmp_path / name).write_text(text)
        monkeypatch.chdir(tmp_path)
        return tmp_path

    return enter


def defines(path: Path, name: str) -> bool:
    """Whether a Python file or a file of the spec defines a name at its top, or in its rows."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        kinds = "op|stage|target|ruleset|rule|pipeline|entry"
        return re.search(rf"^\s*(?:{kinds}) {name}\b", text, re.M) is not None
    definitions = (ast.FunctionDef, ast.ClassDef)
    return any(isinstance(n, definitions) and n.name == name for n in ast.walk(ast.parse(text)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_and_names_that_a_page_mentions_exist(page):
    shown = {name for name, _ in blocks(page, "uop")}
    mentioned = [m for m in NAMED.findall(page.read_text(encoding="utf-8")) if m[0] not in shown]
    assert mentioned
    for file, name in mentioned:
        places = (ROOT / file, ROOT / "src/rulewright" / file, GUIDE / file)
        (path,) = [place for place in places if place.is_file()]
        assert not name or defines(path, name), f"{file} defines no {name}"


def test_a_name_that_is_not_defined_is_noticed():
    assert defines(ROOT / "src/rulewright/ir/node.py", "Fields")
    assert not defines(ROOT / "src/rulewright/ir/node.py", "Knot")
    assert not defines(ROOT / "spec/90-pipeline.uop", "knot")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_of_a_page_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (GUIDE / target).exists(), target


@pytest.mark.parametrize("name", ["tensor", "rule"])
def test_a_session_gives_the_output_that_is_shown(folder, name):
    page = GUIDE / f"{name}.md"
    folder(page)
    text = "\n".join(block for _, block in blocks(page, "python"))
    parsed = doctest.DocTestParser().get_doctest(text, {}, name, str(page), 0)
    assert len(parsed.examples) > 5
    said: list[str] = []
    doctest.DocTestRunner(optionflags=LOOSELY).run(parsed, out=said.append)
    assert not said, "".join(said)


COMMANDS = [
    (page, *command.split("\n", 1))
    for page in PAGES
    for _, block in blocks(page, "console")
    for command in re.split(r"^\$ ", block, flags=re.M)[1:]
]


@pytest.mark.timeout(60)  # one of them proves a rule
@pytest.mark.parametrize(("page", "command", "wanted"), COMMANDS, ids=[c for _, c, _ in COMMANDS])
def test_a_command_says_what_is_shown(cli, folder, page, command, wanted):
    folder(page)
    program, *words = shlex.split(command)
    assert program == "rulewright"
    said = cli(*words)
    assert said.exit_code == 0, said.output
    assert doctest.OutputChecker().check_output(wanted, said.output, LOOSELY), said.output


def test_the_picture_of_the_layers_is_that_of_the_imports():
    made = draw_layers.drawn(draw_layers.joined(draw_layers.imports()))
    kept = (GUIDE / "layers.svg").read_text(encoding="utf-8")
    assert made == kept, "python tools/draw_layers.py guide/layers.svg"


def test_a_picture_has_who_imports_above_and_no_line_that_a_longer_way_stands_for():
    graph = {"a": {"b", "c"}, "b": {"c"}, "c": {"d"}, "d": {"c"}}
    joined = draw_layers.joined(graph)
    assert joined == {"a": {"b", "c, d"}, "b": {"c, d"}, "c, d": set()}
    assert draw_layers.layers(joined) == [["c, d"], ["b"], ["a"]]
    assert draw_layers.without_shortcuts(joined) == {"a": {"b"}, "b": {"c, d"}, "c, d": set()}
    picture = draw_layers.drawn(joined)
    assert picture.count("<path") == 2 and picture.count(" C ") == 0
    past = draw_layers.drawn({"a": {"b", "d"}, "b": {"c"}, "c": set(), "d": set()})
    assert past.count("<path") == 3 and past.count(" C ") == 1


def test_no_import_is_counted_that_only_type_checkers_read():
    code = "import rulewright.a\nif TYPE_CHECKING:\n    import rulewright.b\ndef f():\n"
    code += "    from rulewright.c import d\n    from rulewright import Tensor\n"
    found = list(draw_layers.imported(ast.parse(code)))
    assert found == ["rulewright.a", "rulewright.c", "rulewright.tensor.tensor"]


MAY_IMPORT_A_TEST = re.compile(r"\b(import|from)\b(.*\\\n)*.*\btest_")
"""What a text holds that imports a test module, and few others: to parse all takes seconds."""


def imported_tests(text):
    """The lines of a module in which another one is imported that holds tests."""
    tree = ast.parse(text) if MAY_IMPORT_A_TEST.search(text) else ast.Module([], [])
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("test_"):
            yield node.lineno
        elif isinstance(node, ast.Import):
            yield from (node.lineno for a in node.names if a.name.startswith("test_"))


def test_no_test_module_imports_another():
    """What several need stands in a module whose name does not begin with `test_`."""
    for path in sorted((ROOT / "tests").rglob("*.py")):
        assert not list(imported_tests(path.read_text(encoding="utf-8"))), path


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("import test_a", [1]),
        ("x = 1\nfrom test_a import b\n", [2]),
        ("from .test_a import (\n    b,\n)\n", [1]),
        ("import a, \\\n    b, \\\n    test_a as c\n", [1]),
        ("def f():\n    x = 1; import os, test_a\n", [2]),
        ("from a import test_b\nimport latest_a\nfrom tests.test_a import b\n", []),
        ("'import test_a'\n", []),
    ],
)
def test_an_imported_test_module_is_seen_wherever_it_stands(text, lines):
    assert list(imported_tests(text)) == lines
