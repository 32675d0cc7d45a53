"""What rules made of something is remembered, for as long as the same rules are in force."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

from rulewright.ir.rulesets import (
    Loader,
    exchange_matchers,
    matchers_are_generated,
    overlay_key,
    user_rules,
)
from rulewright.options import options

_P = ParamSpec("_P")
_R = TypeVar("_R")
_all: list[Any] = []


def remembered(most: int) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """A function of nodes and sizes that applies rules: its last `most` results are kept.

    They are found again under the same user rules and the same VERIFY alone.
    """

    def around(function: Callable[_P, _R]) -> Callable[_P, _R]:
        def keyed(_in_force: Any, *args: _P.args, **named: _P.kwargs) -> _R:
            return function(*args, **named)

        known: Any = lru_cache(maxsize=most)(keyed)
        _all.append(known)

        @wraps(function)
        def call(*args: _P.args, **named: _P.kwargs) -> _R:
            result: _R = known((overlay_key(), options().VERIFY), *args, **named)
            return result

        return call

    return around


def forget_results() -> None:
    """Forget all results, as when the rules themselves are exchanged."""
    for known in _all:
        known.cache_clear()


def rules_are_the_specs() -> bool:
    """Whether the rules in force are those of `spec/`: no user's, none counted or exchanged."""
    return not user_rules() and matchers_are_generated()


@contextmanager
def matched_by(load: Loader) -> Iterator[None]:
    """Until the end of the block, in every thread, rule sets run with the matchers of `load`.

    What is known of the results of rules is forgotten before and after.
    """
    before = exchange_matchers(load)
    forget_results()
    try:
        yield
    finally:
        exchange_matchers(before)
        forget_results()
