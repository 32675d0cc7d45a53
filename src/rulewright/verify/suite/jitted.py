"""Captured functions: arguments anew, writes in place, several graphs, results that are kept."""

from __future__ import annotations

from rulewright.verify.suite.program import SuiteProgram

_SEVERAL = "parts = [draw(n, 3) for _ in range(5)]"

_ROWS = (
    ("other arguments", _SEVERAL,
     "f = jit(lambda x: x * 2 + 1)\nresult = [f(put(p)).numpy() for p in parts]",
     "wanted = [p * 2 + 1 for p in parts]"),
    ("results are kept", _SEVERAL,
     "f = jit(lambda x: x * 2 + 1)\nresult = [f(put(p)) for p in parts]",
     "wanted = [p * 2 + 1 for p in parts]"),
    ("result is the next argument", "a = draw(n, 3)",
     "f = jit(lambda x: x + 1)\nresult = put(a)\nfor _ in range(6): result = f(result)",
     "wanted = a + 6"),
    ("two arguments, swapped", _SEVERAL,
     "f = jit(lambda x, y: x - y * 2)\nt = [put(p) for p in parts]\n"
     "result = [f(t[i], t[j]) for i, j in ((0, 1), (1, 2), (2, 1), (3, 4), (4, 3), (1, 1))]",
     "pairs = ((0, 1), (1, 2), (2, 1), (3, 4), (4, 3), (1, 1))\n"
     "wanted = [parts[i] - parts[j] * 2 for i, j in pairs]"),
    ("in place", "a = draw(n, 3)",
     "t = put(a).clone()\ndef step(x): t.assign(t + x); return t.sum()\nf = jit(step)\n"
     "result = [*(f(put(a)).numpy() for _ in range(5)), t]",
     "wanted = [*((a * k).sum() for k in range(2, 7)), a * 6]"),
    ("part in place", "a = draw(n, 3)",
     "t = put(a).clone()\ndef step(x): t[:1] = t[:1] + x[:1]; return t * 1\nf = jit(step)\n"
     "result = [f(put(a)).numpy() for _ in range(5)]",
     "wanted = [np.concatenate([a[:1] * k, a[1:]]) for k in range(2, 7)]"),
    ("several graphs", "a = draw(n, 3)",
     "f = jit(lambda x: [(x @ x.T).sum(1), x.max(0), (x + x.sum()).contiguous() * 2])\n"
     "result = [r for _ in range(4) for r in f(put(a))]",
     "wanted = [(a @ a.T).sum(1), a.max(0), (a + a.sum()) * 2] * 4"),
    ("two functions take turns", _SEVERAL,
     "f, g = jit(lambda x: x + 1), jit(lambda x: x * 3)\nresult = [g(f(put(p))) for p in parts]",
     "wanted = [(p + 1) * 3 for p in parts]"),
    ("two shapes", "a, b = draw(n, 3), draw(2, n)",
     "f, g = jit(lambda x: x.sum(0) * 2), jit(lambda x: x.sum(0) * 2)\n"
     "result = [h(put(v)) for h, v in ((f, a), (g, b)) * 4]",
     "wanted = [v.sum(0) * 2 for v in (a, b) * 4]"),
    ("one memory as two arguments", "a = draw(n, 3)",
     "f = jit(lambda x, y: x + y * 2)\nt = put(a)\nresult = [f(t, t) for _ in range(4)]",
     "wanted = [a * 3] * 4"),
    ("views as arguments", "a = draw(n + 4, 3)",
     "f = jit(lambda x: x * 2)\nt = put(a)\n"
     "result = [f(t[k : k + n].contiguous()) for k in range(4)]",
     "wanted = [a[k : k + n] * 2 for k in range(4)]"),
    ("across devices", "a = draw(n, 3)",
     "f = jit(lambda x: (x * 2).to('INTERP') + 1)\nresult = [f(put(a + k)) for k in range(4)]",
     "wanted = [(a + k) * 2 + 1 for k in range(4)]"),
    ("given away", "a = draw(n, 3)",
     "f = jit(lambda x: x + 1, donate=(0,))\nresult = put(a).clone().realize()\n"
     "for _ in range(6): result = f(result)",
     "wanted = a + 6"),
    ("state that grows old", "a = draw(n, 3)",
     "m = put(a * 0).clone()\ndef step(x): m.assign(m + x); return m * 2\nf = jit(step)\n"
     "result = [f(put(a)).numpy() for _ in range(4)]",
     "wanted = [a * k * 2 for k in range(1, 5)]"),
)  # fmt: skip

ROWS = [SuiteProgram(*row, ("f32", "i32", "u8"), (1, 2, 33)) for row in _ROWS]
