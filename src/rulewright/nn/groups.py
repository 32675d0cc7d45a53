"""Groups of an optimiser's parameters, each with settings of its own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from rulewright.errors import UsageError

if TYPE_CHECKING:
    from rulewright.nn.optimizer import Optimizer

_Prepare = TypeVar("_Prepare", bound=Callable[..., None])

PLAIN = (bool, int, float, str, tuple)
"""Classes of settings that are not tensors."""


class ParamGroup(MutableMapping[str, Any]):
    """Parameters of an optimiser and its settings by name, as PyTorch's `param_groups` has them."""

    def __init__(self, optimizer: Optimizer) -> None:
        self._optimizer = optimizer

    def _read(self) -> dict[str, Any]:
        owner = self._optimizer
        plain = {k: v for k, v in vars(owner).items() if isinstance(v, PLAIN) and k != "device"}
        return {"params": owner.params, "lr": owner.lr, **plain}

    def __getitem__(self, name: str) -> Any:
        settings = self._read()
        if name not in settings:
            kind = type(self._optimizer).__name__
            raise KeyError(f"a group of {kind} has {', '.join(settings)}, found {name!r}")
        return settings[name]

    def __setitem__(self, name: str, value: Any) -> None:
        if name == "params":
            raise UsageError("param_groups: parameters stay; add_param_group takes others")
        if name == "lr":
            self._optimizer._set_own_lr(value)
        elif self[name] is not value:
            setattr(self._optimizer, name, value)

    def __delitem__(self, name: str) -> None:
        raise UsageError(f"param_groups: {name!r} is an optimiser's, and cannot be left out")

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __repr__(self) -> str:
        return repr(self._read())


def of_groups(prepare: _Prepare) -> _Prepare:
    """How an optimiser is made, which also takes groups of parameters, and remembers with what."""
    takes = inspect.signature(prepare)
    kinds = {p.kind for p in takes.parameters.values()}
    passes_on = kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}

    @wraps(prepare)
    def __init__(self: Any, /, *args: Any, **named: Any) -> None:
        if passes_on or "_alike" in vars(self):  # the other one is a base's, or a subclass's
            prepare(self, *args, **named)
            return
        _, *settings = takes.bind(self, *args, **named).arguments.items()
        chosen = dict(settings)
        params = chosen.pop("params", None)
        vars(self)["_alike"] = partial(self.__class__, **chosen)
        groups = list(params) if isinstance(params, list | tuple) else []
        if not groups or not isinstance(groups[0], Mapping):
            prepare(self, *args, **named)
            return
        self.__init__(**{**chosen, **groups[0]})
        for group in groups[1:]:
            self.add_param_group(group)

    return cast("_Prepare", __init__)
