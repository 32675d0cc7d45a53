"""Numbers that workloads compute with: the same each time."""

from __future__ import annotations

from typing import Any


def random(*shapes: tuple[int, ...], dtype: str = "f32", scale: float = 1.0) -> list[Any]:
    """Arrays of normal numbers of this scale, in a dtype."""
    import numpy as np

    from rulewright.ir.dtypes import dtypes

    rng = np.random.default_rng(7)
    kind = getattr(dtypes, dtype).np
    return [(rng.standard_normal(s, np.float32) * np.float32(scale)).astype(kind) for s in shapes]


def positive(*shapes: tuple[int, ...]) -> list[Any]:
    """Arrays of float32 from 0 to 1, whose sums do not vanish."""
    import numpy as np

    rng = np.random.default_rng(7)
    return [rng.random(shape, np.float32) for shape in shapes]
