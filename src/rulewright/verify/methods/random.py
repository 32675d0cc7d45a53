"""Rows of the table of methods: random. Samples have a fixed seed, so that a row passes or not."""

from __future__ import annotations

import numpy as np

from rulewright.ir.dtypes import dtypes
from rulewright.tensor.tensor import Tensor
from rulewright.verify.methods.reference import has_shares, is_normal, is_uniform, unrelated
from rulewright.verify.methods.row import Method, Refusal
from rulewright.verify.methods.text import Expression

_NONE = ((),)
_F = ("f32",)


def _sampled(name: str, call: Expression, check: Expression) -> Method:
    """A row whose values are tested as a sample."""
    return Method(name, lambda: (Tensor.manual_seed(5), call())[1], None, _NONE, _F, check=check)


_INTS = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
_FLOATS = ("f16", "bf16", "f32", "f64")

ROWS = [
    _sampled("manual_seed",
             lambda: [(Tensor.manual_seed(s), Tensor.rand(9))[1] for s in (1, 2**40, 1)],
             lambda result: (result[0].numpy() == result[2].numpy()).all() and
             (result[0].numpy() != result[1].numpy()).all()),
    _sampled("rand", lambda: (Tensor.rand(50, 100), Tensor.rand((5000,)), Tensor.rand(0, 3)),
             lambda result: is_uniform(result[0]) and is_uniform(result[1]) and
             unrelated(*result[:2]) and unrelated(result[1].numpy()[1:],
             result[1].numpy()[:-1]) and result[0].shape == (50, 100) and
             result[2].shape == (0, 3)),
    _sampled("rand", lambda: [Tensor.rand(3000, dtype=d) for d in _FLOATS],
             lambda result: all(map(is_uniform, result)) and
             tuple(f.dtype.name for f in result) == _FLOATS),
    _sampled("randn", lambda: (Tensor.randn(50, 100), Tensor.randn((5000,)), Tensor.randn(2, 0)),
             lambda result: is_normal(result[0]) and is_normal(result[1]) and
             unrelated(*result[:2]) and result[2].shape == (2, 0)),
    _sampled("randn", lambda: [Tensor.randn(3000, dtype=d) for d in _FLOATS],
             lambda result: all(map(is_normal, result)) and
             tuple(f.dtype.name for f in result) == _FLOATS),
    _sampled("rand_like", lambda: Tensor.zeros(3, 1000, dtype="f64").rand_like(),
             lambda result: is_uniform(result) and result.dtype.name == "f64" and
             result.shape == (3, 1000)),
    _sampled("randn_like", lambda: Tensor.zeros(3, 1000).randn_like(),
             lambda result: is_normal(result) and result.shape == (3, 1000)),
    _sampled("randint",
             lambda: (Tensor.randint(5000), Tensor.randint(70, 70, low=-3, high=4) + 3,
             Tensor.randint(2, (5000,)), Tensor.randint(5, 9, (4, 1000)) - 5),
             lambda result: has_shares(result[0], [1] * 10) and has_shares(result[1], [1] * 7) and
             has_shares(result[2], [1, 1]) and has_shares(result[3], [1] * 4) and
             result[3].shape == (4, 1000) and result[0].dtype.name == "i64"),
    _sampled("randint",
             lambda: [Tensor.randint(3000, low=k.min, high=k.max + 1, dtype=k)
             for k in (getattr(dtypes, n) for n in _INTS)],
             lambda result: all(is_uniform(f, f.dtype.min, f.dtype.max + 1) for f in result[2:]) and
             all(is_uniform(f.numpy() + np.random.default_rng(1).random(3000), f.dtype.min,
             f.dtype.max + 1) for f in result[:2])),
    _sampled("uniform",
             lambda: (Tensor.uniform(3000, low=-2, high=5), Tensor.uniform(2, 1500),
             Tensor.uniform(3000, low=2, high=6, dtype="i32") - 2),
             lambda result: is_uniform(result[0], -2, 5) and is_uniform(result[1]) and
             has_shares(result[2], [1] * 4)),
    _sampled("normal", lambda: (Tensor.normal(3000, mean=3, std=0.5), Tensor.normal(2, 1500)),
             lambda result: is_normal(result[0], 3, 0.5) and is_normal(result[1])),
    _sampled("scaled_uniform", lambda: Tensor.scaled_uniform(50, 50),
             lambda result: is_uniform(result, -0.02, 0.02)),
    _sampled("glorot_uniform",
             lambda: (Tensor.glorot_uniform(60, 90), Tensor.glorot_uniform(40, 5, 4, 4)),
             lambda result: is_uniform(result[0], -0.2, 0.2) and is_uniform(result[1],
             -(6 / 120) ** 0.5, (6 / 120) ** 0.5)),
    _sampled("kaiming_uniform",
             lambda: (Tensor.kaiming_uniform(60, 54, a=1), Tensor.kaiming_uniform(40, 60)),
             lambda result: is_uniform(result[0], -18 ** -0.5, 18 ** -0.5) and is_uniform(result[1],
             -(6 / 1.0001 / 60) ** 0.5, (6 / 1.0001 / 60) ** 0.5)),
    _sampled("kaiming_normal",
             lambda: (Tensor.kaiming_normal(60, 10, 5, a=0), Tensor.kaiming_normal(9, 400)),
             lambda result: is_normal(result[0], 0, 0.2) and is_normal(result[1], 0,
             (2 / 1.0001 / 400) ** 0.5)),
    _sampled("bernoulli",
             lambda: ((Tensor.ones(4000) * 0.3).bernoulli(), Tensor.zeros(4000).bernoulli(0.8),
             Tensor([0.0, 1.0]).expand(2000, 2).bernoulli()[:, 1]),
             lambda result: has_shares(result[0], [7, 3]) and has_shares(result[1], [2, 8]) and
             (result[2].numpy() == 1).all() and result[0].dtype.name == "f32"),
    Method("dropout", lambda x: (x.dropout(0.5), x.dropout(0), x.dropout(1)),
           lambda x: (x, x, x), (((3, 5),), ((0,),)), ("f32", "f16"), gradient=True),
    Method("feature_dropout",
           lambda x: (x.feature_dropout(0.5), x.feature_dropout(0.0), x.feature_dropout(1.0)),
           lambda x: (x, x, x), (((3, 5),), ((0, 2, 3),)), ("f32", "f16"), gradient=True),
    _sampled("feature_dropout", lambda: Tensor.ones(40, 50, 3, 2).feature_dropout(0.25, True),
             lambda result: (result.numpy() == result.numpy()[..., :1, :1]).all() and
             has_shares(result.numpy()[:, :, 0, 0] > 0, [1, 3])),
    _sampled("gumbel_softmax",
             lambda: (Tensor([0.0, 1.0986123, -np.inf]).expand(4000, 3).gumbel_softmax(hard=True),
             Tensor([[0.0], [1.0]]).expand(2, 500).gumbel_softmax(0.5, dim=0)),
             lambda result: has_shares(result[0].argmax(1), [1, 3]) and
             (np.sort(result[0].numpy()) == [0, 0, 1]).all() and
             np.allclose(result[1].numpy().sum(0), 1, atol=1e-5) and
             0.5 < (result[1].numpy()[1] > 0.5).mean() < 0.95),
    Method("gumbel_softmax", lambda x: x.gumbel_softmax(1e-6, True, 0).sum(0),
           lambda x: x[0] * 0 + 1, (((3, 5),), ((2, 1, 4),)), ("f32", "f16", "i32"), gives="float"),
    _sampled("randperm",
             lambda: (Tensor.randperm(200), Tensor.randperm(1), Tensor.randperm(0),
             Tensor.randperm(100, dtype="i32"), *(Tensor.randperm(3) for _ in range(16))),
             lambda result: (np.sort(result[0].numpy()) == np.arange(200)).all() and
             unrelated(result[0], np.arange(200)) and result[1].tolist() == [0] and
             result[2].tolist() == [] and result[3].dtype.name == "i32" and len({tuple(f.tolist())
             for f in result[4:]}) > 3),
    _sampled("multinomial",
             lambda: (Tensor([0.1, 0, 0.4, 0.2, 0.3]).multinomial(4000, replacement=True),
             Tensor([[1.0, 2, 3], [0, 0, 1]]).multinomial(3000, True),
             Tensor([2.0]).multinomial(3, True)),
             lambda result: has_shares(result[0],
             [1, 0, 4, 2, 3]) and has_shares(result[1].numpy()[0],
             [1, 2, 3]) and (result[1].numpy()[1] == 2).all() and
             result[2].tolist() == [0, 0, 0] and result[0].dtype.name == "i64"),
    _sampled("multinomial",
             lambda: (Tensor([1.0, 0, 3, 4]).expand(2000, 4).multinomial(2),
             Tensor([1.0, 0, 3, 4]).expand(2000, 4).multinomial(),
             Tensor([0.0, 1, 0, 1]).multinomial(2)),
             lambda result: has_shares(result[0].numpy()[:, 0],
             [1, 0, 3, 4]) and has_shares(result[1], [1, 0, 3, 4]) and
             sorted(result[2].tolist()) == [1, 3] and
             (result[0].numpy()[:, 0] != result[0].numpy()[:, 1]).all()),
]  # fmt: skip

REFUSALS = [
    Refusal("manual_seed", lambda x: Tensor.manual_seed(-1), "UsageError", "0 <= seed < 2**64"),
    Refusal("rand", lambda x: Tensor.rand(2, dtype="i32"), "DTypeError", "expected a float dtype"),
    Refusal("rand", lambda x: Tensor.rand(-2), "ShapeError", "0 or more"),
    Refusal("randn", lambda x: Tensor.randn(2, dtype=bool), "DTypeError", "expected a float dtype"),
    Refusal("randint", lambda x: Tensor.randint(2, low=3, high=3), "UsageError",
            "expected low < high"),
    Refusal("randint", lambda x: Tensor.randint(2, high=300, dtype="u8"), "UsageError", "0 to 255"),
    Refusal("randint", lambda x: Tensor.randint(2, dtype="f32"), "DTypeError", "an integer dtype"),
    Refusal("kaiming_normal", lambda x: Tensor.kaiming_normal(), "ShapeError", "1 axis or more"),
    Refusal("bernoulli", lambda x: x.cast("i32").bernoulli(), "DTypeError", "expected floats"),
    Refusal("bernoulli", lambda x: x.bernoulli(1.5), "UsageError", "from 0 to 1"),
    Refusal("dropout", lambda x: x.dropout(2), "UsageError", "from 0 to 1"),
    Refusal("multinomial", lambda x: x.multinomial(6), "UsageError", "6 different positions"),
    Refusal("multinomial", lambda x: x.cast("i32").multinomial(), "DTypeError", "expected floats"),
    Refusal("multinomial", lambda x: x[0, 0].multinomial(), "ShapeError", "1 or 2 axes"),
    Refusal("randperm", lambda x: Tensor.randperm(-1), "ShapeError", "0 or more"),
    Refusal("manual_seed", lambda x: Tensor.manual_seed("a"), "ArgumentError",  # type: ignore[arg-type] # refused
            "seed as a whole number"),
    *(Refusal(name, lambda x, name=name: getattr(Tensor, name)("a"), "ArgumentError",
              "expected whole numbers as sizes", argument="shape")
      for name in ("rand", "randn", "randint", "uniform", "normal", "scaled_uniform",
                   "glorot_uniform", "kaiming_uniform", "kaiming_normal")),
    *(Refusal(name, lambda x, name=name: getattr(Tensor, name)(2, 2, device="nowhere"),
              "DeviceError", "unknown device", argument="rest")
      for name in ("uniform", "normal", "scaled_uniform", "glorot_uniform", "kaiming_uniform",
                   "kaiming_normal")),
    *(Refusal(name, lambda x, name=name: getattr(x, name)(dtype="i32"), "DTypeError",
              "expected a float dtype", argument="rest")
      for name in ("rand_like", "randn_like")),
    Refusal("randint", lambda x: Tensor.randint("a", (2,)), "ArgumentError",
            "a bound as a whole number", argument="high"),
    Refusal("uniform", lambda x: Tensor.uniform(2, low=2, high=1), "UsageError",
            "low <= high, found 2", argument="low"),
    Refusal("uniform", lambda x: Tensor.uniform(2, high=float("inf")), "UsageError",
            "expected finite low", argument="high"),
    Refusal("normal", lambda x: Tensor.normal(2, std=-1), "UsageError",
            "std of 0 or more, found -1", argument="std"),
    Refusal("gumbel_softmax", lambda x: x.gumbel_softmax(0), "UsageError", "above 0, found 0",
            argument="tau"),
    Refusal("feature_dropout", lambda x: x.feature_dropout(-0.5), "UsageError", "from 0 to 1"),
    Refusal("feature_dropout", lambda x: x[0].feature_dropout(), "ShapeError",
            "feature_dropout: expected x (N, C, …), found (5,)"),
    Refusal("multinomial", lambda x: x.multinomial(0), "UsageError", "1 or more, found 0"),
    *(Refusal("multinomial", lambda x, weights=weights: Tensor(weights).multinomial(1),
              "UsageError", says, argument="self")
      for weights, says in (([0.5, -0.5], "finite weights of 0 or more, found -0.5"),
                            ([0.5, float("nan")], "found nan"), ([float("inf"), 1.0], "found inf"),
                            ([[0.5, 0.5], [0.0, 0.0]], "sum to nothing"))),
    Refusal("multinomial", lambda x: Tensor.zeros(3).multinomial(), "UsageError", "sum to nothing"),
    Refusal("bernoulli", lambda x: Tensor([0.5, 1.5]).bernoulli(), "UsageError", "from 0 to 1",
            argument="self"),
]  # fmt: skip
