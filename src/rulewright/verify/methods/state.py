"""Rows of the table of methods: state."""

from __future__ import annotations

import shutil
import tempfile

import numpy as np

from rulewright.ir.dtypes import dtypes
from rulewright.tensor.tensor import Tensor
from rulewright.verify.methods.row import ALL, INTS, Method, Refusal

_NUMPY = ("f32", "f64", "f16", *INTS, "bool")
_FULL = (((3, 5),), ((1,),), ((7, 1, 2),))
_ONE = (((),), ((1,),), ((1, 1),))
_WRITTEN = (((3, 5), (3, 5)), ((3, 5), (5,)), ((3, 5), ()), ((0, 2), (2,)))


def _filed(x: Tensor) -> Tensor:
    """What is in a file, whose name is gone."""
    folder = tempfile.mkdtemp()
    try:
        return x.to(f"DISK:{folder}/x")
    finally:
        shutil.rmtree(folder)


ROWS = [
    Method("size", lambda x: x.size(), lambda x: x.shape),
    Method("size", lambda x: x.size(-1), lambda x: x.shape[-1], _FULL),
    Method("numel", lambda x: x.numel(), lambda x: x.size),
    Method("dim", lambda x: x.dim(), lambda x: x.ndim),
    Method("nbytes", lambda x: x.nbytes(), lambda x: x.nbytes, dtypes=("f64", *INTS, "bool")),
    Method("realize", lambda x: (x + x).realize(), lambda x: x + x),
    Method("kernelize", lambda x: (x + x).kernelize(), lambda x: x + x),
    Method("schedule", lambda x: len((x + 1).schedule()), lambda x: 1, _FULL),
    Method("schedule_with_vars", lambda x: (x + 1).schedule_with_vars()[1], lambda x: {}, _FULL),
    Method("numpy", lambda x: Tensor(x.numpy()), lambda x: x, dtypes=ALL),
    Method("numpy", lambda x: Tensor((x.T + 1).numpy()), lambda x: x.T + 1),
    Method("item", lambda x: x.item(), lambda x: x.item(), _ONE, dtypes=ALL),
    Method("tolist", lambda x: Tensor(x.tolist(), dtype=x.dtype), lambda x: x, _FULL, ALL),
    Method("data", lambda x: Tensor(x.data()), lambda x: x, dtypes=_NUMPY),
    Method("cpu", lambda x: x.cpu(), lambda x: x),
    Method("contiguous", lambda x: x.T.contiguous(), lambda x: x.T, gradient=True),
    Method("contiguous_backward", lambda x: x.contiguous_backward() * 2,
           lambda x: x * 2, gradient=True),
    Method("clone", lambda x: x.clone(), lambda x: x, dtypes=ALL, gradient=True),
    Method("clone", lambda x: x.clone(device="INTERP").to(x.device), lambda x: x),
    Method("clone", lambda x: [y := x.clone(), y.assign(0), x][2], lambda x: x),
    Method("detach", lambda x: x.detach(), lambda x: x),
    Method("detach", lambda x: x * x.detach(), lambda x: x * x),
    Method("assign", lambda x, y: x.clone().assign(y), lambda x, y: y + 0 * x, _WRITTEN, ALL,
           gradient=False),
    Method("assign", lambda x: [c := x.clone(), c[1:].assign(0), c][2],
           lambda x: np.concatenate([x[:1], 0 * x[1:]]), (((3, 5),), ((1, 2),))),
    Method("replace", lambda x: x.clone().replace(x * 2), lambda x: x * 2),
    Method("requires_grad_", lambda x: x.clone().requires_grad_(), lambda x: x),
    Method("retain_grad",
           lambda x: [y := x.clone().requires_grad_() * 2, y.retain_grad(),
           (y * y).sum().backward(), y.grad][3], lambda x: 4 * x),
    Method("gradient", lambda x: (x ** 3).sum().gradient(x)[0], lambda x: 3 * x ** 2),
    Method("gradient", lambda x: (x ** 3).sum().gradient(x)[0].sum().gradient(x)[0],
           lambda x: 6 * x),
    Method("gradient", lambda x, y: x.sum().gradient(y, materialize_grads=True)[0],
           lambda x, y: 0 * y, (((3,), (2, 2)),)),
    Method("backward", lambda x: [leaf := x.clone().requires_grad_(),
           (leaf * leaf).sum().backward(), leaf.grad][2], lambda x: 2 * x),
    Method("backward",
           lambda x, y: [leaf := x.clone().requires_grad_(),
           (leaf * 3).backward(y), (leaf * 2).backward(y), leaf.grad][3],
           lambda x, y: 5 * y, (((3, 5), (3, 5)), ((), ()), ((0,), (0,)))),
    Method("no_grad", lambda x: Tensor.no_grad()(lambda: x * 2)(), lambda x: x * 2),
    Method("no_grad", lambda x: [leaf := x.clone().requires_grad_(),
           Tensor.no_grad(lambda: leaf * 2)().requires_grad][1], lambda x: False),  # as a decorator
    Method("enable_grad", lambda x: Tensor.no_grad(Tensor.enable_grad()(Tensor.is_grad_enabled))(),
           lambda x: True),
    Method("inference_mode", lambda x: Tensor.inference_mode()(Tensor.is_grad_enabled)(),
           lambda x: False),
    Method("is_grad_enabled", lambda x: Tensor.is_grad_enabled(), lambda x: True),
    Method("train", lambda x: Tensor.train()(lambda: x.dropout(1.0))(), lambda x: x * 0),
    Method("train", lambda x: Tensor.train(False)(lambda: x.dropout(1.0))(), lambda x: x),
    Method("from_numpy", lambda x: Tensor.from_numpy(x.numpy()), lambda x: x, dtypes=ALL),
    Method("from_numpy", lambda x: Tensor.from_numpy(x.numpy().T), lambda x: x.T),
    Method("from_dlpack", lambda x: Tensor.from_dlpack(x.numpy()), lambda x: x, dtypes=_NUMPY),
    Method("custom_kernel",
           lambda x: Tensor.empty(*x.shape, dtype=x.dtype).custom_kernel(x,
           fxn=lambda out, x: (lambda i, j: out.index(i, j).store(x.index(i, j) +
           x.index(i, j)).end(i, j))(out.range(x.shape[0], 0), out.range(x.shape[1], 1)))[0],
           lambda x: x + x, (((3, 5),), ((1, 7),), ((0, 3),))),
    Method("from_blob",
           lambda x: (lambda a: Tensor.from_blob(a.ctypes.data, a.shape,
           x.dtype).clone().realize())(x.numpy()), lambda x: x, _FULL, ALL),
    Method("from_file", lambda x: _filed(x).to(x.device), lambda x: x, dtypes=ALL),
    Method("from_file", lambda x: _filed(x).T[1:].to(x.device) * 2, lambda x: x.T[1:] * 2,
           _FULL),
]  # fmt: skip

REFUSALS = [
    Refusal("item", lambda x: x.item(), "UsageError", "expected one element, found shape (3, 5)"),
    Refusal("assign", lambda x: x.assign(x.T), "ShapeError", "(5, 3)"),
    Refusal("assign", lambda x: x[:1].expand(3, 5).assign(0), "ShapeError",
            "elements share memory"),
    Refusal("item", lambda x: bool(x), "UsageError", "bool() of a tensor needs one element"),
    Refusal("requires_grad_", lambda x: x.requires_grad_(), "DTypeError",
            "only floats have gradients", dtypes=("i32",)),
    Refusal("backward", lambda x: x.requires_grad_().backward(), "UsageError", "several elements"),
    Refusal("backward", lambda x: x.sum().backward(), "UsageError",
            "no tensor with requires_grad=True"),
    Refusal("gradient", lambda x, y: x.sum().gradient(y), "UsageError",
            "does not depend on target 0", ((3, 5), (2,))),
    Refusal("custom_kernel", lambda x: x.custom_kernel(fxn=lambda x: x), "FunctionError",
            "PARAM in the SINK"),
    Refusal("from_numpy", lambda x: Tensor.from_numpy([1]), "UsageError", "found list"),
    Refusal("from_dlpack", lambda x: Tensor.from_dlpack(3), "UsageError", "found int"),
    Refusal("from_blob", lambda x: Tensor.from_blob(3, (1,)), "UsageError", "no address of f32",
            argument="address"),
    Refusal("from_blob", lambda x: Tensor.from_blob(1 << 70, (1,)), "UsageError",
            "no address of f32", argument="address"),
    Refusal("from_blob", lambda x: Tensor.from_blob(4096, (-1,)), "ShapeError",
            "0 or more, found -1", argument="shape"),
    Refusal("from_blob", lambda x: Tensor.from_blob(4096, (2**61, 2)), "UsageError", "of shape (",
            argument="shape"),
    Refusal("from_blob", lambda x: Tensor.from_blob(4096, 1, device=3), "ArgumentError",  # type: ignore[arg-type] # refused
            "from_blob: device is text or None, found 3", argument="device"),
    Refusal("from_file", lambda x: Tensor.from_file("/no/such/file"), "MissingFileError",
            "found nothing at /no/such/file", argument="path"),
    Refusal("from_file", lambda x: Tensor.from_file("/"), "FileError", "found a folder at /",
            argument="path"),
    Refusal("backward", lambda x: x.sum().requires_grad_().backward(x), "ShapeError",
            "expected weights of shape ()", argument="gradient"),
    Refusal("to", lambda x: x.to(17), "ArgumentError", "expected a name such as 'C', found 17"),
    Refusal("to", lambda x: x.to(dtypes.f16, dtypes.f32), "ArgumentError", "one dtype",
            argument="dtype"),
    Refusal("realize", lambda x: x.realize(3), "ArgumentError",
            "realize: others is a tensor, found 3"),
    Refusal("realize", lambda x: x.realize([x]), "ArgumentError",
            "realize: others is a tensor, found ["),
    Refusal("kernelize", lambda x: x.kernelize(None), "ArgumentError",
            "others is a tensor, found None"),
    Refusal("schedule", lambda x: x.schedule("a"), "ArgumentError",
            "others is a tensor, found 'a'"),
    Refusal("size", lambda x: x.size(2), "AxisError", "axis 2 is out of range"),
    Refusal("inference_mode", lambda x: Tensor.inference_mode("a"), "ArgumentError",  # type: ignore[arg-type] # refused
            "True or False"),
    Refusal("no_grad", lambda x: x.no_grad("a"), "ArgumentError", "a function or nothing"),
    Refusal("gradient", lambda x: x.sum().gradient(3), "UsageError", "targets is a tensor"),
    Refusal("backward", lambda x: x.requires_grad_().sum().backward(x), "ShapeError",
            "of shape ()"),
    Refusal("custom_kernel", lambda x: x.custom_kernel(fxn=None), "ArgumentError",
            "fxn is a function"),
    Refusal("custom_kernel", lambda x: x.custom_kernel(fxn=lambda x: x, grad_fxn=3),
            "ArgumentError", "grad_fxn is a function or None", argument="grad_fxn"),
    Refusal("custom_kernel", lambda x: x.custom_kernel(3, fxn=lambda x, y: x), "ArgumentError",
            "others is a tensor", argument="others"),
]  # fmt: skip
