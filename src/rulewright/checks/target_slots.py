"""The check of texts of targets: each slot is filled, and something reads each text.

What fills a text is in `rulewright.render`: these are the names that it gives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from rulewright.checks.target_texts import ALWAYS, OR, Stated, line_of, readers, stated
from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic, nearest
from rulewright.lang.symbols import Symbols

RAW = (
    "precedence", "reserved", "source_suffix", "architecture_suffix", "packed", "lane_names",
    "fragment_*", "space_*", "words_4", "words_8", "words_16", "words_2", "words_32", "words_64",
    "shuffle_helper", "shuffle_wide_helper", "shuffle_wide_mask_helper", "*_macro",
)  # fmt: skip
"""Texts that are taken as they stand."""

SLOTS: Mapping[str, str] = {
    "kernel": "kernel! parameters local threads",
    "kernel_sized": "kernel! parameters local threads",
    **dict.fromkeys(("parameter", "parameter_*"), "var! type index"),
    **dict.fromkeys(("variable", "variable_*"), "var! type index"),
    "loop_end": "var type",
    "loop_thread": "var! type size",
    "loop_thread_part": "var! type size whole",
    **dict.fromkeys(("loop", "loop_*"), "var! type size!"),
    "if": "condition!",
    "define": "var! value! type",
    "define_mask": "var! value! type",
    "register": "var! size! type",
    "register_one": "var! type",
    "shared": "size",
    **dict.fromkeys(("local", "local_before"), "var! size! type"),
    "local_part": "var! offset! type size",
    "load": "base! index! type name bytes",
    "store": "value! place base index type name bytes",
    "assign": "place! value!",
    **dict.fromkeys(("load_gated", "load_gated_lanes"), "gate! load! other! type"),
    "store_gated": "gate! store!",
    "load_vector": "base! index! type count space",
    **dict.fromkeys(("store_vector", "stream_vector"), "base! index! value! type count space"),
    "load_masked": "base! index! gate! other! type",
    "store_masked": "base! index! gate! value! type",
    **dict.fromkeys(("load_masked_helper_*", "store_masked_helper_*"), "type of bytes"),
    "stream_helper": "type bytes",
    "packed_place_*": "base! index!",
    **dict.fromkeys(("load_word", "load_word_read"), "place!"),
    "load_packed_*": "word! index",
    "store_packed_*": "place! index value!",
    "lane": "x! lane!",
    "lane_of_mask": "x! lane!",
    "like_mask": "x! like",
    **dict.fromkeys(("mask", "bytes_of_mask", "splat"), "x! type"),
    "stack": "lanes! type",
    **dict.fromkeys(("shuffle", "shuffle_wide", "shuffle_wide_mask"), "a! b! lanes! type"),
    "words_zero": "type",
    "vector_definition": "type! of bytes align",
    "address": "place!",
    "effect": "text!",
    **dict.fromkeys(("index_g", "index_l"), "axis axis_name type"),
    **dict.fromkeys(("seldom", "seldom_not"), "mask!"),
    "seldom_result": "var! type",
    **dict.fromkeys(("prefetch", "prefetch_far"), "base! index! step"),
    "copy_ahead": "to! from! bytes",
    "copy_ahead_gated": "to! from! gate! bytes",
    "copies_done": "left",
    **dict.fromkeys(("load_fragment_?", "load_fragment_?_turned"), "to! from!"),
    "core_zero": "register!",
    **dict.fromkeys(("core_load", "core_store"), "register! place!"),
    "product_*_helper": "",
    "product_of_*": "",
    "product_*": " ".join((
        "rows! columns! depth! out! out_apart left! left_apart left_order right! right_apart",
        "right_order out_order",
    )),
}  # fmt: skip
"""Slots by the name of a text, the first that fits; `!`: without it the text means nothing. Texts
of other names have none."""

NAMES: Mapping[str, tuple[str, ...]] = {
    "type": (),
    "vector": ("count",),
    "literal": ("value", "bits"),
}
"""Slots of lines that name types and numbers."""

LOOPS = ("thread", "loop", "reduce", "unroll", "block", "upcast", "simd")
"""Kinds of loops that may have texts of their own."""

_SLOT = re.compile(r"\{(\w+)\}")
_ELEMENT = ("type", "name", "bytes", "base", "index")


def check_slots_of_text(
    fact: t.TargetFact, item: t.TargetDecl, symbols: Symbols
) -> Iterator[Diagnostic]:
    """Slots of a text that nothing fills, and those without which it means nothing."""
    known = _slots(str(fact.name), stated(item, symbols))
    if known is None:
        return
    used = dict.fromkeys(_SLOT.findall(str(fact.value)))
    for slot in used:
        if slot not in known:
            message = f"nothing fills `{{{slot}}}` of `text {fact.name}`"
            slots = " ".join(f"{{{name}}}" for name in known)
            other = f"its slots are {slots}" if known else "it has no slots"
            near = nearest(t.Ident(slot, fact.span), known)
            help = near or f"{other}; braces of the language's own have spaces inside"
            yield Diagnostic("text", message, fact.span, help=help)
    missing = [f"`{{{name}}}`" for name, needed in known.items() if needed and name not in used]
    if missing and known.keys() >= used.keys():  # else one is spelled wrongly
        message = f"`text {fact.name}` does not say {', '.join(missing)}"
        yield Diagnostic("text", message, fact.span, help="what stands there differs each time")


def check_slots_of_name(fact: t.TargetFact) -> Iterator[Diagnostic]:
    """Slots of a type, a vector or a number that nothing fills."""
    known = NAMES.get(fact.kind)
    for slot in dict.fromkeys(_SLOT.findall(str(fact.value)) if known is not None else ()):
        if slot not in (known or ()):
            message = f"nothing fills `{{{slot}}}` of `{fact.kind} {fact.name}`"
            help = "of a vector {count} is filled, of a literal {value}, or {bits}"
            yield Diagnostic("text", message, fact.span, help=help)


def _slots(name: str, of: Stated) -> Mapping[str, bool] | None:
    """Each slot, and whether it is needed; None for a text that is taken as it stands."""
    if any(fnmatchcase(name, raw) for raw in RAW):
        return None
    words = next((words for fits, words in SLOTS.items() if fnmatchcase(name, fits)), "").split()
    known = {word.rstrip("!"): word.endswith("!") for word in words}
    whole = "kernel" in of.texts
    if name == "store" and whole and "assign" not in of.texts:  # variables take values by it, too
        known = {slot: slot in ("place", "value") for slot in known if slot not in _ELEMENT}
    return known


def check_read(fact: t.TargetFact, item: t.TargetDecl, symbols: Symbols) -> Iterator[Diagnostic]:
    """Texts that nothing reads, as a target lacks what they belong to."""
    name, of = str(fact.name), stated(item, symbols)
    if "kernel" not in of.texts:
        return
    loop = re.fullmatch("loop_(?!end$|thread_part$)(.+)", name)
    if loop and loop[1] not in LOOPS:
        message = f"nothing reads `text {name}`: no loop is of that kind"
        help = nearest(t.Ident(loop[1], fact.span), LOOPS) or f"kinds are {', '.join(LOOPS)}"
        yield Diagnostic("text", message, fact.span, help=help)
    always = {part for need in ALWAYS for part in need.split(OR)}
    needed_by = () if name in always else tuple(readers(name))
    if needed_by and not any(reader in getattr(of, kind) for kind, reader in needed_by):
        whose = " or ".join(f"`{_WORD[kind]}{reader}`" for kind, reader in needed_by)
        message = f"nothing reads `text {name}`: `{item.name}` has no {whose}"
        yield Diagnostic("text", message, fact.span, help="take it away, or say what it belongs to")
    word = name.removesuffix("_macro")
    if word != name and not _is_said(word, fact, item, symbols):
        message = f"nothing reads `text {name}`: no other line of `{item.name}` has `{word}`"
        yield Diagnostic("text", message, fact.span, help="take it away, or use the word")


_WORD = {"texts": "text ", "features": "feature ", "limits": "limit ", "kinds": ""}


def _is_said(word: str, fact: t.TargetFact, item: t.TargetDecl, symbols: Symbols) -> bool:
    """Whether a target, or one that it extends, has a word in another line."""
    others = (other for each in line_of(item, symbols) for other in each.facts)
    return any(other is not fact and _says(str(other.value), word) for other in others)


def _says(text: str, word: str) -> bool:
    """Whether a word stands in a text, or one that it may be once slots are filled."""
    if word in text:
        return True
    parts = (_SLOT.split(token)[::2] for token in re.findall(r"[\w{}]+", text) if "{" in token)
    patterns = (r"\w+".join(map(re.escape, some)) for some in parts if any(some))
    return any(re.fullmatch(pattern, word) for pattern in patterns)
