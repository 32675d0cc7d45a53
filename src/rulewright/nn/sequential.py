"""Layers one after the other: a list that can be called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from textwrap import indent
from typing import TYPE_CHECKING, Any, SupportsIndex

from rulewright.nn import arguments
from rulewright.nn.hooks import Hooked
from rulewright.nn.names import OF_LAYERS
from rulewright.tensor.tensor import Tensor


class _ByName(dict[str, Any]):
    """Layers by the names that they were given; their tensors are found in the list."""

    def named_tensors(self) -> Mapping[str, Tensor]:
        """None."""
        return {}


class Sequential(list[Any], Hooked):
    """Layers or functions, each called with the result of the one before.

    A list: `model[0]`, `model.append(…)`; parts of it, `model[:2]` and `model + others`, are such
    too. The state's names are "0.weight" and so on, or those of a dict of layers, which are
    attributes then: `Sequential({"first": Linear(2, 3)}).first`.
    """

    ELSEWHERE = OF_LAYERS

    def __init__(self, *layers: Any) -> None:
        named: dict[str, Any] = {}
        if len(layers) == 1 and isinstance(layers[0], Mapping):
            named = dict(layers[0])
            layers = tuple(named.values())
        for name in named:
            if not isinstance(name, str) or not name or "." in name:
                raise arguments.wrong("Sequential", "a name", "text without a dot", name)
        for place, layer in enumerate(layers):
            if not callable(layer):
                expected = "a layer or a function: Sequential(*layers)"
                raise arguments.wrong("Sequential", f"layers[{place}]", expected, layer)
        super().__init__(layers)
        if named:
            self._named = _ByName(named)

    def __call__(self, x: Any) -> Tensor | Any:
        """What the last layer gives."""
        for layer in self:
            x = layer(x)
        return x

    def named_layers(self) -> dict[str, Any]:
        """Each layer by its name, or else its place, in order."""
        names = dict(vars(self).get("_named", {}))
        each = {}
        for place, layer in enumerate(self):
            name = next((name for name, other in names.items() if other is layer), str(place))
            names.pop(name, None)
            each[name] = layer
        return each

    def __getitem__(self, place: SupportsIndex | slice) -> Any:
        if not isinstance(place, slice):
            return super().__getitem__(place)
        if "_named" not in vars(self):
            return Sequential(*super().__getitem__(place))
        return Sequential(dict(list(self.named_layers().items())[place]))

    def __add__(self, other: Iterable[Any]) -> Any:
        return Sequential(*self, *other)

    if not TYPE_CHECKING:  # type checkers know the names there are

        def __getattr__(self, name: str) -> Any:
            """A layer by its name. Raises UnknownAttributeError."""
            named = self.__dict__.get("_named", {})
            return named[name] if name in named else super().__getattr__(name)

    def __repr__(self) -> str:
        lines = [indent(f"({name}): {_shown(layer)}\n", "  ")
                 for name, layer in self.named_layers().items()]  # fmt: skip
        inner = "\n" + "".join(lines) if lines else ""
        return f"{type(self).__name__}({inner})"


def _shown(layer: Any) -> str:
    """A layer's own text, or a function's name."""
    name = getattr(layer, "__name__", None)
    return repr(layer) if name is None else str(name)
