"""The lint of what nothing uses."""

import pytest

from lint_unused import problems

pytest.importorskip("vulture", reason="the extra `lint` is not installed")


@pytest.fixture
def project(tmp_path):
    """A project with a function that the spec names, one that is called, and one that is not."""
    files = {
        "src/code.py": "def named(): pass\n\ndef called(): pass\n\ndef idle(): pass\n\ncalled()\n"
        'most = limit("bytes")\nprint(most)\n',
        "spec/rules.uop": 'extern build named() -> uop = "code:named"\n',
        "spec/80-targets/t.uop": "target T {\n  limit bytes = 4\n  limit idle_limit = 5\n}\n",
        "tools/tool.py": "",
        "hatch_build.py": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_what_nothing_uses_is_told_with_its_place(project):
    assert problems(project, {}) == [
        "src/code.py:5: function idle: nothing uses it",
        "spec/80-targets/t.uop:3: limit idle_limit: nothing uses it",
    ]


def test_an_exception_holds_as_long_as_it_is_needed(project):
    reasons = {"idle": "for users", "idle_limit": "for a pass to come", "called": "no reason"}
    assert problems(project, reasons) == ["called: used, so no exception"]
