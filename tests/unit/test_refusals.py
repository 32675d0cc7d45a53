"""Every argument of every method of a tensor refuses what it cannot take, by the method's name."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
from method_calls import arguments, called, good_calls, parameters, refused_argument

from rulewright.errors import UsageError
from rulewright.verify.methods import all_refusals

TO_DO = Path(__file__).parents[1] / "reviewed" / "unrefused.txt"
IN_TABLE = {(row.name, refused_argument(row)) for row in all_refusals()}


class Thing:
    """What no argument of any method can be."""


def known() -> set[tuple[str, str]]:
    """The arguments of which it is known that they take a thing, or that no call can be made."""
    lines = [line.split() for line in TO_DO.read_text().splitlines() if line[:1] not in ("#", "")]
    return {(method, word) for method, *words in lines for word in words}


def with_thing(name: str, word: str, given: dict[str, Any]) -> dict[str, Any]:
    """Arguments of a good call of which one is a thing; the other ones in the method's order."""
    every = parameters(name)
    kind = every[word].kind
    wrong: Any = {"nothing": Thing()} if kind is inspect.Parameter.VAR_KEYWORD else Thing()
    changed = {**given, word: (wrong,) if kind is inspect.Parameter.VAR_POSITIONAL else wrong}
    for other in every.values():
        if other.kind is other.POSITIONAL_OR_KEYWORD and other.default is not other.empty:
            changed.setdefault(other.name, other.default)
    return {w: changed[w] for w in every if w in changed}


def problem(name: str, word: str) -> str:
    """What is wrong with how a method refuses a thing as an argument; empty if nothing is."""
    for method, given in good_calls(name):
        arguments_given = with_thing(name, word, given)
        try:
            called(method, name, arguments_given)
        except UsageError as error:
            return "" if name in str(error) else f"{name} is not said in: {error}"
        except TypeError as error:
            if parameters(name)[word].kind is inspect.Parameter.VAR_KEYWORD:
                return "" if "nothing" in str(error) else f"unclear: {error}"
            return f"{type(error).__name__}: {error}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return "a thing is taken"
    return "the table has no call of it that can be taken apart"


@pytest.mark.parametrize("name", dict(arguments()))
def test_an_argument_refuses_a_thing_or_is_known_to_take_it(name) -> None:
    known_here = known()
    for word in parameters(name):
        argument, found = (name, word), problem(name, word)
        if argument in known_here:
            assert found, f"{argument} is refused now: take it out of {TO_DO.name}"
            assert argument not in IN_TABLE, f"the table refuses {argument}: take it out"
        else:
            assert not found or argument in IN_TABLE, f"{argument}: {found}"


def test_what_is_known_is_there() -> None:
    assert known() <= set(arguments())


def test_a_refusal_names_an_argument_of_its_method() -> None:
    named = [row for row in all_refusals() if row.argument not in ("", "self")]
    assert len(named) > 300
    assert [row.text for row in named if row.argument not in parameters(row.name)] == []
