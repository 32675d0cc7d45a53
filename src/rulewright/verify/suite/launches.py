"""Axes that are longer than a launch has room for along one of its axes, in each position."""

from __future__ import annotations

from rulewright.verify.suite.program import SuiteProgram

_SHAPES = {
    "first": "n, 2, 3",
    "middle": "2, n, 3",
    "last": "2, 3, n",
    "alone": "n",
    "first of four": "n, 2, 1, 2",
    "third of four": "2, 1, n, 2",
}


def _rows(place: str, shape: str) -> list[SuiteProgram]:
    inputs, long = f"a = draw({shape})", (66_000,)
    axis = shape.split(", ").index("n")
    rows = [
        ("elements", "result = put(a) * 2 + 1", "wanted = a * 2 + 1"),
        ("turned", "result = put(a).permute(*reversed(range(a.ndim))).contiguous() * 2",
         "wanted = a.transpose() * 2"),
        ("sum along", f"result = put(a).sum({axis})", f"wanted = a.astype('i8').sum({axis})"),
        ("largest beside", f"result = put(a).reshape({shape}, 1).expand({shape}, 2).max(-1)",
         "wanted = a"),
        ("backwards", f"result = put(a).flip({axis}) + put(a)", f"wanted = np.flip(a, {axis}) + a"),
    ]  # fmt: skip
    return [
        SuiteProgram(f"{name}, long {place}", inputs, code, equals, ("i32",), long)
        for name, code, equals in rows
    ]


ROWS = [
    *(row for place, shape in _SHAPES.items() for row in _rows(place, shape)),
    SuiteProgram("many rows of sums", "a = draw(n, 2)", "result = put(a).sum(1)",
                 "wanted = a.sum(1)", ("i32", "f32"), (66_000,)),
    SuiteProgram("five axes", "a = draw(3, 5, 7, 11, n)",
                 "result = put(a).permute(4, 2, 0, 3, 1).contiguous() + 1",
                 "wanted = a.transpose(4, 2, 0, 3, 1) + 1", ("i32",), (1, 13)),
    SuiteProgram("eight axes", "a = draw(*(2,) * 7, n)",
                 "result = put(a).permute(7, 5, 3, 1, 6, 4, 2, 0).contiguous() + 1",
                 "wanted = a.transpose(7, 5, 3, 1, 6, 4, 2, 0) + 1", ("i32",), (1, 3)),
    SuiteProgram("more of a group than fits", "a = draw(n, 1000)", "result = put(a).sum(1)",
                 "wanted = a.sum(1)", ("i32", "f32"), (1, 3)),
]  # fmt: skip
