"""The state of a model: its tensors by name, to read, save and load."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rulewright.errors import ShapeError, UsageError
from rulewright.tensor.shapes import show
from rulewright.tensor.tensor import Tensor


def get_state_dict(model: Any, prefix: str = "") -> dict[str, Tensor]:
    """All tensors of a model by name, such as "layers.0.weight", in order of definition.

    Tensors are looked for in attributes, lists, tuples and dicts.
    """
    found: dict[str, Tensor] = {}
    _collect(model, prefix.strip("."), found, ())
    return found


def _collect(item: Any, name: str, found: dict[str, Tensor], above: tuple[Any, ...]) -> None:
    if isinstance(item, Tensor):
        found[name] = item
        return
    if any(item is other for other in above):
        return  # a model may refer to itself
    parts: Mapping[Any, Any]
    if isinstance(item, Mapping):
        parts = item
    elif isinstance(item, list | tuple):
        parts = dict(enumerate(item))
    else:
        parts = getattr(item, "__dict__", {})
    for key, part in parts.items():
        _collect(part, f"{name}.{key}" if name else str(key), found, (*above, item))


def get_parameters(model: Any) -> list[Tensor]:
    """All tensors of a model, each once, in order of definition."""
    return list({id(t): t for t in get_state_dict(model).values()}.values())


def load_state_dict(model: Any, state: Mapping[str, Any], strict: bool = True) -> None:
    """Write saved values (tensors or arrays) into a model's tensors of the same names.

    Raises UsageError for names that are missing or not known (unless not `strict`), ShapeError
    for a value of another shape. Nothing is written if anything is wrong.
    """
    own = get_state_dict(model)
    missing, unknown = [k for k in own if k not in state], [k for k in state if k not in own]
    if strict and (missing or unknown):
        raise UsageError(
            f"load_state_dict: missing names {missing}, unknown names {unknown}; "
            "strict=False loads what fits"
        )
    values = {k: v if isinstance(v, Tensor) else Tensor(v) for k, v in state.items() if k in own}
    for name, value in values.items():
        if value.shape != own[name].shape:
            raise ShapeError(
                f"load_state_dict: {name} has shape {show(own[name].shape)}, "
                f"the value has {show(value.shape)}"
            )
    for name, value in values.items():
        own[name].assign(value.detach().to(own[name].device))
