"""The state of a model: its tensors by name, to read, save and load."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from rulewright.errors import DTypeError, ShapeError, UsageError
from rulewright.nn import arguments
from rulewright.nn.checkpoints import torch_load
from rulewright.nn.files import safe_load, safe_load_metadata, safe_save
from rulewright.nn.lr_scheduler import LRScheduler
from rulewright.nn.names import OF_STATE, unknown_in_module
from rulewright.progress import track
from rulewright.tensor.nested import attributes
from rulewright.tensor.shapes import show
from rulewright.tensor.tensor import Tensor

__all__ = [
    "get_parameters", "get_state_dict", "load_state_dict", "safe_load", "safe_load_metadata",
    "safe_save", "torch_load",
]  # fmt: skip


def get_state_dict(model: Any, prefix: str = "") -> dict[str, Tensor]:
    """All tensors of a model (or an optimiser) by name, such as "layers.0.weight", in order of
    definition.

    Tensors are looked for in attributes, slots too, lists, tuples and dicts; or an object names its
    own, by `named_tensors()`.
    """
    if not isinstance(prefix, str):
        raise arguments.wrong("get_state_dict", "prefix", "text", prefix)
    tensors: dict[str, Tensor] = {}
    _collect(_model("get_state_dict", model), prefix.strip("."), tensors, (), True)
    return tensors


def _model(owner: str, model: Any) -> Any:
    """What may hold tensors. Raises UsageError for a class, or a plain value."""
    if isinstance(model, LRScheduler):
        raise UsageError(
            f"{owner}: what changes in a {type(model).__name__} is numbers: its own state_dict() "
            "and load_state_dict(state); the optimiser's state is tensors"
        )
    if isinstance(model, type):
        raise arguments.wrong(owner, "model", f"an object, such as {model.__name__}()", model)
    if model is None or isinstance(model, bool | int | float | str | bytes):
        raise arguments.wrong(owner, "model", "an object that holds tensors", model)
    return model


def _collect(
    item: Any, name: str, tensors: dict[str, Tensor], above: tuple[Any, ...], buffers: bool
) -> None:
    if isinstance(item, Tensor):
        tensors[name] = item
        return
    if any(item is other for other in above):
        return  # a model may refer to itself
    parts: Mapping[Any, Any]
    if hasattr(type(item), "named_tensors"):
        parts = item.named_tensors()
    elif hasattr(type(item), "named_layers"):  # a Sequential: one of a user's may have others
        parts = {**item.named_layers(), **attributes(item)}
    elif isinstance(item, list | tuple):
        parts = {**dict(enumerate(item)), **attributes(item)}
    elif isinstance(item, dict):
        parts = {**item, **attributes(item)}
    else:
        parts = item if isinstance(item, Mapping) else attributes(item)
    passed = () if buffers else getattr(type(item), "BUFFERS", ())
    for key, part in parts.items():
        if key not in passed:
            _collect(part, f"{name}.{key}" if name else str(key), tensors, (*above, item), buffers)


def get_parameters(model: Any) -> list[Tensor]:
    """The tensors of a model that can be trained, each once, in order of definition: floats.

    An optimiser trains those of them that require a gradient, as parameters of layers do until
    `requires_grad_(False)` freezes them. A class may name in `BUFFERS` the attributes that are
    state but never trained, such as the running statistics of a BatchNorm: `get_state_dict` has
    them too.
    """
    tensors: dict[str, Tensor] = {}
    _collect(_model("get_parameters", model), "", tensors, (), False)
    return list({id(t): t for t in tensors.values() if t.dtype.is_float}.values())


class LoadResult(NamedTuple):
    """Names that a state lacked, and those that no tensor of the model has."""

    missing_keys: list[str]
    unexpected_keys: list[str]


def load_state_dict(
    model: Any,
    state: Mapping[str, Any],
    strict: bool = True,
    verbose: bool = True,
    realize: bool = True,
) -> LoadResult:
    """Write saved values (tensors or arrays) into a model's tensors of the same names.

    Values are converted to the dtype and moved to the device of the model's tensors. Without
    `realize` they are written when they are needed. If `verbose` a bar on a terminal shows how far
    it is. Gives the names that fitted nothing, as PyTorch does. Raises UsageError for such names
    (unless not `strict`), ShapeError for a value of another shape, DTypeError for floats where
    there were none; each names all that is wrong, and nothing is written then.
    """
    name = "load_state_dict"
    strict, verbose = (
        arguments.flag(name, "strict", strict),
        arguments.flag(name, "verbose", verbose),
    )
    realize = arguments.flag(name, "realize", realize)
    if not isinstance(state, Mapping):
        raise arguments.wrong(name, "state", "a dict of names and values", state)
    own = get_state_dict(_model(name, model))
    missing, unknown = [k for k in own if k not in state], [k for k in state if k not in own]
    if strict and (missing or unknown):
        raise UsageError(
            f"load_state_dict: missing names {missing}, unknown names {unknown}; "
            "strict=False loads what fits"
        )
    names = [k for k in own if k in state]
    values = {k: _value(k, state[k]) for k in names}
    _check_values(own, values)
    for name in track(names, "loading") if verbose else names:
        target, value = own[name], values[name].detach()
        target.assign(value.to(target.device).cast(target.dtype))
        if realize:
            target.realize()
    return LoadResult(missing, unknown)


def _value(name: str, value: Any) -> Tensor:
    """A saved value as a tensor. Raises UsageError, naming it, for what is none."""
    try:
        return value if isinstance(value, Tensor) else Tensor(value)
    except UsageError as error:
        raise type(error)(f"load_state_dict: {name}: {error}") from None


def _check_values(own: Mapping[str, Tensor], values: Mapping[str, Tensor]) -> None:
    wrong = [
        f"{k} has shape {show(own[k].shape)}, the value has {show(v.shape)}"
        for k, v in values.items()
        if v.shape != own[k].shape
    ]
    if wrong:
        raise ShapeError(f"load_state_dict: {'; '.join(wrong)}")
    kinds = [
        f"{k} holds {own[k].dtype.name}, the value {v.dtype.name}"
        for k, v in values.items()
        if v.dtype.is_float and not own[k].dtype.is_float
    ]
    if kinds:
        raise DTypeError(f"load_state_dict: {'; '.join(kinds)}; cast the values first")


if not TYPE_CHECKING:  # type checkers know the names there are

    def __getattr__(name: str) -> object:
        raise unknown_in_module(__name__, name, OF_STATE, __all__)
