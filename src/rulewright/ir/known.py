"""What rules made of something is remembered, for as long as the same rules are in force."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar

from rulewright.ir import rulesets
from rulewright.ir.rulesets import overlay_key
from rulewright.lang.build import load_matcher
from rulewright.options import options

_F = TypeVar("_F", bound=Callable[..., Any])
_all: list[Any] = []


def remembered(most: int) -> Callable[[_F], _F]:
    """A function of nodes and sizes that applies rules: its last `most` results are kept.

    They are found again under the same user rules and the same VERIFY alone.
    """

    def around(function: _F) -> _F:
        known = lru_cache(maxsize=most)(lambda in_force, *args: function(*args))
        _all.append(known)

        @wraps(function)
        def call(*args: Any) -> Any:
            return known((overlay_key(), options().VERIFY), *args)

        return call  # type: ignore[return-value]  # of the same parameters

    return around


def forget_results() -> None:
    """Forget all results, as when the rules themselves are exchanged."""
    for known in _all:
        known.cache_clear()


def rules_are_the_specs() -> bool:
    """Whether the rules in force are those of `spec/`: no user's, none counted or exchanged."""
    return not overlay_key() and vars(rulesets)["load_matcher"] is load_matcher
