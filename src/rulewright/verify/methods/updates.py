"""Methods in place: each writes what the method of its name gives, whose rows say what that is."""

from __future__ import annotations

from collections.abc import Mapping

from rulewright.verify.methods.row import Method, Refusal, refusals

_SAME = (((3, 5), (3, 5)), ((), ()), ((0,), (0,)))
_NUMBERS: Mapping[str, str] = {
    **dict.fromkeys(("add_", "sub_", "mul_", "div_", "floordiv_", "remainder_", "fmod_"), "y"),
    **dict.fromkeys(("logical_and_", "logical_or_", "logical_xor_"), "y"),
    **dict.fromkeys(
        ("neg_", "abs_", "sign_", "square_", "sqrt_", "rsqrt_", "reciprocal_", "exp_", "exp2_",
         "expm1_", "log_", "log2_", "log10_", "log1p_", "floor_", "ceil_", "round_", "trunc_",
         "frac_", "sin_", "cos_", "tan_", "tanh_", "erf_", "erfinv_", "lgamma_",
         "digamma_", "relu_", "leaky_relu_",
         "elu_", "sigmoid_", "logical_not_", "nan_to_num_"), ""),
    "nextafter_": "y", "pow_": "2",
    "lerp_": "y, 0.25", "addcmul_": "y, y, value=2", "addcdiv_": "y, y, value=2",
    "clip_": "0, 1", "clamp_": "max=0", "masked_fill_": "y > 0, 3",
    "cumsum_": "0", "cumprod_": "0",
}  # fmt: skip
"""Arguments of the methods that take floats of any shape."""
_BITS = {"bitwise_and_": "y", "bitwise_or_": "y", "bitwise_xor_": "y", "bitwise_not_": ""}
_AT = "0, Tensor([2, 0])"
_MATRICES: Mapping[str, str] = {
    "tril_": "", "triu_": "1", "addmm_": "y, y, beta=2, alpha=3",
    "scatter_": "0, Tensor([[2, 0]]), 5", "scatter_add_": "0, Tensor([[2, 0]]), y",
    "scatter_reduce_": "0, Tensor([[2, 0]]), y, 'prod', include_self=False",
    "index_add_": f"{_AT}, y[:2], alpha=2", "index_copy_": f"{_AT}, y[1:]",
    "index_fill_": f"{_AT}, 7", "index_put_": "(Tensor([2, 2]),), y[1:], True",
}  # fmt: skip


def _rows(calls: Mapping[str, str], shapes: object, dtypes: tuple[str, ...]) -> list[Method]:
    return [
        Method(
            name, f"(x.clone().{name}({arguments}), x.{name[:-1]}({arguments}))",
            "", shapes, dtypes, special=True, gives="same",  # type: ignore[arg-type]
            check="np.array_equal(*(f.numpy().astype(x.dtype) for f in found), equal_nan=True)",
        )
        for name, arguments in calls.items()
    ]  # fmt: skip


ROWS = [
    *_rows(_NUMBERS, (((3, 5), (3, 5)),), ("f32",)),
    *_rows(_BITS, (((3, 5), (3, 5)),), ("i32",)),
    *_rows(_MATRICES, (((3, 3), (3, 3)),), ("f32",)),
    *_rows({"addmv_": "y, y[0]"}, (((3,), (3, 3)),), ("f32",)),
    *_rows({"baddbmm_": "y, y, alpha=2"}, (((2, 3, 3), (2, 3, 3)),), ("f32",)),
    *_rows({"add_": "y", "mul_": "y", "logical_not_": ""}, _SAME, ("f16", "u8", "bool")),
    *(Method(f"{name}_", f"(z := x.clone(), z[..., :1].{name}_({arguments}), z)[2]",
             f"np.concatenate([{equals}, x[..., 1:]], -1)", (((3, 5),), ((7, 1, 2),)), ("f32",),
             domain="positive", gradient=True)
      for name, arguments, equals in (
          ("mul", "x[..., :1]", "x[..., :1] ** 2"), ("exp", "", "np.exp(x[..., :1])"),
          ("clamp", "1, 2", "x[..., :1].clip(1, 2)"))),
    Method("copy_", "(x.clone().copy_(y), x.clone().copy_(3), "
           "x.clone().copy_(y, non_blocking=True))", "(y + 0 * x, 3 + 0 * x, y + 0 * x)",
           (((3, 5), (5,)), ((2,), ())), ("f32", "f64"),
           gradient=True),
    Method("copy_", "x.clone().copy_(y)", "np.trunc(y).astype(x.dtype) + 0 * x",
           (((3, 5), (5,)), ((2,), ())), ("i32", "u8"), ("f32",), domain=("any", "positive")),
    Method("fill_", "(x.clone().fill_(3), x.clone().fill_(y))", "(3 + 0 * x, y + 0 * x)",
           (((3, 5), ()), ((0,), ()), ((), ())), ("f32", "i32", "u8")),
    Method("zero_", "x.clone().zero_()", "x * 0", dtypes=("f32", "i32", "f16")),
    Method("uniform_", "x.clone().uniform_(-1, 2)", "", (((400, 5),),), ("f32", "f16"),
           check="is_uniform(found.numpy(), -1, 2)"),
    Method("normal_", "x.clone().normal_(1, std=2)", "", (((400, 5),),), ("f32", "f64"),
           check="is_normal(found.numpy(), 1, 2)"),
    Method("bernoulli_", "(x.clone().bernoulli_(1.0), x.clone().bernoulli_(0))",
           "(np.ones_like(x), x * 0)", (((3, 5),), ((0,),)), ("f32", "i32")),
]  # fmt: skip

REFUSALS = [
    Refusal("add_", "x.add_(Tensor.ones(2, 3, 5))", "ShapeError", "(2, 3, 5)"),
    Refusal("add_", "x.add_(0.5)", "DTypeError", "a i32 tensor cannot hold", dtypes=("i32",)),
    Refusal("exp_", "x.exp_()", "DTypeError", "a i32 tensor cannot hold", dtypes=("i32",)),
    Refusal("add_", "x[:1].expand(3, 5).add_(1)", "ShapeError", "elements share memory"),
    *refusals("copy_", src="operand"),
    *refusals("fill_", value="operand"),
    Refusal("fill_", "x.fill_(x[0])", "ShapeError", "one value, found shape (5,)"),
    Refusal("copy_", "x.copy_(x.T)", "ShapeError", "(5, 3)"),
    Refusal("copy_", "x.copy_(x, 'a')", "ArgumentError", "non_blocking is True or False",
            argument="non_blocking"),
    *refusals("uniform_", low="number", high="number"),
    *refusals("normal_", mean="number", std="number"),
    Refusal("normal_", "x.normal_(std=-1)", "UsageError", "expected std of 0 or more"),
]  # fmt: skip
