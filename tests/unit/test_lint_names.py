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


def test_a_name_of_such_a_word_is_told_with_its_place_and_a_use_of_it_is_not(project):
    told = [line.partition(": say")[0] for line in problems(project) if ": say" in line]
    assert told == [
        "src/a/given.py:1: module given",
        "src/a/kernels.py:2: class FoundRow",
        "src/a/kernels.py:3: function made",
        "src/a/kernels.py:3: parameter given",
        "src/a/kernels.py:4: variable row_found",
        "src/a/kernels.py:5: attribute found_rows",
        "src/a/kernels.py:7: variable given_first",
    ]


def test_a_class_that_is_called_like_another_is_told_with_the_other(project):
    told = [line for line in problems(project) if ": say" not in line]
    assert told == ["src/b/loops.py:1: class Block: a class of src/a/kernels.py is called so too"]


def test_nothing_is_told_of_names_that_say_what_they_hold(project):
    (project / "src/a/given.py").unlink()
    (project / "src/a/kernels.py").write_text("class Loop: ...\n")
    assert problems(project) == []
