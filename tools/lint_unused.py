"""Report names of `src` and `tools` that nothing uses; needs vulture, of the extra `lint`.

    python tools/lint_unused.py [ROOT]

A use by tests alone is none. Names that the spec quotes and the rows of the table of methods hold
are used, and so is what `__all__` lists. Limits and features of the spec's targets are used where
the compiler asks for them by name. Prints a line for each name that is not, and for each exception
below that is not needed any more; exits 1 if there is any.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

PATHS = ("src", "tools", "hatch_build.py")

CALLED_BY_NAME = {
    "src/rulewright/lang/": ("_on_*", "_value_*"),  # by the class of a node of a tree
    "src/rulewright/checks/": ("_value_*",),
    "src/rulewright/lsp/": ("_on_*",),
    "tools/documentation/": ("_on_*",),
    "src/rulewright/ir/read.py": ("_[A-Z]*",),
    "src/rulewright/interp/evaluator.py": ("loop_variable",),  # by the table of ops below it
    "src/rulewright/render/kernel.py": ("_put_*",),  # by the name of an op
    "src/rulewright/render/memory.py": ("_put_*",),
    "src/rulewright/driver/trial_worker.py": ("do_*",),  # by the word of a request
    "src/rulewright/runtime/": ("*Device",),  # by the name of a device
    "src/rulewright/bench/libraries/": ("In*",),  # by the name of a library
    "tools/rule_coverage/count.py": ("count_clause",),  # by matchers that are counted
}
"""Where names are put together in code: the files, and patterns of such names."""

REGISTERED = ("@program", "@measure")
"""Decorators that keep what they are given."""

EXCEPTIONS = {
    # of an interface that is not ours
    "SpecBuildHook": "hatchling finds it",
    "PLUGIN_NAME": "hatchling reads it",
    "initialize": "hatchling calls it",
    "artifact_path": "hatchling's signature",
    "list_commands": "click calls it",
    "format_commands": "click calls it",
    "find_class": "pickle calls it",
    "persistent_load": "pickle calls it",
    "hooks": "the signature that pickles of PyTorch call",
    "_recreate_cm": "contextlib calls it",
    "exception": "the signature of `__exit__`",
    "__dir__": "Python calls it",
    "__buffer__": "Python calls it",
    "protocol": "the signature of `__reduce_ex__`",
    # for users
    "defaults": "the default dtypes for a while: `dtypes.defaults`",
    "is_leaf": "PyTorch's word, of a tensor",
    "retain_graph": "PyTorch's argument of `backward`, whose graphs live on",
    "force": "PyTorch's argument of `numpy`, which always copies",
    "non_blocking": "PyTorch's argument of `copy_`, which waits for what it needs",
    "get_last_lr": "PyTorch's word, of a scheduler",
    "from_pretrained": "PyTorch's word, of Embedding",
    "register_forward_hook": "PyTorch's word, of a layer",
    "register_forward_pre_hook": "PyTorch's word, of a layer",
    "schedule_step": "tinygrad's word, of an optimiser",
    "Q": "PyTorch's word, of what `qr` gives",
    "Vh": "PyTorch's word, of what `svd` gives",
    "eigenvalues": "PyTorch's word, of what `eigh` gives",
    "eigenvectors": "PyTorch's word, of what `eigh` gives",
    "residuals": "PyTorch's word, of what `lstsq` gives",
    "singular_values": "PyTorch's word, of what `lstsq` gives",
    "logabsdet": "PyTorch's word, of what `slogdet` gives",
    "missing_keys": "PyTorch's word, of what `load_state_dict` gives",
    "unexpected_keys": "PyTorch's word, of what `load_state_dict` gives",
    "trim": "gives an allocator's free memory back",
    "statistics": "what an allocator holds",
    "reset_peak": "begins a measurement of an allocator's peak",
    # for the suite
    "write_counts": "`pytest --cover-rules` keeps what it counted",
    "still_killed": "the suite tries a sample of the record of mutants again",
}
"""Names that stay although nothing here uses them, each with the reason."""


def words_of_texts(root: Path) -> set[str]:
    """Words that the spec quotes or asks nodes for, and those of the table of methods' strings."""
    words: set[str] = set()
    for path in (root / "spec").rglob("*.uop"):
        text = path.read_text(encoding="utf-8")
        words.update(re.findall(r"\.(\w+)", text))
        words.update(
            word for quoted in re.findall(r'"[^"]*"', text) for word in re.findall(r"\w+", quoted)
        )
    for path in (root / "src/rulewright/verify/methods").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words.update(re.findall(r"\w+", node.value))
    return words


def called_by_name(file: str, name: str) -> bool:
    """Whether a name of a file is put together where it is called."""
    return any(
        file.startswith(path) and any(fnmatchcase(name, pattern) for pattern in patterns)
        for path, patterns in CALLED_BY_NAME.items()
    )


def unused_code(root: Path) -> Iterator[tuple[str, str]]:
    """Name of each class, function, method, attribute, and argument that is not used; its place."""
    from vulture import Vulture

    scan = Vulture(ignore_decorators=list(REGISTERED))
    scan.scavenge([str(root / path) for path in PATHS])
    words = words_of_texts(root)
    for item in scan.get_unused_code():
        file = Path(item.filename).resolve().relative_to(root).as_posix()
        if item.name not in words and not called_by_name(file, item.name):
            yield item.name, f"{file}:{item.first_lineno}: {item.typ} {item.name}"


def unused_in_targets(root: Path) -> Iterator[tuple[str, str]]:
    """Name of each limit and feature of targets that the compiler does not ask for; its place."""
    code = "\n".join(p.read_text(encoding="utf-8") for p in (root / "src").rglob("*.py"))
    for path in sorted((root / "spec/80-targets").glob("*.uop")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            declared = re.match(r"\s*(limit|feature) (\w+)", line)
            asked = {"limit": '"{}"', "feature": 'has("{}")'}
            if declared and asked[declared[1]].format(declared[2]) not in code:
                yield declared[2], f"{path.relative_to(root)}:{number}: {declared[0].strip()}"


def problems(root: Path, exceptions: Mapping[str, str]) -> list[str]:
    """A line for each name that nothing uses, and for each exception that names none of them."""
    unused = [*unused_code(root), *unused_in_targets(root)]
    lines = [f"{place}: nothing uses it" for name, place in unused if name not in exceptions]
    needed = {name for name, _ in unused}
    return lines + [f"{name}: used, so no exception" for name in exceptions if name not in needed]


def main(root: Path) -> int:
    lines = problems(root.resolve(), EXCEPTIONS)
    print("\n".join(lines) if lines else "unused: nothing")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]))
