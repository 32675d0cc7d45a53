"""Every argument of every method of a tensor has a wrong value in the table, and is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from method_calls import arguments, parameters, refused_argument

from rulewright.verify.methods import all_refusals

TO_DO = Path(__file__).parents[1] / "reviewed" / "unrefused.txt"


def known() -> dict[str, set[str]]:
    """The arguments that the table has no refusal of yet, by method."""
    lines = [line.split() for line in TO_DO.read_text().splitlines() if line[:1] not in ("#", "")]
    return {method: set(words) for method, *words in lines}


def refused() -> set[tuple[str, str]]:
    """The arguments that the table gives a wrong value to."""
    return {(row.name, refused_argument(row)) for row in all_refusals()}


def test_an_argument_has_a_refusal_or_is_known_to_have_none() -> None:
    found = refused()
    missing: dict[str, set[str]] = {}
    for name, word in arguments():
        if (name, word) not in found:
            missing.setdefault(name, set()).add(word)
    assert missing == known(), f"the list of {TO_DO.name} is what is missing, and only shrinks"


@pytest.mark.parametrize("row", [r for r in all_refusals() if r.argument], ids=lambda r: r.call)
def test_a_refusal_names_an_argument_of_its_method(row) -> None:
    assert row.argument == "self" or row.argument in parameters(row.name)
