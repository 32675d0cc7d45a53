"""What `check` asks a target for is what its kernels are written with."""

from __future__ import annotations

from functools import cache

import pytest

from rulewright.checks.target_texts import OR, needed
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


@pytest.mark.parametrize("name", TARGETS)
def test_texts_that_kernels_are_written_with_are_asked_for(name, monkeypatch):
    """But for those whose absence is seen to where they are used."""
    used, seen_to = set(), {"kernel"}
    text, has_text = Target.text, Target.has_text

    def asked(self, of):
        used.add(of)
        return text(self, of)

    def looked(self, of):
        seen_to.add(of)
        return has_text(self, of)

    target.cache_clear()
    monkeypatch.setattr(Target, "text", asked)
    monkeypatch.setattr(Target, "has_text", looked)
    for kernel in kernels():
        source_text([kernel], name)
    symbols = collect(all_files())[0]
    wanted = {part for need in needed(symbols.targets[name], symbols) for part in need.split(OR)}
    assert len(used & wanted) > 8
    assert used - seen_to - wanted == set()
