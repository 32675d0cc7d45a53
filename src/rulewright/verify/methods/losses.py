"""Losses."""

from __future__ import annotations

from functools import partial

import numpy as np

from rulewright.tensor.tensor import Tensor
from rulewright.verify.methods.reference_losses import (
    binary,
    binary_logits,
    cosine,
    cross_entropy,
    huber,
    kullback_leibler,
    nll,
    reduced,
)
from rulewright.verify.methods.row import FLOATS, Method, Refusal, Variants
from rulewright.verify.methods.text import Expression

SAME = (((3, 4), (3, 4)), ((), ()), ((1,), (1,)), ((7, 1, 2), (7, 1, 2)))
_SCORES = (((5, 4), (5,)), ((2, 4, 3), (2, 3)), ((1, 4, 2, 2), (1, 2, 2)))
_WEIGHED = (((5, 4), (5,), (4,)), ((2, 4, 3), (2, 3), (4,)))
_GOALS = (((5, 4), (5, 4)), ((2, 4, 3), (2, 4, 3)), ((4,), (4,)))


def each_reduction(
    name: str, call: Expression, losses: Expression, shapes: Variants = SAME,
    others: tuple[str, ...] = (), domain: str | tuple[str, ...] = "any",
    fewer: tuple[str, ...] = ("f32", "f64"),
) -> list[Method]:  # fmt: skip
    """A row for each reduction, which `call` takes; the mean is its default, and of all floats."""
    return [
        Method(name, call if how == "mean" else partial(call, reduction=how),
               lambda *arrays, how=how: reduced(losses(*arrays), how), shapes,
               FLOATS if how == "mean" else fewer, others, domain, gradient=True, tolerance=32)
        for how in ("mean", "sum", "none")
    ]  # fmt: skip


def _pair(name: str, losses: Expression, domain: tuple[str, ...] = ("any", "any"),
          **options: float) -> list[Method]:  # fmt: skip
    return each_reduction(name, lambda x, y, **how: getattr(x, name)(y, **how, **options), losses,
                          domain=domain, fewer=("f32", "f16"))  # fmt: skip


def _classes(call: Expression, equals: Expression,
             shapes: Variants = _SCORES,
             domain: str = "any", name: str = "cross_entropy") -> Method:  # fmt: skip
    others = ("i64", "f32") if len(shapes[0]) > 2 else ("i64",)
    words = (domain, "index:4", "positive")
    return Method(name, call, equals, shapes, ("f32", "f64"), others, words, gradient=True)


ROWS = [
    _classes(lambda x, y: x.cross_entropy(y), lambda x, y: cross_entropy(x, y)),
    Method("cross_entropy", lambda x, y: x.cross_entropy(y),
           lambda x, y: cross_entropy(x, y), _SCORES, ("f16", "bf16"), ("i32",), ("any", "index:4"),
           tolerance=16),
    Method("cross_entropy", lambda x, y: x.cross_entropy(y, "none", label_smoothing=0.1),
           lambda x, y: np.zeros(len(x)), (((2, 0), (2, 0)),), ("f32",)),
    _classes(lambda x, y: x.cross_entropy(y, "sum"), lambda x, y: cross_entropy(x, y, "sum")),
    _classes(lambda x, y: x.cross_entropy(y, "none"), lambda x, y: cross_entropy(x, y, "none")),
    _classes(lambda x, y: x.cross_entropy(y), lambda x, y: cross_entropy(x, y), (((4,), ()),)),
    _classes(lambda x, y: x.cross_entropy(y, label_smoothing=0.2),
             lambda x, y: cross_entropy(x, y, smoothing=0.2)),
    _classes(lambda x, y: x.cross_entropy(y, ignore_index=1),
             lambda x, y: cross_entropy(x, y, ignore=1)),
    _classes(lambda x, y: x.cross_entropy(y, "none", 0.1, 2),
             lambda x, y: cross_entropy(x, y, "none", ignore=2, smoothing=0.1)),
    _classes(lambda x, y, z: x.cross_entropy(y, weight=z),
             lambda x, y, z: cross_entropy(x, y, weight=z), _WEIGHED),
    _classes(lambda x, y, z: x.cross_entropy(y, label_smoothing=0.1, ignore_index=3, weight=z),
             lambda x, y, z: cross_entropy(x, y, "mean", z, 3, 0.1), _WEIGHED),
    Method("cross_entropy", lambda x, y: x.cross_entropy(y),
           lambda x, y: cross_entropy(x, y), _GOALS, domain=("any", "prob"), gradient=True,
           tolerance=32),
    Method("cross_entropy", lambda x, y: x.cross_entropy(y, "none", 0.1),
           lambda x, y: cross_entropy(x, y, "none", smoothing=0.1), _GOALS, ("f32", "f64"),
           domain=("any", "prob"), gradient=True),
    Method("cross_entropy", lambda x, y, z: x.cross_entropy(y, weight=z),
           lambda x, y, z: cross_entropy(x, y, weight=z), (((5, 4), (5, 4), (4,)),), ("f32", "f64"),
           domain=("any", "prob", "positive"), gradient=True),
    Method("sparse_categorical_crossentropy", lambda x, y: x.sparse_categorical_crossentropy(y),
           lambda x, y: cross_entropy(np.moveaxis(x, -1, 1), y),
           (((5, 4), (5,)), ((2, 3, 4), (2, 3))), ("f32", "f64"), ("i64",), ("any", "index:4"),
           gradient=True),
    Method("sparse_categorical_crossentropy",
           lambda x, y: x.sparse_categorical_crossentropy(y - 1, label_smoothing=0.1,
           reduction="sum"),
           lambda x, y: cross_entropy(np.moveaxis(x, -1, 1), y - 1, "sum", ignore=-1,
           smoothing=0.1), (((5, 4), (5,)), ((2, 3, 4), (2, 3))), ("f32",), ("i64",),
           ("any", "index:4"), gradient=True),
    _classes(lambda x, y: x.nll_loss(y), lambda x, y: nll(x, y), name="nll_loss"),
    _classes(lambda x, y, z: x.nll_loss(y, z), lambda x, y, z: nll(x, y, "mean", z), _WEIGHED,
             name="nll_loss"),
    _classes(lambda x, y, z: x.nll_loss(y, z, 1, "none"), lambda x, y, z: nll(x, y, "none", z, 1),
             _WEIGHED, name="nll_loss"),
    _classes(lambda x, y: x.nll_loss(y, reduction="sum", ignore_index=None),
             lambda x, y: nll(x, y, "sum"), name="nll_loss"),
    *_pair("binary_crossentropy", lambda x, y: binary(x, y), domain=("prob", "prob")),
    Method("binary_crossentropy", lambda x, y, z: x.binary_crossentropy(y, weight=z),
           lambda x, y, z: (binary(x, y) * z).mean(), (((3, 4), (3, 4), (4,)),), ("f32", "f64"),
           domain=("prob", "prob", "positive"), gradient=True),
    Method("binary_crossentropy", lambda x, y: (x * 0).binary_crossentropy(y * 0 + 1),
           lambda x, y: (x * 0 + 100).mean(), (((1,), (1,)),), ("f32",)),
    *_pair("binary_crossentropy_logits", lambda x, y: binary_logits(x, y), domain=("any", "prob")),
    Method("binary_crossentropy_logits",
           lambda x, y, z, w: x.binary_crossentropy_logits(y, pos_weight=z, weight=w),
           lambda x, y, z, w: (binary_logits(x, y, z) * w).mean(),
           (((3, 4), (3, 4), (4,), (3, 1)),), ("f32", "f64"),
           domain=("any", "prob", "positive", "positive"), gradient=True),
    Method("binary_crossentropy_logits",
           lambda x, y: (x * 1000).binary_crossentropy_logits(y, "none"),
           lambda x, y: np.maximum(x * 1000, 0) - x * 1000 * y, (((3, 4), (3, 4)),), ("f32",),
           domain=("nonzero", "prob")),
    *_pair("kl_div", lambda x, y: kullback_leibler(x, y), domain=("any", "prob")),
    Method("kl_div", lambda x, y: x.kl_div(y, "batchmean"),
           lambda x, y: kullback_leibler(x, y).sum() / len(x), (((3, 4), (3, 4)), ((1,), (1,))),
           ("f32", "f64"), domain=("any", "prob"), gradient=True),
    Method("kl_div", lambda x, y: x.kl_div(y, "none"), lambda x, y: kullback_leibler(x, y), SAME,
           ("f32", "f64")),
    Method("kl_div", lambda x, y: x.kl_div(y, log_target=True),
           lambda x, y: kullback_leibler(x, np.exp(y)).mean(), SAME, ("f32", "f64"),
           domain=("any", "unit"), gradient=True),
    Method("kl_div", lambda x, y: x.kl_div(y.cast(x.dtype), "none"),
           lambda x, y: kullback_leibler(x, y), (((3, 4), (3, 4)),), ("f32",), ("bool",),
           ("any", "bool")),
    *_pair("mse_loss", lambda x, y: (x - y) ** 2),
    *_pair("l1_loss", lambda x, y: np.abs(x - y)),
    *_pair("huber_loss", lambda x, y: huber(x, y)),
    *_pair("huber_loss", lambda x, y: huber(x, y, 0.3), delta=0.3),
    *_pair("smooth_l1_loss", lambda x, y: huber(x, y)),
    *_pair("smooth_l1_loss", lambda x, y: huber(x, y, 0.3) / 0.3, beta=0.3),
    *_pair("smooth_l1_loss", lambda x, y: np.abs(x - y), beta=0),
    Method("cosine_similarity", lambda x, y: x.cosine_similarity(y),
           lambda x, y: cosine(x, y, 1), (((3, 4), (3, 4)), ((2, 5, 3), (2, 5, 3)),
           ((3, 4), (1, 4)), ((3, 4), (3, 1)), ((4,), (3, 4))), ("f32", "f64"), gradient=True),
    Method("cosine_similarity", lambda x, y: x.cosine_similarity(y, dim=-1),
           lambda x, y: cosine(x, y, -1), (((3, 4), (4,)), ((4,), (4,)), ((3, 4), (1,))),
           ("f32", "f64"), gradient=True),
    Method("cosine_similarity", lambda x, y: (x * 0).cosine_similarity(y),
           lambda x, y: np.zeros(3), (((3, 4), (3, 4)),), ("f32", "f64")),
]  # fmt: skip

REFUSALS = [
    *(Refusal(name, lambda x, name=name: getattr(x, name)(x[0]), "ShapeError",
              f"{name}: prediction (3, 5) and target (5,)")
      for name in ("mse_loss", "l1_loss", "huber_loss", "smooth_l1_loss", "kl_div",
                   "binary_crossentropy", "binary_crossentropy_logits")),
    *(Refusal(name, lambda x, name=name: getattr(x, name)(x, "max"), "UsageError",
              "reduction is 'mean', 'sum' or 'none'")
      for name in ("mse_loss", "l1_loss", "huber_loss", "smooth_l1_loss", "kl_div",
                   "binary_crossentropy", "binary_crossentropy_logits", "cross_entropy")),
    *(Refusal(name, lambda x, name=name: getattr(x, name)(Tensor(0)), "ShapeError",
              "an axis of classes", ((),))
      for name in ("cross_entropy", "nll_loss")),
    Refusal("cross_entropy", lambda x: x.cross_entropy(Tensor([1, 2])), "ShapeError",
            "need class numbers of shape (3,) or probabilities, found (2,)"),
    Refusal("cross_entropy", lambda x: x.cross_entropy(Tensor([1, 2, 0]), weight=Tensor([1.0])),
            "ShapeError", "a weight for each of 5 classes"),
    Refusal("nll_loss", lambda x: x.nll_loss(x[:, 0]), "DTypeError", "targets are class numbers"),
    Refusal("nll_loss", lambda x: x.nll_loss(x[:, 0].int(), reduction="all"), "UsageError",
            "nll_loss"),
    Refusal("sparse_categorical_crossentropy",
            lambda x: x.sparse_categorical_crossentropy(Tensor([1])), "ShapeError", "found (1,)"),
    Refusal("huber_loss", lambda x: x.huber_loss(x, delta=0), "UsageError", "delta above 0"),
    Refusal("smooth_l1_loss", lambda x: x.smooth_l1_loss(x, beta=-1), "UsageError",
            "beta of 0 or more"),
    Refusal("cosine_similarity", lambda x: x.cosine_similarity(x, 2), "ShapeError", "axis 2"),
    *(Refusal("cross_entropy",
              lambda x, value=value: x.cross_entropy(Tensor([1, 2, 0]), label_smoothing=value),
              "UsageError", "label_smoothing from 0 to 1", argument="label_smoothing")
      for value in (5, -0.1, float("nan"))),
    Refusal("huber_loss", lambda x: x.huber_loss(x, delta=float("nan")), "UsageError",
            "delta above 0", argument="delta"),
    Refusal("smooth_l1_loss", lambda x: x.smooth_l1_loss(x, beta=float("nan")), "UsageError",
            "beta of 0 or more", argument="beta"),
    Refusal("cross_entropy", lambda x: x.cross_entropy(x, ignore_index=0), "UsageError",
            "ignore_index is for class numbers", argument="ignore_index"),
]  # fmt: skip
