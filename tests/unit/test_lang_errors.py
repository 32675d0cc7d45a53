"""Every file in `tests/errors` has the problems that its own comments say, where they say.

Under the line that is wrong, `#    ^ message` points at the column (`#< message` at the first)
and holds the beginning of the message; `# help: text` after it, the beginning of the help.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rulewright.checks import check
from rulewright.errors import RuleError
from rulewright.lang.parse import parse_text

FOLDER = Path(__file__).parents[1] / "errors"
FILES = sorted(FOLDER.glob("*.uop"))


def expectations(text: str) -> list[tuple[int, int, str, str]]:
    """(line, column, message, help) of each expectation, in order of place."""
    found: list[list] = []
    line = 0
    for number, content in enumerate(text.splitlines(), 1):
        here = re.match(r"#( *)\^ (.*)|#< (.*)", content)
        if here:
            column = 1 if here[3] else len(here[1]) + 2
            found.append([line, column, here[3] or here[2], ""])
        elif content.startswith("# help: "):
            found[-1][3] = content[len("# help: ") :]
        elif not content.startswith("# "):
            line = number
    return [tuple(item) for item in found]


def test_there_are_enough():
    assert len(FILES) >= 40


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_errors_stand_where_they_are_expected(path):
    text = path.read_text(encoding="utf-8")
    found = check([path])
    wanted = expectations(text)
    assert wanted, "the file expects nothing"
    rendered = "\n".join(d.render(text) for d in found)
    places = [(d.span.line, d.span.column) for d in found]
    assert places == [w[:2] for w in wanted], rendered
    for diagnostic, (_, _, message, help) in zip(found, wanted, strict=True):
        assert diagnostic.message.startswith(message), rendered
        assert diagnostic.help.startswith(help), rendered
        assert not re.search(r"Token\(|Unexpected|Traceback|[A-Z]{3,}_|LPAR|RBRACE", rendered)


def test_text_form():
    path = FOLDER / "duplicate-rule.uop"
    (found,) = check([path])
    assert found.render() == (
        f"{path}:6:8: error: rule `twice` is declared twice\n"
        "    6 |   rule twice\n"
        "      |        ^^^^^\n"
        f"{path}:2:8: note: rule `twice` first declared here\n"
        "    2 |   rule twice\n"
        "      |        ^^^^^"
    )


def test_json_form():
    path = FOLDER / "shadowed.uop"
    (found,) = check([path])
    data = json.loads(json.dumps(found.to_json()))
    assert data == {
        "severity": "error",
        "code": "shadowed",
        "message": "rule `float_double` can never fire",
        "file": str(path),
        "line": 6,
        "column": 8,
        "end_line": 6,
        "end_column": 20,
        "related": [
            {
                "message": "`any_double` takes everything that it matches",
                "file": str(path),
                "line": 2,
                "column": 8,
                "end_line": 2,
                "end_column": 18,
            }
        ],
        "help": "move `float_double` before `any_double`, or leave it out",
    }


def test_an_exception_holds_all_errors_and_their_count():
    text = "ruleset a {\n  rule b x -> y\n  rule c x -> y\n}\n"
    with pytest.raises(RuleError) as caught:
        parse_text(text, "a.uop")
    assert len(caught.value.diagnostics) == 2
    assert str(caught.value).startswith("a.uop:2:12: error: expected `=>`, found `->`\n")
    assert str(caught.value).endswith("\n\n2 errors")


def test_errors_of_several_files_in_order(tmp_path):
    for name in ("b.uop", "a.uop"):
        (tmp_path / name).write_text("group Some = { NOPE, ADD, NADA }\n")
    found = check([tmp_path / "b.uop", tmp_path / "a.uop"])
    unknown = [d for d in found if d.code == "unknown"]
    assert [(Path(d.file).name, d.span.column) for d in unknown] == [
        ("a.uop", 16), ("a.uop", 27), ("b.uop", 16), ("b.uop", 27),
    ]  # fmt: skip


def test_a_file_that_is_not_text(tmp_path):
    for data, where in [(b"group \xff", "byte 7 of line 1 is 0xff"),
                        (b"# a\r\n# b\n#\0", "byte 2 of line 3 is 0x00"),
                        (b"\xc3", "byte 1 of line 1 is 0xc3")]:  # fmt: skip
        (tmp_path / "a.uop").write_bytes(data)
        (found,) = check([tmp_path / "a.uop"])
        assert found.message == f"expected UTF-8 text, {where}"


def test_an_example_without_a_result_is_shown_once(tmp_path):
    path = tmp_path / "own.uop"
    path.write_text(
        'ruleset mine {\n  rule wrong<T: i32>\n    x:T + 7 => x\n    trust "a test"\n'
        "    example PARAM[0]:i32 + 7\n    reject PARAM[0]:i64 + 7\n}\n"
    )
    [problem] = check([path])
    assert problem.span.line == 5 and "note: from this" not in problem.render()
    path.write_text(path.read_text().replace("i32 + 7\n", "i32 + 7 => PARAM[0]:i32\n", 1))
    [problem] = check([path])
    assert "note: from this" in problem.render()
