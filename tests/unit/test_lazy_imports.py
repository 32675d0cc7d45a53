"""A library for which there is no memory when it is first needed: told in words, right later."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

CODE = """
import sys
from importlib.abc import MetaPathFinder
from rulewright import Tensor
from rulewright.errors import RulewrightError

class Once(MetaPathFinder):
    asked = 0

    def find_spec(self, name, path, target=None):
        if name == sys.argv[1] and not self.asked:
            self.asked += 1
            raise ImportError(name + ".so: failed to map segment from shared object")

finder = Once()
sys.meta_path.insert(0, finder)

def work():
    return (Tensor([1.0, 2.0]) * 3).sum().item()

try:
    work()
except RulewrightError as error:
    assert "failed to map segment" in str(error), error
    print("refused", end=" ")
assert finder.asked == 1
print(work())
"""


@pytest.mark.parametrize(
    "module",
    ["cffi", "_cffi_backend", "cffi.model", "cffi.cparser", "pycparser", "pycparser.c_parser",
     "pycparser.c_ast", "pycparser.c_lexer", "pycparser.ast_transforms"],
)  # fmt: skip
def test_a_library_that_cannot_be_mapped_is_told_and_works_later(module: str) -> None:
    command = [sys.executable, "-c", CODE, module]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "refused 9.0\n"), done.stderr


HEAVY = """
import sys
from rulewright import Tensor
heavy = {"rulewright.codegen.heuristic", "rulewright.codegen.lower", "rulewright.lang.tree"}
seen = heavy & set(sys.modules)
assert (Tensor([1.0, 2.0]) * 3).tolist() == [3.0, 6.0]
print(*seen, "then", *sorted(heavy & set(sys.modules)))
"""


def test_what_lowers_kernels_is_imported_where_a_kernel_has_to_be_lowered() -> None:
    said = []
    for cache in ("1", "1", "0"):  # the first fills it, if nobody has before
        command = [sys.executable, "-c", HEAVY]
        environment = {**os.environ, "CACHE": cache}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        said.append(done.stdout.strip())
    lowering = "rulewright.codegen.heuristic rulewright.codegen.lower"
    assert said[1:] == ["then", f"then {lowering}"]  # of the language's syntax trees nothing
