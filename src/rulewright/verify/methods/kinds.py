"""Conversions between dtypes. What they do at edge values is tested for all pairs of dtypes."""

from __future__ import annotations

import numpy as np

from rulewright.ir.dtypes import dtypes
from rulewright.verify.methods.row import ALL, FLOATS, INTS, Method, Refusal

_SHORT = {
    "bool": "bool", "byte": "u8", "char": "i8", "short": "i16", "int": "i32", "long": "i64",
    "half": "f16", "bfloat16": "bf16", "float": "f32", "double": "f64",
}  # fmt: skip
# small numbers, which every dtype holds exactly
_HELD = "index:2"

ROWS = [
    Method("cast", lambda x: x.cast("i32"), lambda x: np.trunc(x), dtypes=FLOATS, gives="i32"),
    Method("cast", lambda x: x.cast(dtypes.f64), lambda x: x * 1.0, dtypes=ALL, gives="f64"),
    Method("cast", lambda x: x.cast(float), lambda x: x, dtypes=("f64",), gives="f32",
           gradient=False),
    Method("cast", lambda x: x.cast("float64"), lambda x: x, dtypes=FLOATS, gives="f64",
           gradient=True),
    *(Method("cast", lambda x, kind=kind: x.cast(kind), lambda x: x, dtypes=ALL, domain=_HELD,
             gives=kind)
      for kind in ("fp8e4m3", "fp8e5m2", "fp8e4m3fnuz", "fp8e5m2fnuz")),
    *(Method(name, lambda x, name=name: getattr(x, name)(), lambda x: x, dtypes=ALL, domain=_HELD,
             gives=kind)
      for name, kind in _SHORT.items()),
    Method("type", lambda x: x.type("f16"), lambda x: x, dtypes=ALL, domain=_HELD, gives="f16"),
    Method("type_as", lambda x, y: x.type_as(y), lambda x, y: x, (((3, 5), (2,)), ((0,), ())), ALL,
           ("u16",), _HELD, gives="u16"),
    Method("to", lambda x: x.to(dtypes.i16), lambda x: x, dtypes=ALL, domain=_HELD, gives="i16"),
    Method("to", lambda x: x.to("INTERP"), lambda x: x, dtypes=ALL),
    Method("to", lambda x: x.to("INTERP", "f64"), lambda x: x, dtypes=("f32", "i8"), gives="f64"),
    Method("to", lambda x, y: x.to(y), lambda x, y: x, (((3, 5), (2,)),), ALL, ("f64",),
           gives="f64"),
    Method("bitcast", lambda x: x.bitcast("i32"), lambda x: x.astype(np.float32).view(np.int32),
           dtypes=("f32",), gives="i32", special=True),
    Method("bitcast", lambda x: x.bitcast("u8"),
           lambda x: x.view(np.uint8), (((3, 5),), ((1,),), ((0,),)), INTS, gives="u8"),
    Method("bitcast", lambda x: x.bitcast("i64"),
           lambda x: x.view(np.int64), (((3, 8),), ((0, 16),)), INTS, gives="i64"),
    Method("bitcast", lambda x: x.bitcast("bool"), lambda x: x != 0, dtypes=("u8", "i8"),
           gives="bool"),
    Method("is_floating_point", lambda x: x.is_floating_point(),
           lambda x: x.dtype == np.float64, dtypes=ALL),
    Method("is_signed", lambda x: x.is_signed(), lambda x: x.dtype.kind in "if", dtypes=ALL),
    Method("element_size", lambda x: x.element_size(),
           lambda x: x.dtype.itemsize, dtypes=("f64", *INTS, "bool")),
]  # fmt: skip

REFUSALS = [
    Refusal("cast", lambda x: x.cast(complex), "DTypeError", "no dtype is numpy's complex128"),
    Refusal("bitcast", lambda x: x.bitcast("f64"), "ShapeError", "expected a multiple of 2"),
    Refusal("bitcast", lambda x: x.bitcast("f16"), "DTypeError", "they must be equal", ((),)),
    Refusal("cast", lambda x: x.cast(x), "DTypeError", "expected a dtype such as dtypes.f32"),
]
