"""A device of another package that has vectors of three dtypes only, and lacks two dtypes."""

from __future__ import annotations

from pathlib import Path

import pytest
from outside_tools import fake, run

pytestmark = pytest.mark.timeout(60)  # processes of their own, whose caches may be cold

SHORT = r"""
/// One core with vectors of 128 bits, indices of 32 bits, no f16, eight memories a kernel.
target SHORT extends GnuVectors {
  feature simd
  feature ordered_loops
  limit cores = 1
  limit vector_bits = 128
  limit vector_registers = 16
  limit index_bits = 32
  limit buffers = 8
  limit own_memory = 65536
  lower short_lowering
  type bool = "unsigned char"
  type bf16 = "unsigned short"
  type f64 = "double"
  type index = "int"
  vector f32 = "f32x{count}"
  vector i32 = "i32x{count}"
  vector u32 = "u32x{count}"
  literal bf16 = "{bits}"
  literal f32_inf = "__builtin_inff()"
  literal f32_nan = "__builtin_nanf(\"\")"
  literal f64 = "{value}"
  literal f64_inf = "__builtin_inf()"
  literal f64_nan = "__builtin_nan(\"\")"
  spell SQRT: f32 = "__builtin_sqrtf({x})"
  spell TRUNC: f32 = "__builtin_truncf({x})"
  spell TRUNC: f64 = "__builtin_trunc({x})"
  spell FMOD: f32 = "__builtin_fmodf({a}, {b})"
  spell MULACC: f32 | f64 = "{a} * {b} + {c}"
  spell BITCAST: u16 | bf16 of bf16 | u16 = "{x}"
  spell BITCAST: f32 | i32 | u32 of f32 | i32 | u32 = "{of_name}_as_{name}({x})"
  helper BITCAST: f32 | i32 | u32 of f32 | i32 | u32 = '''
static inline {type} {of_name}_as_{name}({of} x) {
  union { {of} from; {type} to; } bits;
  bits.from = x;
  return bits.to;
}'''
  text source_suffix = ".c"
  text kernel = "void {kernel}(void **bufs, const long *vars, long begin, long end) {"
  text parameter_line = "{type} *restrict {var} = bufs[{index}];"
  text parameter_line_read = "const {type} *restrict {var} = bufs[{index}];"
  text variable_line = "const {type} {var} = vars[{index}];"
}

/// What has no spelling.
ruleset short_lowering measure = lowered = small_floats + small_functions + bf16_bits
  + conversions + exp_f32 + trigonometry_f32 + erf_f32 + integer_lowering
""".replace("'''", '"""')

DEVICE = """
from pathlib import Path

from rulewright.runtime.c import CDevice


class ShortDevice(CDevice):
    target_name = "SHORT"
    spec = (Path(__file__).with_name("short.uop"),)
"""

COMPUTES = """
import numpy as np
from rulewright import GlobalCounters, Tensor

rng = np.random.default_rng(0)
x, y = (rng.standard_normal((9, 33)).astype(np.float32) * 9 for _ in "xy")
t, u = Tensor(x, device="SHORT"), Tensor(y, device="SHORT")
np.testing.assert_array_equal(t.fmod(u).numpy(), np.fmod(x, y))
np.testing.assert_array_equal((t > u).numpy(), x > y)
np.testing.assert_array_equal((t > u).where(t, 0.0).numpy(), np.where(x > y, x, np.float32(0)))
np.testing.assert_allclose(t.sin().numpy(), np.sin(x.astype(np.float64)), rtol=1e-5, atol=1e-6)
np.testing.assert_allclose((t @ u.T).numpy(), x @ y.T, rtol=1e-4, atol=1e-3)
np.testing.assert_array_equal(t.double().numpy(), x.astype(np.float64))
whole, far = x.astype(np.int32), (np.abs(y) * 9).astype(np.int32)
by = Tensor(far, device="SHORT")  # 32 and more among them, which are looked after by conditions
np.testing.assert_array_equal((t.int() >> by).numpy(), whole >> np.minimum(far, 31))
np.testing.assert_array_equal((t.int() >> 33).numpy(), whole >> 31)
np.testing.assert_array_equal((t.int() >> 3).numpy(), whole >> 3)
[kernel] = (t.int().realize() >> 3).schedule()
assert "i32x4" in kernel.lower().source
np.testing.assert_array_equal(t.flip(1).contiguous().numpy(), x[:, ::-1])
np.testing.assert_array_equal((t[:, ::2] + 1).numpy(), x[:, ::2] + 1)
np.testing.assert_array_equal((t.int()[:, 1::3] * 2).numpy(), whole[:, 1::3] * 2)
parts = [Tensor(x + k, device="SHORT").realize() for k in range(12)]
added = parts[0]
for part in parts[1:]:
    added = added + part
np.testing.assert_allclose(added.numpy(), 12 * x + 66, rtol=1e-5, atol=1e-4)
Tensor.manual_seed(3)
drawn = Tensor.randn(64, 64, device="SHORT").numpy()
Tensor.manual_seed(3)
wanted = Tensor.randn(64, 64, device="INTERP").numpy()
np.testing.assert_allclose(drawn, wanted, rtol=2e-6, atol=1e-7)
assert GlobalCounters.kernels_on["SHORT"] >= 8
print("good")
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A folder with the package."""
    folder = tmp_path_factory.mktemp("short") / "site"
    package = {"rulewright_short.py": DEVICE, "short.uop": SHORT}
    fake(folder, "rulewright-short", "SHORT = rulewright_short:ShortDevice", package)
    return folder


def test_vectors_of_a_few_dtypes_are_enough(site):
    """What has no vectors, conditions in memory and doubles among it, stays a loop."""
    assert run(site, code=COMPUTES).endswith("good\n")


def test_a_dtype_that_it_lacks_is_declared_and_not_wrong(site):
    chosen = "values/rand/2 or values/randn/2 or (random/rand and f16)"
    said = run(site, "conformance", "--device", "SHORT", "-k", chosen)
    assert said.count("the target has no type f16") == 3, said
    assert "wrong: " not in said and "values  0      0      2" in said


FLOATS = """
from rulewright import Tensor, load_spec
from rulewright.codegen.lower import lower_kernel
load_spec("floats.uop")
for f in (Tensor.abs, Tensor.sqrt):
    [kernel] = f(Tensor.rand(32).realize()).schedule()
    print("f32x" in lower_kernel(kernel.ast, "FLOATS").source)
"""


def test_what_is_lowered_to_bits_stays_a_loop_without_vectors_of_them(tmp_path):
    """|x| is, of two ops that have vectors."""
    away = tmp_path / "away"
    away.mkdir()
    words = SHORT.replace("SHORT", "FLOATS").replace("lower short_", "lower c_")
    words = words.replace('  vector i32 = "i32x{count}"\n  vector u32 = "u32x{count}"\n', "")
    (away / "floats.uop").write_text(words)
    assert run(tmp_path / "site", code=FLOATS) == "False\nTrue\n"
