"""Everything that has a name in a set of files, by kind, and the names given twice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic, nearest
from rulewright.lang.more_ops import ELEMENTWISE, groups_of

_D = TypeVar("_D", bound=t.Decl)

KINDS: dict[type[t.Decl], str] = {
    t.DTypeDecl: "dtype",
    t.DTypeSet: "dtype set",
    t.OpDecl: "op",
    t.Group: "group",
    t.Extern: "extern",
    t.Measure: "measure",
    t.RuleSetDecl: "ruleset",
    t.Rule: "rule",
    t.Stage: "stage",
    t.TargetDecl: "target",
    t.Pipeline: "pipeline",
}
"""Declarations to the kind of what they name, which is known in every file."""


@dataclass
class Symbols:
    """Declarations by name. A name given twice stands for its first declaration."""

    dtypes: dict[str, t.DTypeDecl] = field(default_factory=dict)
    dtype_sets: dict[str, t.DTypeSet] = field(default_factory=dict)
    ops: dict[str, t.OpDecl] = field(default_factory=dict)
    groups: dict[str, t.Group] = field(default_factory=dict)
    externs: dict[str, t.Extern] = field(default_factory=dict)
    measures: dict[str, t.Measure] = field(default_factory=dict)
    rulesets: dict[str, t.RuleSetDecl] = field(default_factory=dict)
    rules: dict[str, t.Rule] = field(default_factory=dict)
    stages: dict[str, t.Stage] = field(default_factory=dict)
    targets: dict[str, t.TargetDecl] = field(default_factory=dict)
    pipelines: dict[str, t.Pipeline] = field(default_factory=dict)
    members: dict[str, tuple[str, ...]] = field(default_factory=dict)  # groups, flattened
    scalars: dict[str, frozenset[str]] = field(default_factory=dict)  # dtype sets, flattened
    signs: dict[tuple[str, str], str] = field(default_factory=dict)  # infix and prefix, to their op

    def heads(self, head: t.Expr) -> tuple[str, ...]:
        """The known ops that a node's head stands for."""
        if isinstance(head, t.OpName):
            names: Sequence[str] = (head.name,)
        elif isinstance(head, t.OpSet):
            names = head.names
        elif isinstance(head, t.GroupName):
            names = self.members.get(head.name, ())
        else:
            names = ()
        return tuple(str(n) for n in names if n in self.ops)

    def dtypes_of(self, sets: Iterable[str]) -> frozenset[str]:
        """The scalar dtypes of a union of dtypes and sets; of none: all that hold data."""
        names: set[str] = set()
        for item in sets:
            names |= self.scalars.get(item, {str(item)} if item in self.dtypes else set())
        return frozenset(names) if names else self.scalars.get("Any", frozenset(self.dtypes))


def collect(files: Iterable[t.SourceFile]) -> tuple[Symbols, list[Diagnostic]]:
    """The symbols of files, and a diagnostic for each name that is given twice."""
    symbols = Symbols()
    problems: list[Diagnostic] = []
    tables: dict[type[t.Decl], dict[str, Any]] = {  # each holds its own kind
        kind: getattr(symbols, f"{word.replace(' ', '_')}s") for kind, word in KINDS.items()
    }
    for item in _declarations(files):
        table = tables.get(type(item))
        if table is None or (is_addition(item) and str(item.name) in table):
            continue
        first = table.setdefault(str(item.name), item)
        if first is not item:
            word = KINDS[type(item)]
            message = f"{word} `{item.name}` is declared twice"
            note = f"{word} `{item.name}` first declared here"
            here, there = item.name.span, first.name.span
            hint = "" if here.file == there.file else "choose another: names are of all files"
            problems.append(Diagnostic("duplicate", message, here, there, note, hint))
    symbols.members = {name: _flat(name, symbols.groups, symbols.ops) for name in symbols.groups}
    for name, op in symbols.ops.items():  # one that no group names is of a file beside the spec
        if op.fact("meaning") and name not in symbols.members.get(ELEMENTWISE, (name,)):
            for group in groups_of(len(op.params)):
                symbols.members[group] = (*symbols.members.get(group, ()), name)
    symbols.scalars = {
        name: frozenset(_flat(name, symbols.dtype_sets, symbols.dtypes))
        for name in symbols.dtype_sets
    }
    for name, op in symbols.ops.items():
        for clause in ("infix", "prefix"):
            sign = op.fact(clause)
            if sign is not None:
                symbols.signs.setdefault((clause, sign), name)
    return symbols, problems


def is_addition(item: t.Decl) -> bool:
    """Whether this is `target C extends C`: spellings for a target that stands elsewhere."""
    return isinstance(item, t.TargetDecl) and item.extends == item.name


def _declarations(files: Iterable[t.SourceFile]) -> Iterator[t.Decl]:
    for file in files:
        for item in file.items:
            yield item
            if isinstance(item, t.RuleSetDecl):
                yield from item.rules


def _flat(
    name: str, sets: Mapping[str, t.Group | t.DTypeSet], basic: Mapping[str, object]
) -> tuple[str, ...]:
    """The basic members of a set; unknown and circular ones are left out."""
    members: dict[str, None] = {}
    seen, todo = {name}, [name]
    while todo:
        for member in sets[todo.pop(0)].members:
            if member in basic:
                members[str(member)] = None
            elif member in sets and member not in seen:
                seen.add(str(member))
                todo.append(str(member))
    return tuple(members)


_FEW = 16
"""Names that are listed where none is near."""


def unknown(what: str, name: t.Ident, *known: Iterable[str]) -> Diagnostic:
    """The diagnostic for a name that stands for nothing."""
    names = [n for group in known for n in group]
    help = nearest(name, names)
    if not help and 0 < len(set(names)) <= _FEW:
        help = f"there are {', '.join(sorted(set(names)))}"
    return Diagnostic("unknown", f"unknown {what} `{name}`", name.span, help=help)


def unknowns(what: str, names: Iterable[t.Ident], *known: Collection[str]) -> Iterator[Diagnostic]:
    """The diagnostics for those of some names that stand for nothing."""
    return (unknown(what, name, *known) for name in names if not any(name in k for k in known))
