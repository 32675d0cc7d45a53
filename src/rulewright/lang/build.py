"""What is made from `spec/` and kept: the table, the matchers. Never committed.

A checkout keeps them on disk by the content they were made from, and makes them again when
`spec/` or this package's own source changes. A wheel carries them in `rulewright/_generated`.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from rulewright.collector import without_gc
from rulewright.diskcache import DiskCache
from rulewright.errors import RuleError
from rulewright.paths import spec_dir

if TYPE_CHECKING:
    from rulewright.lang.diagnostics import Diagnostic
    from rulewright.lang.tree import Decl, Legal, SourceFile

    _D = TypeVar("_D", bound=Decl)

_HERE = Path(__file__).parent
_GENERATED = _HERE.parent / "_generated"
_TABLE_FILE = "table.bin"
_KEY_FILE = "content.txt"
_GENERATOR = ("build", "convert", "matcher", "parse", "table", "tree")
"""The beginnings of the names of modules that what is kept on disk depends on."""
_MAKERS = ("codegen", "ir", "render", "schedule")
"""The packages on whose source a schedule, and the text of a kernel, depend."""


def spec_files() -> list[Path]:
    """The `.uop` files of the spec, in reading order (by their relative path)."""
    root = spec_dir()
    return sorted(root.rglob("*.uop"), key=lambda p: p.relative_to(root).as_posix())


@cache
def content_key() -> str:
    """A hash of every file of `spec/` and of the source of what generates from it."""
    digest = blake2b(digest_size=20)
    own = [p for p in sorted(_HERE.glob("*.py")) if p.name.startswith(_GENERATOR)]
    sources = [*spec_files(), spec_dir() / "uop.lark", *own]
    for path in sources:
        data = path.read_bytes()
        digest.update(f"{path.name}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()


def spec_key() -> str:
    """`content_key` and the Python version: what anything kept on disk is filed under."""
    return f"{content_key()} {sys.version_info.major}.{sys.version_info.minor}"


@cache
def code_key() -> str:
    """A hash of the source of what makes kernels, and of the rules that it applies."""
    digest = blake2b(spec_key().encode(), digest_size=20)
    package = _HERE.parent
    for path in (p for name in _MAKERS for p in sorted((package / name).rglob("*.py"))):
        data = path.read_bytes()
        digest.update(f"{path.relative_to(package).as_posix()}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()


def whole_key() -> str:
    """`spec_key` and the files loaded beside the spec: what depends on all of them."""
    from rulewright.lang.beside import beside_key

    return f"{spec_key()} {beside_key()}".rstrip()


@cache
def _syntax_key() -> str:
    """A hash of what turns text into trees."""
    digest = blake2b(digest_size=20)
    names = ("tree", "convert", "parse")
    for path in [spec_dir() / "uop.lark", *(_HERE / f"{name}.py" for name in names)]:
        digest.update(path.read_bytes())
    return f"{digest.hexdigest()} {sys.version_info.major}.{sys.version_info.minor}"


def _parse_spec_file(path: Path, name: str) -> tuple[SourceFile, list[Diagnostic]]:
    """A file's tree, kept on disk by the file's content if it has no errors."""
    import pickle  # only where the table itself is not on disk yet

    text = path.read_text(encoding="utf-8")
    digest = blake2b(text.encode(), digest_size=20).hexdigest()
    store, key = DiskCache("lang"), f"tree {name} {digest} {_syntax_key()}"
    data = store.get(key)
    if data is not None:
        kept: SourceFile = pickle.loads(data)
        return kept, []
    from rulewright.lang.parse import try_parse

    file, errors = try_parse(text, name)
    if not errors:
        store.put(key, pickle.dumps(file, protocol=4))
    return file, errors


def _spec_name(path: Path) -> str:
    return f"spec/{path.relative_to(spec_dir()).as_posix()}"


@cache
@without_gc()
def parsed_spec() -> tuple[SourceFile, ...]:
    """Every file of the spec as a tree, named by its path from the folder that holds `spec/`.

    Each process takes the files in an order of its own, so that those that begin together share
    the work: what one has parsed is on disk for the others.

    Raises RuleError with all syntax errors of all files.
    """
    from random import Random  # only where the table itself is not on disk yet

    paths = spec_files()
    mixed = Random(os.getpid()).sample(paths, len(paths))
    parsed = {path: _parse_spec_file(path, _spec_name(path)) for path in mixed}
    files = [parsed[path][0] for path in paths]
    errors = [error for path in paths for error in parsed[path][1]]
    if errors:
        from rulewright.lang.diagnostics import rule_error

        texts = {f.path: f.text for f in files}
        raise rule_error(errors, texts.get)
    return tuple(files)


def all_files() -> tuple[SourceFile, ...]:
    """The files of the spec and those loaded beside it, as trees. Raises as `parsed_spec` does."""
    from rulewright.lang.beside import beside_files

    return (*parsed_spec(), *(file.tree for file in beside_files()))


def _carried() -> Path | None:
    """The folder of generated files if there is one and it was made from this very spec."""
    try:
        key = (_GENERATED / _KEY_FILE).read_text(encoding="utf-8")
    except OSError:
        return None
    return _GENERATED if key == content_key() else None


@cache
def load_table() -> dict[str, Any]:
    """The spec as plain data, with what was loaded beside it; read-only, shared by all callers.

    Keys: `dtypes`, `ops` (lists of rows); `dtype_sets`, `groups`, `promote` (name to names);
    `stages`, `targets`, `pipeline`, `rulesets`, `externs` (name to row). Each row has name, doc,
    file and line. Raises RuleError if the spec does not parse.
    """
    carried = _carried()
    if carried:
        return dict(marshal.loads((carried / _TABLE_FILE).read_bytes()))
    store, key = DiskCache("lang"), f"table {spec_key()}"
    data = store.get(key)
    if data is None:
        data = _table_bytes()
        store.put(key, data)
    return dict(marshal.loads(data))


@cache
def infix_ops() -> dict[str, tuple[str, bool]]:
    """Sign to the name of its op, and whether operands swap: `>` is `("CMPLT", True)`."""
    signs = {row["infix"]: (row["name"], False) for row in load_table()["ops"] if row["infix"]}
    for sign, swapped in {">": "<", ">=": "<="}.items():
        signs[sign] = (signs[swapped][0], True)
    return signs


@cache
def prefix_ops() -> dict[str, str]:
    """Sign to the name of its op: `-` is `NEG`."""
    return {row["prefix"]: row["name"] for row in load_table()["ops"] if row["prefix"]}


def _table_bytes() -> bytes:
    from rulewright.lang.table import make_table

    return marshal.dumps(make_table(parsed_spec()))


def _by_name(kind: type[_D]) -> dict[str, _D]:
    return {str(i.name): i for file in all_files() for i in file.all(kind)}


def _parts(what: str, name: str, known: Mapping[str, Any], parts_of: str) -> list[Any]:
    """A declaration and all that it names under `parts_of`, depth first, each once."""
    from rulewright.lang.diagnostics import nearest

    parts: dict[str, Any] = {}

    def visit(name: str) -> None:
        if name not in known:
            hint = nearest(name, known) or f"known are {', '.join(known) or 'none'}"
            raise RuleError(f"unknown {what} {name!r}: {hint}")
        if name not in parts:
            parts[name] = known[name]
            for part in getattr(known[name], parts_of):
                visit(str(part))

    visit(name)
    return list(parts.values())


def stage_statements(name: str) -> list[Legal]:
    """The statements of a stage of the spec: its own, then those of the stages it extends.

    Raises RuleError for a name that is no stage.
    """
    from rulewright.lang.tree import Stage

    return [
        s for stage in _parts("stage", name, _by_name(Stage), "extends") for s in stage.statements
    ]


def _ruleset_source(name: str) -> str:
    from rulewright.lang.matcher import generate_rules
    from rulewright.lang.matcher_facts import rules_of_set
    from rulewright.lang.tree import RuleSetDecl

    return generate_rules(name, rules_of_set(name, _by_name(RuleSetDecl)), load_table())


def _stage_source(name: str) -> str:
    from rulewright.lang.matcher import generate_stage

    return generate_stage(name, stage_statements(name), load_table())


_SOURCES = {"rulesets": _ruleset_source, "stages": _stage_source}


def _load_module(kind: str, name: str) -> ModuleType:
    """A generated module: carried by a wheel, kept on disk, or made now."""
    from rulewright.lang.beside import beside_files, beside_key
    from rulewright.lang.more_ops import ops_key

    module = ModuleType(f"rulewright._generated.{kind}.{name}")
    path = _GENERATED / kind / f"{name}.py"
    own = kind == "rulesets" and any(name in file.rulesets for file in beside_files())
    beside = beside_key() if own else ops_key()
    if _carried() and path.is_file() and not beside:
        SourceFileLoader(module.__name__, str(path)).exec_module(module)
        return module
    store, key = DiskCache("lang"), f"{kind} {name} {spec_key()} {beside}".rstrip()
    data = store.get(key)
    if data is None:
        with without_gc():
            source = _SOURCES[kind](name)
            data = marshal.dumps(compile(source, f"<{kind} {name}>", "exec"))
        store.put(key, data)
    exec(marshal.loads(data), module.__dict__)
    return module


@cache
def load_matcher(ruleset: str) -> ModuleType:
    """The generated matcher of a ruleset: a module with `MATCH`, a dict from op to function.

    Raises RuleError if the spec has no such ruleset or the ruleset is wrong.
    """
    return _load_module("rulesets", ruleset)


@cache
def load_stage(stage: str) -> ModuleType:
    """The generated matcher of a stage: `MATCH` gives the index of the statement that fits.

    Statements are numbered as in `stage_statements`. Raises RuleError if there is no such stage.
    """
    return _load_module("stages", stage)


def forget_matchers() -> None:
    """Make matchers anew when they are next asked for: there are ops that they do not know."""
    load_matcher.cache_clear()
    load_stage.cache_clear()


def write_generated(out_dir: Path) -> None:
    """Write everything that is generated into a folder, for a wheel."""
    out_dir.mkdir(parents=True, exist_ok=True)
    (out_dir / _TABLE_FILE).write_bytes(_table_bytes())
    for kind, make in _SOURCES.items():
        (out_dir / kind).mkdir(exist_ok=True)
        for name in load_table()[kind]:
            (out_dir / kind / f"{name}.py").write_text(make(name), encoding="utf-8")
    (out_dir / _KEY_FILE).write_text(content_key(), encoding="utf-8")
