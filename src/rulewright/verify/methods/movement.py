"""Rows of the table of methods: movement."""

from __future__ import annotations

from rulewright.verify.methods.row import ALL, ODD, Method, Refusal

_CUBE = (((3, 4, 5),), ((1, 7, 2),), ((2, 0, 3),))
_SOME = ("f32",)  # movement does not look at elements: cat and pad, which make some, take all
_MOST = ("f32", "bool", "i64")
_F = ("f32",)

ROWS = [
    Method("reshape", "x.reshape(-1)", "x.reshape(-1)", ODD, _MOST),
    Method(
        "reshape",
        "(x.reshape(12, -1), x.reshape((2, 6, 5)), x.reshape([None, 20]), x.T.reshape(60))",
        "(x.reshape(12, -1), x.reshape(2, 6, 5), x.reshape(3, 20), x.T.reshape(60))",
        (((3, 4, 5),),),
        gradient=True,
    ),
    Method("view", "x.view(5, -1)", "x.reshape(5, -1)", (((3, 5),), ((5,),)), _SOME),
    Method("ravel", "x.ravel()", "x.ravel()", ODD, _SOME),
    Method(
        "flatten",
        "(x.flatten(), x.flatten(1), x.flatten(0, 1), x.flatten(-2, -2))",
        "(x.ravel(), x.reshape(len(x), x[0].size), x.reshape(-1, x.shape[2]), x)",
        _CUBE[:2],
        _SOME,
    ),
    Method("flatten", "x.flatten()", "x.ravel()", ODD, _F),
    Method(
        "unflatten",
        "(x.unflatten(1, (2, -1)), x.unflatten(-1, (1, 2, 3)))",
        "(x.reshape(-1, 2, 3), x.reshape(-1, 1, 2, 3))",
        (((4, 6),), ((0, 6),)),
        _F,
    ),
    Method(
        "squeeze",
        "(x.squeeze(), x.squeeze(0), x.squeeze(-1), x.squeeze((0, 1)))",
        "(x.squeeze(), x.squeeze(0), x, x.squeeze(0))",
        (((1, 3, 5),), ((1, 7, 0),)),
        _SOME,
    ),
    Method("squeeze", "x.squeeze()", "x.squeeze()", ODD, _F),
    Method(
        "unsqueeze",
        "(x.unsqueeze(0), x.unsqueeze(-1))",
        "(x[None], x[..., None])",
        ODD,
        _SOME,
        gradient=True,
    ),
    Method("expand", "x.expand(2, 3, 5)", "np.broadcast_to(x, (2, 3, 5))",
           (((3, 5),), ((),), ((3, 1),), ((5,),)), _MOST, gradient=True),
    Method("expand", "x.expand(4, -1, None)", "np.broadcast_to(x, (4, *x.shape))",
           (((3, 5),), ((0, 1),)), _F),
    Method(
        "permute",
        "(x.permute(2, 0, 1), x.permute((0, -1, 1)), x.permute(0, 1, 2))",
        "(x.transpose(2, 0, 1), x.transpose(0, 2, 1), x)",
        _CUBE,
        _SOME,
        gradient=True,
    ),
    Method(
        "transpose",
        "(x.transpose(), x.transpose(0, 2), x.transpose(-1, 1))",
        "(x.swapaxes(0, 1), x.swapaxes(0, 2), x.swapaxes(-1, 1))",
        _CUBE,
        _SOME,
        gradient=True,
    ),
    Method("transpose", "(x.T, x.mT)", "(x.T, x.swapaxes(-1, -2))", _CUBE, _F),
    Method("swapaxes", "x.swapaxes(0, -1)", "x.swapaxes(0, -1)", ODD[:1], _SOME),
    Method(
        "moveaxis",
        "(x.moveaxis(0, -1), x.moveaxis(-1, 0), x.moveaxis((0, 1), (-1, 0)))",
        "(np.moveaxis(x, 0, -1), np.moveaxis(x, -1, 0), np.moveaxis(x, (0, 1), (-1, 0)))",
        _CUBE,
        _SOME,
    ),
    Method("movedim", "x.movedim([2, 0], [0, 1])", "np.moveaxis(x, (2, 0), (0, 1))", _CUBE, _F),
    Method(
        "shrink",
        "(x.shrink([(1, 3), None, (0, 2)]), x.shrink(((1, 1), (0, 0), None)))",
        "(x[1:3, :, :2], x[1:1, :0])",
        (((3, 4, 5),), ((4, 1, 2),)),
        _SOME,
        gradient=True,
    ),
    Method(
        "flip",
        "(x.flip(), x.flip(1), x.flip(0, -1), x.flip([1, 2]))",
        "(np.flip(x), np.flip(x, 1), np.flip(x, (0, 2)), np.flip(x, (1, 2)))",
        _CUBE,
        _MOST,
        gradient=True,
        special=True,
    ),
    Method("flip", "x.flip()", "np.flip(x)", ODD, _F),
    # ---- repeated -------------------------------------------------------------------------------
    Method("repeat", "(x.repeat(2, 1), x.repeat(2, 3, 2), x.repeat((0, 1)))",
           "(np.tile(x, (2, 1)), np.tile(x, (2, 3, 2)), np.tile(x, (0, 1)))",
           (((3, 5),), ((1, 1),), ((0, 2),)), _SOME, gradient=True),
    Method("tile", "(x.tile(2), x.tile(2, 1, 3), x.tile((3, 1, 1, 1)))",
           "(np.tile(x, 2), np.tile(x, (2, 1, 3)), np.tile(x, (3, 1, 1, 1)))",
           (((3, 5),), ((),), ((2,),)), _SOME),
    Method(
        "repeat_interleave",
        "(x.repeat_interleave(2), x.repeat_interleave(3, 0), x.repeat_interleave(2, dim=-1), "
        "x.repeat_interleave(0, 0))",
        "(np.repeat(x, 2), np.repeat(x, 3, 0), np.repeat(x, 2, -1), np.repeat(x, 0, 0))",
        (((3, 5),), ((1,),), ((2, 0, 3),)),
        _SOME,
        gradient=True,
    ),
    Method(
        "repeat_interleave",
        "(x.repeat_interleave([2, 0, 3], 0), x.repeat_interleave(Tensor([0, 0, 1]), 0), "
        "x.repeat_interleave(np.array([4]), 1))",
        "(np.repeat(x, [2, 0, 3], 0), np.repeat(x, [0, 0, 1], 0), np.repeat(x, 4, 1))",
        (((3, 5),), ((3, 1, 2),)),
        _SOME,
        gradient=True,
    ),
    Method("roll", "(x.roll(2, 1), x.roll(-8, 0), x.roll((1, 2), (0, -1)), x.roll(3), "
           "x.roll([1, 1], [1, 1]))",
           "(np.roll(x, 2, 1), np.roll(x, -8, 0), np.roll(x, (1, 2), (0, -1)), np.roll(x, 3), "
           "np.roll(x, 2, 1))",
           (((3, 5),), ((1, 1),), ((0, 2),), ((7, 2, 3),)), _SOME, gradient=True, special=True),
    Method("unfold", "(x.unfold(0, 2, 1), x.unfold(1, 3, 2), x.unfold(-1, 5, 5))",
           "(windows(x, 0, 2, 1), windows(x, 1, 3, 2), windows(x, -1, 5, 5))",
           (((3, 5),), ((7, 11),)), _SOME, gradient=True),
    # ---- joined and divided ---------------------------------------------------------------------
    Method(
        "cat",
        "(x.cat(y), Tensor.cat([x, y, x]), Tensor.cat((y, x), 0), Tensor.cat(x, y, dim=-2))",
        "(np.concatenate([x, y]), np.concatenate([x, y, x]), np.concatenate([y, x]), "
        "np.concatenate([x, y]))",
        (((3, 5), (2, 5)), ((0, 2), (1, 2)), ((7, 1), (1, 1)), ((1, 2), (0, 2))),
        ALL,
        gradient=True,
        special=True,
    ),
    Method(
        "cat",
        "Tensor.cat([x, y, x, y, x, y, x], 1)",
        "np.concatenate([x, y, x, y, x, y, x], -1)",
        (((3, 5), (3, 2)), ((2, 0), (2, 1))),
        _F,
    ),
    Method("cat", "x.cat(y)", "np.concatenate([x, y])", (((3,), (2,)),), ("i8", "bool", "i64"),
           ("f32",), gives="f32"),
    Method(
        "stack",
        "(x.stack(y), Tensor.stack([x, y], 1), Tensor.stack(x, y, x, dim=-1), Tensor.stack([x]))",
        "(np.stack([x, y]), np.stack([x, y], 1), np.stack([x, y, x], -1), x[None])",
        (((3, 5), (3, 5)), ((1,), (1,)), ((0, 2), (0, 2))),
        _MOST,
        gradient=True,
    ),
    Method("hstack", "(x.hstack(y), Tensor.hstack([y, x, y]))",
           "(np.hstack([x, y]), np.hstack([y, x, y]))",
           (((3, 5), (3, 1)), ((2,), (3,)), ((), ())), _SOME),
    Method("vstack", "(x.vstack(y), Tensor.vstack([y, x, y]))",
           "(np.vstack([x, y]), np.vstack([y, x, y]))",
           (((3, 5), (1, 5)), ((3,), (3,)), ((), ())), _SOME),
    Method(
        "split",
        "(*x.split(3), *x.split([1, 6]), *x.split(2, dim=-1), *x.split((0, 7, 0)))",
        "(x[:3], x[3:6], x[6:], x[:1], x[1:], x[:, :2], x[:, 2:4], x[:, 4:], x[:0], x, x[:0])",
        (((7, 5),),),
        _SOME,
        gradient=True,
    ),
    Method("split", "x.split(2)", "(x,)", (((0,),), ((2,),), ((1, 3),)), _F),
    Method("chunk", "(*x.chunk(3), *x.chunk(2, -1), *x.chunk(9))",
           "(x[:3], x[3:6], x[6:], x[:, :3], x[:, 3:], *(x[i : i + 1] for i in range(7)))",
           (((7, 5),),), _SOME, gradient=True),
    Method("chunk", "x.chunk(3)", "(x, x, x)", (((0,),), ((0, 2),)), _F),
    Method(
        "tensor_split",
        "(*x.tensor_split(3), *x.tensor_split([1, -2]), *x.tensor_split((3, 1, 9), dim=1))",
        "(*np.array_split(x, 3), *np.split(x, [1, -2]), *np.split(x, (3, 1, 9), 1))",
        (((7, 5),), ((2, 3),)),
        _SOME,
    ),
    Method("unbind", "(*x.unbind(), *x.unbind(-1))", "(*x, *np.moveaxis(x, -1, 0))",
           (((3, 5),), ((1, 2, 0),)), _SOME, gradient=True),
    Method("select", "(x.select(0, 2), x.select(-1, -1))", "(x[2], x[..., -1])",
           (((3, 5),), ((7, 2, 1),)), _SOME),
    Method("narrow", "(x.narrow(0, 1, 2), x.narrow(-1, -3, 2), x.narrow(0, 3, 0))",
           "(x[1:3], x[..., -3:-1], x[3:3])", (((3, 5),), ((7, 1, 4),)), _SOME),
    # ---- around ---------------------------------------------------------------------------------
    Method(
        "pad",
        "(x.pad((1, 2)), x.pad((1, 0, 2, 3), value=3), x.pad([(1, 0), None]), "
        "x.pad((-1, 2, 0, -1)), x.pad(((0, 0), (0, 0))))",
        "(padded(x, [(0, 0), (1, 2)], 'constant'), padded(x, [(2, 3), (1, 0)], 'constant', 3), "
        "padded(x, [(1, 0), (0, 0)], 'constant'), padded(x, [(0, -1), (-1, 2)], 'constant'), x)",
        (((3, 5),), ((1, 1),), ((1, 3),)),
        ("f32", "i32", "f64", "bf16", "u8"),
        gradient=True,
    ),
    Method("pad", "x.pad((2, 1), value=True)", "padded(x, [(2, 1)], 'constant', True)",
           (((5,),), ((0,),)), ("bool",)),
    Method("pad", "x.pad((2, 1), value=float('-inf'))", "padded(x, [(2, 1)], 'constant', -np.inf)",
           (((5,),), ((0,),)), ("f32", "f64"), special=True),
    *(
        Method(
            "pad",
            f"(x.pad((2, 1), {mode!r}), x.pad((1, 2, 2, 0), mode={mode!r}), "
            f"x.pad((-1, 2), {mode!r}), x.pad([(1, -1), (-2, 0)], {mode!r}))",
            f"(padded(x, [(0, 0), (2, 1)], {mode!r}), padded(x, [(2, 0), (1, 2)], {mode!r}), "
            f"padded(x, [(0, 0), (-1, 2)], {mode!r}), padded(x, [(1, -1), (-2, 0)], {mode!r}))",
            (((3, 5),), ((7, 3),)),
            _SOME,
            gradient=True,
            special=True,
        )
        for mode in ("reflect", "replicate", "circular")
    ),
    # ---- diagonals ------------------------------------------------------------------------------
    Method(
        "diagonal",
        "(x.diagonal(), x.diagonal(1), x.diagonal(-2, 1, 2), x.diagonal(9), "
        "x.diagonal(1, dim1=-1, dim2=0))",
        "(np.diagonal(x), np.diagonal(x, 1), np.diagonal(x, -2, 1, 2), np.diagonal(x, 9), "
        "np.diagonal(x, 1, -1, 0))",
        _CUBE,
        _MOST,
        gradient=True,
        special=True,
    ),
    Method("diag", "(x.diag(), x.diag(1), x.diag(diagonal=-2))",
           "(np.diag(x), np.diag(x, 1), np.diag(x, -2))",
           (((5,),), ((3, 5),), ((0,),), ((1,),), ((0, 2),)), _MOST, gradient=True),
    Method(
        "diag_embed",
        "(x.diag_embed(), x.diag_embed(1), x.diag_embed(-2, 0, 1), x.diag_embed(0, -1, 0))",
        "(diagonal_matrix(x, 0, -2, -1), diagonal_matrix(x, 1, -2, -1), "
        "diagonal_matrix(x, -2, 0, 1), diagonal_matrix(x, 0, -1, 0))",
        (((3, 5),), ((1,),), ((2, 0),)),
        _SOME,
        gradient=True,
    ),
    Method(
        "rearrange",
        "(x.rearrange('a b c -> c (b a)'), x.rearrange('a (b d) c -> (a b) d c', b=2), "
        "x.rearrange('... c -> c ...'), x.rearrange('a ... -> (... a)'), "
        "x.rearrange('a b c -> a 1 (b) () c'), x.rearrange(' a  b c->b(a c)'))",
        "(x.transpose(2, 1, 0).reshape(x.shape[2], -1), x.reshape(-1, x.shape[1] // 2, "
        "x.shape[2]), np.moveaxis(x, -1, 0), np.moveaxis(x, 0, -1).reshape(-1), "
        "x[:, None, :, None, :], x.swapaxes(0, 1).reshape(x.shape[1], -1))",
        (((3, 4, 5),), ((1, 2, 7),)),
        _SOME,
        gradient=True,
    ),
    Method("rearrange", "x.rearrange('a 1 -> a')", "x[:, 0]", (((3, 1),), ((0, 1),)), _F),
]  # fmt: skip

_FITS = "must have equal sizes but along axis"

REFUSALS = [
    Refusal("reshape", "x.reshape(4, 4)", "ShapeError", "15 elements cannot have shape (4, 4)"),
    Refusal("unflatten", "x.unflatten(0, (2, 2))", "ShapeError", "unflatten"),
    Refusal("flatten", "x.flatten(1, 0)", "ShapeError", "lies after end_dim"),
    Refusal("expand", "x.expand(3, 4)", "ShapeError", "only axes of size 1 can be repeated"),
    Refusal("permute", "x.permute(0)", "ShapeError", "expected each of 2 axes once"),
    Refusal("moveaxis", "x.moveaxis((0, 0), (0, 1))", "ShapeError", "as many different places"),
    Refusal("shrink", "x.shrink([(0, 4), None])", "ShapeError", "leave axis 0 of size 3"),
    Refusal("flip", "x.flip(0, 0)", "ShapeError", "named twice"),
    Refusal("repeat", "x.repeat(2)", "ShapeError", "expected 2 numbers or more"),
    Refusal("repeat_interleave", "x.repeat_interleave([1, 2], 0)", "ShapeError",
            "for each of 3 elements"),
    Refusal("roll", "x.roll((1, 2), 0)", "ShapeError", "a shift for each axis"),
    Refusal("unfold", "x.unfold(0, 4, 1)", "ShapeError", "a window of 4 does not fit"),
    Refusal("unfold", "x.unfold(0, 2, 0)", "UsageError", "must be 1 or more"),
    Refusal("cat", "x.cat(x[:, :2])", "ShapeError", _FITS),
    Refusal("cat", "Tensor.cat([])", "UsageError", "one tensor or more"),
    Refusal("cat", "x.cat(1)", "UsageError", "expected tensors, found 1"),
    Refusal("stack", "x.stack(x[:2])", "ShapeError", "must be equal"),
    Refusal("split", "x.split([1, 3])", "ShapeError", "do not add up to 3"),
    Refusal("split", "x.split(0)", "ShapeError", "a size of 1 or more"),
    Refusal("chunk", "x.chunk(0)", "ShapeError", "1 part or more"),
    Refusal("tensor_split", "x.tensor_split(0)", "ShapeError", "1 part or more"),
    Refusal("unbind", "x[0, 0].unbind()", "ShapeError", "has no parts"),
    Refusal("select", "x.select(0, 3)", "IndexError", "out of range for axis 0 of size 3"),
    Refusal("narrow", "x.narrow(0, 2, 2)", "ShapeError", "leave axis 0 of size 3"),
    Refusal("pad", "x.pad((1, 2, 3))", "ShapeError", "pairs for at most 2 axes"),
    Refusal("pad", "x.pad((1, 1), 'wrap')", "UsageError", "mode is one of"),
    Refusal("pad", "x.pad((5, 0), 'reflect')", "ShapeError", "cannot put 5 and 0 elements"),
    Refusal("pad", "x.pad((-3, -3))", "ShapeError", "cannot be cut"),
    Refusal("diagonal", "x[0].diagonal()", "ShapeError", "expected 2 axes or more"),
    Refusal("diagonal", "x.diagonal(0, 1, 1)", "ShapeError", "must be different axes"),
    Refusal("diag", "x[None].diag()", "ShapeError", "expected 1 or 2 axes"),
    Refusal("diag_embed", "x[0, 0].diag_embed()", "ShapeError", "1 axis or more"),
    Refusal("rearrange", "x.rearrange('a b')", "UsageError", "one '->'"),
    Refusal("rearrange", "x.rearrange('a b -> a')", "UsageError", "b stands on one side"),
    Refusal("rearrange", "x.rearrange('a (b c) -> a b c')", "UsageError", "give all but one"),
    Refusal("rearrange", "x.rearrange('a (b c) -> a b c', b=2)", "ShapeError", "no multiple of 2"),
    Refusal("rearrange", "x.rearrange('a b -> b a', c=2)", "UsageError", "has no axis c"),
    Refusal("rearrange", "x.rearrange('a (b -> a b')", "UsageError", "parentheses"),
]  # fmt: skip
