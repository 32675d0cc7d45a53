"""What other libraries' names of layers, optimisers and modules are called here.

Who asks for a name that there is not reads in the error what to write instead.
"""

from __future__ import annotations

import dis
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar

from rulewright.errors import ArgumentError, UnknownImportError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.expected import unknown_name
from rulewright.nn.words import own_word, without_unused
from rulewright.tensor.elsewhere import ELSEWHERE as OF_TENSORS, of_numpy
from rulewright.tensor.tensor import Tensor

_STATE = "nn.state.get_state_dict(model)"
_LOAD = "nn.state.load_state_dict(model, state)"
_DATA = "nn.state.get_state_dict(model)[name]"
_HOOK = "a class of your own that calls the layer and sees what goes in and comes out"
_SLOPE_HOOK = "function(grad_fxn=…), which says how gradients pass"
_EACH = "t.replace(t.{}) of each t in {}.values()"
_SEVERAL = "x.shard(devices, axis=0), of a model of which each t.shard_(devices)"
_MODE = "Tensor.training = {}, or a block `with Tensor.train({}):`"

OF_LAYERS: Mapping[str, str] = {
    "parameters": "nn.state.get_parameters(model)",
    **dict.fromkeys(("named_parameters", "named_buffers"), f"{_STATE}.items()"),
    **dict.fromkeys(("state_dict", "buffers"), _STATE),
    "load_state_dict": _LOAD,
    "train": _MODE.format(True, ""),
    "eval": _MODE.format(False, False),
    "training": "Tensor.training",
    "forward": "the call itself, layer(x)",
    "to": _EACH.format("to(device)", _STATE),
    "cuda": _EACH.format("to('CUDA')", _STATE),
    "cpu": _EACH.format("to('C')", _STATE),
    **{name: _EACH.format(f"{name}()", _STATE) for name in ("half", "bfloat16", "float", "double")},
    "requires_grad_": "t.requires_grad_(…) of each t in nn.state.get_parameters(model)",
    "zero_grad": "optimizer.zero_grad()",
    "register_buffer": "an attribute whose name is in the BUFFERS of the class",
    **dict.fromkeys(("register_parameter", "add_module", "register_module"), "an attribute"),
    **dict.fromkeys(("children", "modules", "named_children", "named_modules"), "vars(layer)"),
    "compile": "jit(f)",
    "apply": "a loop over vars(layer).values(), or over nn.state.get_parameters(model)",
    "type": _EACH.format("cast(dtype)", _STATE),
    **dict.fromkeys(("get_parameter", "get_buffer"), _DATA),
    **dict.fromkeys(("get_submodule", "set_submodule"), "an attribute"),
    **dict.fromkeys(("register_backward_hook", "register_full_backward_hook"), _SLOPE_HOOK),
    **dict.fromkeys(
        ("register_full_backward_pre_hook", "register_state_dict_post_hook",
         "register_load_state_dict_pre_hook"), _HOOK),
    **dict.fromkeys(("get_extra_state", "set_extra_state"), "an attribute that holds tensors"),
    "register_state_dict_pre_hook": _HOOK, "register_load_state_dict_post_hook": _HOOK,
    "to_empty": _EACH.format("to(device)", _STATE),
    "share_memory": "nn.state.safe_save(…) and nn.state.safe_load(…)",
}  # fmt: skip
"""Names of PyTorch's modules."""

OF_OPTIMIZERS: Mapping[str, str] = {
    "state_dict": "nn.state.get_state_dict(optimizer)",
    "state": "nn.state.get_state_dict(optimizer)",
    "load_state_dict": "nn.state.load_state_dict(optimizer, state)",
    **dict.fromkeys(("register_step_pre_hook", "register_step_post_hook"),
                    "a function of your own that calls step()"),
    **dict.fromkeys(("register_state_dict_pre_hook", "register_state_dict_post_hook",
                     "register_load_state_dict_pre_hook", "register_load_state_dict_post_hook"),
                    "a function of your own that calls nn.state.get_state_dict(optimizer)"),
}  # fmt: skip
OF_SCHEDULES: Mapping[str, str] = {"get_lr": "get_last_lr()"}

OF_NN: Mapping[str, str] = {
    "Module": "any class whose objects hold layers and tensors: leave the base class out, and "
    "define __call__",
    "Parameter": "Tensor(…, requires_grad=True)",
    "Buffer": "a tensor whose name is in the BUFFERS of the class",
    **dict.fromkeys(("ModuleList", "ParameterList"), "a list"),
    **dict.fromkeys(("ModuleDict", "ParameterDict"), "a dict"),
    "functional": "methods of tensors, x.relu()",
    "Softmax2d": "Softmax(1)",
    "Unfold": "x.unfold(2, size, step).unfold(3, size, step)",
    "UpsamplingNearest2d": "Upsample(…)",
    "UpsamplingBilinear2d": "Upsample(…, mode='bilinear', align_corners=True)",
    **{
        f"{kind}Pad{rank}d": f"Tensor.pad(…{mode})"
        for kind, mode in {
            "Zero": "", "Constant": "", "Reflection": ", mode='reflect'",
            "Replication": ", mode='replicate'", "Circular": ", mode='circular'",
        }.items()
        for rank in (1, 2, 3)
    },
    "Transformer": "TransformerEncoder(…) and TransformerDecoder(…)",
    **{f"Lazy{name}": f"{name}, which is told its sizes" for name in (
        "Linear", "Conv1d", "Conv2d", "Conv3d", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d",
        "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "InstanceNorm1d",
        "InstanceNorm2d", "InstanceNorm3d")},
    **dict.fromkeys(("MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"), "x.max_unpool2d(…)"),
    "ChannelShuffle": "x.unflatten(1, (groups, -1)).transpose(1, 2).flatten(1, 2)",
    **{f"Adaptive{kind}Pool3d": f"{kind}Pool3d, which is told its sizes" for kind in (
        "Avg", "Max")},
    "Bilinear": "Tensor.einsum('bi,oij,bj->bo', x, weight, y)",
    "LBFGS": "optim.LBFGS", "UninitializedParameter": "Tensor(…)",
    "LocalResponseNorm": "x.avg_pool2d(…) of squares along the channels",
    **dict.fromkeys(("DataParallel", "parallel"), _SEVERAL),
    "quantized": "x.round() of x / scale, then clamp(-128, 127).cast('i8')",
    **dict.fromkeys(("LPPool1d", "LPPool2d"), "x.avg_pool2d(…) of x ** p, and the root of it"),
    **dict.fromkeys(("FractionalMaxPool2d", "FractionalMaxPool3d"), "AdaptiveMaxPool2d(…)"),
    "SyncBatchNorm": "BatchNorm", "RReLU": "LeakyReLU", "NLLLoss2d": "NLLLoss",
    **dict.fromkeys(("AlphaDropout", "FeatureAlphaDropout"), "Dropout"),
    "RNNBase": "RNN", "RNNCellBase": "RNNCell", "UninitializedBuffer": "Tensor(…)",
    "TripletMarginWithDistanceLoss": "TripletMarginLoss, or (near - far + margin).relu().mean()",
    **dict.fromkeys(("AdaptiveLogSoftmaxWithLoss", "LinearCrossEntropyLoss"),
                    "Linear, and CrossEntropyLoss"),
    **dict.fromkeys(("LPPool3d", "CrossMapLRN2d"), "x.avg_pool2d(…) of powers, and their root"),
    "grad": "x.gradient(…)",
    "clip_grad_norm_": "nn.utils.clip_grad_norm_()",
    "get_parameters": "nn.state.get_parameters()",
    "get_state_dict": "nn.state.get_state_dict()",
    "load_state_dict": "nn.state.load_state_dict()",
}  # fmt: skip
OF_OPTIM: Mapping[str, str] = {
    **dict.fromkeys(("Adafactor", "SparseAdam"), "Adam(…), or AdamW"),
    "swa_utils": "t.lerp_(parameter, 1 - decay) of copies of the parameters, inside no_grad()",
    **dict.fromkeys(("clip_grad_norm_", "clip_grad_value_"), "a function of nn.utils"),
}
"""Names of torch.optim."""

OF_STATE: Mapping[str, str] = {
    "gguf_load": "safe_load(path), of weights in a safetensors file",
    **dict.fromkeys(("torch_save", "save_file"), "safe_save(tensors, path)"),
    **dict.fromkeys(("load_file", "load_safetensors"), "safe_load(path)"),
    "safe_open": "safe_load(path, device='DISK'), which reads what is used, when it is",
    "tar_extract": "Python's tarfile, and torch_load(path) of what it holds",
    "zip_extract": "Python's zipfile, and torch_load(path) of what it holds",
}
"""Names of tinygrad's nn.state, and of safetensors."""

OF_UTILS: Mapping[str, str] = {
    "checkpoint": "x.contiguous() where memory shall hold it; what it does not is computed again",
    "clip_grad_norm": "clip_grad_norm_()",
    "get_total_norm": "the result of clip_grad_norm_(parameters, math.inf)",
    **dict.fromkeys(("spectral_norm", "weight_norm", "parametrize", "parametrizations"),
                    "a class of your own that holds the tensors and computes the weight"),
    "rnn": "pad() of each sequence, and stack(); masks say where they end",
    "prune": "weight.masked_fill_(mask, 0), inside no_grad()",
    "skip_init": "the layer itself: its tensors are computed when they are needed",
    "data": "Tensor.randperm(n), and x[order[i : i + size]]",
    "clip_grads_with_norm_": "clip_grad_norm_()",
    "stateless": "load_state_dict() of the values, inside no_grad()",
    **dict.fromkeys(("fuse_conv_bn_eval", "fuse_linear_bn_eval", "fuse_conv_bn_weights",
                     "fuse_linear_bn_weights", "fusion"),
                    "the model as it is: layers without gradients are computed in one kernel"),
    **dict.fromkeys(("remove_spectral_norm", "remove_weight_norm"),
                    "a class of your own that holds the tensors and computes the weight"),
    "init": "Tensor.kaiming_uniform(…) and the like",
    **dict.fromkeys(("convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format",
                     "memory_format"), "nothing: memory is laid out as shapes say"),
}  # fmt: skip
"""Names of torch.nn.utils and torch.utils."""

OF_INIT: Mapping[str, str] = {
    **{word: f"{word}_()" for word in (
        "uniform", "normal", "constant", "eye", "dirac", "xavier_uniform", "xavier_normal",
        "kaiming_uniform", "kaiming_normal", "orthogonal")},
    **dict.fromkeys(("sparse", "sparse_"), "normal_(x), and x *= Tensor.rand_like(x) > sparsity"),
}  # fmt: skip
"""Names of torch.nn.init."""

OF_PACKAGE: Mapping[str, str] = {
    **dict.fromkeys(("tensor", "as_tensor", "array", "asarray"), "Tensor(…)"),
    **dict.fromkeys(("compile", "TinyJit"), "jit(f)"),
    "optim": "nn.optim",
    "functional": "methods of tensors, x.relu()",
    "save": "nn.state.safe_save(tensors, path)",
    "load": "nn.state.safe_load(path), or nn.state.torch_load(path)",
    **dict.fromkeys(("device", "cuda"), "the name alone: x.to('CUDA'), or DEVICE=CUDA"),
    "autograd": "x.backward(), x.gradient(…), and function(grad_fxn=…) for gradients of one's own",
    "set_grad_enabled": "Tensor.enable_grad() or Tensor.no_grad()",
    "is_tensor": "isinstance(x, Tensor)",
    "checkpoint": "x.contiguous() where memory shall hold it; what it does not is computed again",
    **dict.fromkeys(("grad", "value_and_grad", "vjp", "jacobian", "jacrev", "jacfwd", "func"),
                    "x.gradient(…), and batches along a leading axis"),
    "hessian": "x.gradient(…) of each element of what x.gradient(…) gave",
    **dict.fromkeys(("jvp", "linearize"), "x.gradient(…) by u of x.gradient(…, gradient=u)"),
    **dict.fromkeys(("custom_vjp", "custom_jvp", "custom_gradient"),
                    "function(grad_fxn=…), which says how gradients pass"),
    "remat": "x.contiguous() where memory shall hold it; what it does not is computed again",
    **dict.fromkeys(("pmap", "shard_map", "make_mesh", "NamedSharding"), _SEVERAL),
    **dict.fromkeys(("tree", "tree_util"), "lists, dicts and dataclasses: jit(f) takes them"),
    **dict.fromkeys(("cond", "switch"), "x.where(…) of what both sides give"),
    "disable_jit": "the option JIT", "Ops": "rulewright.ir.ops.Ops",
    "vmap": "a method of all rows at once: (x * y).sum(-1) for the product of each two",
    **dict.fromkeys(("numpy", "linalg", "special", "fft"), "methods of tensors, x.svd()"),
    "random": "Tensor.manual_seed(seed), Tensor.rand(…), Tensor.randn(…) and the like",
    **dict.fromkeys(("amp", "autocast"), "x.half() where you want it"),
    "GradScaler": "(loss * scale).backward(), and p.grad = p.grad / scale",
    **dict.fromkeys(("set_default_dtype", "get_default_dtype"), "dtypes.defaults(float='f64')"),
    **dict.fromkeys(("seed", "Generator"), "Tensor.manual_seed(seed)"),
    "utils": "nn.utils",
    "Size": "tuple",
    **{name: f"math.{name}" for name in ("inf", "nan", "pi", "e")}, "newaxis": "None",
    **dict.fromkeys(("get_rng_state", "set_rng_state", "initial_seed", "default_generator",
                     "fork_rng"), "Tensor.manual_seed(seed), before what shall be drawn again"),
    "broadcast_shapes": "np.broadcast_shapes(…)",
    **{f"{word}Tensor": f"Tensor(…, dtype={kind!r})" for word, kind in {
        "Float": "f32", "Double": "f64", "Half": "f16", "BFloat16": "bf16", "Long": "i64",
        "Int": "i32", "Short": "i16", "Char": "i8", "Byte": "u8", "Bool": "bool"}.items()},
    "set_printoptions": "np.set_printoptions(…), and x.numpy()",
    **dict.fromkeys(("set_num_threads", "get_num_threads"), "the option THREADS"),
    **dict.fromkeys(("complex64", "complex128", "view_as_complex", "view_as_real"),
                    "two tensors, the real and the imaginary parts"),
    **dict.fromkeys(("result_type", "can_cast"), "dtypes.promote_types(a, b)"),
    "distributions": "Tensor.randn(…), Tensor.multinomial(…) and the like",
    **dict.fromkeys(("set_default_device", "get_default_device"), "the option DEVICE"),
    **dict.fromkeys(("mps", "xpu"), "the name of a device, x.to('METAL'): see rulewright devices"),
    **dict.fromkeys(("use_deterministic_algorithms", "backends", "set_float32_matmul_precision"),
                    "nothing: every result is the same each time"),
    "profiler": "rulewright profile, or rulewright.GlobalCounters",
    **dict.fromkeys(("onnx", "export", "fx"), "jit(f), and rulewright compile for sources"),
    **dict.fromkeys(("sparse", "sparse_coo_tensor"), "positions and values, and x.index_add(…)"),
    **dict.fromkeys(("distributed", "multiprocessing"), _SEVERAL),
    "testing": "np.testing.assert_allclose(x.numpy(), …)",
    **dict.fromkeys(("channels_last", "contiguous_format", "memory_format", "strided"),
                    "nothing: memory is laid out as shapes say"),
    "scalar_tensor": "Tensor(…)", "frombuffer": "Tensor(bytes, dtype=…)",
    "from_file": "Tensor.from_file(path, …)", "typename": "type(x).__name__",
    "empty_strided": "Tensor.empty(…)", "unravel_index": "i // n and i % n",
    **{f"{name}_window": f"Tensor(np.{numpy}[:-1], dtype='f32')" for name, numpy in {
        "hann": "hanning(n + 1)", "hamming": "hamming(n + 1)", "bartlett": "bartlett(n + 1)",
        "blackman": "blackman(n + 1)", "kaiser": "kaiser(n + 1, 12)"}.items()},
    **dict.fromkeys(("svd_lowrank", "pca_lowrank", "lobpcg"), "Tensor.svd()"),
    **dict.fromkeys(("frobenius_norm", "nuclear_norm"), "Tensor.norm(), or the sum of svd()[1]"),
    **dict.fromkeys(("while_loop", "scan", "fori_loop", "lax", "compiler"),
                    "Python's loops, in jit(f)"),
    **dict.fromkeys(("ao", "quantization"),
                    "Tensor.round() of x / scale, then clamp(-128, 127).cast('i8')"),
    **dict.fromkeys(("lstm_cell", "gru_cell", "lstm", "gru"), "nn.LSTMCell(…), nn.GRU(…)"),
}  # fmt: skip
"""Names of the packages torch and tinygrad; those of tensors' methods and of dtypes are known."""


class Hinting:
    """What says, of a name that it does not have, what that is called here, and of a wrong call
    what it is made with."""

    ELSEWHERE: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls) -> None:
        if "__init__" in vars(cls):
            # a class's own way to be made, with its own arguments, which keeps its signature
            cls.__init__ = _explained(vars(cls)["__init__"])  # type: ignore[method-assign]

    HEEDED: ClassVar[tuple[str, ...]] = ()
    """Words that objects of all such classes may be made with, beside arguments of their own."""

    def _heed(self, make: Callable[[], None], words: Mapping[str, Any]) -> None:
        """Make the object, and do what such words say."""
        make()

    if not TYPE_CHECKING:  # type checkers know the names there are

        def __getattr__(self, name: str) -> Any:
            """Raise UnknownAttributeError."""
            if name.startswith("_") or hasattr(type(self), name):  # what that raises itself
                return object.__getattribute__(self, name)
            raise unknown_name(type(self).__name__, name, self.ELSEWHERE, dir(self))


def _explained(prepare: Callable[..., None]) -> Any:
    """How an object is made, which also takes PyTorch's words, and raises ArgumentError for what
    does not fit."""
    signature = inspect.signature(prepare)

    @wraps(prepare)
    def __init__(self: Any, /, *args: Any, **named: Any) -> None:
        words: dict[str, Any] = {}
        if not named.keys() <= signature.parameters.keys():
            named, words = _understood(type(self), named, signature.parameters)
        try:
            if words:
                self._heed(lambda: prepare(self, *args, **named), words)
            else:
                prepare(self, *args, **named)
        except TypeError as error:
            try:
                signature.bind(self, *args, **named)
            except TypeError as reason:
                name = type(self).__name__
                takes = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
                expected = f"{name}{inspect.Signature(takes[1:])}"
                raise ArgumentError(f"{name}: {reason}; expected {expected}") from None
            raise error

    return __init__


def _understood(
    kind: type[Hinting], named: Mapping[str, Any], known: Mapping[str, inspect.Parameter]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments by the names that `known` ones have, and words that are heeded beside them."""
    named = {own_word(word, known): value for word, value in named.items()}
    named = without_unused(kind, named, known)
    if any(p.kind is p.VAR_KEYWORD for p in known.values()):
        return named, {}  # who takes all passes on what is not its own
    words = {word: named.pop(word) for word in kind.HEEDED if word in named and word not in known}
    return named, words


def unknown_in_module(
    module: str, name: str, elsewhere: Mapping[str, str], known: Iterable[str], depth: int = 2
) -> AttributeError | UnknownImportError:
    """The error for a name that a module does not have, for its `__getattr__`, which stands
    `depth` calls below who asks."""
    if name.startswith("_"):
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    error = unknown_name(f"module {module!r}", name, elsewhere, known)
    # `from module import name` takes an AttributeError, and raises one of its own that says less
    asks = sys._getframe(depth)
    code = dis.opname[asks.f_code.co_code[asks.f_lasti]]
    return UnknownImportError(str(error)) if code == "IMPORT_FROM" else error


def unknown_in_package(name: str, known: Iterable[str]) -> AttributeError | UnknownImportError:
    """The error for a name that the package `rulewright` does not have."""
    elsewhere = dict(OF_PACKAGE)
    is_dtype = isinstance(getattr(dtypes, name, None), DType)  # `long`, which is a method too
    if hasattr(Tensor, name) and not is_dtype:
        elsewhere.setdefault(name, f"Tensor.{name}")
    elif name in OF_TENSORS:
        elsewhere.setdefault(name, f"Tensor.{OF_TENSORS[name]}")
    elif hasattr(dtypes, name):
        elsewhere.setdefault(name, f"dtypes.{name}")
    elsewhere = {**of_numpy(name), **elsewhere}
    return unknown_in_module("rulewright", name, elsewhere, known, 3)
