"""What is made from `spec/` and kept: the table, the matchers. Never committed.

A checkout keeps them on disk by the content they were made from, and makes them again when
`spec/` or this package's own source changes. A wheel carries them in `rulewright/_generated`.
"""

from __future__ import annotations

import marshal
import sys
from functools import cache
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from rulewright.diskcache import DiskCache
from rulewright.paths import spec_dir

if TYPE_CHECKING:
    from rulewright.lang.tree import SourceFile

_HERE = Path(__file__).parent
_GENERATED = _HERE.parent / "_generated"
_TABLE_FILE = "table.bin"
_KEY_FILE = "content.txt"


def spec_files() -> list[Path]:
    """The `.uop` files of the spec, in reading order (by their relative path)."""
    root = spec_dir()
    return sorted(root.rglob("*.uop"), key=lambda p: p.relative_to(root).as_posix())


@cache
def content_key() -> str:
    """A hash of every file of `spec/` and of the generator's own source."""
    digest = blake2b(digest_size=20)
    sources = [*spec_files(), spec_dir() / "uop.lark", *sorted(_HERE.glob("*.py"))]
    for path in sources:
        data = path.read_bytes()
        digest.update(f"{path.name}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()


def spec_key() -> str:
    """`content_key` and the Python version: what anything kept on disk is filed under."""
    return f"{content_key()} {sys.version_info.major}.{sys.version_info.minor}"


@cache
def parsed_spec() -> tuple[SourceFile, ...]:
    """Every file of the spec as a tree, named by its path below `spec/`.

    Raises RuleError with all syntax errors of all files.
    """
    from rulewright.lang.diagnostics import rule_error
    from rulewright.lang.parse import try_parse

    files, found = [], []
    for path in spec_files():
        name = path.relative_to(spec_dir()).as_posix()
        file, errors = try_parse(path.read_text(encoding="utf-8"), f"spec/{name}")
        files.append(file)
        found += errors
    if found:
        texts = {f.path: f.text for f in files}
        raise rule_error(found, texts.get)
    return tuple(files)


def _carried() -> Path | None:
    """The folder of generated files if there is one and it was made from this very spec."""
    try:
        made_from = (_GENERATED / _KEY_FILE).read_text(encoding="utf-8")
    except OSError:
        return None
    return _GENERATED if made_from == content_key() else None


@cache
def load_table() -> dict[str, Any]:
    """The spec as plain data; read-only, shared by all callers.

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
    found = {row["infix"]: (row["name"], False) for row in load_table()["ops"] if row["infix"]}
    for sign, swapped in {">": "<", ">=": "<="}.items():
        found[sign] = (found[swapped][0], True)
    return found


@cache
def prefix_ops() -> dict[str, str]:
    """Sign to the name of its op: `-` is `NEG`."""
    return {row["prefix"]: row["name"] for row in load_table()["ops"] if row["prefix"]}


def _table_bytes() -> bytes:
    from rulewright.lang.table import make_table

    return marshal.dumps(make_table(parsed_spec()))


def _module(name: str, code: Any) -> ModuleType:
    module = ModuleType(name)
    exec(code, module.__dict__)
    return module


def _matcher_source(ruleset: str) -> str:
    from rulewright.lang.matcher import generate

    source: str = generate(ruleset)
    return source


@cache
def load_matcher(ruleset: str) -> ModuleType:
    """The generated matcher of a ruleset: a module with `MATCH`, a dict from op to function.

    Raises RuleError if the spec has no such ruleset or the ruleset is wrong.
    """
    name = f"rulewright._generated.{ruleset}"
    carried = _carried()
    if carried and (carried / f"{ruleset}.py").is_file():
        path = carried / f"{ruleset}.py"
        return _module(name, compile(path.read_text(encoding="utf-8"), str(path), "exec"))
    store, key = DiskCache("lang"), f"matcher {ruleset} {spec_key()}"
    data = store.get(key)
    if data is None:
        code = compile(_matcher_source(ruleset), f"<matcher of {ruleset}>", "exec")
        data = marshal.dumps(code)
        store.put(key, data)
    return _module(name, marshal.loads(data))


def write_generated(out_dir: Path) -> None:
    """Write everything that is generated into a folder, for a wheel."""
    out_dir.mkdir(parents=True, exist_ok=True)
    (out_dir / "__init__.py").write_text('"""Made from `spec/` by the build."""\n')
    (out_dir / _TABLE_FILE).write_bytes(_table_bytes())
    for ruleset in load_table()["rulesets"]:
        (out_dir / f"{ruleset}.py").write_text(_matcher_source(ruleset), encoding="utf-8")
    (out_dir / _KEY_FILE).write_text(content_key(), encoding="utf-8")
