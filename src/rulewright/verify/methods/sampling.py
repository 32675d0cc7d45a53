"""Places between elements: grids of them, and windows that are added up again."""

from __future__ import annotations

from itertools import product

from rulewright.verify.methods.reference_nets import affine_grid, fold, grid_sample
from rulewright.verify.methods.row import Method, Refusal

_IMAGES = (((2, 3, 5, 4), (2, 3, 2, 2)), ((1, 1, 1, 7), (1, 2, 3, 2)), ((2, 3, 5, 4), (2, 0, 2, 2)))
_TWO = ("f32", "f64")

ROWS = [
    *(Method("grid_sample",
             lambda x, y, mode=mode, outside=outside, corners=corners: x.grid_sample(
             y * 0.7, mode, outside, corners),
             lambda x, y, mode=mode, outside=outside, corners=corners: grid_sample(
             x, y * 0.7, mode, outside, corners), _IMAGES[:2], _TWO, tolerance=1024)
      for mode, outside, corners in product(
          ("bilinear", "bicubic"), ("zeros", "border", "reflection"), (False, True))),
    *(Method("grid_sample",
             lambda x, y, outside=outside: x.grid_sample(y, "nearest", outside),
             lambda x, y, outside=outside: grid_sample(x, y, "nearest", outside), _IMAGES, _TWO)
      for outside in ("zeros", "border", "reflection")),
    Method("grid_sample", lambda x, y: x.grid_sample(y * 0.7), lambda x, y: grid_sample(x, y * 0.7),
           _IMAGES, ("f32",), gradient=True, tolerance=1024),
    Method("grid_sample", lambda x, y: x.grid_sample(y), lambda x, y: grid_sample(x, y),
           _IMAGES[:1], ("i32",), ("f32",), gives="f32", tolerance=1024),
    *(Method("affine_grid", lambda x, corners=corners: x.affine_grid((2, 1, 3, 5), corners),
             lambda x, corners=corners: affine_grid(x, (3, 5), corners), (((2, 2, 3),),),
             ("f32", "f64", "f16"), gradient=True)
      for corners in (False, True)),
    Method("affine_grid",
           lambda x: (x.affine_grid((1, 1, 2, 3, 4)), x.affine_grid((1, 1, 1, 1, 2), True)),
           lambda x: (affine_grid(x, (2, 3, 4)), affine_grid(x, (1, 1, 2), True)), (((1, 3, 4),),),
           _TWO),
    Method("fold", lambda x: x.fold((4, 5), (2, 3)), lambda x: fold(x, (4, 5), (2, 3)),
           (((2, 12, 9),), ((0, 6, 9),)), ("f32", "f64", "f16", "i32", "i64"), gradient=True),
    Method("fold", lambda x: x.fold((5, 6), (2, 3), (1, 2), (1, 0), (2, 1)),
           lambda x: fold(x, (5, 6), (2, 3), (1, 2), (1, 0), (2, 1)), (((2, 12, 6),),), _TWO,
           gradient=True),
    Method("fold", lambda x: x.fold(4, 2, stride=2),
           lambda x: fold(x[None], (4, 4), (2, 2), stride=2)[0], (((8, 4),),), _TWO),
]  # fmt: skip

REFUSALS = [
    *(Refusal("grid_sample", lambda x, y: x.grid_sample(y), "ShapeError",
              "expected images (N, C, H, W), not empty, and a grid (N, h, w, 2)", shapes)
      for shapes in (((2, 5, 4), (2, 3, 2, 2)), ((2, 3, 5, 4), (2, 3, 2)),
                     ((1, 1, 0, 2), (1, 1, 1, 2)), ((2, 3, 5, 4), (1, 3, 2, 2)),
                     ((2, 3, 5, 4), (2, 3, 2, 3)))),
    Refusal("grid_sample", lambda x, y: x.grid_sample(y, "bilinaer"), "ChoiceError",
            "mode is one of bilinear, nearest, bicubic, found 'bilinaer'",
            ((2, 3, 5, 4), (2, 3, 2, 2)), argument="mode"),
    Refusal("grid_sample", lambda x, y: x.grid_sample(y, padding_mode="wrap"), "ChoiceError",
            "padding_mode is one of zeros, border, reflection, found 'wrap'",
            ((2, 3, 5, 4), (2, 3, 2, 2)), argument="padding_mode"),
    Refusal("affine_grid", lambda x: x.affine_grid((1, 1, 3, 5)), "ShapeError",
            "expected (N, 2, 3) for size (1, 1, 3, 5), found (3, 5)"),
    Refusal("affine_grid", lambda x: x.affine_grid(()), "ShapeError", "affine_grid"),
    Refusal("fold", lambda x: x.fold((2, 2), (2, 2)), "ShapeError",
            "expected (N, C * 4, 1) for size (2, 2) and windows of (2, 2), found (3, 5)"),
    Refusal("fold", lambda x: x.fold((1, 1), (2, 2)), "ShapeError", "expected (N, C * 4, 0)"),
]  # fmt: skip
