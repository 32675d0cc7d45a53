"""Rows of the table of methods: creation."""

# mypy: disable-error-code="type-var"
# Tensor.cat and its kin take a list in place of the tensor, which no type of `self` says

from __future__ import annotations

import numpy as np

from rulewright.ir.dtypes import dtypes
from rulewright.tensor.tensor import Tensor
from rulewright.verify.methods.row import Method, Refusal
from rulewright.verify.methods.text import Expression

_NONE = ((),)
_F = ("f32",)
_SOME = ("f32", "u8", "bool", "f16")
_MATRIX = (((3, 5),), ((2, 4, 4),), ((1, 1),), ((0, 3),))


def _row(name: str, call: Expression, equals: Expression, gives: str = "f32",
         tolerance: float = 8) -> Method:  # fmt: skip
    """A row without operands."""
    return Method(name, call, equals, _NONE, _F, gives=gives, tolerance=tolerance)


ROWS = [
    # ---- filled ---------------------------------------------------------------------------------
    _row("zeros",
         lambda: (Tensor.zeros(2, 3), Tensor.zeros((0, 4)), Tensor.zeros([]), Tensor.zeros()),
         lambda: (np.zeros((2, 3)), np.zeros((0, 4)), np.zeros(()), np.zeros(()))),
    _row("ones", lambda: (Tensor.ones(2, 3), Tensor.ones((7,)), Tensor.ones(3, dtype="i64"),
         Tensor.ones(2, dtype=bool)), lambda: (np.ones((2, 3)), np.ones(7), np.ones(3), np.ones(2)),
         "f32 f32 i64 bool"),
    _row("empty", lambda: (Tensor.empty(2, 3), Tensor.empty((3,), dtype=dtypes.u8)),
         lambda: (np.zeros((2, 3)), np.zeros(3)), "f32 u8"),
    _row("full", lambda: (Tensor.full((2, 3), 7), Tensor.full(3, 2.5), Tensor.full((), True),
         Tensor.full([2], 1, dtype="f16"), Tensor.full((2, 0), float("nan")),
         Tensor.full(2, float("-inf")), Tensor.full(2, -1, dtype="i8")),
         lambda: (np.full((2, 3), 7), np.full(3, 2.5), np.full((), True), np.ones(2),
         np.zeros((2, 0)), np.full(2, -np.inf), np.full(2, -1)), "i64 f32 bool f16 f32 f32 i8"),
    Method("full_like", lambda x: (x.full_like(3), x.full_like(1, dtype="f64").cast(x.dtype)),
           lambda x: (np.full_like(x, 3), np.full_like(x, 1)), (((3, 5),), ((),), ((0, 2),)),
           _SOME),
    Method("const_like", lambda x: x.const_like(3), lambda x: x * 0 + 3),
    Method("zeros_like", lambda x: (x.zeros_like(), x.zeros_like(dtype="i32").cast(x.dtype)),
           lambda x: (np.zeros_like(x),) * 2, (((3, 5),), ((0,),)), _SOME),
    Method("ones_like", lambda x: x.ones_like(), lambda x: np.ones_like(x), (((3, 5),), ((0,),)),
           _SOME),
    Method("empty_like", lambda x: x.empty_like(), lambda x: np.zeros_like(x), (((3, 5),), ((0,),)),
           _SOME),
    # ---- counted --------------------------------------------------------------------------------
    _row("arange",
         lambda: (Tensor.arange(5), Tensor.arange(2, 9), Tensor.arange(2, 9, 3),
         Tensor.arange(9, 2, -3), Tensor.arange(-1, 4, 7), Tensor.arange(5, 0), Tensor.arange(0),
         Tensor.arange(2**62, 2**62 + 9, 4)),
         lambda: (np.arange(5), np.arange(2, 9), np.arange(2, 9, 3), np.arange(9, 2, -3), [-1],
         np.zeros(0), np.zeros(0), np.arange(2**62, 2**62 + 9, 4)), "i64"),
    _row("arange", lambda: (Tensor.arange(5.0), Tensor.arange(0.5, 3), Tensor.arange(1, 0, -0.25),
         Tensor.arange(-0.3, 1, 0.1), Tensor.arange(3, dtype="f32")),
         lambda: (np.arange(5.0), np.arange(0.5, 3), np.arange(1, 0, -0.25),
         np.arange(-0.3, 1, 0.1), np.arange(3))),
    _row("arange", lambda: (Tensor.arange(5, 0, -1, dtype="u8"), Tensor.arange(4000, dtype="f16"),
         Tensor.arange(0, 3, 1.5, dtype="i32"), Tensor.arange(9, dtype="f64") / 3,
         Tensor.arange(-100, 100, 50, dtype="i8")),
         lambda: ([5, 4, 3, 2, 1], np.arange(4000).astype("e"), [0, 1], np.arange(9) / 3,
         [-100, -50, 0, 50]), "u8 f16 i32 f64 i8", 0.5),
    _row("linspace",
         lambda: (Tensor.linspace(0, 1, 5), Tensor.linspace(-3, 7, 7), Tensor.linspace(2, -2, 11),
         Tensor.linspace(3, 9, 1), Tensor.linspace(0, 1, 0), Tensor.linspace(1, 1, 3),
         Tensor.linspace(0, 1, 1001, dtype="f64"), Tensor.linspace(-1, 1, 9, dtype="f16"),
         Tensor.linspace(10, -3, 6, dtype="i32")),
         lambda: (np.linspace(0, 1, 5), np.linspace(-3, 7, 7), np.linspace(2, -2, 11), [3],
         np.zeros(0), np.ones(3), np.linspace(0, 1, 1001), np.linspace(-1, 1, 9),
         [10, 7, 4, 2, 0, -3]), "f32 f32 f32 f32 f32 f32 f64 f16 i32"),
    # ---- diagonal -------------------------------------------------------------------------------
    _row("eye",
         lambda: (Tensor.eye(3), Tensor.eye(2, 4), Tensor.eye(0), Tensor.eye(3, 1),
         Tensor.eye(2, dtype=bool)),
         lambda: (np.eye(3), np.eye(2, 4), np.eye(0), np.eye(3, 1), np.eye(2)),
         "f32 f32 f32 f32 bool"),
    _row("tri", lambda: (Tensor.tri(3), Tensor.tri(2, 4, 1), Tensor.tri(4, 2, diagonal=-1),
         Tensor.tri(2, dtype="i8")),
         lambda: (np.tri(3), np.tri(2, 4, 1), np.tri(4, 2, -1), np.tri(2)), "f32 f32 f32 i8"),
    Method("tril", lambda x: (x.tril(), x.tril(1), x.tril(diagonal=-2), x.tril(9)),
           lambda x: (np.tril(x), np.tril(x, 1), np.tril(x, -2), x), _MATRIX, _SOME, gradient=True,
           special=True),
    Method("triu", lambda x: (x.triu(), x.triu(1), x.triu(diagonal=-2), x.triu(9)),
           lambda x: (np.triu(x), np.triu(x, 1), np.triu(x, -2), np.zeros_like(x)), _MATRIX, _SOME,
           gradient=True, special=True),
    Method("meshgrid",
           lambda x, y: (*x.meshgrid(y), *Tensor.meshgrid([x, y], indexing="xy"),
           *Tensor.meshgrid(x, y, x), *Tensor.meshgrid(x)),
           lambda x, y: (*np.meshgrid(x, y, indexing="ij"), *np.meshgrid(x, y),
           *np.meshgrid(x, y, x, indexing="ij"), x.reshape(-1)),
           (((3,), (5,)), ((1,), (0,)), ((), (2,))), _SOME),
]  # fmt: skip

REFUSALS = [
    Refusal("full", lambda x: Tensor.full((2,), "a"), "ArgumentError", "found 'a'",  # type: ignore[arg-type] # refused
            argument="fill_value"),
    Refusal("full", lambda x: Tensor.full((2,), None), "ArgumentError", "found None",  # type: ignore[arg-type] # refused
            argument="fill_value"),
    Refusal("full", lambda x: Tensor.full((2,), np.nan, dtype="i32"), "RangeError",
            "nan is no number", argument="fill_value"),
    Refusal("full", lambda x: Tensor.full(None, 1), "ArgumentError", "found None",
            argument="shape"),
    Refusal("ones", lambda x: Tensor.ones(2**62, 4), "ShapeError", "18446744073709551616 elements"),
    Refusal("ones", lambda x: Tensor.ones(2**63), "ShapeError",
            "a size is at most 9223372036854775807"),
    Refusal("eye", lambda x: Tensor.eye(2**40), "ShapeError", "can be counted"),
    Refusal("arange", lambda x: Tensor.arange("a"), "ArgumentError",  # type: ignore[arg-type] # refused
            "start is a whole number or a number"),
    Refusal("arange", lambda x: Tensor.arange(2**63), "ShapeError", "can be counted"),
    Refusal("arange", lambda x: Tensor.arange(300, dtype="i8"), "RangeError",
            "arange: 0 to 299 is outside i8, which holds -128 to 127", argument="dtype"),
    Refusal("arange", lambda x: Tensor.arange(2, -2, -1, dtype="u8"), "RangeError",
            "2 to -1 is outside u8", argument="dtype"),
    Refusal("arange", lambda x: Tensor.arange(0.0, 300, 0.5, dtype="u8"), "RangeError",
            "outside u8", argument="dtype"),
    Refusal("arange", lambda x: Tensor.arange(3, dtype="bool"), "RangeError", "outside bool",
            argument="dtype"),
    Refusal("linspace", lambda x: Tensor.linspace(0, 1, 3, dtype="bool"), "DTypeError",
            "found bool", argument="dtype"),
    Refusal("full_like", lambda x: x.full_like(np.inf, "u8"), "RangeError",
            "inf is no number that u8", argument="fill_value"),
    Refusal("zeros", lambda x: Tensor.zeros(-1), "ShapeError", "must be 0 or more, found -1"),
    Refusal("reshape", lambda x: Tensor([1, 2]).reshape(2.5, 2), "ArgumentError",
            "sizes, found 2.5"),
    Refusal("ones", lambda x: Tensor.ones(1.5), "ArgumentError", "expected whole numbers as sizes"),
    Refusal("full", lambda x: Tensor.full((2,), 2**70), "UsageError", "which holds"),
    Refusal("full", lambda x: Tensor.full((2,), 1, dtype="f31"), "DTypeError", "f31"),
    Refusal("full", lambda x: Tensor.full((2,), 1, device="NOWHERE"), "DeviceError", "NOWHERE"),
    Refusal("ones", lambda x: Tensor.ones(2, dtype=int, requires_grad=True), "DTypeError", "float"),
    Refusal("arange", lambda x: Tensor.arange(0, 5, 0), "UsageError", "step must not be 0"),
    Refusal("arange", lambda x: Tensor.arange(float("inf")), "UsageError",
            "expected finite numbers"),
    Refusal("linspace", lambda x: Tensor.linspace(0, 1, -1), "ShapeError", "0 or more"),
    Refusal("eye", lambda x: Tensor.eye(-2), "ShapeError", "0 or more"),
    Refusal("tril", lambda x: x[0].tril(), "ShapeError", "expected 2 axes or more"),
    Refusal("meshgrid", lambda x: x.meshgrid(x), "ShapeError", "tensors of one axis"),
    Refusal("meshgrid", lambda x: x[0].meshgrid(indexing="ji"), "UsageError", "'ij' or 'xy'"),
]  # fmt: skip
