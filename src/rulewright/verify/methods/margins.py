"""Losses of margins, of vectors, and of distributions of the target."""

from __future__ import annotations

from rulewright.verify.methods.row import FLOATS, Method, Refusal, Shape, refusals

_SAME = (((3, 4), (3, 4)), ((), ()), ((1,), (1,)), ((7, 1, 2), (7, 1, 2)))
_THREE = tuple((a, a, b) for a, b in _SAME)
_ROWS = (((3, 4), (3,)), ((5,), ()), ((1, 1), (1,)))
_VECTORS = (((3, 4), (3, 4), (3,)), ((5,), (5,), ()), ((2, 1, 3), (2, 1, 3), (2, 1)))
_WIDE = ("f32", "f64")


def _reductions(
    name: str, arguments: str, losses: str, shapes: tuple[tuple[Shape, ...], ...],
    others: tuple[str, ...] = (), domain: str | tuple[str, ...] = "any", options: str = "",
) -> list[Method]:  # fmt: skip
    """A row for each reduction; the mean is the default."""
    tail = options and f", {options}"
    return [
        Method(name, f"x.{name}({arguments}{tail}{more})", f"reduced({losses}, {how!r})", shapes,
               FLOATS if how == "mean" else _WIDE, others, domain, gradient=True, tolerance=32)
        for how, more in (
            ("mean", ""), ("sum", ", reduction='sum'"), ("none", ", reduction='none'"))
    ]  # fmt: skip


ROWS = [
    *_reductions("margin_ranking_loss", "y, z.sign()", "above_0(-np.sign(z) * (x - y))", _THREE),
    *_reductions("margin_ranking_loss", "y, z.sign()", "above_0(0.5 - np.sign(z) * (x - y))",
                 _THREE, options="0.5"),
    *_reductions("hinge_embedding_loss", "y.sign()", "np.where(y > 0, x, above_0(1 - x))", _SAME,
                 domain="nonzero"),
    *_reductions("hinge_embedding_loss", "y * 0", "x + above_0(0.3 - x)", _SAME,
                 options="margin=0.3"),
    *_reductions("soft_margin_loss", "y.sign()", "np.log(1 + np.exp(-np.sign(y) * x))", _SAME),
    Method("soft_margin_loss", "(x * 1e4).soft_margin_loss(y.sign(), 'none')",
           "above_0(-np.sign(y) * x * 1e4)", _SAME, _WIDE, domain="nonzero"),
    *_reductions("multi_margin_loss", "y", "multi_margin(x, y)", _ROWS, ("i64",),
                 ("any", "index:1")),
    *_reductions("multi_margin_loss", "y, 2, 0.5", "multi_margin(x, y, 2, 0.5)",
                 (((3, 4), (3,)), ((5, 4), (5,))), ("i64",), ("any", "index:4")),
    Method("multi_margin_loss", "x.multi_margin_loss(y, weight=z)",
           "multi_margin(x, y, weight=z).mean()", (((3, 4), (3,), (4,)),), _WIDE, ("i32", "same"),
           ("any", "index:4", "positive"), gradient=True),
    *_reductions("multilabel_margin_loss", "y - 1", "multilabel_margin(x, y - 1)",
                 (((3, 4), (3, 4)), ((4,), (4,)), ((9, 5), (9, 5))), ("i64",), ("any", "index:5")),
    *_reductions("multilabel_soft_margin_loss", "y", "binary_logits(x, y).mean(-1)",
                 (((3, 4), (3, 4)), ((1,), (1,)), ((7, 1, 2), (7, 1, 2))), domain=("any", "prob")),
    Method("multilabel_soft_margin_loss", "x.multilabel_soft_margin_loss(y, z)",
           "(z * binary_logits(x, y)).mean()", (((3, 4), (3, 4), (4,)),), _WIDE,
           domain=("any", "prob", "positive"), gradient=True),
    Method("pairwise_distance",
           "(x.pairwise_distance(y), x.pairwise_distance(y, 1), x.pairwise_distance(y, 3, 0.1, "
           "keepdim=True))",
           "(distance(x, y), distance(x, y, 1), distance(x, y, 3, 0.1)[..., None])",
           (((3, 4), (3, 4)), ((3, 4), (4,)), ((2, 1, 3), (4, 3)), ((1,), (1,))), FLOATS,
           gradient=True, tolerance=16),
    *_reductions("triplet_margin_loss", "y, z",
                 "above_0(distance(x, y) - distance(x, z) + 1)",
                 (((3, 4),) * 3, ((5,),) * 3, ((2, 1, 3),) * 3)),
    *_reductions("triplet_margin_loss", "y, z",
                 "above_0(distance(x, y, 1, 0.01) - np.minimum(distance(x, z, 1, 0.01), "
                 "distance(y, z, 1, 0.01)) + 0.5)", (((3, 4),) * 3, ((5,),) * 3),
                 options="0.5, 1, 0.01, True"),
    *_reductions("cosine_embedding_loss", "y, z.sign()", "angle_loss(x, y, np.sign(z))", _VECTORS),
    *_reductions("cosine_embedding_loss", "y, z - 1", "angle_loss(x, y, z - 1, 0.2)", _VECTORS,
                 ("same", "i64"), ("any", "any", "index:3"), "margin=0.2"),
    Method("cosine_embedding_loss",
           "(x * 0).cosine_embedding_loss(y, z.sign() * 0 + 1, 0.0, 'none')",
           "np.ones(3)", (((3, 4), (3, 4), (3,)),), FLOATS),
    *_reductions("poisson_nll_loss", "y", "poisson(x, y)", _SAME, domain=("any", "positive")),
    *_reductions("poisson_nll_loss", "y", "poisson(x, y, False, True)", _SAME, domain="positive",
                 options="log_input=False, full=True"),
    Method("poisson_nll_loss", "x.poisson_nll_loss(y, log_input=False, eps=0.5)",
           "(x - y * np.log(x + 0.5)).mean()", _SAME, _WIDE, domain="positive", gradient=True),
    *_reductions("gaussian_nll_loss", "y, z", "gaussian(x, y, z)", _THREE,
                 domain=("any", "any", "positive")),
    *_reductions("gaussian_nll_loss", "y, z", "gaussian(x, y, z, True)",
                 (((3, 4), (3, 4), ()), ((3, 4), (3, 4), (3, 1))),
                 domain=("any", "any", "positive"), options="full=True"),
    Method("gaussian_nll_loss", "x.gaussian_nll_loss(y, z)", "gaussian(x, y, z[:, None]).mean()",
           (((3, 4), (3, 4), (3,)),), _WIDE, domain=("any", "any", "positive"), gradient=True),
    Method("gaussian_nll_loss", "x.gaussian_nll_loss(y, z * 0.1, eps=0.5, reduction='none')",
           "gaussian(x, y, 0.5)", _THREE, _WIDE, domain=("any", "any", "positive")),
]  # fmt: skip

_ONE = ("hinge_embedding_loss", "soft_margin_loss", "multilabel_soft_margin_loss",
        "poisson_nll_loss")  # fmt: skip
_CLASSES = {"multi_margin_loss": "Tensor([1, 2, 0])", "multilabel_margin_loss": "x.int()"}
_SEVERAL = {
    **dict.fromkeys(_ONE, "x"),
    "margin_ranking_loss": "x, x", "triplet_margin_loss": "x, x", "gaussian_nll_loss": "x, x",
    "cosine_embedding_loss": "x, x[:, 0]",
    **_CLASSES,
}  # fmt: skip

REFUSALS = [
    *(row for name, others in _SEVERAL.items()
      for row in refusals(name, others, reduction="reduction")),
    *(row for name in _ONE for row in (
        Refusal(name, f"x.{name}(x[0])", "ShapeError",
                f"{name}: prediction (3, 5) and target (5,)"),
        *refusals(name, target="operand"))),
    *(row for name in _CLASSES for row in (
        Refusal(name, f"x.{name}(x)", "DTypeError", f"{name}: targets are class numbers"),
        Refusal(name, f"x[None].{name}(Tensor([1]))", "ShapeError", f"{name}: expected scores"),
        Refusal(name, f"x.{name}(Tensor([1]))", "ShapeError", f"{name}: scores (3, 5) need class"),
        *refusals(name, target="operand"))),
    Refusal("multi_margin_loss", "x.multi_margin_loss(Tensor([1, 2, 0]), p=3)", "UsageError",
            "p of 1 or 2, found 3"),
    Refusal("multi_margin_loss", "x.multi_margin_loss(Tensor([1, 2, 0]), weight=Tensor([1.0]))",
            "ShapeError", "multi_margin_loss: expected a weight for each of 5 classes"),
    *refusals("multi_margin_loss", _CLASSES["multi_margin_loss"], p="number", margin="number",
              weight="operand"),
    *refusals("multilabel_soft_margin_loss", "x", weight="operand"),
    *refusals("hinge_embedding_loss", "x", margin="number"),
    *refusals("poisson_nll_loss", "x", log_input="flag", full="flag", eps="number"),
    *refusals("margin_ranking_loss", "target=x", other="operand"),
    *refusals("margin_ranking_loss", "x", target="operand"),
    *refusals("margin_ranking_loss", "x, x", margin="number"),
    Refusal("margin_ranking_loss", "x.margin_ranking_loss(x, x[0])", "ShapeError",
            "margin_ranking_loss: prediction (3, 5) and target (5,)"),
    *refusals("pairwise_distance", other="operand"),
    *refusals("pairwise_distance", "x", p="number", eps="number", keepdim="flag"),
    *refusals("triplet_margin_loss", "negative=x", positive="operand"),
    *refusals("triplet_margin_loss", "x", negative="operand"),
    *refusals("triplet_margin_loss", "x, x", margin="number", p="number", eps="number",
              swap="flag"),
    Refusal("triplet_margin_loss", "x.triplet_margin_loss(x, x[0])", "ShapeError",
            "triplet_margin_loss: prediction (3, 5) and negative (5,) must have one shape"),
    *(Refusal("triplet_margin_loss", f"x.triplet_margin_loss(x, x, margin={value})", "UsageError",
              "a margin above 0") for value in ("0", "-1.0", "float('nan')")),
    *refusals("cosine_embedding_loss", "target=x[:, 0]", other="operand"),
    *refusals("cosine_embedding_loss", "x", target="operand"),
    *refusals("cosine_embedding_loss", "x, x[:, 0]", margin="number"),
    Refusal("cosine_embedding_loss", "x.cosine_embedding_loss(x, x)", "ShapeError",
            "vectors (3, 5) need a target of shape (3,), found (3, 5)"),
    *refusals("gaussian_nll_loss", "var=x", target="operand"),
    *refusals("gaussian_nll_loss", "x", var="operand"),
    *refusals("gaussian_nll_loss", "x, x", full="flag", eps="number"),
    Refusal("gaussian_nll_loss", "x.gaussian_nll_loss(x, x[0])", "ShapeError",
            "expected var of shape (3, 5)"),
    Refusal("gaussian_nll_loss", "x.gaussian_nll_loss(x, x, eps=0)", "UsageError", "eps above 0"),
]  # fmt: skip
