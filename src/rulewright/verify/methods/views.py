"""The column "views" of the table of methods: whose results share memory with an operand.

A view shows later writes to what it is a view of, and the other way round. Which methods give
views is PyTorch's, with these differences: `bitcast` to another size and a tensor without axes as
an index copy here; slices with negative steps are views, as in numpy; `view` never refuses.
"""

from __future__ import annotations

from typing import NamedTuple

VIEWS = frozenset({
    "reshape", "view", "ravel", "flatten", "unflatten", "squeeze", "unsqueeze", "expand",
    "permute", "transpose", "swapaxes", "moveaxis", "movedim", "shrink", "shrink_to", "rearrange",
    "diagonal", "unfold", "split", "chunk", "tensor_split", "unbind", "select", "narrow",
    "detach", "meshgrid", "einsum", "bitcast", "__getitem__", "broadcast_to", "expand_as",
    "view_as", "reshape_as",
})  # fmt: skip
"""Methods whose results are views wherever strides can say it (`view` and `unfold`: always)."""

ITSELF = frozenset({
    "cast", "to", "cpu", "type_as", "float", "double", "half", "bfloat16", "int", "long",
    "bool", "contiguous", "dropout", "sequential", "realize", "kernelize", "assign",
    "replace", "requires_grad_", "__setitem__",
})  # fmt: skip
"""Methods that may give the tensor itself: there is nothing to do, or it is written in place."""


def sharing(name: str) -> str:
    """What documentation says of a method's results; empty for new values."""
    if name in VIEWS:
        return "A view: it shares memory with the tensor wherever strides can say it."
    return "The tensor itself where there is nothing to do." if name in ITSELF else ""


class Sharing(NamedTuple):
    """A call on x, whether its result shares memory with x, and the shape and dtype of x."""

    call: str
    shares: bool
    shape: tuple[int, ...] = (3, 5)
    dtype: str = "f32"


ROWS = [
    # where strides say it, and where they do not
    Sharing("x.reshape(5, 3)", True),
    Sharing("x.reshape(3, 5)", True),
    Sharing("x.T.reshape(15)", False),
    Sharing("x.T.reshape(5, 3)", True),
    Sharing("x.T.reshape(5, 1, 3)", True),
    Sharing("x.T.reshape(5, 3, 1, 1)", True),
    Sharing("x.T.flatten()", False),
    Sharing("x.T.ravel()", False),
    Sharing("x.T.view(15)", True),
    Sharing("x.T.T.flatten()", True),
    Sharing("x.T.unflatten(0, (5, 1))", True),
    Sharing("x.T.squeeze()", True, (1, 5)),
    Sharing("x.T.flatten()", True, (1, 5)),
    Sharing("x.T.flatten()", True, (5, 1)),
    Sharing("x[:2].flatten()", True),
    Sharing("x[:, :2].flatten()", False),
    Sharing("x[:, 0].reshape(1, 3)", True),
    Sharing("x[:, 0].reshape(3, 1)", True),
    Sharing("x[:, 1:2].reshape(3)", True),
    Sharing("x[::2].flatten()", False),
    Sharing("x[::2].reshape(2, 1, 5)", True),
    Sharing("x.diagonal().reshape(1, 3)", True),
    Sharing("x.diagonal().reshape(2, 2)", True, (4, 4)),
    Sharing("x.unsqueeze(0).expand(2, 3, 5).reshape(2, 15)", True),
    Sharing("x.unsqueeze(0).expand(2, 3, 5).reshape(6, 5)", False),
    Sharing("x[::-1].flatten()", False),
    Sharing("x.permute(0, 2, 1).flatten(1)", False, (2, 3, 4)),
    Sharing("x.permute(2, 0, 1).flatten(1)", True, (2, 3, 4)),
    Sharing("x.rearrange('a b -> (a b)')", True),
    Sharing("x.rearrange('a b -> (b a)')", False),
    Sharing("x.bitcast('i32')", True),
    Sharing("x.bitcast('u8')", False),
    Sharing("x[::-1]", True),
    Sharing("x[1]", True),
    Sharing("x[...]", True),
    Sharing("x[None]", True),
    Sharing("x[True]", False),
    Sharing("x[[0, 1, 2]]", False),
    Sharing("x.detach()", True),
    Sharing("+x", True),
    # where a method folds away: nothing is repeated, turned, moved, cut or computed
    *(Sharing(call, False, shape, dtype) for call, shape, dtype in (
        ("x.flip(0)", (1, 5), "f32"),
        ("x.flip(0)", (3, 5), "f32"),
        ("x.flip(1)", (3, 1), "f32"),
        ("x.repeat(1, 1)", (3, 5), "f32"),
        ("x.repeat(3, 3)", (3, 5), "f32"),
        ("x.repeat(2)", (), "f32"),
        ("x.tile(1)", (3, 5), "f32"),
        ("x.tile(2, 2)", (3, 5), "f32"),
        ("x.repeat_interleave(1, 0)", (3, 5), "f32"),
        ("x.repeat_interleave(2)", (3, 5), "f32"),
        ("x.repeat_interleave([1, 1, 1], 0)", (3, 5), "f32"),
        ("x.diag()", (3, 5), "f32"),
        ("x.diag()", (1, 1), "f32"),
        ("x.diag()", (1,), "f32"),
        ("x.diag_embed()", (1,), "f32"),
        ("x.det()", (2, 0, 0), "f32"),
        ("x.inverse()", (2, 0, 0), "f32"),
        ("x.solve(x)", (2, 0, 0), "f32"),
        ("x.qr()[0]", (2, 0, 0), "f32"),
        ("x.qr()[0]", (2, 3, 0), "f32"),
        ("x.svd()[0]", (2, 3, 0), "f32"),
        ("x.svd()[2]", (2, 0, 3), "f32"),
        ("x.svd()[2]", (0, 3, 3), "f32"),
        ("x.roll(0, 0)", (3, 5), "f32"),
        ("x.roll(3, 0)", (3, 5), "f32"),
        ("x.roll(1, 0)", (1, 5), "f32"),
        ("x.roll(0)", (3, 5), "f32"),
        ("x.cat(dim=0)", (3, 5), "f32"),
        ("Tensor.cat(x)", (3, 5), "f32"),
        ("Tensor.stack(x)", (3, 5), "f32"),
        ("Tensor.stack([x])", (3, 5), "f32"),
        ("x.hstack()", (3, 5), "f32"),
        ("x.pad((0, -1))", (3, 5), "f32"),
        ("x.pad_to(3, 5)", (3, 5), "f32"),
        ("x.pad((0, 0))", (3, 5), "f32"),
        ("x.tril(5)", (3, 5), "f32"),
        ("x.triu(-3)", (3, 5), "f32"),
        ("x.sum(0)", (1, 5), "f32"),
        ("x.sum(())", (3, 5), "f32"),
        ("x.sum()", (), "f32"),
        ("x.mean(0)", (1, 5), "f32"),
        ("x.max(0)", (1, 5), "f32"),
        ("x.prod(0, keepdim=True)", (1, 5), "f32"),
        ("x.any(0)", (1, 5), "bool"),
        ("x.logsumexp(0)", (1, 5), "f32"),
        ("x.cumsum(0)", (), "f32"),
        ("x.cumsum(0)", (1, 5), "f32"),
        ("x.cumprod(0)", (1, 5), "f32"),
        ("x.cummax(0)[0]", (), "f32"),
        ("x.cummin(0)[0]", (1, 5), "f32"),
        ("x.logcumsumexp(0)", (1, 5), "f32"),
        ("x.sort(0)[0]", (1, 5), "f32"),
        ("x.sort(0)[0]", (), "f32"),
        ("x.topk(1, 0)[0]", (1, 5), "f32"),
        ("x.kthvalue(1, 0)[0]", (1, 5), "f32"),
        ("x.median(0)[0]", (1, 5), "f32"),
        ("x ** 1", (3, 5), "f32"),
        ("x ** 1", (3, 5), "i32"),
        ("x ** 1.0", (3, 5), "f32"),
        ("x * 1", (3, 5), "f32"),
        ("x + 0", (3, 5), "i32"),
        ("x / 1", (3, 5), "f32"),
        ("x // 1", (3, 5), "i32"),
        ("x | 0", (3, 5), "i32"),
        ("x << 0", (3, 5), "i32"),
        ("-(-x)", (3, 5), "i32"),
        ("~~x", (3, 5), "bool"),
        ("x.abs()", (3, 5), "u8"),
        ("x.abs()", (3, 5), "bool"),
        ("x.sign()", (3, 5), "bool"),
        ("x.round()", (3, 5), "i32"),
        ("x.floor()", (3, 5), "i32"),
        ("x.ceil()", (3, 5), "i32"),
        ("x.trunc()", (3, 5), "i32"),
        ("x.nan_to_num()", (3, 5), "i32"),
        ("x.relu()", (3, 5), "u8"),
        ("x.clip(0, 255)", (3, 5), "u8"),
        ("x.maximum(x)", (3, 5), "f32"),
        ("x.logical_and(True)", (3, 5), "bool"),
        ("x.where(x, x)", (3, 5), "bool"),
        ("Tensor([True]).where(x, x)", (3, 5), "f32"),
        ("x.masked_fill(False, 0)", (3, 5), "f32"),
        ("x.gather(0, Tensor([[0] * 5]))", (1, 5), "f32"),
        ("x.take(Tensor.arange(15))", (3, 5), "f32"),
        ("x.scatter(0, Tensor.zeros(0, 5, dtype='i64'), x)", (3, 5), "f32"),
        ("x.interpolate(5)", (1, 3, 5), "f32"),
        ("x.interpolate(5, mode='nearest')", (1, 3, 5), "f32"),
        ("x.avg_pool2d(1)", (1, 3, 5), "f32"),
        ("x.max_pool2d(1)", (1, 3, 5), "f32"),
        ("x.one_hot(1)", (3,), "i64"),
        ("x.clone()", (3, 5), "f32"),
        ("x.cast('f64').cast('f32')", (3, 5), "f32"),
        ("x.dot(Tensor([1.0]))", (1,), "f32"),
        ("x @ Tensor([[1.0]])", (3, 1), "f32"),
        ("x.unique()", (1,), "i32"),
    )),
]  # fmt: skip
"""Where the rows of the other modules do not look."""
