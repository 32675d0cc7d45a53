"""Conversions between dtypes. What they do at edge values is tested for all pairs of dtypes."""

from __future__ import annotations

from rulewright.verify.methods.row import ALL, FLOATS, INTS, Method, Refusal, refusals

_SHORT = {
    "bool": "bool", "byte": "u8", "char": "i8", "short": "i16", "int": "i32", "long": "i64",
    "half": "f16", "bfloat16": "bf16", "float": "f32", "double": "f64",
}  # fmt: skip
# small numbers, which every dtype holds exactly
_HELD = "index:2"

ROWS = [
    Method("cast", "x.cast('i32')", "np.trunc(x)", dtypes=FLOATS, gives="i32"),
    Method("cast", "x.cast(dtypes.f64)", "x * 1.0", dtypes=ALL, gives="f64"),
    Method("cast", "x.cast(float)", "x", dtypes=("f64",), gives="f32", gradient=False),
    Method("cast", "x.cast('float64')", "x", dtypes=FLOATS, gives="f64", gradient=True),
    Method("cast", "x.cast('fp8e4m3')", "x", dtypes=ALL, domain=_HELD, gives="fp8e4m3"),
    Method("cast", "x.cast('fp8e5m2')", "x", dtypes=ALL, domain=_HELD, gives="fp8e5m2"),
    Method("cast", "x.cast('fp8e4m3fnuz')", "x", dtypes=ALL, domain=_HELD, gives="fp8e4m3fnuz"),
    Method("cast", "x.cast('fp8e5m2fnuz')", "x", dtypes=ALL, domain=_HELD, gives="fp8e5m2fnuz"),
    *(Method(name, f"x.{name}()", "x", dtypes=ALL, domain=_HELD, gives=kind)
      for name, kind in _SHORT.items()),
    Method("type", "x.type('f16')", "x", dtypes=ALL, domain=_HELD, gives="f16"),
    Method("type_as", "x.type_as(y)", "x", (((3, 5), (2,)), ((0,), ())), ALL, ("u16",),
           _HELD, gives="u16"),
    Method("to", "x.to(dtypes.i16)", "x", dtypes=ALL, domain=_HELD, gives="i16"),
    Method("to", "x.to('INTERP')", "x", dtypes=ALL),
    Method("to", "x.to('INTERP', 'f64')", "x", dtypes=("f32", "i8"), gives="f64"),
    Method("to", "x.to(y)", "x", (((3, 5), (2,)),), ALL, ("f64",), gives="f64"),
    Method("bitcast", "x.bitcast('i32')", "x.astype(np.float32).view(np.int32)", dtypes=("f32",),
           gives="i32", special=True),
    Method("bitcast", "x.bitcast('u8')", "x.view(np.uint8)", (((3, 5),), ((1,),), ((0,),)), INTS,
           gives="u8"),
    Method("bitcast", "x.bitcast('i64')", "x.view(np.int64)", (((3, 8),), ((0, 16),)), INTS,
           gives="i64"),
    Method("bitcast", "x.bitcast('bool')", "x != 0", dtypes=("u8", "i8"), gives="bool"),
    Method("is_floating_point", "x.is_floating_point()", "x.dtype == np.float64", dtypes=ALL),
    Method("is_signed", "x.is_signed()", "x.dtype.kind in 'if'", dtypes=ALL),
    Method("element_size", "x.element_size()", "x.dtype.itemsize", dtypes=("f64", *INTS, "bool")),
]  # fmt: skip

REFUSALS = [
    Refusal("cast", "x.cast('f31')", "DTypeError", "unknown dtype 'f31'"),
    Refusal("cast", "x.cast(complex)", "DTypeError", "no dtype is numpy's complex128"),
    Refusal("bitcast", "x.bitcast('f64')", "ShapeError", "expected a multiple of 2"),
    Refusal("bitcast", "x.bitcast('f16')", "DTypeError", "they must be equal", ((),)),
    Refusal("to", "x.to('ABACUS')", "DeviceError", "unknown device 'ABACUS'"),
    *refusals("cast", dtype="dtype"),
    *refusals("bitcast", dtype="dtype"),
    Refusal("cast", "x.cast(x)", "DTypeError", "expected a dtype such as dtypes.f32"),
]
