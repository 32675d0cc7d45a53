"""Rows of the table of methods: state."""

from __future__ import annotations

from rulewright.verify.methods.row import ALL, INTS, Method, Refusal

_NUMPY = ("f32", "f64", "f16", *INTS, "bool")
_FULL = (((3, 5),), ((1,),), ((7, 1, 2),))
_ONE = (((),), ((1,),), ((1, 1),))
_WRITTEN = (((3, 5), (3, 5)), ((3, 5), (5,)), ((3, 5), ()), ((0, 2), (2,)))
_LEAF = "leaf := x.clone().requires_grad_()"

ROWS = [
    Method("size", "x.size()", "x.shape"),
    Method("size", "x.size(-1)", "x.shape[-1]", _FULL),
    Method("numel", "x.numel()", "x.size"),
    Method("dim", "x.dim()", "x.ndim"),
    Method("nbytes", "x.nbytes()", "x.nbytes", dtypes=("f64", *INTS, "bool")),
    Method("realize", "(x + x).realize()", "x + x"),
    Method("kernelize", "(x + x).kernelize()", "x + x"),
    Method("schedule", "len((x + 1).schedule())", "1", _FULL),
    Method("schedule_with_vars", "(x + 1).schedule_with_vars()[1]", "{}", _FULL),
    Method("numpy", "Tensor(x.numpy())", "x", dtypes=ALL),
    Method("numpy", "Tensor((x.T + 1).numpy())", "x.T + 1"),
    Method("item", "x.item()", "x.item()", _ONE, dtypes=ALL),
    Method("tolist", "Tensor(x.tolist(), dtype=x.dtype)", "x", _FULL, ALL),
    Method("data", "Tensor(x.data())", "x", dtypes=_NUMPY),
    Method("cpu", "x.cpu()", "x"),
    Method("contiguous", "x.T.contiguous()", "x.T", gradient=True),
    Method("clone", "x.clone()", "x", dtypes=ALL, gradient=True),
    Method("clone", "[y := x.clone(), y.assign(0), x][2]", "x"),
    Method("detach", "x.detach()", "x"),
    Method("detach", "x * x.detach()", "x * x"),
    Method("assign", "x.clone().assign(y)", "y + 0 * x", _WRITTEN, ALL, gradient=False),
    Method("assign", "[c := x.clone(), c[1:].assign(0), c][2]",
           "np.concatenate([x[:1], 0 * x[1:]])", (((3, 5),), ((1, 2),))),
    Method("replace", "x.clone().replace(x * 2)", "x * 2"),
    Method("requires_grad_", "x.clone().requires_grad_()", "x"),
    Method("retain_grad", f"[y := ({_LEAF}) * 2, y.retain_grad(), (y * y).sum().backward(), "
           "y.grad][3]", "4 * x"),
    Method("gradient", "(x ** 3).sum().gradient(x)[0]", "3 * x ** 2"),
    Method("gradient", "(x ** 3).sum().gradient(x)[0].sum().gradient(x)[0]", "6 * x"),
    Method("gradient", "x.sum().gradient(y, materialize_grads=True)[0]", "0 * y",
           (((3,), (2, 2)),)),
    Method("backward", f"[{_LEAF}, (leaf * leaf).sum().backward(), leaf.grad][2]", "2 * x"),
    Method("backward", f"[{_LEAF}, (leaf * 3).backward(y), (leaf * 2).backward(y), leaf.grad][3]",
           "5 * y", (((3, 5), (3, 5)), ((), ()), ((0,), (0,)))),
    Method("no_grad", "Tensor.no_grad()(lambda: x * 2)()", "x * 2"),
    Method("no_grad", f"[{_LEAF}, Tensor.no_grad(lambda: leaf * 2)().requires_grad][1]", "False"),
    Method("enable_grad", "Tensor.no_grad(Tensor.enable_grad()(Tensor.is_grad_enabled))()", "True"),
    Method("inference_mode", "Tensor.inference_mode()(Tensor.is_grad_enabled)()", "False"),
    Method("is_grad_enabled", "Tensor.is_grad_enabled()", "True"),
    Method("train", "Tensor.train()(lambda: x.dropout(1.0))()", "x * 0"),
    Method("train", "Tensor.train(False)(lambda: x.dropout(1.0))()", "x"),
    Method("from_numpy", "Tensor.from_numpy(x.numpy())", "x", dtypes=ALL),
    Method("from_numpy", "Tensor.from_numpy(x.numpy().T)", "x.T"),
    Method("from_dlpack", "Tensor.from_dlpack(x.numpy())", "x", dtypes=_NUMPY),
    Method("custom_kernel", "Tensor.empty(*x.shape, dtype=x.dtype).custom_kernel(x, "
           "fxn=lambda out, x: (lambda i, j: out.index(i, j).store(x.index(i, j) + "
           "x.index(i, j)).end(i, j))(out.range(x.shape[0], 0), out.range(x.shape[1], 1)))[0]",
           "x + x", (((3, 5),), ((1, 7),), ((0, 3),))),
    Method("from_blob", "(lambda a: Tensor.from_blob(a.ctypes.data, a.shape, x.dtype)"
           ".clone().realize())(x.numpy())", "x", _FULL, ALL),
]  # fmt: skip

REFUSALS = [
    Refusal("item", "x.item()", "UsageError", "expected one element, found shape (3, 5)"),
    Refusal("assign", "x.assign(x.T)", "ShapeError", "(5, 3)"),
    Refusal("assign", "x[:1].expand(3, 5).assign(0)", "ShapeError", "elements share memory"),
    Refusal("item", "bool(x)", "UsageError", "bool() of a tensor needs one element"),
    Refusal("requires_grad_", "x.requires_grad_()", "DTypeError", "only floats have gradients",
            dtypes=("i32",)),
    Refusal("backward", "x.requires_grad_().backward()", "UsageError", "several elements"),
    Refusal("backward", "x.sum().backward()", "UsageError", "no tensor with requires_grad=True"),
    Refusal("gradient", "x.sum().gradient(y)", "UsageError", "does not depend on target 0",
            ((3, 5), (2,))),
    Refusal("custom_kernel", "x.custom_kernel(fxn=lambda x: x)", "FunctionError",
            "PARAM in the SINK"),
    Refusal("from_numpy", "Tensor.from_numpy([1])", "UsageError", "found list"),
    Refusal("from_dlpack", "Tensor.from_dlpack(3)", "UsageError", "found int"),
    Refusal("from_blob", "Tensor.from_blob(3, (1,))", "UsageError", "no address of f32"),
]  # fmt: skip
