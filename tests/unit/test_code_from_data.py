"""A rule file is data: whatever is done with one, nothing runs that only the file names."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from lsp_editor import Editor
from lsprotocol import types

from rulewright.checks import check
from rulewright.checks.userfile import load_rules
from rulewright.errors import ArgumentError, RuleError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.rulesets import ruleset
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.allowed import allow_externs
from rulewright.lang.build import load_table
from rulewright.lang.matcher import generate_rules
from rulewright.lang.parse import parse_text

NAMES = ("hostile_module", "hostile_package.inner")
MODULE = """
from pathlib import Path
Path(__file__).with_name("mark").touch()

def same(x):
    return x
"""
RULES = """
extern build tests_same(x: uop) -> uop = "{module}:same" pure partial because "a test"
ruleset mine {{
  rule tests_hostile<T: Int>
    x:T + 0 => tests_same(x)
    prove interp
    example PARAM[0]:i32 + 0 => PARAM[0]:i32
    reject PARAM[0]:i32 + 1
}}
"""
PIPELINE = 'pipeline mine {{ entry one = pass "{module}:same" from function to function }}\n'
GRAPH = 'graph g {\n  return PARAM[0, (4,), "C"]:i32 + 0\n}\n'
REFUSED = "none of the modules that a rule file may take functions from"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A folder of modules that leave a mark where they are imported, and files that name them."""
    package = tmp_path / "hostile_package"
    package.mkdir()
    (package / "__init__.py").write_text(MODULE)
    (package / "inner.py").write_text(MODULE)
    (tmp_path / "hostile_module.py").write_text(MODULE)
    (tmp_path / "g.uop").write_text(GRAPH)
    for name in NAMES:
        (tmp_path / f"{name}.uop").write_text(RULES.format(module=name))
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [n for n in sys.modules if n.startswith("hostile_")]:
        del sys.modules[name]


def marks(home: Path) -> list[Path]:
    return sorted(home.rglob("mark"))


COMMANDS = {
    "check": ("check", "{rules}"),
    "check as json": ("check", "--format", "json", "{rules}"),
    "prove": ("prove", "--jobs", "1", "--no-cache", "{rules}"),
    "rewrite": ("rewrite", "{graph}", "--rules", "{rules}"),
    "bisect": ("bisect", "{graph}", "--rules", "{rules}"),
    "reduce": ("reduce", "{graph}", "--rules", "{rules}"),
    "explain": ("explain", "{graph}", "--rules", "{rules}"),
    "fmt": ("fmt", "--check", "{rules}"),
}


def command(home: Path, words: tuple[str, ...], module: str) -> list[str]:
    return [w.format(rules=home / f"{module}.uop", graph=home / "g.uop") for w in words]


@pytest.mark.parametrize("module", NAMES)
@pytest.mark.parametrize("words", COMMANDS.values(), ids=list(COMMANDS))
def test_no_command_imports_what_a_rule_file_names(cli, home, words, module):
    result = cli(*command(home, words, module))
    assert marks(home) == []
    status = {"check": 1, "fmt": 1}.get(words[0], 2)
    assert result.exit_code == status and "Traceback" not in result.output
    if words[0] != "fmt":
        assert REFUSED in result.output and f"{module}.uop" in result.output
        assert f"--allow-externs {module}" in result.output


@pytest.mark.parametrize("words", [COMMANDS["check"], COMMANDS["rewrite"], COMMANDS["prove"]])
def test_an_allowed_module_is_imported(cli, home, words):
    result = cli(*command(home, words, NAMES[0]), "--allow-externs", NAMES[0])
    assert result.exit_code == 0, result.output
    assert marks(home) == [home / "mark"]


def test_another_module_is_still_refused(cli, home):
    result = cli(*command(home, COMMANDS["check"], NAMES[1]), "--allow-externs", NAMES[0])
    assert result.exit_code == 1 and marks(home) == []


@pytest.mark.parametrize("name", ["", "os.", "a-b", "os:system", "."])
def test_what_is_no_modules_name_is_misuse(cli, home, name):
    result = cli(*command(home, COMMANDS["check"], NAMES[0]), "--allow-externs", name)
    assert result.exit_code == 2 and "expected the name of a module" in result.output


def test_a_library_call_loads_what_it_is_told_to_trust(home):
    path = home / f"{NAMES[0]}.uop"
    with pytest.raises(RuleError, match=REFUSED):
        load_rules(path)
    assert marks(home) == []
    x = UOp(Ops.PARAM, dtypes.i32, (), (0, (), None))
    with load_rules(path, externs=[NAMES[0]]):
        fired = []
        made = rewrite(x + 0, ruleset("symbolic"), trace=lambda rule, *_: fired.append(rule))
        assert made is x and fired == ["tests_hostile"]
    with pytest.raises(RuleError, match=REFUSED):  # allowed for that one file
        load_rules(path)


@pytest.mark.parametrize("externs", ["os", None, 3, [3], [None]])
def test_externs_are_a_collection_of_names(home, externs):
    with pytest.raises(ArgumentError, match="externs: expected"):
        load_rules(home / f"{NAMES[0]}.uop", externs=externs)


def test_a_name_that_is_none_is_refused(home):
    with pytest.raises(UsageError, match=r"expected the name of a module \(pkg.mod\), found 'a b'"):
        load_rules(home / f"{NAMES[0]}.uop", externs=["a b"])


def test_a_pass_of_a_pipeline_is_not_imported(home):
    path = home / "pipeline.uop"
    path.write_text(PIPELINE.format(module=NAMES[0]))
    [found] = check([path])
    assert REFUSED in found.message and marks(home) == []
    with allow_externs([NAMES[0]]):
        [found] = check([path])
    assert found.code == "beside"  # no file beside the spec has a pipeline
    assert marks(home) == [home / "mark"]


def test_a_module_that_cannot_be_imported_is_named_with_its_error(home):
    path = home / "missing.uop"
    path.write_text(RULES.format(module="hostile_nowhere"))
    with allow_externs(["hostile_nowhere"]):
        found = check([path])
    assert any("cannot import `hostile_nowhere`: ModuleNotFoundError" in d.message for d in found)


@pytest.mark.parametrize("options", [(), ("--allow-externs", NAMES[0])], ids=["plain", "allowed"])
def test_an_editor_that_opens_a_file_imports_only_what_is_allowed(home, monkeypatch, options):
    monkeypatch.setenv("PYTHONPATH", str(home), prepend=":")
    text = RULES.format(module=NAMES[0])
    editor = Editor(home, *options)
    try:
        uri = editor.open(home / "opened.uop", text)
        found = editor.diagnostics(uri)
        for word in ("tests_same", NAMES[0], "tests_hostile"):
            place = types.HoverParams(*editor.at(uri, text, word))
            editor.call("textDocument/hover", place)
            place = types.DefinitionParams(*editor.at(uri, text, word))
            editor.call("textDocument/definition", place)
    finally:
        editor.close()
    assert bool(found) == (not options)
    assert bool(marks(home)) == bool(options)


# ---- text that stands in what is generated ----------------------------------------------------

PLAIN = 'ruleset mine { rule tests_plain x + 77 => x trust "t" example PARAM[0]:i32 + 77 }\n'
PATHS = [
    'a\n    __import__("pathlib").Path("{mark}").touch() #.uop',
    'a"""\n__import__("pathlib").Path("{mark}").touch()\n""".uop',
    'a"""+__import__("pathlib").Path("{mark}").touch()+""".uop',
    "a\r\x0c\x0b\u2028\u0085.uop",
    "a\\.uop",
    "a\\x22\\x22\\x22.uop",
]


@pytest.mark.parametrize("name", PATHS)
def test_the_path_of_a_rule_file_stays_text(tmp_path, name):
    name = name.format(mark="mark")
    source = generate_rules(name, parse_text(PLAIN, name).items[0].rules, load_table())
    space: dict = {}
    exec(compile(source, "<rules>", "exec"), space)
    assert space["RULES"]["tests_plain"][0] == name
    shown = name.encode("unicode_escape").decode().replace('"', "'")
    assert space["__doc__"].encode("unicode_escape").decode()  # a text, whatever its escapes are
    assert f"# {shown}:1" in source


@pytest.mark.parametrize("prop", ["row", "function", "np", "toposort", "format", "gi_frame", "mro"])
@pytest.mark.parametrize("brackets", ["", "()"])
def test_a_matcher_is_not_made_of_a_rule_that_asks_for_what_is_no_property(prop, brackets):
    text = f'ruleset s {{ rule r x + 77 => x when x.op.{prop}{brackets} == none trust "t" }}'
    [rules] = [item.rules for item in parse_text(text).items if isinstance(item, t.RuleSetDecl)]
    with pytest.raises(RuleError, match=f"unknown property `{prop}`"):
        generate_rules("s", rules, load_table())


@pytest.mark.parametrize("name", ["x²", "xé", "x\u0660", "aﬁ"])
def test_names_are_of_ascii(tmp_path, name):
    path = tmp_path / "a.uop"
    path.write_text(PLAIN.replace("x", name), encoding="utf-8")
    assert {d.code for d in check([path])} == {"syntax"}


def test_a_name_of_python_that_two_files_declare_is_refused(cli, tmp_path):
    """Either rule would be proved by what the other one's file names."""
    rules = RULES.format(module="rulewright.schedule.movement")
    for name in ("one", "two"):
        text = rules.replace("ruleset mine", f"ruleset {name}").replace("hostile", name)
        (tmp_path / f"{name}.uop").write_text(text)
    for words in (["check"], ["prove", "--jobs", "1"]):
        result = cli(*words, tmp_path / "one.uop", tmp_path / "two.uop")
        assert result.exit_code == (1 if words[0] == "check" else 2)
        assert "two.uop:2:14: error: extern `tests_same` is declared twice" in result.output
        assert "one.uop:2:14: note: extern `tests_same` first declared here" in result.output
