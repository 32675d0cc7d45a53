"""Checks of declarations other than rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from rulewright.checks.clauses import CLAUSES, check_clause
from rulewright.checks.ends import check_measure
from rulewright.checks.equiv import check_equiv
from rulewright.checks.target_facts import (
    check_fits,
    check_limit,
    check_operators,
    check_slots,
    check_spelled,
    check_stated,
    is_stated,
    stated_limit,
)
from rulewright.checks.target_slots import check_read, check_slots_of_name, check_slots_of_text
from rulewright.checks.target_texts import check_texts
from rulewright.ir.node import reached
from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic, nearest
from rulewright.lang.layouts import check_layouts, read_small_layout
from rulewright.lang.symbols import Symbols, unknown, unknowns

SCHEMA_KINDS = ("int", "str", "ints", "dims", "pairs", "bools", "op", "const", "name", "any")
EXTERN_TYPES = ("uop", "int", "float", "bool", "str", "dtype", "op", "const", "tuple", "any")
STRATEGIES = ("children_first", "parents_first", "once")
_SMALL = re.compile("fragment_([1-9][0-9]*)")
_CORE_FACTS = {"a", "b", "c", "mantissa", "registers", "operands"}
_RESULTS = {"guard": "bool", "build": "uop"}


def check_decl(item: t.Decl, symbols: Symbols) -> Iterator[Diagnostic]:
    """The problems of one declaration, without those inside rules."""
    yield from _CHECKS[type(item)](item, symbols) if type(item) in _CHECKS else ()


def _promote(item: t.Promote, symbols: Symbols) -> Iterator[Diagnostic]:
    yield from unknowns("dtype", (item.name, *item.targets), symbols.dtypes)


def _dtype_set(item: t.DTypeSet, symbols: Symbols) -> Iterator[Diagnostic]:
    yield from _bases(
        "dtype or dtype set", item.name, item.members, symbols.dtype_sets, symbols.dtypes
    )


def _group(item: t.Group, symbols: Symbols) -> Iterator[Diagnostic]:
    yield from _bases("op or group", item.name, item.members, symbols.groups, symbols.ops)


def _parts(item: t.Decl) -> tuple[t.Ident, ...]:
    """What a declaration is made of."""
    if isinstance(item, t.TargetDecl):
        return (item.extends,) if item.extends else ()
    for field in ("members", "parts", "extends"):
        if hasattr(item, field):
            return tuple(getattr(item, field))
    return ()


def _leads_back(start: str, name: str, known: Mapping[str, t.Decl]) -> bool:
    """Whether `start` is, or is made of, the declaration called `name`."""
    return name in reached([str(start)], lambda n: map(str, _parts(known[n])) if n in known else ())


def _circular(name: t.Ident, part: t.Ident) -> Diagnostic:
    return Diagnostic("circular", f"`{name}` contains itself", part.span)


def _bases(
    kind: str,
    name: t.Ident,
    bases: Iterable[t.Ident],
    known: Mapping[str, t.Decl],
    basic: Collection[str] = (),
) -> Iterator[Diagnostic]:
    """What a declaration is made of has to be there, and not be made of the declaration."""
    for base in bases:
        if base not in basic and base not in known:
            yield unknown(kind, base, basic, known)
        elif _leads_back(base, name, known):
            yield _circular(name, base)


def _dtype(item: t.DTypeDecl, symbols: Symbols) -> Iterator[Diagnostic]:
    facts = {str(f.name) for f in item.facts}
    if "bits" not in facts:
        message = f"dtype `{item.name}` does not say its width"
        yield Diagnostic("dtype", message, item.name.span, help="add `bits = …`")


def check_type_params(params: Iterable[t.TypeParam], symbols: Symbols) -> Iterator[Diagnostic]:
    """Unknown sets, and parameters given twice."""
    seen: dict[str, t.Ident] = {}
    for param in params:
        if param.name in seen:
            message = f"type parameter `{param.name}` is declared twice"
            first = seen[param.name].span
            yield Diagnostic("duplicate", message, param.name.span, first, "first declared here")
        seen.setdefault(str(param.name), param.name)
        yield from _sets(param.sets, symbols)


def _sets(sets: Iterable[t.Ident], symbols: Symbols) -> Iterator[Diagnostic]:
    return unknowns("dtype or dtype set", sets, symbols.dtypes, symbols.dtype_sets)


def _op(item: t.OpDecl, symbols: Symbols) -> Iterator[Diagnostic]:
    yield from check_type_params(item.type_params, symbols)
    names = [str(p.name) for p in item.type_params]
    types, known = (*(p.type for p in item.params), item.result), symbols.dtype_sets
    yield from unknowns("dtype or type parameter", types, names, symbols.dtypes, known)
    yield from unknowns("kind of argument", (p.type for p in item.schema or ()), SCHEMA_KINDS)
    for fact in item.facts:
        if fact.name in CLAUSES:
            yield from check_clause(item, fact)
    yield from said_again((str(f.name), f.name, f.span) for f in item.facts)
    yield from said_again((str(f), f, f.span) for f in item.flags)
    fixed = [p for p in item.params if not p.rest]
    if "commutative" in item.flags and (len(fixed) != 2 or fixed[0].type != fixed[1].type):
        flag = next(f for f in item.flags if f == "commutative")
        message = f"`{item.name}` cannot be commutative: it has no two operands of one type"
        yield Diagnostic("arity", message, flag.span)


def _extern(item: t.Extern, symbols: Symbols) -> Iterator[Diagnostic]:
    yield from unknowns("type", (p.type for p in (*item.params, item.result)), EXTERN_TYPES)
    wanted = _RESULTS.get(item.kind)
    if wanted and item.result.type != wanted:
        message = f"a {item.kind} gives {wanted}, this one {item.result.type}"
        yield Diagnostic("extern", message, item.result.span)
    yield from said_again((str(word), word, word.span) for word in item.once)
    if item.because is None or not item.because.value.strip():
        message = f"extern `{item.name}` does not say why it is not a rule"
        yield Diagnostic("reason", message, item.name.span, help='add `because "…"`')


def _ruleset(item: t.RuleSetDecl, symbols: Symbols) -> Iterator[Diagnostic]:
    yield from _bases("ruleset", item.name, item.parts, symbols.rulesets)
    for option in item.options:
        yield from _option(option, symbols)
    yield from said_again((str(o.name), o.name, o.span) for o in item.options)


def _option(option: t.Fact, symbols: Symbols) -> Iterator[Diagnostic]:
    names: dict[str, tuple[str, Collection[str]]] = {
        "strategy": ("strategy", STRATEGIES),
        "from": ("stage", symbols.stages),
        "to": ("stage", symbols.stages),
        "at": ("ruleset", symbols.rulesets),
        "measure": ("measure", symbols.measures),
    }
    if option.name == "limit":
        if not isinstance(option.value, int) or option.value < 1:
            yield Diagnostic("option", "`limit` is a positive whole number", option.span)
    elif option.name not in names:
        yield unknown("option", option.name, ("strategy", "limit", "from", "to", "at", "measure"))
    elif option.value not in names[option.name][1]:
        kind, known = names[option.name]
        yield unknown(kind, t.Ident(str(option.value), option.span), known)


def _stage(item: t.Stage, symbols: Symbols) -> Iterator[Diagnostic]:
    yield from _bases("stage", item.name, item.extends, symbols.stages)
    for statement in item.statements:
        yield from check_type_params(statement.type_params, symbols)
        if not statement.allow and not statement.message:
            message = "`forbid` does not say why"
            help = 'add a message in double quotes, such as "loops must be closed by now"'
            yield Diagnostic("message", message, statement.span, help=help)


def _target(item: t.TargetDecl, symbols: Symbols) -> Iterator[Diagnostic]:
    if item.extends and item.extends not in symbols.targets:
        yield unknown("target", item.extends, symbols.targets)
    elif symbols.targets[item.name] is not item and item.extends == item.name:
        yield from _addition(item, symbols)
    elif item.extends and _leads_back(item.extends, item.name, symbols.targets):
        help = "`extends` names a target that is declared elsewhere: `target C extends C` adds to C"
        yield replace(_circular(item.name, item.extends), help=help)
    for fact in item.facts:
        yield from _target_fact(fact, item, symbols)
    yield from said_again(
        (f"{f.kind} {f.name}", (f.kind, f.name, f.sets, f.of, f.one), f.span) for f in item.facts
    )
    yield from check_stated(item, symbols)
    if item.extends is None or item.extends in symbols.targets:  # else all it has is unknown
        yield from check_texts(item, symbols)


def said_again(those: Iterable[tuple[str, object, t.Span]]) -> Iterator[Diagnostic]:
    """What is said again: its words, what it is known by and its place."""
    seen: dict[object, t.Span] = {}
    for words, key, span in those:
        if key in seen:
            message = f"`{words}` is given twice"
            yield Diagnostic("duplicate", message, span, seen[key], "first given here")
        seen.setdefault(key, span)


def _target_fact(fact: t.TargetFact, item: t.TargetDecl, symbols: Symbols) -> Iterator[Diagnostic]:
    """The problems of one line of a target."""
    yield from _sets((*fact.sets, *fact.of), symbols)
    if fact.kind in ("type", "vector"):
        yield from unknowns("dtype", [fact.name], symbols.dtypes)
    if fact.kind in t.SPELLINGS:
        yield from unknowns("op", [fact.name], symbols.ops)
    if fact.kind == "lower" and isinstance(fact.value, tuple):
        yield from unknowns("ruleset", fact.value, symbols.rulesets)
    yield from _layouts(fact, item, symbols)
    yield from check_limit(fact)
    yield from check_fits(fact, symbols)
    yield from check_slots(fact, symbols)
    yield from check_slots_of_name(fact)
    if fact.kind == "text" and is_stated(fact, symbols):
        yield from check_slots_of_text(fact, item, symbols)
        yield from check_read(fact, item, symbols)
    yield from check_operators(fact, item, symbols)


def _layouts(fact: t.TargetFact, item: t.TargetDecl, symbols: Symbols) -> Iterator[Diagnostic]:
    """How lanes hold matrices, or get small ones."""
    if fact.kind == t.CORE:
        wrong = list(_core(fact, symbols))
        yield from wrong or check_spelled(fact, item, symbols)
    elif fact.kind == "text" and (small := _SMALL.fullmatch(str(fact.name))):
        row = stated_limit("load_bits", item, symbols)
        try:
            read_small_layout(str(fact.value), None if row is None else row // int(small[1]))
        except ValueError as error:
            yield Diagnostic("layout", f"`text {fact.name}`: {error}", fact.span)


def _core(fact: t.TargetFact, symbols: Symbols) -> Iterator[Diagnostic]:
    """The layouts of a product of small matrices."""
    yield from unknowns("dtype", [fact.name], symbols.dtypes)
    held = {str(f.name): str(f.value) for f in fact.held}
    try:
        if not {"a", "b", "c"} <= held.keys() <= _CORE_FACTS or len(fact.held) > len(held):
            raise ValueError(f"expected layouts a, b and c, found {', '.join(held)}")
        check_layouts(held["a"], held["b"], held["c"])
    except ValueError as error:
        yield Diagnostic("layout", f"`tensor_core`: {error}", fact.span)


def _addition(item: t.TargetDecl, symbols: Symbols) -> Iterator[Diagnostic]:
    """What `target C extends C` holds beside spellings of ops that its own file declares."""
    for fact in item.facts:
        op = symbols.ops.get(fact.name) if fact.kind in t.SPELLINGS else None
        if fact.kind not in t.SPELLINGS or (op and op.span.file != item.span.file):
            message = f"`{fact.kind} {fact.name}` cannot be added to `{item.name}` from outside"
            help = f"spell ops of this file here, or declare a target that extends {item.name}"
            yield Diagnostic("beside", message, fact.span, help=help)


def _pipeline(item: t.Pipeline, symbols: Symbols) -> Iterator[Diagnostic]:
    for tolerated in item.tolerates:
        yield from check_equiv(tolerated)
    before: t.EntryDecl | None = None
    passed: set[str] = set()
    for entry in item.entries:
        yield from unknowns("stage", (entry.source, entry.result), symbols.stages)
        if entry.action == "rules":
            yield from unknowns("ruleset", [entry.what], symbols.rulesets)
        passed |= {str(before.source), str(before.result)} if before else set()
        if before and before.result != entry.source and entry.source in passed:
            message = f"`{entry.name}` begins at `{entry.source}`, not where `{before.name}` ends"
            note = f"`{before.name}` ends at `{before.result}`"
            hint = nearest(entry.source, [before.result])
            yield Diagnostic("chain", message, entry.source.span, before.result.span, note, hint)
        before = entry
    yield from _phases(item)


def _phases(item: t.Pipeline) -> Iterator[Diagnostic]:
    """Phases of one name or without entries, and entries before the first phase."""
    named: dict[str, t.Ident] = {}
    filled = {item.phase_of(entry) for entry in item.entries}
    for phase in item.phases:
        other = named.setdefault(str(phase.name), phase.name)
        if other is not phase.name:
            message, help = f"a second phase `{phase.name}`", "give each phase a name of its own"
            yield Diagnostic("phase", message, phase.name.span, other.span, "the first", help)
        if phase not in filled:
            message, help = f"phase `{phase.name}` has no entries", "entries follow their phase"
            yield Diagnostic("phase", message, phase.name.span, help=help)
    if item.phases and None in filled:
        name = item.entries[0].name
        message = f"entry `{name}` stands before the first phase, so that nothing runs it"
        yield Diagnostic("phase", message, name.span, help="put it behind a `phase`")


_CHECKS: dict[type[t.Decl], Callable[[Any, Symbols], Iterator[Diagnostic]]] = {
    t.DTypeDecl: _dtype,
    t.DTypeSet: _dtype_set,
    t.Promote: _promote,
    t.Group: _group,
    t.OpDecl: _op,
    t.Extern: _extern,
    t.Measure: check_measure,
    t.RuleSetDecl: _ruleset,
    t.Stage: _stage,
    t.TargetDecl: _target,
    t.Pipeline: _pipeline,
}


# ---- cases ---------------------------------------------------------------------------------------


def check_case(item: t.Case, symbols: Symbols) -> Iterator[Diagnostic]:
    """The problems of a case outside its graphs."""
    kinds = [p.kind for p in item.parts]
    if kinds.count("input") != 1:
        message = f"case `{item.name}` has {kinds.count('input')} inputs"
        yield Diagnostic("case", message, item.name.span, help="write one `input { return … }`")
    if set(kinds) <= {"input"}:
        message = f"case `{item.name}` expects nothing"
        help = "add `rewrite SET { … }`, `unchanged SET` or another expectation"
        yield Diagnostic("case", message, item.name.span, help=help)
    for i, part in enumerate(item.parts):
        after = item.parts[i + 1].kind if i + 1 < len(item.parts) else ""
        follows = ("error", "trace") if part.kind == "rewrite" else ("error",)
        if part.kind in ("rewrite", "entry") and part.body is None and after not in follows:
            message = f"`{part.kind}` without a graph is followed by an `error`"
            message += " or a `trace`" if part.kind == "rewrite" else ""
            yield Diagnostic("case", message, part.span, help="write the expected `{ return … }`")
        if part.kind in ("rewrite", "unchanged", "trace"):
            yield from _names(part, symbols)
        elif part.kind == "entry":
            entries = [str(e.name) for p in symbols.pipelines.values() for e in p.entries]
            yield from unknowns("pipeline entry", part.names[:1], entries)
        elif part.kind in ("legal", "illegal"):
            yield from unknowns("stage", part.names[:1], symbols.stages)
        elif part.kind == "source":
            yield from unknowns("target", part.names[:1], symbols.targets)


def _names(part: t.CasePart, symbols: Symbols) -> Iterator[Diagnostic]:
    rules = part.names
    if part.kind != "trace":
        yield from unknowns("ruleset", part.names[:1], symbols.rulesets)
        rules = part.names[1:]
    yield from unknowns("rule", rules, symbols.rules)
