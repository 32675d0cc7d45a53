"""What `check` asks a target for is what its kernels are written with."""

from __future__ import annotations

from functools import cache

import pytest

from rulewright.checks import target_slots
from rulewright.checks.target_slots import check_slots_of_text
from rulewright.checks.target_texts import OR, needed
from rulewright.codegen.kinds import GRID, RANK
from rulewright.lang import tree as t
from rulewright.lang.build import all_files
from rulewright.lang.symbols import collect
from rulewright.render.target import Target, target
from rulewright.verify.golden import compile_program, source_text

PROGRAMS = (
    "attention", "boolean", "concatenate", "conv2d", "embedding", "half", "linear_bytes",
    "linear_half", "matmul", "pad", "random_normal", "softmax", "sum_huge", "symbolic",
)  # fmt: skip
TARGETS = ("C", "OPENCL", "CUDA", "METAL", "WEBGPU")


@cache
def kernels():
    return [c.kernel for name in PROGRAMS for c in compile_program(name).calls if not c.is_copy]


class Filled:
    """A template that notes what it is filled with."""

    def __init__(self, name, template, noted):
        self.name, self.template, self.noted = name, template, noted

    def __getattr__(self, name):
        return getattr(self.template, name)

    def fill(self, values):
        self.noted.setdefault(self.name, []).append(frozenset(values))
        return self.template.fill(values)


@pytest.mark.parametrize("name", TARGETS)
def test_texts_that_kernels_are_written_with_are_asked_for(name, monkeypatch):
    """But for those whose absence is seen to where they are used. `check` knows all slots too."""
    used, seen_to = {}, {"kernel"}
    text, has_text = Target.text, Target.has_text

    def looked(self, of):
        seen_to.add(of)
        return has_text(self, of)

    target.cache_clear()
    monkeypatch.setattr(Target, "text", lambda self, of: Filled(of, text(self, of), used))
    monkeypatch.setattr(Target, "has_text", looked)
    for kernel in kernels():
        source_text([kernel], name)
    symbols = collect(all_files())[0]
    wanted = {part for need in needed(symbols.targets[name], symbols) for part in need.split(OR)}
    assert len(used.keys() & wanted) > 8
    assert used.keys() - seen_to - wanted == set()
    assert [p for filled, times in used.items() for p in unknown(filled, times, name)] == []


def unknown(filled, times, name):
    """The problems of a text that says no more and no less than each time filled it."""
    symbols = collect(all_files())[0]
    declared = symbols.targets[name]
    for slots in map(sorted, set(times)):
        words = " ".join(f"{{{slot}}}" for slot in slots)
        named = t.Ident(filled, declared.span)
        fact = t.TargetFact(declared.span, "text", named, (), words)
        yield from (d.message for d in check_slots_of_text(fact, declared, symbols))


def test_kinds_of_loops_are_those_of_code_generation():
    assert set(target_slots.LOOPS) <= RANK.keys() - set(GRID)
