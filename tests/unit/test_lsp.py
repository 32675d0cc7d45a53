"""The language server, asked by a real client over standard input and output."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from lsp_editor import Editor, edited, where
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.uris import to_fs_path
from pygls.workspace import PositionCodec

from rulewright.lang.fmt import format_text
from rulewright.lang.tree import Span
from rulewright.lsp.positions import TextPositions
from rulewright.lsp.project import Project, uop_files_below
from rulewright.lsp.server import Session

RULES = """
/// Numbers, 𝕏 and ℝ: a comment that is not ASCII.
ruleset mine {
  /// A 𝒟oc of twice.
  rule twice<T: Int>
    NEG(NEG(x:T)) => x
    prove smt
    example NEG(NEG(PARAM[0]:i32)) => PARAM[0]:i32
    reject  NEG(NEG(PARAM[0]:f32))
  rule wrong<T: Float>
    _:T * 0.0 => {0.0}:T
    prove interp
    example PARAM[0]:f32 * 0.0 => 0.0:f32
    reject  PARAM[0]:i32 * 0
}
"""
BROKEN = """
ruleset mine {
  rule one NEG(NEG(x)) => x trust "𝕏𝕐" example NEG(NEG(1:i32)) -> 1:i32
  rule two NEG(NEG(x)) = x
}
"""
MISSPELT = 'ruleset m { rule r NEG(NEG(x)) => x trust "𝕏𝕐" example NEGG(NEG(1:i32)) => 1:i32 }'


@pytest.fixture(scope="module")
def editor(root):
    made = Editor(root)
    yield made
    made.close()


@pytest.fixture(scope="module")
def spec_file(root):
    """A file of the spec: its path and text."""
    path = root / "spec/40-algebra/20-canonical.uop"
    return path, path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def mine(editor, tmp_path_factory):
    """A document outside of the spec that was never saved: its uri."""
    return editor.open(tmp_path_factory.mktemp("away") / "mine.uop", RULES)


# ---- diagnostics ------------------------------------------------------------------------------


def test_problems_as_you_type(editor, tmp_path):
    uri = editor.open(tmp_path / "typed.uop", BROKEN)
    arrow, equals = editor.diagnostics(uri)
    assert arrow.message.startswith("expected `=>`, found `->`") and arrow.code == "syntax"
    assert arrow.range == where(BROKEN, "->")  # behind letters of two units
    assert equals.message.startswith("expected `=>`, found `=`")
    assert {d.severity for d in (arrow, equals)} == {types.DiagnosticSeverity.Error}
    editor.change(uri, MISSPELT)
    op = next(d for d in editor.diagnostics(uri) if d.code == "unknown")
    own = "ops of your own are there once their file is loaded: --spec FILE, or load_spec(path)"
    assert op.message == f"unknown op `NEGG`\nhelp: did you mean `NEG`? {own}"
    assert op.range == where(MISSPELT, "NEGG")
    editor.change(uri, RULES)
    assert list(editor.diagnostics(uri)) == []
    editor.change(uri, RULES.replace("NEG(NEG(x:T)) => x", "NEG(NEG(x:T)) => y"))
    [unbound] = editor.diagnostics(uri)
    assert "`y` is not bound" in unbound.message
    editor.shut(uri)


@pytest.mark.parametrize("text", ["", "\n", "ruleset", 'ruleset x { rule "', "}}}", "\u0085𝕏\r\n#"])
def test_any_text_is_answered(editor, tmp_path, text):
    uri = editor.open(tmp_path / "odd.uop", text)
    item = types.TextDocumentIdentifier(uri)
    for line in (0, 1, 7):
        at = types.Position(line, 3)
        assert editor.call("textDocument/hover", types.HoverParams(item, at)) is None
        assert editor.call("textDocument/definition", types.DefinitionParams(item, at)) == []
    editor.call("textDocument/documentSymbol", types.DocumentSymbolParams(item))
    found = editor.diagnostics(uri)
    assert bool(found) == bool(text.replace("#", "").strip("\n"))
    editor.shut(uri)


def test_a_file_of_the_spec_is_read_with_the_whole_spec(editor, root, spec_file):
    path, text = spec_file
    other = root / "spec/40-algebra/10-folding.uop"
    [taken] = re.findall(r"rule (fold_arithmetic)\b", other.read_text(encoding="utf-8"))
    changed = re.sub(r"\brule (\w+)", f"rule {taken}", text, count=1)
    uri = editor.open(path, changed)
    found = [d for d in editor.diagnostics(uri) if d.code == "duplicate"]
    [duplicate] = found
    hint = "help: choose another: names are of all files"
    assert duplicate.message == f"rule `{taken}` is declared twice\n{hint}"
    [related] = duplicate.related_information
    assert Path(to_fs_path(related.location.uri)) == other
    line = other.read_text(encoding="utf-8").split("\n")[related.location.range.start.line]
    assert f"rule {taken}" in line
    editor.change(uri, text)
    assert list(editor.diagnostics(uri)) == []
    editor.shut(uri)


# ---- hover, definition, references ----------------------------------------------------------


def hover(editor, uri, text, word, skip=0):
    answer = editor.call("textDocument/hover", types.HoverParams(*editor.at(uri, text, word, skip)))
    return answer.contents.value, answer.range


def test_hover_tells_doc_and_proof_status(editor, mine):
    shown, span = hover(editor, mine, RULES, "twice", 1)
    assert "A 𝒟oc of twice." in shown and "NEG(NEG(x:T)) => x" in shown
    assert "**proved**" in shown or "**bounded**" in shown
    assert span == where(RULES, "twice", 1)
    shown, _ = hover(editor, mine, RULES, "wrong")
    assert "**refuted**" in shown and "```" in shown.partition("**refuted**")[2]


def test_hover_of_all_else(editor, mine, root):
    assert "op NEG<T: Number>(x: T) : T" in hover(editor, mine, RULES, "NEG")[0]
    assert "bits = 32" in hover(editor, mine, RULES, "i32")[0]
    sets = hover(editor, mine, RULES, "Int")[0]
    assert "i8" in sets and "f32" not in sets
    assert hover(editor, mine, RULES, "x")[0] == "`x`: a node"
    assert "T: Int" in hover(editor, mine, RULES, "T")[0]
    path = root / "spec/60-schedule.uop"
    text = path.read_text(encoding="utf-8")
    uri = editor.open(path, text)
    shown = hover(editor, uri, text, "depends_on")[0]
    assert "asks for a whole sub-graph" in shown and "def depends_on(" in shown
    editor.shut(uri)


def definition(editor, uri, text, word, skip=0):
    params = types.DefinitionParams(*editor.at(uri, text, word, skip))
    [found] = editor.call("textDocument/definition", params)
    path = Path(to_fs_path(found.uri))
    return path.name, path.read_text(encoding="utf-8").split("\n")[found.range.start.line]


def test_definitions(editor, mine, root):
    name, line = definition(editor, mine, RULES, "NEG")
    assert name == "20-ops.uop" and line.startswith("op NEG<")
    name, line = definition(editor, mine, RULES, "i32")
    assert name == "10-dtypes.uop" and line.startswith("dtype i32 ")
    name, line = definition(editor, mine, RULES, "Int")
    assert name == "10-dtypes.uop" and re.match(r"dtypes Int\s*=", line)
    path = root / "spec/90-pipeline.uop"
    text = path.read_text(encoding="utf-8")
    uri = editor.open(path, text)
    assert definition(editor, uri, text, "symbolic")[1].startswith("ruleset symbolic ")
    assert definition(editor, uri, text, "ranged")[1].startswith("stage ranged ")
    passed = "rulewright.schedule.rangeify:rangeify"
    assert definition(editor, uri, text, passed)[0] == "rangeify.py"
    assert definition(editor, uri, text, passed)[1].startswith("def rangeify(")
    editor.shut(uri)


def test_an_extern_leads_to_its_declaration_and_that_to_python(editor, root):
    path = root / "spec/60-schedule.uop"
    text = path.read_text(encoding="utf-8")
    uri = editor.open(path, text)
    use = len(re.findall(r"\bdepends_on\b", text)) - 1
    name, line = definition(editor, uri, text, "depends_on", use)
    assert name == "60-schedule.uop" and line.startswith("extern guard depends_on(")
    name, line = definition(editor, uri, text, "depends_on")
    assert name == "externs.py" and line.startswith("def depends_on(")
    editor.shut(uri)


def test_references_are_all_places_of_spec_and_cases(editor, root, spec_file):
    path, text = spec_file
    word = re.findall(r"\brule (\w+)", text)[0]
    uri = editor.open(path, text)
    params = types.ReferenceParams(
        types.ReferenceContext(True), *editor.at(uri, text, f"rule {word}")
    )
    params.position.character += len("rule ")
    found = editor.call("textDocument/references", params)
    got = sorted((Path(to_fs_path(f.uri)), f.range.start.line) for f in found)
    expected = []
    for folder in ("spec", "tests/cases"):
        for file in (root / folder).rglob("*.uop"):
            for number, line in enumerate(file.read_text(encoding="utf-8").split("\n")):
                code = re.sub(r"\bcase \w+|#.*|///.*", "", line)
                expected += [(file, number)] * len(re.findall(rf"\b{word}\b", code))
    inside = [g for g in got if "errors" not in g[0].parts and "planted" not in g[0].parts]
    assert inside == sorted(expected) and len(inside) > 1
    editor.shut(uri)


# ---- rename, format, outline, completion --------------------------------------------------------


def rename(editor, uri, text, word, new, skip=0):
    item, at = editor.at(uri, text, word, skip)
    return editor.call("textDocument/rename", types.RenameParams(item, at, new)).changes


def test_a_variable_is_renamed_within_its_rule(editor, mine):
    [(uri, edits)] = rename(editor, mine, RULES, "x", "operand").items()
    expected = RULES.replace("NEG(NEG(x:T)) => x", "NEG(NEG(operand:T)) => operand")
    assert uri == mine and edited(RULES, edits) == expected
    [(_, edits)] = rename(editor, mine, RULES, "T", "K").items()
    assert edited(RULES, edits) == RULES.replace("<T: Int>", "<K: Int>").replace("x:T)", "x:K)")


def test_a_rule_is_renamed_where_it_is_named(editor, mine):
    text = RULES + (
        "\n# twice\ncase c {\n  input { return NEG(NEG(PARAM[0]:i32)) }\n"
        "  rewrite mine.twice { return PARAM[0]:i32 }\n  trace twice\n}\n"
    )
    editor.change(mine, text)
    [(_, edits)] = rename(editor, mine, text, "twice", "double_minus", 1).items()
    made = edited(text, edits)
    assert re.findall(r"rule double_minus|mine\.double_minus|trace double_minus", made) == [
        "rule double_minus",
        "mine.double_minus",
        "trace double_minus",
    ]
    assert made.count("twice") == text.count("twice") - 3
    editor.change(mine, RULES)


@pytest.mark.parametrize(
    "word, new, reason",
    [
        ("NEG", "MINUS", "^the op is known to Python by its name `NEG`"),
        ("twice", "Twice", "is no name for a rule"),
        ("twice", "wrong", "already"),
        ("twice", "add_zero", "already"),
        ("x", "when", "begins a clause"),
        ("x", "f32", "means something in every rule"),
        ("x", "ctx", "means something in every rule"),
        ("x", "nan", "would mean something else"),
        ("x", "_", "is no name for a variable"),
        ("mine", "symbolic", "already"),
    ],
)
def test_nonsense_is_refused(editor, mine, word, new, reason):
    with pytest.raises(JsonRpcInvalidParams, match=reason):
        rename(editor, mine, RULES, word, new, 1 if word == "twice" else 0)


def test_a_rule_of_the_spec_is_renamed_in_spec_and_cases(editor, root, spec_file):
    path, text = spec_file
    word = re.findall(r"\brule (\w+)", text)[0]
    uri = editor.open(path, text)
    item, at = editor.at(uri, text, f"rule {word}")
    at.character += len("rule ")
    changes = editor.call("textDocument/rename", types.RenameParams(item, at, "brand_new")).changes
    for uri, edits in changes.items():
        before = Path(to_fs_path(uri)).read_text(encoding="utf-8")
        after = edited(before, edits)
        assert len(re.findall(r"\bbrand_new\b", after)) == len(edits)
        assert re.sub(r"\bbrand_new\b", word, after) == before
    assert len(changes) > 1
    editor.shut(uri)


def test_format_is_that_of_the_command(editor, tmp_path):
    text = RULES.replace("    NEG(NEG(x:T)) => x", "  NEG( NEG(x:T) )=>x").rstrip()
    uri = editor.open(tmp_path / "laid_out.uop", text)
    item, options = types.TextDocumentIdentifier(uri), types.FormattingOptions(2, True)
    params = types.DocumentFormattingParams(item, options)
    assert edited(text, editor.call("textDocument/formatting", params)) == format_text(text)
    editor.change(uri, format_text(text))
    assert list(editor.call("textDocument/formatting", params)) == []
    editor.change(uri, BROKEN)
    assert list(editor.call("textDocument/formatting", params)) == []
    editor.shut(uri)


def test_outline_and_completion(editor, mine):
    item = types.TextDocumentIdentifier(mine)
    [top] = editor.call("textDocument/documentSymbol", types.DocumentSymbolParams(item))
    assert (top.name, [c.name for c in top.children]) == ("mine", ["twice", "wrong"])
    assert top.children[0].selection_range == where(RULES, "twice", 1)
    item, at = editor.at(mine, RULES, "NEG")
    items = editor.call("textDocument/completion", types.CompletionParams(item, at))
    labels = [i.label for i in items]
    assert {"ADD", "x", "T", "example", "Movement", "i32", "min"} <= set(labels)
    assert len(labels) == len(set(labels))


# ---- around it --------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding, code", [("utf-8", "utf-8"), ("utf-32", "utf-32-le")])
def test_places_in_other_units(encoding, code):
    text = "a\nx 𝕏ℝ\u2028 y\r\n"
    places = TextPositions(text, PositionCodec(encoding))
    unit = len("a".encode(code))
    for column in range(1, 8):
        before = "x 𝕏ℝ\u2028 y\r"[: column - 1]
        at = places.position(2, column)
        assert at == types.Position(1, len(before.encode(code)) // unit)
        assert places.place(at) == (2, column)
    assert places.range(Span("f", 2, 3, 2, 4)).start.line == 1


def test_without_its_package_the_extra_is_named(cli, monkeypatch):
    monkeypatch.setitem(sys.modules, "rulewright.lsp.server", None)
    result = cli("lsp")
    assert result.exit_code == 1 and "pip install 'rulewright[lsp]'" in result.output


def test_a_fault_in_one_check_is_logged_and_the_next_document_is_checked(tmp_path):
    class Server:
        workspace = SimpleNamespace(position_codec=PositionCodec())
        logged, published = [], []

        def window_log_message(self, params):
            self.logged.append(params.message)

        def text_document_publish_diagnostics(self, params):
            self.published.append((params.uri, len(params.diagnostics)))

    class Faulty(Project):
        def diagnostics(self, path):
            if path.name == "bad.uop":
                raise RecursionError("too deep")
            return super().diagnostics(path)

    async def both():
        session = Session(Server(), Faulty())
        for name in ("bad.uop", "good.uop"):
            session.put((tmp_path / name).as_uri(), RULES, 1)
        await session.waiting

    asyncio.run(both())
    [line] = Server.logged
    assert "bad.uop was not checked: RecursionError: too deep" in line
    assert Server.published == [((tmp_path / "good.uop").as_uri(), 0)]


def test_hidden_folders_are_not_entered_though_all_may_lie_in_one(tmp_path):
    inside = tmp_path / ".local" / "rules"
    for name in ("a.uop", "sub/b.uop", ".git/c.uop", "node_modules/d.uop", "sub/e.txt"):
        (inside / name).parent.mkdir(parents=True, exist_ok=True)
        (inside / name).write_text("", encoding="utf-8")
    found = [p.relative_to(inside.resolve()).as_posix() for p in uop_files_below(inside)]
    assert found == ["a.uop", "sub/b.uop"]
