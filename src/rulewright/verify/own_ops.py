"""Conformance of ops beside the spec: what a device makes of one, and what its `meaning` says."""

from __future__ import annotations

import zlib
from collections.abc import Collection

import numpy as np

from rulewright.interp.shadow import ULP_BOUND
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import op as op_named
from rulewright.tensor.own_ops import op
from rulewright.tensor.tensor import Tensor

_SHAPE = (5, 7)


def check_op(name: str, device: str, without: Collection[str]) -> list[str]:
    """What is wrong with an op on a device, for each dtype that it takes but those `without`."""
    tparams = op_named(name).row["tparams"]
    allowed = tparams[0][1] if tparams else ["f32"]
    kinds = [k for k in dtypes.all() if k.name in allowed and k.name not in (*without, "index")]
    found = [_check(name, kind, device) for kind in kinds]
    return [problem for problem in found if problem]


def _check(name: str, kind: DType, device: str) -> str:
    row = op_named(name)
    rng = np.random.default_rng(zlib.crc32(f"{name} {kind.name}".encode()))
    arrays = []
    for _, declared, _ in row.params:
        own = kind if declared in dict(row.row["tparams"]) else getattr(dtypes, declared)
        drawn = rng.standard_normal(_SHAPE) * 2 if own.is_float else rng.integers(0, 9, _SHAPE)
        arrays.append(drawn.astype(own.np))
    given = op(name, *(Tensor(a, device=device) for a in arrays)).numpy()
    wanted = op(name, *(Tensor(a, device="INTERP") for a in arrays)).numpy()
    wide = [a.astype(np.float64) for a in (given, wanted)]
    is_float = wanted.dtype.kind not in "biu"
    eps = 2.0 ** -int(kind.row["mantissa"]) if is_float else 0.0
    room = ULP_BOUND * eps * np.abs(wide[1])
    wrong = ~((np.abs(wide[0] - wide[1]) <= room) | (np.isnan(wide[0]) & np.isnan(wide[1])))
    if not wrong.any():
        return ""
    at = int(wrong.argmax())
    operands = ", ".join(str(a.flat[at]) for a in arrays)
    return f"{kind.name}: at {operands} it gives {given.flat[at]}, `meaning` {wanted.flat[at]}"
