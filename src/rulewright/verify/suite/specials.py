"""NaN, infinities, signed zeros and subnormals through arithmetic, comparisons, choices and casts.

Results of one operation are rounded correctly: numbers in f64 say what of two f32, and of two f64
to which digits are missing.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from rulewright.ir.dtypes import DType
from rulewright.verify.methods.row import kind_named
from rulewright.verify.methods.text import Expression, text_of
from rulewright.verify.suite.sweep import Sweep, beside_constants
from rulewright.verify.values.samples import before_cast, line, pairs

Array = np.ndarray[Any, Any]

_FLOATS = ("f32", "f64", "f16", "bf16")
_SMALL = ("fp8e4m3", "fp8e5m2", "fp8e4m3fnuz", "fp8e5m2fnuz")
_ALL = (*_FLOATS, *_SMALL)
_line, _pairs = partial(line, 100), partial(pairs, 100)


def _constants(dtype: DType) -> list[int | float]:
    return [0.0, -0.0, 1.0, -1.0, 2.0, 0.5]


def _in_numpy(equals: Expression, arrays: list[Array]) -> Array:
    """In f64, whose results of one operation on shorter floats round to the same."""
    with np.errstate(all="ignore"):
        return np.asarray(equals(*(a.astype(np.float64) for a in arrays)))


def _step_by_step(call: Expression, arrays: list[Array]) -> Array:
    """In numpy, which rounds the result of each operation."""
    with np.errstate(all="ignore"):
        return np.asarray(call(*arrays)).astype(np.float64)


def _pair(
    name: str, call: Expression, equals: Expression | None = None, **more: Any
) -> list[Sweep]:
    """Of two tensors, and of a tensor and a constant; numpy does the same, or `equals`."""
    wanted = partial(_in_numpy, equals or call)
    sweep = Sweep(name, call, _pairs, wanted, _FLOATS, **{"signs": True, **more})
    return beside_constants(sweep, _line, _constants)


def _alone(name: str, call: Expression, equals: Expression | None = None, **more: Any) -> Sweep:
    wanted = partial(_in_numpy, equals or call)
    return Sweep(name, call, _line, wanted, _ALL, **{"signs": True, **more})


_STEPS: tuple[Expression, ...] = (
    lambda x: x / 3, lambda x: x / 10 + x, lambda x: x + 1 - 1, lambda x: x * 3 / 3,
)  # fmt: skip
_STEPS_OF_TWO: tuple[Expression, ...] = (
    lambda x, y: x * y + x, lambda x, y: x - x * y, lambda x, y: x + y - x, lambda x, y: x / y * y,
)  # fmt: skip
"""What fused, reassociated or multiplied by reciprocals gets wrong: each operation rounds."""

ROWS = [
    *_pair("add", lambda x, y: x + y),
    *_pair("sub", lambda x, y: x - y),
    *_pair("mul", lambda x, y: x * y),
    *_pair("div", lambda x, y: x / y),
    *_pair("maximum", lambda x, y: x.maximum(y), lambda x, y: np.maximum(x, y), signs=False),
    *_pair("minimum", lambda x, y: x.minimum(y), lambda x, y: np.minimum(x, y), signs=False),
    *_pair("fmod", lambda x, y: x.fmod(y), lambda x, y: np.fmod(x, y)),
    *_pair("copysign", lambda x, y: x.copysign(y), lambda x, y: np.copysign(x, y)),
    *_pair("lt", lambda x, y: x < y, gives="bool"),
    *_pair("le", lambda x, y: x <= y, gives="bool"),
    *_pair("eq", lambda x, y: x == y, gives="bool"),
    *_pair("ne", lambda x, y: x != y, gives="bool"),
    *_pair("not lt", lambda x, y: ~(x < y), gives="bool"),
    *_pair("not ge", lambda x, y: ~(x >= y), gives="bool"),
    *_pair("where lt", lambda x, y: (x < y).where(x, y), lambda x, y: np.where(x < y, x, y)),
    *_pair("where not lt", lambda x, y: (~(x < y)).where(x, y),
           lambda x, y: np.where(~(x < y), x, y)),
    *_pair("where eq", lambda x, y: (x == y).where(x, y), lambda x, y: np.where(x == y, x, y)),
    *_pair("clip below", lambda x, y: x.clip(min=y), lambda x, y: np.maximum(x, y), signs=False),
    *_pair("difference of equals", lambda x, y: (x - x) * y),
    *_pair("quotient of equals", lambda x, y: (x / x) * y),
    _alone("neg", lambda x: -x),
    _alone("abs", lambda x: abs(x)),
    _alone("zero times", lambda x: x * 0),
    _alone("zero plus", lambda x: x + 0),
    _alone("minus zero plus", lambda x: x + -0.0),
    _alone("zero minus", lambda x: 0 - x),
    _alone("minus itself", lambda x: x - x),
    _alone("over itself", lambda x: x / x),
    _alone("equal to itself", lambda x: x == x, gives="bool"),
    _alone("less than itself", lambda x: x < x, gives="bool"),
    _alone("maximum with itself", lambda x: x.maximum(x), lambda x: x),
    *(_alone(name, lambda x, name=name: getattr(x, name)(), getattr(np, name), gives="bool")
      for name in ("isnan", "isinf", "isfinite", "signbit")),
    _alone("cast to bool", lambda x: x.cast("bool"), lambda x: x != 0, gives="bool"),
    *(_alone(name, lambda x, name=name: getattr(x, name)(), getattr(np, name))
      for name in ("trunc", "floor", "ceil", "round")),
    _alone("relu", lambda x: x.relu(),
           lambda x: np.where(x > 0, x, np.where(np.isnan(x), x, 0.0)), signs=False),
    *(Sweep(f"cast to {kind}", lambda x, kind=kind: x.cast(kind),
            partial(before_cast, kind_named(kind), 100), partial(_in_numpy, lambda x: x), _ALL,
            kind, signs=True) for kind in _ALL),
    *(Sweep(text_of(call), call, operands, partial(_step_by_step, call), _FLOATS, signs=True)
      for operands, calls in ((_line, _STEPS), (_pairs, _STEPS_OF_TWO)) for call in calls),
]  # fmt: skip
