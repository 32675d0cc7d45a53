"""The parser tables, built from `spec/uop.lark` when they are first needed and kept on disk."""

from __future__ import annotations

import io
import platform
from functools import cache
from hashlib import blake2b
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from rulewright.diskcache import DiskCache
from rulewright.paths import spec_dir

if TYPE_CHECKING:
    from lark import Lark

_OPTIONS: dict[str, Any] = {
    "parser": "lalr",
    "strict": True,
    "propagate_positions": True,
    "maybe_placeholders": True,
}


def _load(data: bytes) -> Lark | None:
    """Parser tables from the cache, or None where this lark cannot read them."""
    from lark import Lark

    try:
        return Lark.load(io.BytesIO(data))
    except Exception:  # whatever an entry of another version may do; it is rebuilt
        return None


def _hand_on(parser: Lark) -> None:
    """Let rules with one part, which stays as it is, give just that.

    A name alone climbs a dozen of them; lark looks each time where it stands, as if it were new.
    """
    calls = getattr(parser, "_callbacks", {})  # by rule; the parser holds the same dict
    for rule in parser.rules:
        whole = rule.options.expand1 and not rule.alias and len(rule.expansion) == 1
        if whole and not getattr(rule.expansion[0], "filter_out", False):
            calls[rule] = itemgetter(0)


@cache
def uop_parser() -> Lark:
    """The LALR parser of `.uop` text."""
    import lark

    grammar = (spec_dir() / "uop.lark").read_text(encoding="utf-8")
    digest = blake2b(grammar.encode(), digest_size=20).hexdigest()
    key = f"parser {lark.__version__} {platform.python_version()} {_OPTIONS} {digest}"
    store = DiskCache("lang")
    data = store.get(key)
    parser = _load(data) if data else None
    if parser is None:
        parser = lark.Lark(grammar, **_OPTIONS)
        buffer = io.BytesIO()
        parser.save(buffer)
        store.put(key, buffer.getvalue())
    _hand_on(parser)
    return parser
