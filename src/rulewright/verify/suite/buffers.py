"""Kernels of many memories: joined, summed and chosen of 40 and 100, and as many results."""

from __future__ import annotations

from rulewright.verify.suite.program import Program

_GIVEN = "parts = [draw(3, 2) for _ in range(n)]"

_ROWS = (
    ("cat", _GIVEN, "found = Tensor.cat(*map(put, parts))", "wanted = np.concatenate(parts)"),
    ("cat of columns", _GIVEN, "found = Tensor.cat(*map(put, parts), dim=1)",
     "wanted = np.concatenate(parts, 1)"),
    ("stack", _GIVEN, "found = Tensor.stack(*map(put, parts), dim=1)",
     "wanted = np.stack(parts, 1)"),
    ("sum", _GIVEN, "found = sum(map(put, parts[1:]), put(parts[0]))",
     "wanted = sum(parts[1:], parts[0])"),
    ("sum of turned ones", _GIVEN,
     "found = sum((put(p).flip(0) for p in parts[1:]), put(parts[0]))",
     "wanted = sum((p[::-1] for p in parts[1:]), parts[0])"),
    ("maximum", _GIVEN, "t = [put(p) for p in parts]; found = t[0]\n"
     "for other in t[1:]: found = found.maximum(other)", "wanted = np.max(parts, 0)"),
    ("choices", _GIVEN, "t = [put(p) for p in parts]; found = t[0]\n"
     "for k, other in enumerate(t[1:]): found = (other > k % 5).where(other, found)",
     "wanted = parts[0]\nfor k, other in enumerate(parts[1:]): "
     "wanted = np.where(other > k % 5, other, wanted)"),
    ("as many results", _GIVEN,
     "found = [put(p) * 2 + 1 for p in parts]; Tensor.realize(*found)",
     "wanted = [p * 2 + 1 for p in parts]"),
    ("results of one sum", _GIVEN,
     "t = [put(p) for p in parts]; s = sum(t[1:], t[0]); found = [s - p for p in t]\n"
     "Tensor.realize(*found)",
     "wanted = [sum(parts[1:], parts[0]) - p for p in parts]"),
    ("parts written", _GIVEN,
     "found = Tensor.zeros(n, 3, 2, dtype=kind, device=device).clone()\n"
     "for k, p in enumerate(parts): found[k] = put(p)",
     "wanted = np.stack(parts)"),
    ("sums of each", _GIVEN, "found = Tensor.stack(*(put(p).sum() for p in parts))",
     "wanted = np.array([p.sum() for p in parts])"),
    ("captured", _GIVEN,
     "f = jit(lambda *t: sum(t[1:], t[0]) * 2)\n"
     "found = [f(*(put(p + k) for p in parts)) * 1 for k in range(4)]",
     "wanted = [(sum(parts[1:], parts[0]) + k * n) * 2 for k in range(4)]"),
)  # fmt: skip

ROWS = [Program(*row, ("f32", "u8"), (40, 100)) for row in _ROWS]
