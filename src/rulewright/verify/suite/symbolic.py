"""Sizes that are numbers of a call: one kernel, one capture, several sizes."""

from __future__ import annotations

from rulewright.verify.suite.program import SuiteProgram

_BIND = "i = Variable('i', 1, 12).bind(n)\n"
_SEVERAL = "result = [f(Variable('i', 1, 12).bind(k)).numpy() for k in (n, 3, 12, 1, n)]"


def _each(wanted: str) -> str:
    return f"wanted = [{wanted} for k in (n, 3, 12, 1, n)]"


_ROWS = (
    ("sum", "a = draw(12, 3)", f"{_BIND}result = put(a)[:i].sum(0)", "wanted = a[:n].sum(0)"),
    ("sum beside", "a = draw(3, 12)", f"{_BIND}result = put(a)[:, :i].sum(0).sum()",
     "wanted = a[:, :n].sum()"),
    ("product", "a, b = draw(5, 12), draw(12, 4)", f"{_BIND}result = put(a)[:, :i] @ put(b)[:i]",
     "wanted = a[:, :n] @ b[:n]"),
    ("largest", "a = draw(12, 3)", f"{_BIND}result = put(a)[:i].max(0)", "wanted = a[:n].max(0)"),
    ("one element", "a = draw(13, 3)", f"{_BIND}result = put(a)[i] * 2", "wanted = a[n] * 2"),
    ("a window", "a = draw(24, 3)", f"{_BIND}result = put(a)[i : i + 3] * 2",
     "wanted = a[n : n + 3] * 2"),
    ("written", "a, b = draw(13, 3), draw(3)",
     f"{_BIND}result = put(a).clone(); result[i : i + 1] = put(b).reshape(1, 3)",
     "wanted = a.copy(); wanted[n] = b"),
    ("positions", "", f"{_BIND}result = Tensor.arange(i, device=device).sum()",
     "wanted = np.arange(n).sum()"),
    ("mean of rows", "a = draw(3, 12)", f"{_BIND}result = (put(a)[:, :i].sum(1) * 1)",
     "wanted = a[:, :n].sum(1)"),
    ("captured sum", "a = draw(12, 3)",
     f"t = put(a)\nf = jit(lambda i: t[:i].sum(0))\n{_SEVERAL}", _each("a[:k].sum(0)")),
    ("captured product", "a, b = draw(5, 12), draw(12, 4)",
     f"x, y = put(a), put(b)\nf = jit(lambda i: x[:, :i] @ y[:i])\n{_SEVERAL}",
     _each("a[:, :k] @ b[:k]")),
    ("captured write", "a = draw(13, 3)",
     "t = put(a).clone()\ndef step(i): t[i : i + 1] = t[i : i + 1] * 2 + 1; return t.realize()\n"
     f"f = jit(step)\n{_SEVERAL}",
     "wanted = []; w = a.copy()\nfor k in (n, 3, 12, 1, n): w[k] = w[k] * 2 + 1; "
     "wanted.append(w.copy())"),
    ("two sizes", "a = draw(12, 12)",
     "i, j = Variable('i', 1, 12).bind(n), Variable('j', 1, 12).bind(13 - n)\n"
     "result = put(a)[:i, :j].sum()", "wanted = a[:n, : 13 - n].sum()"),
)  # fmt: skip

ROWS = [SuiteProgram(*row, ("f32", "i32", "f16"), (1, 2, 5, 12)) for row in _ROWS]
