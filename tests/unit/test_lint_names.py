"""The lint of names: words that tell a reader nothing, and classes that share a name."""

from textwrap import dedent

import pytest

from lint_names import problems

CODE = {
    "src/a/kernels.py": """
        class Block: ...
        class FoundRow: ...
        def made(kernel, *, given=None):
            row_found = kernel.found
            kernel.found_rows = [madeira for madeira in row_found]
            match kernel:
                case [given_first, *_]:
                    return given_first
        """,
    "src/a/given.py": "from a.kernels import made\n\nUNFOUNDED = made(given=1)\n",
    "src/b/loops.py": "class Block: ...\n",
}


@pytest.fixture
def project(tmp_path):
    """Two packages with names of both kinds, good and bad."""
    for name, text in CODE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text.removeprefix("\n")))
    return tmp_path


def told(project, *to_do):
    """What is told of each name: its place and what it names."""
    return [line.partition(": say")[0] for line in problems(project, to_do)]


def test_a_name_of_such_a_word_is_told_with_its_place_and_a_use_of_it_is_not(project):
    assert told(project, "src/b/") == [
        "src/a/given.py:1: module given",
        "src/a/kernels.py:2: class FoundRow",
        "src/a/kernels.py:3: function made",
        "src/a/kernels.py:3: parameter given",
        "src/a/kernels.py:4: variable row_found",
        "src/a/kernels.py:5: attribute found_rows",
        "src/a/kernels.py:7: variable given_first",
    ]


def test_of_two_classes_the_one_that_is_not_clean_yet_is_to_change(project):
    assert problems(project, ["src/a/"]) == []
    clean = "src/b/loops.py:1: class Block: a class of src/a/kernels.py is called so too"
    assert clean in problems(project, [])
    (project / "src/a/kernels.py").write_text("class Block: ...\n")
    assert problems(project, ["src/a/"]) == []


def test_a_place_that_is_clean_is_not_to_do(project):
    (project / "src/a/given.py").unlink()
    (project / "src/a/kernels.py").write_text("class Loop: ...\n")
    assert problems(project, ["src/a/"]) == ["src/a/: clean, so nothing to do"]
    assert problems(project, []) == []
