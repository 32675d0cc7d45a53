"""Targets with other limits than those that ship: kernels for them are chosen all the same."""

from __future__ import annotations

import pytest
from outside_tools import run

pytestmark = pytest.mark.timeout(60)  # processes of their own, whose caches may be cold

SMALL = """
target SCALAR extends C {
  limit vector_bits = 128
  limit vector_registers = 16
  limit near_memory = 0
  limit cores = 1
}
"""

LOWERS = """
from rulewright import Tensor, load_spec
from rulewright.codegen.lower import lower_kernel
load_spec("small.uop")
for n in (16, 33, 37, 50, 65, 128):
    [kernel] = (Tensor.rand(n, n).realize() @ Tensor.rand(n, n).realize()).schedule()
    print(n, lower_kernel(kernel.ast, "SCALAR").name)
"""


def test_a_product_whose_columns_are_cut_is_lowered_without_memory_near_by(tmp_path):
    away = tmp_path / "away"
    away.mkdir()
    (away / "small.uop").write_text(SMALL)
    said = run(tmp_path / "site", code=LOWERS)
    assert [int(line.split()[0]) for line in said.splitlines()] == [16, 33, 37, 50, 65, 128]
