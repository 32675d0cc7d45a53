"""Positions that do not fit into 31 or 32 bits, of memory that is small: views of few elements."""

from __future__ import annotations

from rulewright.verify.suite.program import SuiteProgram

_KINDS = ("f32", "i64", "u8")

_ROWS = (
    ("end of an expanded view", "a = draw(3)",
     "result = put(a).reshape(3, 1).expand(3, 2**31 + n).reshape(-1)[-n:] + 1",
     "wanted = np.full(n, a[2]) + 1"),
    ("seam of two copies", "a = draw(3)",
     "big = put(a).reshape(3, 1).expand(3, 2**31 + 5).reshape(-1)\n"
     "result = big[2**31 + 5 - n : 2**31 + 5 + n] + 1",
     "wanted = np.repeat(a[:2], n) + 1"),
    ("steps of 2^30", "a = draw(5)",
     "result = put(a).reshape(1, 5).expand(2**31, 5).reshape(-1)[n :: 2**30 + 1] + 1",
     "wanted = a[(n + np.arange(-(-(5 * 2**31 - n) // (2**30 + 1))) * (2**30 + 1)) % 5] + 1"),
    ("backwards from the end", "a = draw(5)",
     "result = put(a).reshape(1, 5).expand(2**31, 5).reshape(-1).flip(0)[: n + 5] + 1",
     "wanted = np.resize(a[::-1], n + 5) + 1"),
    ("behind 2^31 zeros", "a = draw(n)",
     "result = put(a).pad(((2**31 + 7, 3),))[2**31 + 6 :] + 1",
     "wanted = np.pad(a, (1, 3)) + 1"),
    ("positions themselves", "",
     "result = Tensor.arange(2**33 + 3, dtype='i64', device=device)[-n:] * 1",
     "wanted = np.arange(2**33 + 3 - n, 2**33 + 3)"),
    ("quotients of positions", "",
     "result = (Tensor.arange(2**33 + 3, dtype='i64', device=device) // 7)[-n:] % 1000",
     "wanted = np.arange(2**33 + 3 - n, 2**33 + 3) // 7 % 1000"),
    ("products of positions", "",
     "i = Tensor.arange(n, dtype='i64', device=device)\nresult = (i + 100000) * (i + 100000)",
     "wanted = (np.arange(n) + 100000) ** 2"),
    ("picked by numbers beyond 2^32", "a, i = draw(3), np.array([0, 2**32, 2**32 + n, 2**33 + 1])",
     "result = put(a).reshape(3, 1).expand(3, 2**32).reshape(-1)[put(i)] + 1",
     "wanted = a[i // 2**32] + 1"),
    ("largest of an expanded view's part", "a = draw(4)",
     "result = put(a).reshape(4, 1).expand(4, 2**32).reshape(-1)[2**32 - n : 2**32 + n].max()",
     "wanted = a[:2].max()"),
    ("two far views in one", "a, b = draw(3), draw(3)",
     "x = put(a).reshape(3, 1).expand(3, 2**31 + 1).reshape(-1)\n"
     "y = put(b).reshape(1, 3).expand(2**31 + 1, 3).reshape(-1)\nresult = (x + y)[-n:]",
     "at = np.arange(3 * (2**31 + 1) - n, 3 * (2**31 + 1))\n"
     "wanted = a[at // (2**31 + 1)] + b[at % 3]"),
    ("a turned matrix's end", "a = draw(3)",
     "x = put(a).reshape(3, 1).expand(3, 2**31 + 1).T.reshape(-1)\nresult = x[-n:] + 1",
     "wanted = a[np.arange(3 * (2**31 + 1) - n, 3 * (2**31 + 1)) % 3] + 1"),
    ("bound far away", "a = draw(4)",
     "i = Variable('i', 0, 2**40).bind(2**33 + 1)\n"
     "result = put(a).reshape(4, 1).expand(4, 2**40).reshape(-1)[i + 2**40 : i + 2**40 + n] + 1",
     "wanted = np.full(n, a[1]) + 1"),
    ("gradient through a far part", "a = draw(n)",
     "t = put(a).float(); t.requires_grad_()\n"
     "t.pad(((2**31 + 5, 1),))[-n:].square().sum().backward(); result = t.grad",
     "wanted = np.concatenate([[0], 2.0 * a[1:]])"),
)  # fmt: skip

ROWS = [SuiteProgram(*row, _KINDS, (2, 9)) for row in _ROWS]
