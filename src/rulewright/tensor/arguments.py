"""What methods may be given: kinds of arguments by annotation, and other libraries' words for them.

The annotation of a parameter says once what it takes: type checkers read it, and so does the gate
here, which every method with such parameters gets before anything is done. A numpy number becomes
Python's. Annotations without a kind, such as Any, are left to the method.
"""

from __future__ import annotations

import inspect
import operator
import sys
from collections.abc import Callable, Mapping
from functools import partial, wraps
from types import FunctionType
from typing import Any, TypeVar, cast

from rulewright.errors import ArgumentError, RangeError, UsageError
from rulewright.ir.expected import shown
from rulewright.ir.uop import UOp
from rulewright.tensor.core import Core
from rulewright.tensor.kinds import check_depth, named_after
from rulewright.tensor.metadata import calling

_Class = TypeVar("_Class", bound=type)

WORDS: Mapping[str, tuple[str, ...]] = {
    # tinygrad
    "x": ("other", "value", "exponent", "yes"),
    "y": ("no",),
    "Y": ("target",),
    "w": ("other",),
    "min_": ("min",),
    "max_": ("max",),
    "sorted_": ("sorted",),
    "ll": ("layers",),
    "arg": ("bounds",),
    # PyTorch
    "input": ("yes",),
    "end": ("stop",),
    "size": ("shape",),
    "sizes": ("repeats", "shape"),
    "dims": ("order", "axis", "repeats"),
    "dim": ("axis",),
    "dimension": ("dim",),
    "split_size": ("sizes",),
    "split_sections": ("sizes",),
    "mat2": ("other",),
    "negative_slope": ("neg_slope",),
    "vec": ("other",),
    "value": ("src",),
    "vec2": ("other",),
    "tensor": ("other",),
    "tensors": ("others",),
    # numpy
    "axis": ("dim", "dims"),
    "axes": ("order",),
    "keepdims": ("keepdim",),
    "ddof": ("correction",),
    "a_min": ("min",),
    "a_max": ("max",),
    "newshape": ("shape",),
    "shift": ("shifts",),
    "reps": ("repeats",),
    "k": ("diagonal", "offset"),
    "x2": ("other",),
    "input2": ("other",),
}
"""Other libraries' words for parameters, where the method has no parameter of that name."""

UNUSED = frozenset({"out", "dtype", "generator"})
"""Words of numpy's and PyTorch's functions that mean nothing if None, where the method has no such
parameter."""

INSTEAD: Mapping[str, str] = {
    "where": "positions where a mask holds are mask.nonzero(as_tuple=True)"
}
"""What a call of other arguments does elsewhere, by the method."""


class _Refused(Exception):  # never leaves this module
    """A value is not of a kind."""


def _whole(value: Any) -> Any:
    if isinstance(value, UOp):
        return value  # symbolic
    if isinstance(value, bool) or not hasattr(type(value), "__index__"):
        raise _Refused
    try:
        return operator.index(value)
    except TypeError:
        raise _Refused from None


def _number(value: Any) -> Any:
    if isinstance(value, int | float | UOp) or (isinstance(value, Core) and not value.shape):
        return value
    if isinstance(value, str | bytes | Core) or not hasattr(type(value), "__float__"):
        raise _Refused
    try:
        number = value.item() if hasattr(value, "item") else float(value)
    except (TypeError, ValueError):  # several numbers, or none
        raise _Refused from None
    if not isinstance(number, int | float):
        raise _Refused
    return number


def _truth(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if type(value).__name__ in ("bool", "bool_") or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise _Refused


def _instance(kinds: Any, value: Any) -> Any:
    if not isinstance(value, kinds):
        raise _Refused
    return value


def _function(value: Any) -> Any:
    if not callable(value):
        raise _Refused
    return value


def _several(kind: Callable[[Any], Any], value: Any) -> Any:
    if isinstance(value, str | bytes | Mapping | Core) or not hasattr(value, "__iter__"):
        raise _Refused
    if getattr(value, "shape", None) == ():
        raise _Refused
    if isinstance(value, list | tuple) and kind is _anything:
        return value
    return tuple(kind(item) for item in value)


def _anything(value: Any) -> Any:
    return value


_KINDS: Mapping[str, tuple[str, Callable[[Any], Any], tuple[type, ...]]] = {
    "int": ("a whole number", _whole, (int,)),
    "float": ("a number", _number, (float, int)),
    "bool": ("True or False", _truth, (bool,)),
    "str": ("text", partial(_instance, str), (str,)),
    "None": ("None", partial(_instance, type(None)), (type(None),)),
    "Self": ("a tensor", partial(_instance, Core), ()),
    "Core": ("a tensor", partial(_instance, Core), ()),
    "Callable": ("a function", _function, ()),
    "Sequence[int]": ("several whole numbers", partial(_several, _whole), ()),
    "Sequence[float]": ("several numbers", partial(_several, _number), ()),
    "Sequence": ("a list or tuple", partial(_several, _anything), ()),
}
"""Kinds by the words of annotations: what a message says, the check, and classes that need none."""


class _Kind:
    """What one parameter takes."""

    def __init__(self, name: str, words: list[str]) -> None:
        rows = [_KINDS[word] for word in words]
        self.name = name
        self.expected = " or ".join(dict.fromkeys(text for text, _, _ in rows))
        self.checks = [check for _, check, _ in rows]
        self.plain = frozenset(kind for _, _, kinds in rows for kind in kinds)

    def of(self, value: Any, method: str) -> Any:
        """The value, of this kind. Raises ArgumentError if it is none."""
        if value.__class__ in self.plain:
            return value
        for check in self.checks:
            try:
                return check(value)
            except _Refused:
                continue
        raise ArgumentError(
            f"{method}: {self.name} is {self.expected}, found {shown(value)} "
            f"of type {type(value).__name__}"
        )


def _kind_of(parameter: inspect.Parameter) -> _Kind | None:
    """The kind that an annotation says, if all of its words are known."""
    words = []
    for part in str(parameter.annotation).split(" | "):
        word = part if part in _KINDS else part.partition("[")[0]
        if word not in _KINDS:
            return None
        words.append(word)
    return _Kind(parameter.name, words)


class _Gate:
    """What the parameters of one method take, and the words for them."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.name = method.__name__
        self.signature = inspect.signature(method)
        parameters = list(self.signature.parameters.values())[1:]
        self.kinds = {p.name: _kind_of(p) for p in parameters}
        self.parameters = parameters
        places = [
            p for p in parameters if p.kind is not p.KEYWORD_ONLY and p.kind is not p.VAR_KEYWORD
        ]
        self.places = [self.kinds[p.name] for p in places if p.kind is not p.VAR_POSITIONAL]
        rest = [p.name for p in places if p.kind is p.VAR_POSITIONAL]
        self.rest, self.rest_kind = (rest[0], self.kinds[rest[0]]) if rest else ("", None)
        self.named_ones = {p.name for p in parameters if p.kind is not p.VAR_KEYWORD}

    @property
    def takes(self) -> str:
        """The parameters as a call would name them."""
        plain = [p.replace(annotation=p.empty) for p in self.parameters]
        return str(inspect.Signature(plain))[1:-1]

    def placed(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Arguments given by place, of their kinds."""
        count = len(self.places)
        kinds = [*self.places, *(self.rest_kind,) * (len(args) - count)]
        pairs = zip(args, kinds, strict=False)
        checked = [v if k is None else k.of(v, self.name) for v, k in pairs]
        return (*checked, *args[len(checked) :])

    def named(
        self, args: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments given by name, of their kinds and under the method's own names."""
        own_named: dict[str, Any] = {}
        for word, value in named.items():
            own = self.own(word)
            if own == self.rest and self.rest:
                if args:
                    raise ArgumentError(f"{self.name}: {word} is given twice, by place and by name")
                args = tuple(value) if isinstance(value, list | tuple) else (value,)
            elif own in own_named or (own != word and own in named):
                raise ArgumentError(f"{self.name}: {word} and {own} mean the same; give one")
            elif own in self.kinds or value is not None or word not in UNUSED:
                kind = self.kinds.get(own)
                own_named[own] = value if kind is None else kind.of(value, self.name)
        return args, own_named

    def explain(self, error: Exception, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Raise what says it better: a call that does not fit, a deep list, a huge number."""
        if isinstance(error, TypeError):
            try:
                self.signature.bind(*arguments, **named)
            except TypeError:
                raise self.miscalled(error) from None
        if isinstance(error, RecursionError):
            for value in (*arguments, *named.values()):
                check_depth(value)
        if type(error) is OverflowError:
            raise RangeError(f"{self.name}: {error}") from error

    def miscalled(self, error: TypeError) -> ArgumentError:
        """What to say of arguments that are too many, missing, or of no known name."""
        reason = str(error).partition("() ")[2] or str(error)
        more = f"; {INSTEAD[self.name]}" if self.name in INSTEAD else ""
        return ArgumentError(f"{self.name}: {reason}; expected {self.name}({self.takes}){more}")

    def own(self, word: str) -> str:
        """The method's own name of a parameter."""
        mine = self.named_ones
        if word in mine:
            return word
        return next((own for own in WORDS.get(word, ()) if own in mine), word)


def _name_method(error: UsageError) -> None:
    """Let a message begin with the method that the user called, unless it says so already."""
    method = calling()
    if method and method not in str(error):
        error.args = (f"{method}: {error}", *error.args[1:])


def _gated(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method behind its gate; the method itself if it needs none."""
    gate = _Gate(method)
    if not gate.kinds:
        return method
    plain = [None if kind is None else kind.plain for kind in gate.places]
    free = next((i for i, kinds in enumerate(plain) if kinds is not None), len(plain))
    if gate.rest_kind is None and free == len(plain):
        free = sys.maxsize  # arguments by place are not looked at

    first = (plain[free] if free < len(plain) else None) or frozenset()

    @wraps(method)
    def call(self: Any, /, *args: Any, **named: Any) -> Any:
        if named:
            args, named = gate.named(args, named)
        if len(args) > free and (args[free].__class__ not in first or len(args) > free + 1):
            for value, kinds in zip(args, plain):  # noqa: B905  # strict takes longer
                if kinds is not None and value.__class__ not in kinds:
                    args = gate.placed(args)
                    break
            else:
                if gate.rest_kind is not None:
                    args = gate.placed(args)
        try:
            return method(self, *args, **named)
        except UsageError as error:
            _name_method(error)
            raise
        except (TypeError, OverflowError, RecursionError) as error:
            gate.explain(error, (self, *args), named)
            raise

    return cast("Callable[..., Any]", named_after(method, call))


def renamed(function: FunctionType, name: str, qualified: str) -> FunctionType:
    """A function by another name, which tracebacks and the provenance of nodes show too."""
    told: dict[str, Any] = {"co_name": name}
    if hasattr(function.__code__, "co_qualname"):  # as of Python 3.11
        told["co_qualname"] = qualified
    code = function.__code__.replace(**told)
    copy = FunctionType(
        code, function.__globals__, name, function.__defaults__, function.__closure__
    )
    copy.__qualname__, copy.__doc__ = qualified, function.__doc__
    copy.__annotations__, copy.__kwdefaults__ = function.__annotations__, function.__kwdefaults__
    copy.__dict__.update(function.__dict__)  # what it wraps
    return copy


def guarded(cls: _Class) -> _Class:
    """A class whose public methods take arguments of the kinds that their annotations say."""
    named = {name: member for base in reversed(cls.__mro__) for name, member in vars(base).items()}
    for name, member in sorted(named.items()):
        if name == "__init__":
            member.__qualname__ = cls.__qualname__  # what Python says of a call that does not fit
        if name.startswith("_"):
            continue
        if isinstance(member, classmethod):
            gated = _gated(member.__func__)
            if gated is not member.__func__:
                setattr(cls, name, classmethod(gated))
        elif inspect.isfunction(member):
            gated = _gated(member)
            # what Python says of a call without a tensor names the class that users know
            gated.__qualname__ = f"{cls.__qualname__}.{member.__name__}"
            gated.__module__ = cls.__module__  # where pickle finds it by that name
            if gated is not member:
                setattr(cls, name, gated)
    return cls
