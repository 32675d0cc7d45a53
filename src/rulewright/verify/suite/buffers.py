"""Kernels of many memories: joined, summed and chosen of 40 and 100, and as many results."""

from __future__ import annotations

from rulewright.verify.suite.program import SuiteProgram

_PARTS = "parts = [draw(3, 2) for _ in range(n)]"

_ROWS = (
    ("cat", _PARTS, "result = Tensor.cat(*map(put, parts))", "wanted = np.concatenate(parts)"),
    ("cat of columns", _PARTS, "result = Tensor.cat(*map(put, parts), dim=1)",
     "wanted = np.concatenate(parts, 1)"),
    ("stack", _PARTS, "result = Tensor.stack(*map(put, parts), dim=1)",
     "wanted = np.stack(parts, 1)"),
    ("sum", _PARTS, "result = sum(map(put, parts[1:]), put(parts[0]))",
     "wanted = sum(parts[1:], parts[0])"),
    ("sum of turned ones", _PARTS,
     "result = sum((put(p).flip(0) for p in parts[1:]), put(parts[0]))",
     "wanted = sum((p[::-1] for p in parts[1:]), parts[0])"),
    ("maximum", _PARTS, "t = [put(p) for p in parts]; result = t[0]\n"
     "for other in t[1:]: result = result.maximum(other)", "wanted = np.max(parts, 0)"),
    ("choices", _PARTS, "t = [put(p) for p in parts]; result = t[0]\n"
     "for k, other in enumerate(t[1:]): result = (other > k % 5).where(other, result)",
     "wanted = parts[0]\nfor k, other in enumerate(parts[1:]): "
     "wanted = np.where(other > k % 5, other, wanted)"),
    ("as many results", _PARTS,
     "result = [put(p) * 2 + 1 for p in parts]; Tensor.realize(*result)",
     "wanted = [p * 2 + 1 for p in parts]"),
    ("results of one sum", _PARTS,
     "t = [put(p) for p in parts]; s = sum(t[1:], t[0]); result = [s - p for p in t]\n"
     "Tensor.realize(*result)",
     "wanted = [sum(parts[1:], parts[0]) - p for p in parts]"),
    ("parts written", _PARTS,
     "result = Tensor.zeros(n, 3, 2, dtype=kind, device=device).clone()\n"
     "for k, p in enumerate(parts): result[k] = put(p)",
     "wanted = np.stack(parts)"),
    ("sums of each", _PARTS, "result = Tensor.stack(*(put(p).sum() for p in parts))",
     "wanted = np.array([p.sum() for p in parts])"),
    ("captured", _PARTS,
     "f = jit(lambda *t: sum(t[1:], t[0]) * 2)\n"
     "result = [f(*(put(p + k) for p in parts)) * 1 for k in range(4)]",
     "wanted = [(sum(parts[1:], parts[0]) + k * n) * 2 for k in range(4)]"),
)  # fmt: skip

ROWS = [SuiteProgram(*row, ("f32", "u8"), (40, 100)) for row in _ROWS]
