"""Programs that write into views mean what they mean in numpy, in whatever order they are run."""

import ast
import random

import numpy as np
import pytest
from pairs import in_turn

from rulewright import Tensor
from rulewright.verify.hazards import PROGRAMS, numpy_names, tensor_names


class Settling(ast.NodeTransformer):
    """Calls settle() after every statement, in loops too."""

    def generic_visit(self, node):
        super().generic_visit(node)
        if isinstance(getattr(node, "body", None), list):
            settle = ast.parse("settle()").body
            node.body = [part for statement in node.body for part in (statement, *settle)]
        return node


def run(source, names, settle):
    tree = ast.fix_missing_locations(Settling().visit(ast.parse(source)))
    space = {**names, "settle": lambda: settle(list(own().values()))}
    given = {*space, "__builtins__"}

    def own():
        return {k: v for k, v in space.items() if k not in given}

    exec(compile(tree, source, "exec"), space)
    return own()


def tensors_of(values):
    flat = [t for v in values for t in (v if isinstance(v, list) else [v])]
    return [t for t in flat if isinstance(t, Tensor)]


ORDERS = {
    "at the end": (lambda live, rng: [], lambda all_: all_),
    "last name first": (lambda live, rng: [], lambda all_: all_[::-1]),
    "each at once": (lambda live, rng: live, lambda all_: all_),
    "newest at once": (lambda live, rng: live[-1:], lambda all_: all_),
    "oldest at once": (lambda live, rng: live[:1], lambda all_: all_[::-1]),
    "some": (lambda live, rng: [t for t in live if rng.random() < 0.3], lambda all_: all_),
    "together": (lambda live, rng: [], None),
}


def check(source, device, lazy, order, rng):
    during, after = ORDERS[order]

    def settle(values):
        chosen = during(tensors_of(values), rng)
        if chosen:
            Tensor.realize(*chosen)

    found = run(source, tensor_names(device, lazy), settle)
    expected = run(source, numpy_names(), lambda values: None)
    names = [n for n in expected if not isinstance(expected[n], int | list)]
    if after is None:
        Tensor.realize(*[found[n] for n in names])
    for name in (after or list)(names):
        message = f"{name} of\n{source}\n{order}, {'lazy' if lazy else 'in memory'}, {device}"
        np.testing.assert_allclose(found[name].numpy(), expected[name], 1e-6, err_msg=message)


@pytest.mark.parametrize("name", PROGRAMS)
def test_interpreted(name):
    for order, lazy in in_turn(ORDERS, (False, True)):
        check(PROGRAMS[name], "INTERP", lazy, order, random.Random(name))


@pytest.mark.parametrize("name", PROGRAMS)
def test_compiled(name):
    for order in ("at the end", "some"):
        check(PROGRAMS[name], "C", order == "some", order, random.Random(name))


def test_there_are_enough_programs():
    assert len(PROGRAMS) >= 80
