"""Losses of margins, of vectors, and of distributions of the target."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from rulewright.tensor.tensor import Tensor
from rulewright.verify.methods.reference import (
    above_0,
    angle_loss,
    binary_logits,
    distance,
    gaussian,
    multi_margin,
    multilabel_margin,
    poisson,
    reduced,
)
from rulewright.verify.methods.row import FLOATS, Method, Refusal, Shape, refusals
from rulewright.verify.methods.text import Expression

_SAME = (((3, 4), (3, 4)), ((), ()), ((1,), (1,)), ((7, 1, 2), (7, 1, 2)))
_THREE = tuple((a, a, b) for a, b in _SAME)
_ROWS = (((3, 4), (3,)), ((5,), ()), ((1, 1), (1,)))
_VECTORS = (((3, 4), (3, 4), (3,)), ((5,), (5,), ()), ((2, 1, 3), (2, 1, 3), (2, 1)))
_WIDE = ("f32", "f64")


def _reductions(
    name: str, call: Expression, losses: Expression, shapes: tuple[tuple[Shape, ...], ...],
    others: tuple[str, ...] = (), domain: str | tuple[str, ...] = "any",
) -> list[Method]:  # fmt: skip
    """A row for each reduction; the mean is the default."""
    return [
        Method(name, call if how == "mean" else partial(call, reduction=how),
               lambda *arrays, how=how: reduced(losses(*arrays), how), shapes,
               FLOATS if how == "mean" else _WIDE, others, domain, gradient=True, tolerance=32)
        for how in ("mean", "sum", "none")
    ]  # fmt: skip


ROWS = [
    *_reductions("margin_ranking_loss",
                 lambda x, y, z, **how: x.margin_ranking_loss(y, z.sign(), **how),
                 lambda x, y, z: above_0(-np.sign(z) * (x - y)), _THREE),
    *_reductions("margin_ranking_loss",
                 lambda x, y, z, **how: x.margin_ranking_loss(y, z.sign(), 0.5, **how),
                 lambda x, y, z: above_0(0.5 - np.sign(z) * (x - y)), _THREE),
    *_reductions("hinge_embedding_loss",
                 lambda x, y, **how: x.hinge_embedding_loss(y.sign(), **how),
                 lambda x, y: np.where(y > 0, x, above_0(1 - x)), _SAME, domain="nonzero"),
    *_reductions("hinge_embedding_loss",
                 lambda x, y, **how: x.hinge_embedding_loss(y * 0, margin=0.3, **how),
                 lambda x, y: x + above_0(0.3 - x), _SAME),
    *_reductions("soft_margin_loss", lambda x, y, **how: x.soft_margin_loss(y.sign(), **how),
                 lambda x, y: np.log(1 + np.exp(-np.sign(y) * x)), _SAME),
    Method("soft_margin_loss", lambda x, y: (x * 1e4).soft_margin_loss(y.sign(), "none"),
           lambda x, y: above_0(-np.sign(y) * x * 1e4), _SAME, _WIDE, domain="nonzero"),
    *_reductions("multi_margin_loss", lambda x, y, **how: x.multi_margin_loss(y, **how),
                 lambda x, y: multi_margin(x, y), _ROWS, ("i64",), ("any", "index:1")),
    *_reductions("multi_margin_loss", lambda x, y, **how: x.multi_margin_loss(y, 2, 0.5, **how),
                 lambda x, y: multi_margin(x, y, 2, 0.5), (((3, 4), (3,)), ((5, 4), (5,))),
                 ("i64",), ("any", "index:4")),
    Method("multi_margin_loss", lambda x, y, z: x.multi_margin_loss(y, weight=z),
           lambda x, y, z: multi_margin(x, y, weight=z).mean(), (((3, 4), (3,), (4,)),), _WIDE,
           ("i32", "same"), ("any", "index:4", "positive"), gradient=True),
    *_reductions("multilabel_margin_loss",
                 lambda x, y, **how: x.multilabel_margin_loss(y - 1, **how),
                 lambda x, y: multilabel_margin(x, y - 1),
                 (((3, 4), (3, 4)), ((4,), (4,)), ((9, 5), (9, 5))), ("i64",), ("any", "index:5")),
    *_reductions("multilabel_soft_margin_loss",
                 lambda x, y, **how: x.multilabel_soft_margin_loss(y, **how),
                 lambda x, y: binary_logits(x, y).mean(-1),
                 (((3, 4), (3, 4)), ((1,), (1,)), ((7, 1, 2), (7, 1, 2))), domain=("any", "prob")),
    Method("multilabel_soft_margin_loss", lambda x, y, z: x.multilabel_soft_margin_loss(y, z),
           lambda x, y, z: (z * binary_logits(x, y)).mean(), (((3, 4), (3, 4), (4,)),), _WIDE,
           domain=("any", "prob", "positive"), gradient=True),
    Method("pairwise_distance",
           lambda x, y: (x.pairwise_distance(y), x.pairwise_distance(y, 1),
           x.pairwise_distance(y, 3, 0.1, keepdim=True)),
           lambda x, y: (distance(x, y), distance(x, y, 1), distance(x, y, 3, 0.1)[..., None]),
           (((3, 4), (3, 4)), ((3, 4), (4,)), ((2, 1, 3), (4, 3)), ((1,), (1,))), FLOATS,
           gradient=True, tolerance=16),
    *_reductions("triplet_margin_loss", lambda x, y, z, **how: x.triplet_margin_loss(y, z, **how),
                 lambda x, y, z: above_0(distance(x, y) - distance(x, z) + 1),
                 (((3, 4),) * 3, ((5,),) * 3, ((2, 1, 3),) * 3)),
    *_reductions("triplet_margin_loss",
                 lambda x, y, z, **how: x.triplet_margin_loss(y, z, 0.5, 1, 0.01, True, **how),
                 lambda x, y, z: above_0(distance(x, y, 1, 0.01) -
                 np.minimum(distance(x, z, 1, 0.01), distance(y, z, 1, 0.01)) + 0.5),
                 (((3, 4),) * 3, ((5,),) * 3)),
    *_reductions("cosine_embedding_loss",
                 lambda x, y, z, **how: x.cosine_embedding_loss(y, z.sign(), **how),
                 lambda x, y, z: angle_loss(x, y, np.sign(z)), _VECTORS),
    *_reductions("cosine_embedding_loss",
                 lambda x, y, z, **how: x.cosine_embedding_loss(y, z - 1, margin=0.2, **how),
                 lambda x, y, z: angle_loss(x, y, z - 1, 0.2), _VECTORS, ("same", "i64"),
                 ("any", "any", "index:3")),
    Method("cosine_embedding_loss",
           lambda x, y, z: (x * 0).cosine_embedding_loss(y, z.sign() * 0 + 1, 0.0, "none"),
           lambda x, y, z: np.ones(3), (((3, 4), (3, 4), (3,)),), FLOATS),
    *_reductions("poisson_nll_loss", lambda x, y, **how: x.poisson_nll_loss(y, **how),
                 lambda x, y: poisson(x, y), _SAME, domain=("any", "positive")),
    *_reductions("poisson_nll_loss",
                 lambda x, y, **how: x.poisson_nll_loss(y, log_input=False, full=True, **how),
                 lambda x, y: poisson(x, y, False, True), _SAME, domain="positive"),
    Method("poisson_nll_loss", lambda x, y: x.poisson_nll_loss(y, log_input=False, eps=0.5),
           lambda x, y: (x - y * np.log(x + 0.5)).mean(), _SAME, _WIDE, domain="positive",
           gradient=True),
    *_reductions("gaussian_nll_loss", lambda x, y, z, **how: x.gaussian_nll_loss(y, z, **how),
                 lambda x, y, z: gaussian(x, y, z), _THREE, domain=("any", "any", "positive")),
    *_reductions("gaussian_nll_loss",
                 lambda x, y, z, **how: x.gaussian_nll_loss(y, z, full=True, **how),
                 lambda x, y, z: gaussian(x, y, z, True),
                 (((3, 4), (3, 4), ()), ((3, 4), (3, 4), (3, 1))),
                 domain=("any", "any", "positive")),
    Method("gaussian_nll_loss", lambda x, y, z: x.gaussian_nll_loss(y, z),
           lambda x, y, z: gaussian(x, y, z[:, None]).mean(), (((3, 4), (3, 4), (3,)),), _WIDE,
           domain=("any", "any", "positive"), gradient=True),
    Method("gaussian_nll_loss",
           lambda x, y, z: x.gaussian_nll_loss(y, z * 0.1, eps=0.5, reduction="none"),
           lambda x, y, z: gaussian(x, y, 0.5), _THREE, _WIDE, domain=("any", "any", "positive")),
]  # fmt: skip

_ONE = ("hinge_embedding_loss", "soft_margin_loss", "multilabel_soft_margin_loss",
        "poisson_nll_loss")  # fmt: skip
_CLASSES: Mapping[str, Expression] = {
    "multi_margin_loss": lambda x: (Tensor([1, 2, 0]),),
    "multilabel_margin_loss": lambda x: (x.int(),),
}
_SEVERAL: Mapping[str, Expression] = {
    **dict.fromkeys(_ONE, lambda x: (x,)),
    **dict.fromkeys(("margin_ranking_loss", "triplet_margin_loss", "gaussian_nll_loss"),
                    lambda x: (x, x)),
    "cosine_embedding_loss": lambda x: (x, x[:, 0]),
    **_CLASSES,
}  # fmt: skip

REFUSALS = [
    *(row for name, others in _SEVERAL.items()
      for row in refusals(name, lambda x, name=name, others=others, **wrong: getattr(x, name)(
          *others(x), **wrong), reduction="reduction")),
    *(row for name in _ONE for row in (
        Refusal(name, lambda x, name=name: getattr(x, name)(x[0]), "ShapeError",
                f"{name}: prediction (3, 5) and target (5,)"),
        *refusals(name, target="operand"))),
    *(row for name in _CLASSES for row in (
        Refusal(name, lambda x, name=name: getattr(x, name)(x), "DTypeError",
                f"{name}: targets are class numbers"),
        Refusal(name, lambda x, name=name: getattr(x[None], name)(Tensor([1])), "ShapeError",
                f"{name}: expected scores"),
        Refusal(name, lambda x, name=name: getattr(x, name)(Tensor([1])), "ShapeError",
                f"{name}: scores (3, 5) need class"),
        *refusals(name, target="operand"))),
    Refusal("multi_margin_loss", lambda x: x.multi_margin_loss(Tensor([1, 2, 0]), p=3),
            "UsageError", "p of 1 or 2, found 3"),
    Refusal("multi_margin_loss",
            lambda x: x.multi_margin_loss(Tensor([1, 2, 0]), weight=Tensor([1.0])), "ShapeError",
            "multi_margin_loss: expected a weight for each of 5 classes"),
    *refusals("multi_margin_loss",
              lambda x, **wrong: x.multi_margin_loss(Tensor([1, 2, 0]), **wrong), p="number",
              margin="number", weight="operand"),
    *refusals("multilabel_soft_margin_loss",
              lambda x, **wrong: x.multilabel_soft_margin_loss(x, **wrong), weight="operand"),
    *refusals("hinge_embedding_loss", lambda x, **wrong: x.hinge_embedding_loss(x, **wrong),
              margin="number"),
    *refusals("poisson_nll_loss", lambda x, **wrong: x.poisson_nll_loss(x, **wrong),
              log_input="flag", full="flag", eps="number"),
    *refusals("margin_ranking_loss", lambda x, **wrong: x.margin_ranking_loss(target=x, **wrong),
              other="operand"),
    *refusals("margin_ranking_loss", lambda x, **wrong: x.margin_ranking_loss(x, **wrong),
              target="operand"),
    *refusals("margin_ranking_loss", lambda x, **wrong: x.margin_ranking_loss(x, x, **wrong),
              margin="number"),
    Refusal("margin_ranking_loss", lambda x: x.margin_ranking_loss(x, x[0]), "ShapeError",
            "margin_ranking_loss: prediction (3, 5) and target (5,)"),
    *refusals("pairwise_distance", other="operand"),
    *refusals("pairwise_distance", lambda x, **wrong: x.pairwise_distance(x, **wrong), p="number",
              eps="number", keepdim="flag"),
    *refusals("triplet_margin_loss", lambda x, **wrong: x.triplet_margin_loss(negative=x, **wrong),
              positive="operand"),
    *refusals("triplet_margin_loss", lambda x, **wrong: x.triplet_margin_loss(x, **wrong),
              negative="operand"),
    *refusals("triplet_margin_loss", lambda x, **wrong: x.triplet_margin_loss(x, x, **wrong),
              margin="number", p="number", eps="number", swap="flag"),
    Refusal("triplet_margin_loss", lambda x: x.triplet_margin_loss(x, x[0]), "ShapeError",
            "triplet_margin_loss: prediction (3, 5) and negative (5,) must have one shape"),
    *(Refusal("triplet_margin_loss",
              lambda x, value=value: x.triplet_margin_loss(x, x, margin=value), "UsageError",
              "a margin above 0") for value in (0, -1.0, float("nan"))),
    *refusals("cosine_embedding_loss",
              lambda x, **wrong: x.cosine_embedding_loss(target=x[:, 0], **wrong), other="operand"),
    *refusals("cosine_embedding_loss", lambda x, **wrong: x.cosine_embedding_loss(x, **wrong),
              target="operand"),
    *refusals("cosine_embedding_loss",
              lambda x, **wrong: x.cosine_embedding_loss(x, x[:, 0], **wrong), margin="number"),
    Refusal("cosine_embedding_loss", lambda x: x.cosine_embedding_loss(x, x), "ShapeError",
            "vectors (3, 5) need a target of shape (3,), found (3, 5)"),
    *refusals("gaussian_nll_loss", lambda x, **wrong: x.gaussian_nll_loss(var=x, **wrong),
              target="operand"),
    *refusals("gaussian_nll_loss", lambda x, **wrong: x.gaussian_nll_loss(x, **wrong),
              var="operand"),
    *refusals("gaussian_nll_loss", lambda x, **wrong: x.gaussian_nll_loss(x, x, **wrong),
              full="flag", eps="number"),
    Refusal("gaussian_nll_loss", lambda x: x.gaussian_nll_loss(x, x[0]), "ShapeError",
            "expected var of shape (3, 5)"),
    Refusal("gaussian_nll_loss", lambda x: x.gaussian_nll_loss(x, x, eps=0), "UsageError",
            "eps above 0"),
]  # fmt: skip
