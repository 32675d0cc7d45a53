"""Programs over axes of sizes 0, 1 and 2: what is empty, what is a single element."""

from __future__ import annotations

from rulewright.verify.suite.program import SuiteProgram

_SIZES = (0, 1, 2)
_KINDS = ("f32", "i32", "u8", "bool")

_ROWS = (
    ("sum of all", "a = draw(n, 3)", "result = put(a).sum()", "wanted = a.sum()"),
    ("sum along it", "a = draw(n, 3)", "result = put(a).sum(0)", "wanted = a.sum(0)"),
    ("sum beside it", "a = draw(3, n)", "result = put(a).sum(0)", "wanted = a.sum(0)"),
    ("product along it", "a = draw(n, 3)", "result = put(a).prod(0)", "wanted = a.prod(0)"),
    ("product of matrices, rows", "a, b = draw(n, 3), draw(3, 5)", "result = put(a) @ put(b)",
     "wanted = a @ b"),
    ("product of matrices, summed", "a, b = draw(4, n), draw(n, 5)", "result = put(a) @ put(b)",
     "wanted = a @ b"),
    ("product of matrices, columns", "a, b = draw(4, 3), draw(3, n)", "result = put(a) @ put(b)",
     "wanted = a @ b"),
    ("product of batches", "a, b = draw(n, 2, 3), draw(n, 3, 2)", "result = put(a) @ put(b)",
     "wanted = a @ b"),
    ("joined", "a, b = draw(n, 3), draw(2, 3)", "result = Tensor.cat(put(a), put(b), put(a))",
     "wanted = np.concatenate([a, b, a])"),
    ("stacked", "a = draw(n, 3)", "result = Tensor.stack(put(a), put(a))",
     "wanted = np.stack([a, a])"),
    ("padded", "a = draw(n, 3)", "result = put(a).pad(((2, 1), (0, 1)))",
     "wanted = np.pad(a, ((2, 1), (0, 1)))"),
    ("cut to it", "a = draw(5, 3)", "result = put(a)[5 - n :, :n] * 1",
     "wanted = a[5 - n :, :n] * 1"),
    ("expanded", "a = draw(1, 3)", "result = put(a).expand(n, 3) + put(a)",
     "wanted = np.broadcast_to(a, (n, 3)) + a"),
    ("reshaped", "a = draw(n, 6)", "result = put(a).reshape(n * 2, 3).T.contiguous()",
     "wanted = a.reshape(n * 2, 3).T"),
    ("sorted", "a = draw(n, 3)", "result = list(put(a).sort(0))",
     "wanted = [np.sort(a, 0), np.argsort(a, 0, kind='stable')]"),
    ("running sum", "a = draw(n, 3)", "result = put(a).cumsum(0)", "wanted = np.cumsum(a, 0)"),
    ("gathered", "a, i = draw(4, 3), np.arange(n)", "result = put(a)[put(i)]", "wanted = a[i]"),
    ("written in part", "a = draw(3, 4)", "result = put(a).clone(); result[:n] = 1",
     "wanted = a.copy(); wanted[:n] = 1"),
    ("truths of all", "a = draw(n, 3) > 0", "result = [put(a).all(0), put(a).any(0)]",
     "wanted = [a.all(0), a.any(0)]"),
    ("two sums of one", "a = draw(n, 3)", "t = put(a); result = [t.sum(0) * 1, t.sum(1), t.sum()]",
     "wanted = [a.sum(0), a.sum(1), a.sum()]"),
)  # fmt: skip

_FLOATS = (
    ("softmax", "a = draw(n, 3)", "result = [put(a).softmax(1), put(a).softmax(0)]",
     "e = np.exp(a - 9.0); wanted = [e / e.sum(1, keepdims=True), e / e.sum(0, keepdims=True)]"),
    ("mean and variance", "a = draw(2, n)",
     "t = put(a); result = [t.mean(1), t.var(1, correction=0)]",
     "wanted = [a.astype('f8').mean(1), a.astype('f8').var(1)]"),
    ("gradient", "a, b = draw(n, 3), draw(3, 2)",
     "t = put(a); t.requires_grad_(); (t @ put(b)).square().sum().backward(); result = t.grad",
     "wanted = 2 * (a @ b) @ b.T"),
)  # fmt: skip

ROWS = [
    *(SuiteProgram(*row, _KINDS if "product" not in row[0] else ("f32", "i32"), _SIZES)
      for row in _ROWS),
    *(SuiteProgram(*row, ("f32", "f64"), _SIZES, 1e-5) for row in _FLOATS),
]  # fmt: skip
