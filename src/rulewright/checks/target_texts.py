"""The check that a target has the texts that its kernels are written with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from rulewright.lang import tree as t
from rulewright.lang.build import load_table
from rulewright.lang.diagnostics import Diagnostic
from rulewright.lang.symbols import Symbols

OR = " or "

ALWAYS = (
    "precedence", "block_end", "define", "loop", "load", "load_gated", "store", "store_gated",
    "register", "register_one", "parameter or parameter_line or parameter_before",
    "variable or variable_line or variable_before",
)  # fmt: skip
"""What any target needs, or one of what stands beside `or`."""

SHARED = ("barrier", "local or local_before")
WITH_FEATURE = {"workgroups": ("index_g", "index_l", *SHARED)}
"""What a target with a feature needs; SHARED only where a group has memory, so not with
`limit local_memory = 0`."""

WITH_LIMIT = {"static_memory": ("shared", "local_part")}

WITH_LINES = {
    "vector": ("load_vector", "store_vector", "lane", "lane_names", "stack"),
    t.CORE: ("address", "effect"),
}
"""What a target needs that has lines of this kind."""

_BITS = (8, 16, 32, 64)
WITH_TEXT: Mapping[str, tuple[str, ...]] = {
    "parameter": ("parameter_read",),
    "parameter_line": ("parameter_line_read",),
    "packed": ("word", "word_read", "load_word", "load_word_read"),
    "mask": ("define_mask", "lane_of_mask", "like_mask", "bytes_of_mask"),
    "load_masked": tuple(f"load_masked_helper_{bits}" for bits in _BITS),
    "store_masked": tuple(f"store_masked_helper_{bits}" for bits in _BITS),
    "shuffle": ("shuffle_helper",),
    "shuffle_wide": ("shuffle_wide_helper", "shuffle_wide_mask", "shuffle_wide_mask_helper"),
    "seldom": ("seldom_not", "seldom_result"),
    "prefetch": ("prefetch_far",),
    "stream_vector": ("stream_helper",),
    "loop_thread": ("loop_thread_part",),
    "copy_ahead": (
        "copy_ahead_gated",
        "copy_ahead_helper",
        "copies_begun",
        "copies_done",
        "address",
    ),
    "core_begin": ("core_helper", "core_end", "core_zero", "core_load", "core_store"),
    **{f"words_{size}": ("words_zero",) for size in (4, 8, 16)},
    **{
        f"load_fragment_{count}{turned}": (f"load_fragment_{count}{turned}_helper", "address")
        for count in (2, 4)
        for turned in ("", "_turned")
    },
}
"""What is written where a target has another text, too."""


_TABLES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "features": WITH_FEATURE,
    "limits": WITH_LIMIT,
    "texts": WITH_TEXT,
    "kinds": WITH_LINES,
}


class Stated(NamedTuple):
    """Names of what a target states, and those that it extends."""

    texts: Mapping[str, str]
    features: frozenset[str]
    limits: Mapping[str, object]
    kinds: frozenset[str]  # of lines


def check_texts(item: t.TargetDecl, symbols: Symbols) -> Iterator[Diagnostic]:
    """A target for which kernels can be written, but that lacks texts for some of them."""
    if item.extends == item.name:
        return
    of = stated(item, symbols)
    if "kernel" not in of.texts:
        return
    all_needed = needed(item, symbols)
    missing = [x for x in all_needed if not any(part in of.texts for part in x.split(OR))]
    if missing:
        names = ", ".join(f"`text {name}`".replace(OR, f"`{OR}`text ") for name in missing)
        message = f"kernels for `{item.name}` cannot be written without {names}"
        help = "each is as `text loop` in spec/80-targets/clike.uop, which says what it is"
        yield Diagnostic("text", message, item.name.span, help=help)


def needed(item: t.TargetDecl, symbols: Symbols) -> list[str]:
    """The names of texts that a target needs, each once; of some one of several, beside `or`."""
    of = stated(item, symbols)
    none = SHARED if of.limits.get("local_memory") == 0 else ()
    return list(dict.fromkeys(n for names in _needed(of) for n in names if n not in none))


def readers(name: str) -> Iterator[tuple[str, str]]:
    """What a text is written beside, any of which will do: the kind of each (a field of `Stated`)
    and its name. None for a text that is read by itself."""
    for kind, table in _TABLES.items():
        for reader, names in table.items():
            if any(name in need.split(OR) for need in names):
                yield kind, reader


def _needed(of: Stated) -> Iterator[Iterable[str]]:
    yield ALWAYS
    for kind, table in _TABLES.items():
        yield from (names for reader, names in table.items() if reader in getattr(of, kind))
    packed = of.texts.get("packed", "").split()
    for dtype in (row for row in load_table()["dtypes"] if row["name"] in packed):
        bits = max(8, int(dtype["bits"]))
        yield (f"packed_place_{bits}", f"store_packed_{bits}")
        yield (f"load_packed_{bits}{OR}load_packed_{dtype['name']}",)


def line_of(item: t.TargetDecl | None, symbols: Symbols) -> Iterator[t.TargetDecl]:
    """A target, and all that it extends."""
    seen: set[str] = set()
    while item is not None and str(item.name) not in seen:
        yield item
        seen.add(str(item.name))
        item = symbols.targets.get(str(item.extends))


def stated(item: t.TargetDecl, symbols: Symbols) -> Stated:
    """What a target states, its own lines first."""
    texts: dict[str, str] = {}
    features: set[str] = set()
    limits: dict[str, object] = {}
    kinds: set[str] = set()
    for fact in (fact for each in line_of(item, symbols) for fact in each.facts):
        kinds.add(fact.kind)
        if fact.kind == "text":
            texts.setdefault(str(fact.name), str(fact.value))
        elif fact.kind == "feature":
            features.add(str(fact.name))
        elif fact.kind == "limit":
            limits.setdefault(str(fact.name), fact.value)
    return Stated(texts, frozenset(features), limits, frozenset(kinds))
