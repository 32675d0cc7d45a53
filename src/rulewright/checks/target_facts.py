"""Checks of targets: that something reads what is stated, and fits what is spelled."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from rulewright.checks.target_texts import line_of, stated
from rulewright.lang import tree as t
from rulewright.lang.build import load_table
from rulewright.lang.diagnostics import Diagnostic, nearest
from rulewright.lang.layouts import is_shared
from rulewright.lang.spellings import operators
from rulewright.lang.symbols import Symbols, unknown
from rulewright.lang.table import dtype_names

_STATED = {"limit": "limits", "feature": "features", "text": "texts"}
"""Kinds of facts whose names nothing declares, and where rows of targets hold them."""


WIDTHS = {
    "grid_dimensions": ((1, 2, 3), "1, 2 or 3"),
    "index_bits": ((32, 64), "32 or 64"),
    "vector_bits": (tuple(32 << n for n in range(8)), "a power of two from 32 to 4096"),
}
"""Limits that are one of a few numbers, which, and how these are said."""

COUNTS = (
    "cores", "local_size", "warp", "grid_dimensions", "grid_inner", "grid_outer", "groups",
    "load_bits", "line", "banks", "bank_bits",
)  # fmt: skip
"""Limits on what any kernel has one of."""


LEAST_OWN = 64
"""Bytes of its own that a work item has at least."""


def _most_memories() -> tuple[int, str]:
    """How many memories the one op takes that takes most, its result's among them; and a word."""
    rows = [row for row in load_table()["ops"] if row["meaning"]]
    row = max(rows, key=lambda row: len(row["params"]))
    count = len(row["params"]) + 1
    return count, f"{row['name']} of {count - 1} memories is one kernel"


def check_stated(item: t.TargetDecl, symbols: Symbols) -> Iterator[Diagnostic]:
    """Limits, features and texts that no target of the spec states: nothing reads such a name.

    Of texts there may be one for each dtype, number of bits or bytes, or kind of loop.
    """
    for fact in item.facts:
        if fact.kind in _STATED and not is_stated(fact, symbols):
            yield unknown(fact.kind, fact.name, _stated_names(fact.kind))


def is_stated(fact: t.TargetFact, symbols: Symbols) -> bool:
    """Whether a target of the spec states a limit, feature or text of that name, or one alike."""
    known = _stated_names(fact.kind)
    if fact.name in known:
        return True
    return _family(fact.name, symbols) in {_family(name, symbols) for name in known}


def _stated_names(kind: str) -> set[str]:
    rows = load_table()["targets"].values()
    return {str(name) for row in rows for name in row[_STATED[kind]]}


def check_limit(fact: t.TargetFact) -> Iterator[Diagnostic]:
    """Limits that nothing can keep to, and widths of indices and vectors that no kernel has."""
    if fact.kind != "limit":
        return
    if not isinstance(fact.value, int):
        message = f"`limit {fact.name}` is {fact.value}, expected a whole number"
        yield Diagnostic("limit", message, fact.span)
        return
    least, what = int(fact.name in COUNTS), "any kernel has one"
    if fact.name == "buffers":
        least, what = _most_memories()
    if fact.name == "own_memory":
        least, what = LEAST_OWN, "a kernel may have several sums of 8 bytes"
    if fact.value < least:
        message = f"`limit {fact.name}` is {fact.value}, expected {least} or more: {what}"
        yield Diagnostic("limit", message, fact.span, help="without the line there is no limit")
    known, said = WIDTHS.get(str(fact.name), ((fact.value,), ""))
    if fact.value not in known:
        message = f"`limit {fact.name}` is {fact.value}, expected {said}"
        yield Diagnostic("limit", message, fact.span)


def _family(name: str, symbols: Symbols) -> str:
    """What names have in common that differ in a dtype, a number, the kind of a loop, or the word
    that a macro defines."""
    name = re.sub(r"^\w+(?=_macro$)", "?", name)
    each = "|".join(["[0-9]+", *symbols.dtypes])
    return re.sub(r"(?<=^loop_)\w+", "?", re.sub(rf"(?<=_)({each})(?=_|$)", "?", name))


def check_spelled(core: t.TargetFact, item: t.TargetDecl, symbols: Symbols) -> Iterator[Diagnostic]:
    """Products of a tensor core that neither the target spells nor one that it extends."""
    shared = any(is_shared(str(held.value)) for held in core.held if held.name == "a")
    op = "MMA_SHARED" if shared else "MMA"
    spelled = {pair for target in line_of(item, symbols) for pair in _pairs(target, op, symbols)}
    for of in _names(core.sets, symbols):
        if (str(core.name), of) not in spelled:
            message = f"nothing spells `tensor_core {of} -> {core.name}`"
            help = f'add `spell {op}: {core.name} of {of} = "…"`'
            yield Diagnostic("spelling", message, core.span, help=help)


def check_fits(fact: t.TargetFact, symbols: Symbols) -> Iterator[Diagnostic]:
    """Spellings of an op for dtypes that it never has, or for others than its first operand has,
    whose dtype it takes."""
    op = symbols.ops.get(str(fact.name)) if fact.kind in _OF_OPS else None
    if op is None or not op.params or not op.type_params or not fact.sets:
        return
    own, spelled = (set(_names(sets, symbols)) for sets in (op.type_params[0].sets, fact.sets))
    takes = fact.of and op.params[0].type == op.type_params[0].name
    said = ""
    if not spelled & own:
        said, of = f"{fact.name} takes no such dtype", op.type_params[0].sets
    elif takes and not spelled & set(_names(fact.of, symbols)):
        said, of = "its dtype is that of its operands", fact.of
    if said:
        message = f"`{fact.kind} {fact.name}` fits nothing: {said}"
        help = f"say `{fact.kind} {fact.name}: {' | '.join(map(str, of))}`"
        yield Diagnostic("spelling", message, fact.span, help=help)


_OF_OPS = ("spell", "helper", "spell_lanes", "helper_lanes")
_SLOT = re.compile(r"\{(\w+)\}")
_BYTES = "bytes"  # of the dtype, which no spelling of the spec has needed yet


def check_slots(fact: t.TargetFact, symbols: Symbols) -> Iterator[Diagnostic]:
    """Slots of a spelling that nothing fills: neither an operand of its op, nor what spellings of
    the spec have besides."""
    op = symbols.ops.get(str(fact.name)) if fact.kind in _SPELLED else None
    if op is None:
        return
    operands = [str(param.name) for param in op.params]
    slots = dict.fromkeys(_SLOT.findall(str(fact.value)))
    if slots.keys() <= {*operands, _BYTES}:
        return
    known = {*operands, _BYTES, *_general_slots()}
    for slot in slots:
        if slot not in known:
            message = f"nothing fills `{{{slot}}}` of `{fact.kind} {fact.name}`"
            own = " ".join(f"{{{name}}}" for name in operands)
            help = nearest(t.Ident(slot, fact.span), known) or f"operands of {fact.name} are {own}"
            yield Diagnostic("spelling", message, fact.span, help=help)


_SPELLED = ("spell", "spell_lanes")


def check_operators(
    fact: t.TargetFact, item: t.TargetDecl, symbols: Symbols
) -> Iterator[Diagnostic]:
    """Operators of spellings that `text precedence` leaves out: brackets around them, and around
    what they stand beside, would be missing. Where it has none, what is inherited need not be used:
    rendering looks at what is."""
    lines = [other for target in line_of(item, symbols) for other in target.facts]
    texts = [f for f in lines if f.kind == "text"]
    rows = next((str(f.value) for f in texts if f.name == "precedence"), None)
    if rows is None:
        return
    if fact.kind == "text" and fact.name == "precedence" and rows:
        spelled = [other for other in lines if other.kind in _SPELLED]
    else:
        spelled = [fact] if fact.kind in _SPELLED else []
    known = set(re.split(r"[\s;]+", rows))
    for other in spelled:
        for word in sorted(set(operators(str(other.value))) - known):
            message = f"`{word}` of `{other.kind} {other.name}` is not in `text precedence`"
            help = "operators that join as closely stand in one row, the closest first"
            yield Diagnostic("precedence", message, fact.span, help=help)
            return


@cache
def _general_slots() -> frozenset[str]:
    """What spellings of the spec's targets say besides operands; those of files beside it say no
    more, for their slots are held to these."""
    table = load_table()
    operands = {row["name"]: {str(name) for name, *_ in row["params"]} for row in table["ops"]}
    spelled = [s for row in table["targets"].values() for kind in _SPELLED for s in row[kind]]
    said = [set(_SLOT.findall(s["text"])) - operands.get(s["op"], set()) for s in spelled]
    return frozenset().union(*said)


def _names(sets: tuple[t.Ident, ...], symbols: Symbols) -> list[str]:
    return dtype_names(sets, {name: list(known) for name, known in symbols.scalars.items()})


def stated_limit(name: str, item: t.TargetDecl, symbols: Symbols) -> int | None:
    """A limit that a target states, or one that it extends."""
    limit = stated(item, symbols).limits.get(name)
    return None if limit is None else int(str(limit))


def _pairs(item: t.TargetDecl, op: str, symbols: Symbols) -> Iterator[tuple[str, str]]:
    """The dtypes of sums and operands for which a target spells products of small matrices."""
    for fact in item.facts:
        if fact.kind == "spell" and fact.name == op:
            for dtype in _names(fact.sets, symbols):
                yield from ((dtype, of) for of in _names(fact.of, symbols))
