"""From the parsed spec to the table that the compiler reads: plain data without any tree.

Everything in it can be marshalled: dicts, lists, tuples, strings, numbers, None.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic, nearest, rule_error

Row = dict[str, Any]
_TARGET_PARTS = {"type": "types", "vector": "vectors", "literal": "literals", "text": "texts"}


def make_table(files: Sequence[t.SourceFile]) -> Row:
    """The table of a whole spec. Raises RuleError for a member or parent that does not exist."""
    items = [item for file in files for item in file.items]
    sets = [i for i in items if isinstance(i, t.DTypeSet)]
    dtypes = [i for i in items if isinstance(i, t.DTypeDecl)]
    ops = [i for i in items if isinstance(i, t.OpDecl)]
    groups = [i for i in items if isinstance(i, t.Group)]
    dtype_sets = flatten("dtype or dtype set", {str(d.name) for d in dtypes}, sets)
    return {
        "dtypes": [_dtype(d) for d in dtypes],
        "dtype_sets": dtype_sets,
        "promote": {
            str(p.name): [str(n) for n in p.targets] for p in items if isinstance(p, t.Promote)
        },
        "ops": [op_row(o, dtype_sets) for o in ops],
        "groups": flatten("op or group", {str(o.name) for o in ops}, groups),
        "stages": {str(s.name): _stage(s) for s in items if isinstance(s, t.Stage)},
        "targets": target_rows([i for i in items if isinstance(i, t.TargetDecl)], dtype_sets),
        "pipeline": {str(p.name): _pipeline(p) for p in items if isinstance(p, t.Pipeline)},
        "rulesets": {str(r.name): ruleset_row(r) for r in items if isinstance(r, t.RuleSetDecl)},
        "externs": {str(e.name): extern_row(e) for e in items if isinstance(e, t.Extern)},
    }


def _at(item: t.Decl) -> Row:
    place = PurePath(item.span.file).as_posix()
    return {"name": str(item.name), "doc": item.doc, "file": place, "line": item.name.span.line}


def flatten(
    what: str, basic: set[str], sets: Iterable[t.DTypeSet | t.Group]
) -> dict[str, list[str]]:
    """Each set's name with its basic members, in order, each once.

    A set may name sets that stand anywhere. Raises RuleError for an unknown member or a cycle.
    """
    by_name = {str(s.name): s for s in sets}
    done: dict[str, list[str]] = {}

    def expand(name: str, path: tuple[str, ...]) -> list[str]:
        if name in done:
            return done[name]
        members: dict[str, None] = {}
        for member in by_name[name].members:
            if member in basic:
                members[str(member)] = None
            elif member in by_name and member not in path:
                members.update(dict.fromkeys(expand(str(member), (*path, str(member)))))
            else:
                raise rule_error([_bad_member(what, member, [*basic, *by_name])])
        done[name] = list(members)
        return done[name]

    for name in by_name:
        expand(name, (name,))
    return done


def _bad_member(what: str, member: t.Ident, known: list[str]) -> Diagnostic:
    if member in known:
        return Diagnostic("circular", f"`{member}` contains itself", member.span)
    return Diagnostic(
        "unknown", f"unknown {what} `{member}`", member.span, help=nearest(member, known)
    )


def dtype_names(members: Iterable[str], sets: dict[str, list[str]]) -> list[str]:
    """The dtypes that names of dtypes and sets stand for, in order, each once."""
    return list(dict.fromkeys(n for member in members for n in sets.get(member, [str(member)])))


def _type_params(params: Iterable[t.TypeParam], sets: dict[str, list[str]]) -> list[Any]:
    """`(T, [dtype names])`; a parameter without sets may be any dtype that holds data."""
    return [(str(p.name), dtype_names(p.sets or ("Any",), sets)) for p in params]


def _params(params: Iterable[t.Param]) -> list[Any]:
    return [(str(p.name) if p.name else "", str(p.type), p.rest) for p in params]


def _dtype(item: t.DTypeDecl) -> Row:
    facts = {str(f.name): f.value for f in item.facts}
    return {**_at(item), "kind": str(item.kind), **facts}


def op_row(item: t.OpDecl, sets: dict[str, list[str]]) -> Row:
    """The table's row of an op."""
    facts = ("infix", "prefix", "identity", "shape", "interval", "meaning", "smt", "ulps")
    return {
        **_at(item),
        "tparams": _type_params(item.type_params, sets),
        "schema": [(str(p.name or ""), str(p.type)) for p in item.schema or ()],
        "params": _params(item.params),
        "result": str(item.result),
        "flags": [str(f) for f in item.flags],
        **{name: item.fact(name) for name in facts},
    }


def _stage(item: t.Stage) -> Row:
    statements = [_legal(statement) for statement in item.statements]
    return {**_at(item), "extends": [str(n) for n in item.extends], "statements": statements}


def _legal(item: t.Legal) -> Row:
    """A statement of a stage: whether it allows, its message, and the ops or groups it names."""
    head = item.head
    names = head.names if isinstance(head, t.OpSet) else (getattr(head, "name", ""),)
    return {
        "allow": item.allow,
        "message": item.message,
        "heads": [str(n) for n in names],
        "line": item.span.line,
    }


def extern_row(item: t.Extern) -> Row:
    """The table's row of an extern."""
    return {
        **_at(item),
        "kind": str(item.kind),
        "params": _params(item.params),
        "result": (str(item.result.type), item.result.rest),
        "target": item.target.value,
        "flags": [str(f) for f in item.flags],
        "model": item.model and item.model.value,
        "because": item.because and item.because.value,
    }


def ruleset_row(item: t.RuleSetDecl) -> Row:
    """A ruleset as plain data; its rules by name."""
    return {
        **_at(item),
        "options": {str(f.name): f.value for f in item.options},
        "parts": [str(p) for p in item.parts],
        "rules": [str(r.name) for r in item.rules],
    }


def _pipeline(item: t.Pipeline) -> Row:
    entries = [
        {
            **_at(e),
            "action": e.action,
            "what": str(e.what),
            "from": str(e.source),
            "to": str(e.result),
            "phase": str(phase.name) if phase else "",
        }
        for e in item.entries
        for phase in [item.phase_of(e)]
    ]
    tolerates = [(str(q.name), q.amount) for q in item.tolerates]
    return {**_at(item), "tolerate": tolerates, "entries": entries}


def target_rows(
    items: list[t.TargetDecl], sets: dict[str, list[str]], known: Mapping[str, Row] | None = None
) -> dict[str, Row]:
    """Each target with what it inherits: the nearest statement of a name wins.

    `known` are rows of targets that stand elsewhere, of which these may inherit too.
    """
    by_name = {str(i.name): i for i in items}
    done: dict[str, Row] = dict(known or {})

    def resolve(item: t.TargetDecl, path: tuple[str, ...]) -> Row:
        name = str(item.name)
        if name not in done:
            parent = None
            if item.extends:
                parent = done.get(str(item.extends))
                if parent is None:
                    if item.extends not in by_name or item.extends in path:
                        raise rule_error([_bad_member("target", item.extends, list(by_name))])
                    parent = resolve(by_name[item.extends], (*path, str(item.extends)))
            done[name] = _target(item, parent, sets)
        return done[name]

    for item in items:
        resolve(item, (str(item.name),))
    return {name: done[name] for name in by_name}


def _target(item: t.TargetDecl, parent: Row | None, sets: dict[str, list[str]]) -> Row:
    row: Row = {part: dict(parent[part]) if parent else {} for part in _TARGET_PARTS.values()}
    row["limits"] = dict(parent["limits"]) if parent else {}
    row["features"] = list(parent["features"]) if parent else []
    lowered = [f.value for f in item.facts if f.kind == "lower"]
    lower = [str(name) for names in lowered if isinstance(names, tuple) for name in names]
    row["lower"] = lower or (list(parent["lower"]) if parent else [])
    spell: Row = {kind: [] for kind in t.SPELLINGS}
    for fact in item.facts:
        if fact.kind in spell:
            spell[fact.kind].append(_spelling(fact, sets))
        elif fact.kind == "limit":
            row["limits"][str(fact.name)] = fact.value
        elif fact.kind == "feature":
            row["features"].append(str(fact.name))
        elif fact.kind in _TARGET_PARTS:
            row[_TARGET_PARTS[fact.kind]][str(fact.name)] = fact.value
    cores = [_core(fact, sets) for fact in item.facts if fact.kind == t.CORE]
    row["cores"] = cores + (parent["cores"] if parent else [])
    for kind, own in spell.items():
        row[kind] = own + (parent[kind] if parent else [])
    row["extends"] = str(item.extends) if item.extends else None
    return {**_at(item), **row}


def more_spellings(item: t.TargetDecl, sets: dict[str, list[str]]) -> dict[str, list[Row]]:
    """What `target C extends C { … }` of another file adds to C: spellings by their kind."""
    facts = [f for f in item.facts if f.kind in t.SPELLINGS]
    return {kind: [_spelling(f, sets) for f in facts if f.kind == kind] for kind in t.SPELLINGS}


def _core(fact: t.TargetFact, sets: dict[str, list[str]]) -> Row:
    """A product of small matrices that a target has: dtypes, and how lanes hold the matrices."""
    held = {str(f.name): f.value for f in fact.held}
    return {"dtypes": dtype_names(fact.sets, sets), "dtype": str(fact.name), **held}


def _spelling(fact: t.TargetFact, sets: dict[str, list[str]]) -> Row:
    """`of` is None where the first operand may have any dtype."""
    return {
        "op": str(fact.name),
        "dtypes": dtype_names(fact.sets or ("Any",), sets),
        "of": dtype_names(fact.of, sets) if fact.of else None,
        "one": fact.one,
        "text": fact.value,
    }
