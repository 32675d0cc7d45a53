"""Which methods share memory: every call of the table, and every call that has nothing to do."""

from __future__ import annotations

import ast
from functools import partial

import numpy as np
import pytest

from rulewright import Context, Tensor, dtypes
from rulewright.errors import RulewrightError
from rulewright.verify.methods import all_rows
from rulewright.verify.methods.operands import NAMES, kind_named, operands
from rulewright.verify.methods.views import ITSELF, ROWS, VIEWS

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


def value_of(code, **names):
    return eval(code, {"Tensor": Tensor, "dtypes": dtypes, "np": np, **names})


def changed(tensor):
    return ~tensor if tensor.dtype.is_bool else tensor + 1


def other_numbers(shape, kind):
    return (np.arange(np.prod(shape, dtype=int)) % 2).reshape(shape).astype(kind_named(kind).np)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.call} {row.shape}")
def test_a_later_write_shows_in_a_view_alone(row):
    with Context(DEVICE="INTERP"):
        for base, make in BASES.items():
            array = other_numbers(row.shape, row.dtype)
            check_writes(row, base, partial(make, array, row.dtype))


def check_writes(row, base, make):
    x = make()
    result = value_of(row.call, x=x)
    before = result.clone().numpy()
    x.assign(changed(x))
    shows = not np.array_equal(result.numpy(), before)
    assert shows == row.shares, base

    x = make()
    result = value_of(row.call, x=x)
    before = x.clone().numpy()
    try:
        result.assign(changed(result))
    except RulewrightError as error:
        assert row.shares and "expanded" in str(error), base
        return
    assert (not np.array_equal(x.numpy(), before)) == row.shares, base


def parts(call):
    body = ast.parse(call, mode="eval").body
    several = isinstance(body, ast.Tuple | ast.List)
    return [ast.unparse(p.value if isinstance(p, ast.Starred) else p)
            for p in (body.elts if several else [body])]  # fmt: skip


def tensors_in(value):
    if isinstance(value, Tensor):
        return [value]
    return [t for v in value for t in tensors_in(v)] if isinstance(value, tuple | list) else []


def may_share(row, code):
    """Whether a call's method is one that gives views, at the end of the chain of its methods."""
    names = {node.attr for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Attribute)}
    return not (VIEWS | ITSELF | {"T", "mT"}).isdisjoint({row.name, *names}) or "[" in code


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
        for code in parts(row.call):
            if may_share(row, code):
                continue
            kinds = row.kinds(row.dtypes[0], len(shapes))
            arrays = zip(NAMES, operands(row, shapes, row.dtypes[0]), kinds, strict=False)
            names = {name: Tensor(a, dtype=kind) for name, a, kind in arrays}
            for found in tensors_in(value_of(code, **names)):
                for name, operand in names.items():
                    shared = found._alias is not None and found._alias is operand._alias
                    assert found is not operand and not shared, f"{code} is {name}"
