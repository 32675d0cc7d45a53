"""The column "views" of the table of methods: whose results share memory with an operand.

A view shows later writes to what it is a view of, and the other way round. Which methods give
views is PyTorch's, with these differences: `bitcast` to another size and a tensor without axes as
an index copy here; slices with negative steps are views, as in numpy; `view` never refuses.
"""

from __future__ import annotations

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
    "bool", "contiguous", "dropout", "feature_dropout", "sequential", "realize", "kernelize",
    "assign", "replace", "requires_grad_", "__setitem__",
})  # fmt: skip
"""Methods that may give the tensor itself: there is nothing to do, or it is written in place."""


def sharing(name: str) -> str:
    """What documentation says of a method's results; empty for new values."""
    if name in VIEWS:
        return "A view: it shares memory with the tensor wherever strides can say it."
    return "The tensor itself where there is nothing to do." if name in ITSELF else ""
