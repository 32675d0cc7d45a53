"""The text of a row's function: what it holds is written as its value."""

from __future__ import annotations

import ast
import builtins
from functools import partial, reduce

import numpy as np
import pytest

from rulewright.errors import UsageError
from rulewright.verify.methods import all_refusals, all_rows
from rulewright.verify.methods.row import NAMES
from rulewright.verify.methods.text import text_of

_PAIR = (1, 2)


def _halved(x, by):
    """Of one expression."""
    return x / by


def _of_two(x):
    half = x / 2
    return half


def named(name, function, *arguments, **options):
    return lambda x, y: getattr(x, name)(function(x), *arguments, y, **options)


LOOP = [lambda x, name=name, f=f: (getattr(x, name)(*_PAIR), f(x))
        for name, f in (("exp", np.exp), ("log", abs))]  # fmt: skip

TEXTS = [
    (lambda x, y: x + y, "x + y"), (lambda x, y: x - y, "x - y"), (lambda: 1, "1"),
    (LOOP[0], "(x.exp(1, 2), np.exp(x))"), (LOOP[1], "(x.log(1, 2), abs(x))"),
    (named("sum", lambda t: t * t, 3, axis=(0, 1)), "x.sum(x * x, 3, y, axis=(0, 1))"),
    (named("sum", lambda t: -t), "x.sum(-x, y)"),
    (lambda x: _halved(x + 1, 3) * 2, "(x + 1) / 3 * 2"),
    (partial(lambda x, **more: x.pad(1, **more), mode="edge"), "x.pad(1, mode='edge')"),
    (partial(lambda x, value: x + value, value=float("nan")), "x + nan"),
    (lambda x: [y := x.T, y.item()][0], "[(y := x.T), y.item()][0]"),
    (lambda x: (lambda u, v: u)(*x.svd()), "(lambda u, v: u)(*x.svd())"),
    (lambda:
     2, "2"), (lambda x: x.sum(
         0), "x.sum(0)"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_the_text_has_the_values_that_a_function_holds(function, text):
    assert text_of(function) == text


def test_operands_that_are_passed_on_keep_their_names():
    def whole(losses):
        return lambda *arrays, word="b": reduce(losses(*arrays), word)

    assert text_of(whole(lambda x, y: x - y)) == "reduce(x - y, 'b')"


def free_names(text):
    nodes = list(ast.walk(ast.parse(text)))
    bound = {node.arg for node in nodes if isinstance(node, ast.arg)}
    names = [node for node in nodes if isinstance(node, ast.Name)]
    bound |= {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return {node.id for node in names} - bound - set(dir(builtins))


def test_calls_of_the_table_say_nothing_that_a_script_lacks():
    texts = {row.text for row in [*all_rows(), *all_refusals()]}
    assert len(texts) > 1500
    known = {*NAMES, "Tensor", "dtypes", "np", "inf", "nan"}
    assert [text for text in texts if not free_names(text) <= known] == []


def test_a_function_without_source_is_refused():
    with pytest.raises(UsageError, match="line 1: expected the source of a function there"):
        text_of(eval("lambda x: x"))


def test_a_function_of_several_statements_is_refused():
    with pytest.raises(UsageError, match="_of_two: expected a function of one expression"):
        text_of(lambda x: _of_two(x))
