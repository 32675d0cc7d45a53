"""Kernels and bytes of the programs of `tools/schedule_programs.py`, beside tinygrad's."""

from __future__ import annotations

import pytest

from schedule_counts import KNOWN, Counts, allowed, counted, theirs
from schedule_programs import PROGRAMS

SLOW = pytest.mark.timeout(120)  # schedules hundreds of kernels, with memory for the model


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=SLOW if n.startswith("ResNet") else ()) for n in PROGRAMS]
)
def test_a_program_needs_no_more_than_it_may(name: str) -> None:
    found, most = counted(name), allowed(name)
    assert found.within(most), f"{name}: {found}, at most {most} (tools/schedule_counts.json)"


def test_every_program_has_counts_to_compare_with() -> None:
    assert set(KNOWN["tinygrad"]) == set(PROGRAMS)


@pytest.mark.parametrize("name", KNOWN["more here"])
def test_what_may_need_more_does_and_says_why(name: str) -> None:
    known = KNOWN["more here"][name]
    assert len(known["why"]) > 20
    assert not Counts(*known["counts"]).within(theirs(name)), "no exception is needed any more"


def test_all_programs_together_need_fewer_kernels() -> None:
    ours = sum(allowed(name).kernels for name in PROGRAMS)
    assert ours < sum(theirs(name).kernels for name in PROGRAMS)
