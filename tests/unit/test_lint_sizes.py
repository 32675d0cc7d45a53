"""The lint of sizes: what is too long, what is too short, and modules that only import."""

import pytest

from lint_sizes import excesses

LONG = "def long():\n" + "    print()\n" * 60


@pytest.mark.parametrize(
    ("name", "text", "problems"),
    [
        ("src/a.py", "x = 1\n" * 30, []),
        ("src/a.py", "x = 1\n" * 600, []),
        ("src/a.py", "x = 1\n" * 601, ["601 lines, limit 600: split it"]),
        ("src/a.py", "x = 1\n" * 29, ["29 lines, at least 30: join it with what it serves"]),
        ("tests/a.py", "x = 1\n" * 29, []),
        ("src/a.py", LONG, ["long: 61 lines, limit 60: split it"]),
        ("src/a.py", LONG.replace("    print()\n", "", 1), []),
        (
            "src/a.py",
            '"""A."""\n\nfrom b import c\n' + "\n" * 30 + '__all__ = ["c"]\n',
            ["it defines nothing: import from where things are defined"],
        ),
        ("src/a/__init__.py", "from b import c\n", []),
        ("tests/cases/a.uop", "\n" * 41, ["41 lines, limit 40: split it"]),
    ],
)
@pytest.mark.parametrize("folder", ["cases", "src"])
def test_each_limit_is_told(tmp_path, folder, name, text, problems):
    root = tmp_path / folder  # where a project lies says nothing of its files
    path = root / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    lines = list(excesses(path, root))
    assert len(lines) == len(problems)
    for line, problem in zip(lines, problems, strict=True):
        assert line.startswith(str(path)) and line.endswith(problem)
