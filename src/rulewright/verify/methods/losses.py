"""Losses."""

from __future__ import annotations

from rulewright.verify.methods.row import FLOATS, Method, Refusal, Shape, refusals

_SAME = (((3, 4), (3, 4)), ((), ()), ((1,), (1,)), ((7, 1, 2), (7, 1, 2)))
_SCORES = (((5, 4), (5,)), ((2, 4, 3), (2, 3)), ((1, 4, 2, 2), (1, 2, 2)))
_WEIGHED = (((5, 4), (5,), (4,)), ((2, 4, 3), (2, 3), (4,)))
_GOALS = (((5, 4), (5, 4)), ((2, 4, 3), (2, 4, 3)), ((4,), (4,)))
_HOW = ("mean", "sum", "none")


def _pair(name: str, losses: str, options: str = "", domain: tuple[str, ...] = ("any", "any"),
          gradient: bool = True) -> list[Method]:  # fmt: skip
    """A row for each reduction; the mean is the default."""
    more = options and f", {options}"
    return [
        Method(name, f"x.{name}(y{f', {how!r}' if how != 'mean' else ''}{more})",
               f"reduced({losses}, {how!r})", _SAME, FLOATS if how == "mean" else ("f32", "f16"),
               domain=domain, gradient=gradient, tolerance=32)
        for how in _HOW
    ]  # fmt: skip


def _classes(call: str, equals: str, shapes: tuple[tuple[Shape, ...], ...] = _SCORES,
             domain: str = "any", name: str = "cross_entropy") -> Method:  # fmt: skip
    others = ("i64", "f32") if len(shapes[0]) > 2 else ("i64",)
    words = (domain, "index:4", "positive")
    return Method(name, call, equals, shapes, ("f32", "f64"), others, words, gradient=True)


ROWS = [
    _classes("x.cross_entropy(y)", "cross_entropy(x, y)"),
    Method("cross_entropy", "x.cross_entropy(y)", "cross_entropy(x, y)", _SCORES,
           ("f16", "bf16"), ("i32",), ("any", "index:4"), tolerance=16),
    Method("cross_entropy", "x.cross_entropy(y, 'none', label_smoothing=0.1)", "np.zeros(len(x))",
           (((2, 0), (2, 0)),), ("f32",)),
    _classes("x.cross_entropy(y, 'sum')", "cross_entropy(x, y, 'sum')"),
    _classes("x.cross_entropy(y, 'none')", "cross_entropy(x, y, 'none')"),
    _classes("x.cross_entropy(y)", "cross_entropy(x, y)", (((4,), ()),)),
    _classes("x.cross_entropy(y, label_smoothing=0.2)", "cross_entropy(x, y, smoothing=0.2)"),
    _classes("x.cross_entropy(y, ignore_index=1)", "cross_entropy(x, y, ignore=1)"),
    _classes("x.cross_entropy(y, 'none', 0.1, 2)",
             "cross_entropy(x, y, 'none', ignore=2, smoothing=0.1)"),
    _classes("x.cross_entropy(y, weight=z)", "cross_entropy(x, y, weight=z)", _WEIGHED),
    _classes("x.cross_entropy(y, label_smoothing=0.1, ignore_index=3, weight=z)",
             "cross_entropy(x, y, 'mean', z, 3, 0.1)", _WEIGHED),
    Method("cross_entropy", "x.cross_entropy(y)", "cross_entropy(x, y)", _GOALS,
           domain=("any", "prob"), gradient=True, tolerance=32),
    Method("cross_entropy", "x.cross_entropy(y, 'none', 0.1)",
           "cross_entropy(x, y, 'none', smoothing=0.1)", _GOALS, ("f32", "f64"),
           domain=("any", "prob"), gradient=True),
    Method("cross_entropy", "x.cross_entropy(y, weight=z)", "cross_entropy(x, y, weight=z)",
           (((5, 4), (5, 4), (4,)),), ("f32", "f64"), domain=("any", "prob", "positive"),
           gradient=True),
    Method("sparse_categorical_crossentropy", "x.sparse_categorical_crossentropy(y)",
           "cross_entropy(np.moveaxis(x, -1, 1), y)", (((5, 4), (5,)), ((2, 3, 4), (2, 3))),
           ("f32", "f64"), ("i64",), ("any", "index:4"), gradient=True),
    Method("sparse_categorical_crossentropy",
           "x.sparse_categorical_crossentropy(y - 1, label_smoothing=0.1, reduction='sum')",
           "cross_entropy(np.moveaxis(x, -1, 1), y - 1, 'sum', ignore=-1, smoothing=0.1)",
           (((5, 4), (5,)), ((2, 3, 4), (2, 3))), ("f32",), ("i64",), ("any", "index:4"),
           gradient=True),
    _classes("x.nll_loss(y)", "nll(x, y)", name="nll_loss"),
    _classes("x.nll_loss(y, z)", "nll(x, y, 'mean', z)", _WEIGHED, name="nll_loss"),
    _classes("x.nll_loss(y, z, 1, 'none')", "nll(x, y, 'none', z, 1)", _WEIGHED, name="nll_loss"),
    _classes("x.nll_loss(y, reduction='sum', ignore_index=None)", "nll(x, y, 'sum')",
             name="nll_loss"),
    *_pair("binary_crossentropy", "binary(x, y)", domain=("prob", "prob")),
    Method("binary_crossentropy", "x.binary_crossentropy(y, weight=z)", "(binary(x, y) * z).mean()",
           (((3, 4), (3, 4), (4,)),), ("f32", "f64"), domain=("prob", "prob", "positive"),
           gradient=True),
    Method("binary_crossentropy", "(x * 0).binary_crossentropy(y * 0 + 1)", "(x * 0 + 100).mean()",
           (((1,), (1,)),), ("f32",)),
    *_pair("binary_crossentropy_logits", "binary_logits(x, y)", domain=("any", "prob")),
    Method("binary_crossentropy_logits",
           "x.binary_crossentropy_logits(y, pos_weight=z, weight=w)",
           "(binary_logits(x, y, z) * w).mean()", (((3, 4), (3, 4), (4,), (3, 1)),),
           ("f32", "f64"), domain=("any", "prob", "positive", "positive"), gradient=True),
    Method("binary_crossentropy_logits", "(x * 1000).binary_crossentropy_logits(y, 'none')",
           "np.maximum(x * 1000, 0) - x * 1000 * y", (((3, 4), (3, 4)),), ("f32",),
           domain=("nonzero", "prob")),
    *_pair("kl_div", "kullback_leibler(x, y)", domain=("any", "prob")),
    Method("kl_div", "x.kl_div(y, 'batchmean')", "kullback_leibler(x, y).sum() / len(x)",
           (((3, 4), (3, 4)), ((1,), (1,))), ("f32", "f64"), domain=("any", "prob"), gradient=True),
    Method("kl_div", "x.kl_div(y, 'none')", "kullback_leibler(x, y)", _SAME, ("f32", "f64")),
    Method("kl_div", "x.kl_div(y, log_target=True)", "kullback_leibler(x, np.exp(y)).mean()",
           _SAME, ("f32", "f64"), domain=("any", "unit"), gradient=True),
    Method("kl_div", "x.kl_div(y.cast(x.dtype), 'none')", "kullback_leibler(x, y)",
           (((3, 4), (3, 4)),), ("f32",), ("bool",), ("any", "bool")),
    *_pair("mse_loss", "(x - y) ** 2"),
    *_pair("l1_loss", "np.abs(x - y)"),
    *_pair("huber_loss", "huber(x, y)"),
    *_pair("huber_loss", "huber(x, y, 0.3)", "delta=0.3"),
    *_pair("smooth_l1_loss", "huber(x, y)"),
    *_pair("smooth_l1_loss", "huber(x, y, 0.3) / 0.3", "beta=0.3"),
    *_pair("smooth_l1_loss", "np.abs(x - y)", "beta=0"),
    Method("cosine_similarity", "x.cosine_similarity(y)", "cosine(x, y, 1)",
           (((3, 4), (3, 4)), ((2, 5, 3), (2, 5, 3)), ((3, 4), (1, 4))), ("f32", "f64"),
           gradient=True),
    Method("cosine_similarity", "x.cosine_similarity(y, dim=-1)", "cosine(x, y, -1)",
           (((3, 4), (4,)), ((4,), (4,))), ("f32", "f64"), gradient=True),
    Method("cosine_similarity", "(x * 0).cosine_similarity(y)", "np.zeros(3)",
           (((3, 4), (3, 4)),), ("f32", "f64")),
]  # fmt: skip

REFUSALS = [
    *(Refusal(name, f"x.{name}(x[0])", "ShapeError", f"{name}: prediction (3, 5) and target (5,)")
      for name in ("mse_loss", "l1_loss", "huber_loss", "smooth_l1_loss", "kl_div",
                   "binary_crossentropy", "binary_crossentropy_logits")),
    *(Refusal(name, f"x.{name}(x, 'max')", "UsageError", "reduction is 'mean', 'sum' or 'none'")
      for name in ("mse_loss", "l1_loss", "huber_loss", "smooth_l1_loss", "kl_div",
                   "binary_crossentropy", "binary_crossentropy_logits", "cross_entropy")),
    *(Refusal(name, f"x.{name}(Tensor(0))", "ShapeError", "an axis of classes", ((),))
      for name in ("cross_entropy", "nll_loss")),
    Refusal("cross_entropy", "x.cross_entropy(Tensor([1, 2]))", "ShapeError",
            "need class numbers of shape (3,) or probabilities, found (2,)"),
    Refusal("cross_entropy", "x.cross_entropy(Tensor([1, 2, 0]), weight=Tensor([1.0]))",
            "ShapeError", "a weight for each of 5 classes"),
    Refusal("nll_loss", "x.nll_loss(x[:, 0])", "DTypeError", "targets are class numbers"),
    Refusal("nll_loss", "x.nll_loss(x[:, 0].int(), reduction='all')", "UsageError", "nll_loss"),
    Refusal("sparse_categorical_crossentropy", "x.sparse_categorical_crossentropy(Tensor([1]))",
            "ShapeError", "found (1,)"),
    Refusal("huber_loss", "x.huber_loss(x, delta=0)", "UsageError", "delta above 0"),
    Refusal("smooth_l1_loss", "x.smooth_l1_loss(x, beta=-1)", "UsageError", "beta of 0 or more"),
    Refusal("cosine_similarity", "x.cosine_similarity(x, 2)", "ShapeError", "axis 2"),
    *(row for name in ("mse_loss", "l1_loss", "huber_loss", "smooth_l1_loss", "kl_div",
                       "binary_crossentropy", "binary_crossentropy_logits")
      for row in [*refusals(name, target="operand"), *refusals(name, "x", reduction="reduction")]),
    *(row for name in ("cross_entropy", "nll_loss", "sparse_categorical_crossentropy")
      for row in [*refusals(name, target="operand"),
                  *refusals(name, "Tensor([1, 2, 0])", ignore_index="whole",
                            reduction="reduction")]),
    *refusals("cross_entropy", "Tensor([1, 2, 0])", label_smoothing="number", weight="operand"),
    *refusals("sparse_categorical_crossentropy", "Tensor([1, 2, 0])", label_smoothing="number"),
    *refusals("nll_loss", "Tensor([1, 2, 0])", weight="operand"),
    *(Refusal("cross_entropy", f"x.cross_entropy(Tensor([1, 2, 0]), label_smoothing={value})",
              "UsageError", "label_smoothing from 0 to 1", argument="label_smoothing")
      for value in ("5", "-0.1", "float('nan')")),
    *refusals("huber_loss", "x", delta="number"),
    *refusals("smooth_l1_loss", "x", beta="number"),
    Refusal("huber_loss", "x.huber_loss(x, delta=float('nan'))", "UsageError", "delta above 0",
            argument="delta"),
    Refusal("smooth_l1_loss", "x.smooth_l1_loss(x, beta=float('nan'))", "UsageError",
            "beta of 0 or more", argument="beta"),
    *refusals("kl_div", "x", log_target="flag"),
    *refusals("binary_crossentropy", "x", weight="operand"),
    *refusals("binary_crossentropy_logits", "x", weight="operand", pos_weight="operand"),
    *refusals("cosine_similarity", "x", dim="axis", eps="number"),
    *refusals("cosine_similarity", other="operand"),
    Refusal("cross_entropy", "x.cross_entropy(x, ignore_index=0)", "UsageError",
            "ignore_index is for class numbers", argument="ignore_index"),
]  # fmt: skip
