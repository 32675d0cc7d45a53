"""Products of matrices in each dtype that some target's `tensor_core` or tiles multiply.

Values are whole numbers, which every order of adding keeps exactly. Sizes are those that small
matrices divide, one more and one less; some have several blocks along both sides, and some are
large enough for all that a GPU runs at once, which other tensor cores may do.
"""

from __future__ import annotations

from rulewright.verify.suite.program import SuiteProgram

_SIZES = (1, 15, 16, 17, 33, 64)
_WIDE = "wanted = a.astype('f8') @ b.astype('f8')"

_ROWS = (
    ("square", "a, b = draw(n, n), draw(n, n)"),
    ("tall", "a, b = draw(2 * n + 1, 16), draw(16, n)"),
    ("wide", "a, b = draw(16, n), draw(n, 2 * n + 3)"),
    ("deep", "a, b = draw(5, 8 * n + 1), draw(8 * n + 1, 9)"),
    ("batched", "a, b = draw(3, n, 17), draw(3, 17, n)"),
    ("turned left", "a, b = draw(33, n).T, draw(33, 24)"),
    ("turned right", "a, b = draw(24, 33), draw(n, 33).T"),
)

_BLOCKS = (
    ("blocks", "a, b = draw(70, n), draw(n, 75)"),
    ("blocks, turned", "a, b = draw(n, 75).T, draw(70, n).T"),
)
_LARGE = (
    ("many blocks", "a, b = draw(1000, n), draw(n, 1030)"),
    ("many blocks, turned", "a, b = draw(n, 1030).T, draw(1000, n).T"),
)
_SUMMED = {"f32": ("f16", "bf16", "fp8e4m3", "fp8e5m2"), "i32": ("i8", "u8")}


def _product(
    name: str, inputs: str, kinds: tuple[str, ...], sum: str, sizes: tuple[int, ...] = _SIZES
) -> SuiteProgram:
    code = f"result = put(a).matmul(put(b), dtype='{sum}')"
    return SuiteProgram(f"{name}, summed in {sum}", inputs, code, _WIDE, kinds, sizes)


ROWS = [
    *(_product(*row, kinds, sum) for sum, kinds in _SUMMED.items() for row in _ROWS),
    *(_product(*row, kinds, sum, (33,)) for sum, kinds in _SUMMED.items() for row in _BLOCKS),
    *(_product(*row, kinds, sum, (129,)) for sum, kinds in _SUMMED.items() for row in _LARGE),
    *(SuiteProgram(name, inputs, "result = put(a) @ put(b)", _WIDE, ("f32", "f64", "i32"),
                   _SIZES) for name, inputs in _ROWS),
    SuiteProgram("and more behind", "a, b, c = draw(n, 48), draw(48, n), draw(n)",
                 "result = (put(a).matmul(put(b), dtype='f32') + put(c)).relu() * 2",
                 "wanted = np.maximum(a.astype('f8') @ b.astype('f8') + c, 0) * 2", ("f16", "bf16"),
                 _SIZES),
    SuiteProgram("rounded to tf32", "a, b = draw(n, 40), draw(40, n)",
                 "short = lambda t: ((t.bitcast('u32') + 0x1000) & 0xffffe000).bitcast('f32')\n"
                 "result = short(put(a)) @ short(put(b))", "wanted = a @ b", ("f32",), _SIZES),
]  # fmt: skip
