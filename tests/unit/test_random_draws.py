"""What random tests draw is the same in whatever order tests run, and beside whichever others."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

CONSTANT = 4_815_162_342
MODULE = f"NUMBERS = [{', '.join(str(CONSTANT + k) for k in range(300))}]\n"


def drawn(size: int) -> list[int]:
    """Whole numbers as a test with a name would draw them."""
    numbers: list[int] = []

    @settings(max_examples=size, database=None)
    @given(st.integers(0, 10**12))
    def a_test_that_draws(number: int) -> None:
        numbers.append(number)

    a_test_that_draws()
    return numbers


def test_draws_do_not_hang_on_what_is_imported(
    search: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if search:
        pytest.skip("with SEARCH=1 no two runs draw alike, and there is nothing to compare")
    before = drawn(200)
    (tmp_path / "of_constants.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    import_module("of_constants")
    try:
        assert drawn(200) == before
        assert not any(CONSTANT <= number < CONSTANT + 300 for number in before)
    finally:
        sys.modules.pop("of_constants")
