"""The classes by which PyTorch, numpy and tinygrad refuse, each of which catches the error here.

The classes were read off PyTorch 2.13, numpy 2 and tinygrad 0.14 by making the same mistake there.
"""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from rulewright import Tensor, dtypes, errors

REFUSED = (
    ("x.sum(5)", (IndexError, ValueError)),
    ("x.squeeze(4)", (IndexError, ValueError)),
    ("x.permute(0, 3)", (IndexError, ValueError)),
    ("x.flip(3)", (IndexError, ValueError)),
    ("x.sort(5)", (IndexError, ValueError)),
    ("x.sum('a')", (TypeError,)),
    ("x.sum((0, 0))", (RuntimeError, ValueError)),
    ("x.permute(0, 0)", (RuntimeError, ValueError)),
    ("x.flip((0, 0))", (RuntimeError, ValueError)),
    ("x + x[:2, :2]", (RuntimeError, ValueError)),
    ("x @ x", (RuntimeError, ValueError)),
    ("x.reshape(7)", (RuntimeError, ValueError)),
    ("x.reshape(-1, -1)", (RuntimeError, ValueError)),
    ("x.expand(2, 4, 5)", (RuntimeError, ValueError)),
    ("x.unflatten(0, (2, 2))", (RuntimeError, ValueError)),
    ("x.pad((1,))", (RuntimeError, ValueError)),
    ("x.pad((1, 1), mode='typo')", (NotImplementedError,)),
    ("x[None].interpolate(2, mode='typo')", (NotImplementedError,)),
    ("x.cat(x[:, :2])", (RuntimeError, ValueError, AssertionError)),
    ("x.stack(x[:, :2])", (RuntimeError, ValueError, AssertionError)),
    ("x.split([1, 1])", (RuntimeError, AssertionError)),
    ("x.chunk(0)", (RuntimeError, ValueError, AssertionError)),
    ("x.rearrange('a b c -> a')", (RuntimeError, AssertionError)),
    ("x[None, None].conv2d(x[None, :, :, None])", (RuntimeError, AssertionError)),
    ("x[0].qr()", (RuntimeError, ValueError, AssertionError)),
    ("x.item()", (RuntimeError, ValueError, AssertionError)),
    ("bool(x)", (RuntimeError, ValueError)),
    ("len(x.sum())", (TypeError,)),
    ("iter(x.sum())", (TypeError,)),
    ("x[5]", (IndexError,)),
    ("x.select(0, 7)", (IndexError,)),
    ("x[0, 0, 0]", (IndexError,)),
    ("x[1.5]", (IndexError,)),
    ("x['a']", (IndexError,)),
    ("x[..., ...]", (IndexError,)),
    ("x[[0.5]]", (IndexError,)),
    ("x[Tensor([True, False])]", (IndexError,)),
    ("x[x]", (IndexError,)),
    ("x.gather(0, x)", (RuntimeError,)),
    ("x.gather(0, Tensor([1]))", (RuntimeError,)),
    ("x.scatter(0, Tensor([[0]]), 1.0, reduce='x')", (RuntimeError, TypeError)),
    ("x.clone().assign(x.T)", (RuntimeError, ValueError)),
    ("x & x", (TypeError, RuntimeError)),
    ("x.where(x, x)", (RuntimeError,)),
    ("x.one_hot(3)", (RuntimeError,)),
    ("Tensor([[1], [1, 2]])", (ValueError,)),
    ("Tensor([object()])", (RuntimeError, TypeError)),
    ("Tensor(300, dtype='uint8')", (RuntimeError, OverflowError)),
    ("Tensor([300], dtype='uint8')", (RuntimeError, OverflowError)),
    ("x.cast('nosuch')", (TypeError, AttributeError)),
    ("dtypes.nosuch", (AttributeError,)),
    ("Tensor([1]).requires_grad_()", (RuntimeError,)),
    ("x.clone().requires_grad_().backward()", (RuntimeError, AssertionError)),
    ("x.sum().backward()", (RuntimeError,)),
    ("x.to('nosuch')", (RuntimeError,)),
    ("Tensor.zeros(-1)", (RuntimeError, ValueError)),
    ("Tensor.zeros('a')", (TypeError,)),
    ("Tensor.arange(0, 1, 0)", (RuntimeError,)),
)


@pytest.mark.parametrize(("call", "classes"), REFUSED, ids=[call for call, _ in REFUSED])
def test_an_error_is_caught_as_the_other_libraries_raise_it(call, classes) -> None:
    x = Tensor(np.arange(12, dtype="f4").reshape(3, 4)).realize()
    for expected in classes:
        with pytest.raises(expected):
            eval(call, {"x": x, "Tensor": Tensor, "dtypes": dtypes})


def test_the_tree_at_the_top_of_the_module_is_the_tree() -> None:
    known = {n: c for n, c in vars(errors).items() if inspect.isclass(c) and n.endswith("Error")}
    drawn: dict[str, tuple[str, set[str]]] = {}
    path: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        branch = line.lstrip("│├└─ ")
        name, *rest = branch.split() or [""]
        if name not in known or (path and line[0] not in "│├└"):
            continue
        depth = (len(line) - len(branch)) // 4
        path[depth:] = [name]
        extra = {rest[0].strip("()")} if rest and rest[0].startswith("(") else set()
        drawn[name] = (path[depth - 1] if depth else "", extra)
    assert drawn.keys() == known.keys()
    for name, (parent, extra) in drawn.items():
        assert {b.__name__ for b in known[name].__bases__} == ({parent} - {""}) | extra


def test_names_that_are_near():
    known = ["CUDA", "METAL", "metal"]
    assert [errors.nearest(n, known) for n in ("cuda", "CUDDA", "METAL_", "x", "", 3)] == [
        "CUDA", "CUDA", "METAL", "", "", ""]  # fmt: skip
    assert errors.listed("there are", iter(known), "cud") == (
        "there are CUDA, METAL, metal; did you mean CUDA?"
    )
    assert errors.listed("known are", [], 3) == "known are none"
