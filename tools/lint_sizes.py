"""Report files and functions that are longer or shorter than the project's limits.

    python tools/lint_sizes.py [ROOT]

Limits: 600 lines a Python or `.uop` file, 60 lines a Python function (from `def` to its end,
nested functions included), 40 lines a case under `tests/cases`. A module of the product or a tool
has 30 lines or more, unless `SHORT` says why not, and defines something: one that only imports is
another name for what stands elsewhere. Prints one line for each breach and exits 1 if there is any.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

FILE_LINES = 600
FUNCTION_LINES = 60
CASE_LINES = 40
LEAST_LINES = 30
SHORT = {  # path -> why a module of its own
    "src/rulewright/examples/options.py": "each example imports it",
    "src/rulewright/forks.py": "imports nothing, so that every layer can import it",
    "src/rulewright/ir/devices.py": "below what uses it: schedules, runtimes and tensors",
    "src/rulewright/ir/watch.py": "below the rewriter and what checks it",
    "src/rulewright/progress.py": "the one place that imports rich for a bar",
}
FOLDERS = ("guide", "spec", "src", "tests", "tools")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def files(root: Path) -> Iterator[Path]:
    """Python and `.uop` files of the project below `root`, sorted; generated ones left out."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".py", ".uop") and "_generated" not in path.parts:
                yield path


def file_limit(path: Path) -> int:
    """Largest number of lines that a file, named from the root, may have."""
    is_case = path.suffix == ".uop" and "cases" in path.parts
    return CASE_LINES if is_case else FILE_LINES


def file_least(path: Path) -> int:
    """Fewest lines that a module, named from the root, may have; packages and what is run say what
    they are alone."""
    is_module = "src" in path.parts or "tools" in path.parts
    told = path.name.startswith("__") or any(path.match(known) for known in SHORT)
    return LEAST_LINES if is_module and not told else 0


def only_imports(tree: ast.Module) -> bool:
    """Whether a module consists of imports, of texts, and of what `__all__` lists."""
    return all(
        isinstance(node, ast.Import | ast.ImportFrom)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
        for node in tree.body
    )


def excesses(path: Path, root: Path) -> Iterator[str]:
    """One line of text for every limit that the file breaks."""
    named = path.relative_to(root)  # the root may be in any folder
    text = path.read_text(encoding="utf-8")
    lines = text.count("\n")
    if lines > file_limit(named):
        yield f"{path}: {lines} lines, limit {file_limit(named)}: split it"
    if path.suffix != ".py":
        return
    if lines < file_least(named):
        yield f"{path}: {lines} lines, at least {LEAST_LINES}: join it with what it serves"
    tree = ast.parse(text, str(path))
    if file_least(named) and only_imports(tree):
        yield f"{path}: it defines nothing: import from where things are defined"
    for node in ast.walk(tree):
        if isinstance(node, _Function):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES:
                where = f"{path}:{node.lineno}: {node.name}"
                yield f"{where}: {length} lines, limit {FUNCTION_LINES}: split it"


def main(root: Path) -> int:
    lines = [line for path in files(root) for line in excesses(path, root)]
    print("\n".join(lines) if lines else "sizes: good")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]))
