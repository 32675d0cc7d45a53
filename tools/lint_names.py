"""Report names of `src` that tell a reader nothing, and class names that stand for two things.

    python tools/lint_names.py [ROOT]

Variables, parameters, attributes, functions, classes and modules are named for what they hold or
do, not with one of the words `REFUSED`, alone or as a part. Prints a line for each name, and exits
1 if there is any.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

REFUSED = frozenset({"found", "made", "given"})
"""Words that say how a thing came about, not what it is."""


class Name(NamedTuple):
    """A name where it is bound, and what it names."""

    text: str
    kind: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.kind} {self.text}"


def names(tree: ast.AST, file: str) -> Iterator[Name]:
    """Its own name and every one that a file binds; those that it imports were bound elsewhere."""
    yield Name(Path(file).stem, "module", file, 1)
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef():
                yield Name(node.name, "class", file, node.lineno)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield Name(node.name, "function", file, node.lineno)
            case ast.arg():
                yield Name(node.arg, "parameter", file, node.lineno)
            case ast.Name(ctx=ast.Store()):
                yield Name(node.id, "variable", file, node.lineno)
            case ast.Attribute(ctx=ast.Store()):
                yield Name(node.attr, "attribute", file, node.lineno)
            case ast.MatchAs(name=str(text)) | ast.MatchStar(name=str(text)):
                yield Name(text, "variable", file, node.lineno)
            case ast.MatchMapping(rest=str(text)) | ast.ExceptHandler(name=str(text)):
                yield Name(text, "variable", file, node.lineno)


def words(name: str) -> list[str]:
    """The words of a name, in lower case: `isFound`, `_is_found` and `IS_FOUND` are the same."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_")


def refusals(bound: Iterable[Name]) -> Iterator[tuple[Name, str]]:
    """Each name that has a refused word, and what is wrong with it."""
    for name in bound:
        for word in REFUSED.intersection(words(name.text)):
            yield name, f"say what it holds or does, not `{word}`"


def doubled(bound: Iterable[Name]) -> Iterator[tuple[Name, str]]:
    """Each class that is called like one before it, and which that is."""
    first: dict[str, Name] = {}
    for name in bound:
        if name.kind == "class" and first.setdefault(name.text, name) is not name:
            yield name, f"a class of {first[name.text].file} is called so too"


def problems(root: Path) -> list[str]:
    """A line for each name to change."""
    bound: list[Name] = []
    for path in sorted((root / "src").rglob("*.py")):
        if "_generated" not in path.parts:
            file = path.relative_to(root).as_posix()
            bound.extend(names(ast.parse(path.read_text(encoding="utf-8")), file))
    return [f"{name}: {why}" for name, why in (*refusals(bound), *doubled(bound))]


def main(root: Path) -> int:
    lines = problems(root.resolve())
    print("\n".join(lines) if lines else "names: good")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]))
