"""Which methods share memory: every call of the table, and every call that has nothing to do."""

from __future__ import annotations

import ast
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest

from documentation.views import ITSELF, VIEWS
from rulewright import Context, Tensor
from rulewright.errors import RulewrightError
from rulewright.verify.methods import all_rows
from rulewright.verify.methods.row import kind_named, operands
from rulewright.verify.methods.text import Expression, text_of


class Sharing(NamedTuple):
    """A call on x, whether its result shares memory with x, and the shape and dtype of x."""

    call: Expression
    shares: bool
    shape: tuple[int, ...] = (3, 5)
    dtype: str = "f32"


ROWS = [
    # where strides say it, and where they do not
    Sharing(lambda x: x.reshape(5, 3), True),
    Sharing(lambda x: x.reshape(3, 5), True),
    Sharing(lambda x: x.T.reshape(15), False),
    Sharing(lambda x: x.T.reshape(5, 3), True),
    Sharing(lambda x: x.T.reshape(5, 1, 3), True),
    Sharing(lambda x: x.T.reshape(5, 3, 1, 1), True),
    Sharing(lambda x: x.T.flatten(), False),
    Sharing(lambda x: x.T.ravel(), False),
    Sharing(lambda x: x.T.view(15), True),
    Sharing(lambda x: x.T.T.flatten(), True),
    Sharing(lambda x: x.T.unflatten(0, (5, 1)), True),
    Sharing(lambda x: x.T.squeeze(), True, (1, 5)),
    Sharing(lambda x: x.T.flatten(), True, (1, 5)),
    Sharing(lambda x: x.T.flatten(), True, (5, 1)),
    Sharing(lambda x: x[:2].flatten(), True),
    Sharing(lambda x: x[:, :2].flatten(), False),
    Sharing(lambda x: x[:, 0].reshape(1, 3), True),
    Sharing(lambda x: x[:, 0].reshape(3, 1), True),
    Sharing(lambda x: x[:, 1:2].reshape(3), True),
    Sharing(lambda x: x[::2].flatten(), False),
    Sharing(lambda x: x[::2].reshape(2, 1, 5), True),
    Sharing(lambda x: x.diagonal().reshape(1, 3), True),
    Sharing(lambda x: x.diagonal().reshape(2, 2), True, (4, 4)),
    Sharing(lambda x: x.unsqueeze(0).expand(2, 3, 5).reshape(2, 15), True),
    Sharing(lambda x: x.unsqueeze(0).expand(2, 3, 5).reshape(6, 5), False),
    Sharing(lambda x: x[::-1].flatten(), False),
    Sharing(lambda x: x.permute(0, 2, 1).flatten(1), False, (2, 3, 4)),
    Sharing(lambda x: x.permute(2, 0, 1).flatten(1), True, (2, 3, 4)),
    Sharing(lambda x: x.rearrange("a b -> (a b)"), True),
    Sharing(lambda x: x.rearrange("a b -> (b a)"), False),
    Sharing(lambda x: x.bitcast("i32"), True),
    Sharing(lambda x: x.bitcast("u8"), False),
    Sharing(lambda x: x[::-1], True),
    Sharing(lambda x: x[1], True),
    Sharing(lambda x: x[...], True),
    Sharing(lambda x: x[None], True),
    Sharing(lambda x: x[True], False),
    Sharing(lambda x: x[[0, 1, 2]], False),
    Sharing(lambda x: x.detach(), True),
    Sharing(lambda x: +x, True),
    # where a method folds away: nothing is repeated, turned, moved, cut or computed
    *(Sharing(call, False, shape, dtype) for call, shape, dtype in (
        (lambda x: x.flip(0), (1, 5), "f32"),
        (lambda x: x.flip(0), (3, 5), "f32"),
        (lambda x: x.flip(1), (3, 1), "f32"),
        (lambda x: x.repeat(1, 1), (3, 5), "f32"),
        (lambda x: x.repeat(3, 3), (3, 5), "f32"),
        (lambda x: x.repeat(2), (), "f32"),
        (lambda x: x.tile(1), (3, 5), "f32"),
        (lambda x: x.tile(2, 2), (3, 5), "f32"),
        (lambda x: x.repeat_interleave(1, 0), (3, 5), "f32"),
        (lambda x: x.repeat_interleave(2), (3, 5), "f32"),
        (lambda x: x.repeat_interleave([1, 1, 1], 0), (3, 5), "f32"),
        (lambda x: x.diag(), (3, 5), "f32"),
        (lambda x: x.diag(), (1, 1), "f32"),
        (lambda x: x.diag(), (1,), "f32"),
        (lambda x: x.diag_embed(), (1,), "f32"),
        (lambda x: x.det(), (2, 0, 0), "f32"),
        (lambda x: x.inverse(), (2, 0, 0), "f32"),
        (lambda x: x.solve(x), (2, 0, 0), "f32"),
        (lambda x: x.qr()[0], (2, 0, 0), "f32"),
        (lambda x: x.qr()[0], (2, 3, 0), "f32"),
        (lambda x: x.svd()[0], (2, 3, 0), "f32"),
        (lambda x: x.svd()[2], (2, 0, 3), "f32"),
        (lambda x: x.svd()[2], (0, 3, 3), "f32"),
        (lambda x: x.roll(0, 0), (3, 5), "f32"),
        (lambda x: x.roll(3, 0), (3, 5), "f32"),
        (lambda x: x.roll(1, 0), (1, 5), "f32"),
        (lambda x: x.roll(0), (3, 5), "f32"),
        (lambda x: x.cat(dim=0), (3, 5), "f32"),
        (lambda x: Tensor.cat(x), (3, 5), "f32"),
        (lambda x: Tensor.stack(x), (3, 5), "f32"),
        (lambda x: Tensor.stack([x]), (3, 5), "f32"),
        (lambda x: x.hstack(), (3, 5), "f32"),
        (lambda x: x.pad((0, -1)), (3, 5), "f32"),
        (lambda x: x.pad_to(3, 5), (3, 5), "f32"),
        (lambda x: x.pad((0, 0)), (3, 5), "f32"),
        (lambda x: x.tril(5), (3, 5), "f32"),
        (lambda x: x.triu(-3), (3, 5), "f32"),
        (lambda x: x.sum(0), (1, 5), "f32"),
        (lambda x: x.sum(()), (3, 5), "f32"),
        (lambda x: x.sum(), (), "f32"),
        (lambda x: x.mean(0), (1, 5), "f32"),
        (lambda x: x.max(0), (1, 5), "f32"),
        (lambda x: x.prod(0, keepdim=True), (1, 5), "f32"),
        (lambda x: x.any(0), (1, 5), "bool"),
        (lambda x: x.logsumexp(0), (1, 5), "f32"),
        (lambda x: x.cumsum(0), (), "f32"),
        (lambda x: x.cumsum(0), (1, 5), "f32"),
        (lambda x: x.cumprod(0), (1, 5), "f32"),
        (lambda x: x.cummax(0)[0], (), "f32"),
        (lambda x: x.cummin(0)[0], (1, 5), "f32"),
        (lambda x: x.logcumsumexp(0), (1, 5), "f32"),
        (lambda x: x.sort(0)[0], (1, 5), "f32"),
        (lambda x: x.sort(0)[0], (), "f32"),
        (lambda x: x.topk(1, 0)[0], (1, 5), "f32"),
        (lambda x: x.kthvalue(1, 0)[0], (1, 5), "f32"),
        (lambda x: x.median(0)[0], (1, 5), "f32"),
        (lambda x: x ** 1, (3, 5), "f32"),
        (lambda x: x ** 1, (3, 5), "i32"),
        (lambda x: x ** 1.0, (3, 5), "f32"),
        (lambda x: x * 1, (3, 5), "f32"),
        (lambda x: x + 0, (3, 5), "i32"),
        (lambda x: x / 1, (3, 5), "f32"),
        (lambda x: x // 1, (3, 5), "i32"),
        (lambda x: x | 0, (3, 5), "i32"),
        (lambda x: x << 0, (3, 5), "i32"),
        (lambda x: x.neg().neg(), (3, 5), "i32"),
        (lambda x: ~~x, (3, 5), "bool"),
        (lambda x: x.abs(), (3, 5), "u8"),
        (lambda x: x.abs(), (3, 5), "bool"),
        (lambda x: x.sign(), (3, 5), "bool"),
        (lambda x: x.round(), (3, 5), "i32"),
        (lambda x: x.floor(), (3, 5), "i32"),
        (lambda x: x.ceil(), (3, 5), "i32"),
        (lambda x: x.trunc(), (3, 5), "i32"),
        (lambda x: x.nan_to_num(), (3, 5), "i32"),
        (lambda x: x.relu(), (3, 5), "u8"),
        (lambda x: x.clip(0, 255), (3, 5), "u8"),
        (lambda x: x.maximum(x), (3, 5), "f32"),
        (lambda x: x.logical_and(True), (3, 5), "bool"),
        (lambda x: x.where(x, x), (3, 5), "bool"),
        (lambda x: Tensor([True]).where(x, x), (3, 5), "f32"),
        (lambda x: x.masked_fill(False, 0), (3, 5), "f32"),
        (lambda x: x.gather(0, Tensor([[0] * 5])), (1, 5), "f32"),
        (lambda x: x.take(Tensor.arange(15)), (3, 5), "f32"),
        (lambda x: x.scatter(0, Tensor.zeros(0, 5, dtype="i64"), x), (3, 5), "f32"),
        (lambda x: x.interpolate(5), (1, 3, 5), "f32"),
        (lambda x: x.interpolate(5, mode="nearest"), (1, 3, 5), "f32"),
        (lambda x: x.avg_pool2d(1), (1, 3, 5), "f32"),
        (lambda x: x.max_pool2d(1), (1, 3, 5), "f32"),
        (lambda x: x.one_hot(1), (3,), "i64"),
        (lambda x: x.clone(), (3, 5), "f32"),
        (lambda x: x.cast("f64").cast("f32"), (3, 5), "f32"),
        (lambda x: x.dot(Tensor([1.0])), (1,), "f32"),
        (lambda x: x @ Tensor([[1.0]]), (3, 1), "f32"),
        (lambda x: x.unique(), (1,), "i32"),
    )),
]  # fmt: skip
"""Where the rows of the table do not look."""

BASES = {
    "memory": lambda array, kind: Tensor(array, dtype=kind).realize(),
    "lazy": lambda array, kind: (
        ~Tensor(array, dtype=kind) if kind == "bool" else Tensor(array, dtype=kind) + 0 * 1
    ),
    "written": lambda array, kind: Tensor(array, dtype=kind).assign(array),
    "view": lambda array, kind: Tensor(array, dtype=kind).unsqueeze(0)[0],
}


CALLS = {}  # rows of the table, by method
for _row in all_rows():
    CALLS.setdefault(_row.name, []).append(_row)


def changed(tensor):
    return ~tensor if tensor.dtype.is_bool else tensor + 1


def other_numbers(shape, kind):
    return (np.arange(np.prod(shape, dtype=int)) % 2).reshape(shape).astype(kind_named(kind).np)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{text_of(row.call)} {row.shape}")
def test_a_later_write_shows_in_a_view_alone(row):
    with Context(DEVICE="INTERP"):
        for base, make in BASES.items():
            array = other_numbers(row.shape, row.dtype)
            check_writes(row, base, partial(make, array, row.dtype))


def check_writes(row, base, make):
    x = make()
    result = row.call(x)
    before = result.clone().numpy()
    x.assign(changed(x))
    shows = not np.array_equal(result.numpy(), before)
    assert shows == row.shares, base

    x = make()
    result = row.call(x)
    before = x.clone().numpy()
    try:
        result.assign(changed(result))
    except RulewrightError as error:
        assert row.shares and "expanded" in str(error), base
        return
    assert (not np.array_equal(x.numpy(), before)) == row.shares, base


def tensors_in(value):
    if isinstance(value, Tensor):
        return [value]
    return [t for v in value for t in tensors_in(v)] if isinstance(value, tuple | list) else []


def may_share(row, node):
    """Whether a call's method is one that gives views, at the end of the chain of its methods."""
    names = {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
    has_keys = any(isinstance(part, ast.Subscript) for part in ast.walk(node))
    return has_keys or not (VIEWS | ITSELF | {"T", "mT"}).isdisjoint({row.name, *names})


def new_values(row, result):
    """The parts of a row's result that are no views."""
    body = ast.parse(row.text, mode="eval").body
    if not isinstance(body, ast.Tuple | ast.List):
        return [] if may_share(row, body) else [result]
    shared = [may_share(row, part) for part in body.elts]
    if len(set(shared)) == 1:
        return [] if shared[0] else [result]
    return [value for value, is_shared in zip(result, shared, strict=True) if not is_shared]


@pytest.mark.parametrize("name", CALLS)
def test_what_is_no_view_is_a_new_value(name):
    """Of every call of the table, at each of its shapes; the alias says who shares memory."""
    with Context(DEVICE="INTERP"):
        for row in CALLS[name]:
            check_apart(row)


def check_apart(row):
    for shapes in row.shapes:
        if not shapes or any(0 in shape for shape in shapes):  # nothing can be written
            continue
        kinds = row.kinds(row.dtypes[0], len(shapes))
        arrays = zip(operands(row, shapes, row.dtypes[0]), kinds, strict=True)
        tensors = [Tensor(array, dtype=kind) for array, kind in arrays]
        for found in tensors_in(new_values(row, row.call(*tensors))):
            for operand in tensors:
                shared = found._alias is not None and found._alias is operand._alias
                assert found is not operand and not shared, f"{row.text} gives an operand"
