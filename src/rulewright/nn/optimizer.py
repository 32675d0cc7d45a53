"""What all optimisers have in common, and several of them as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from rulewright.collector import without_gc
from rulewright.driver.capture import recorder
from rulewright.errors import DeviceError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.nn import arguments
from rulewright.nn.groups import PLAIN, ParamGroup, of_groups
from rulewright.nn.names import OF_OPTIMIZERS, Hinting
from rulewright.nn.recorded import Recorded
from rulewright.runtime.memories import is_written
from rulewright.tensor.history import LEAF
from rulewright.tensor.kinds import accumulator
from rulewright.tensor.tensor import Tensor

_recorded: WeakKeyDictionary[Optimizer, Recorded] = WeakKeyDictionary()
"""What the steps of each do."""

_RECORDED = ("rulewright.nn.optim", "rulewright.nn.optim_signs")
"""Where the classes are whose code does the same as long as their settings are the same."""

Params = Iterable[Tensor] | Iterable[Mapping[str, Any]]
"""Parameters, or groups of them."""


Loss = Tensor | float
Closure = Callable[[], Loss]


def decayed(gradient: Tensor, value: Tensor, decay: float) -> Tensor:
    """A gradient, or a step, and so much of the value."""
    return gradient + decay * value if decay else gradient


class _Trained(NamedTuple):
    """Which parameters of an optimiser, the `number`th of its group, are trained in a step."""

    number: int
    optimizer: Optimizer
    places: list[int]


def _check_devices(parts: list[_Trained]) -> None:
    """What an optimiser remembers lies where its first parameter was."""
    for _, optimizer, places in parts:
        for place in places:
            here, there = optimizer.device, optimizer.params[place].device
            if here != there and isinstance(here, str) and isinstance(there, str):
                raise DeviceError(
                    f"{type(optimizer).__name__}: parameter {place} is on {there}, and what the "
                    f"optimiser remembers on {here}; make an optimiser for each device, after "
                    "parameters were moved"
                )


class Optimizer(Hinting):
    """What all optimisers have: parameters, a learning rate, and their own state.

    params: tensors, such as `nn.state.get_parameters(model)`. Those that require a gradient are
    trained, and of these in each step those that have one: the others are passed over, until they
    require one again, as in PyTorch. What an optimiser remembers is kept in float32 or wider, and
    `nn.state.get_state_dict` finds it. Or several dicts, each with its "params" and with arguments
    of the optimiser that are other for these, such as "lr": see `param_groups`.

    maximize: go up rather than down. PyTorch's `foreach`, `fused` and `capturable` say how it
    computes a step; here each step is one schedule, and they say nothing.

    Raises UsageError if no parameter requires a gradient, for a parameter that is computed from
    others, for a learning rate that is negative or not finite, and for `differentiable`.

    A subclass says in `_change` what a value loses; it may assign to its own tensors.
    """

    ELSEWHERE = OF_OPTIMIZERS

    def __init_subclass__(cls) -> None:
        if "__init__" in vars(cls):  # one of a user's takes groups too, though it does not say so
            cls.__init__ = of_groups(vars(cls)["__init__"])  # type: ignore[method-assign]
        super().__init_subclass__()

    @of_groups
    def __init__(self, params: Params, lr: float | Tensor, *, maximize: bool = False) -> None:
        self.maximize = arguments.flag(type(self).__name__, "maximize", maximize)
        self.params = self._parameters(params)
        self.device = self.params[0].device
        wide = any(p.dtype is dtypes.f64 for p in self.params)
        self.scalars = dtypes.f64 if wide else dtypes.f32  # whatever the default float is
        rate = self._rate(lr)
        vars(self)["lr"] = rate.clone() if isinstance(lr, Tensor) else rate

    def _parameters(self, params: Params) -> list[Tensor]:
        name = type(self).__name__
        parameters = arguments.tensors(name, "params", params)
        if not parameters:
            raise UsageError(f"{name}: an optimiser needs one parameter or more, found none")
        if any(p.requires_grad and p._requires_grad != LEAF for p in parameters):
            raise UsageError(
                f"{name}: a parameter is computed from others that require a gradient; train "
                "these, or detach() it first"
            )
        if not any(p._requires_grad for p in parameters):
            raise UsageError(
                f"{name}: none of {len(parameters)} parameters requires a gradient, so that "
                "nothing would be trained; create what shall be trained with "
                "requires_grad=True, or call requires_grad_() on it"
            )
        return parameters

    # ---- the learning rate ----------------------------------------------------------------

    @property
    def lr(self) -> Tensor:
        """The learning rate, a tensor of one element. It may be set to a number, or to a tensor of
        one element, between steps: no new kernels are needed for that."""
        rate: Tensor = vars(self)["lr"]
        return rate

    @lr.setter
    def lr(self, value: float | Tensor) -> None:
        self.set_lr(value)

    def set_lr(self, lr: float | Tensor) -> None:
        """Use another learning rate from now on, in all groups.

        Raises UsageError for a number that is negative or not finite.
        """
        for each in self.members():
            each._set_own_lr(lr)

    def _set_own_lr(self, lr: float | Tensor) -> None:
        if lr is not self.lr:
            self.lr.assign(self._rate(lr))

    def _rate(self, lr: float | Tensor) -> Tensor:
        name = type(self).__name__
        if not isinstance(lr, Tensor):
            value = arguments.number(name, "lr", lr, 0)
            return Tensor([value], self.scalars, self.device)
        if lr.numel() != 1:
            raise arguments.wrong(name, "lr", "a number, or a tensor of one element", lr)
        return lr.detach().reshape(1).to(self.device).cast(self.scalars)

    # ---- groups ---------------------------------------------------------------------------

    def members(self) -> list[Optimizer]:
        """The optimisers of which this one consists, each with a rate of its own: itself, and one
        for each group of parameters that was added."""
        return [self, *vars(self).get("added_groups", ())]

    @property
    def param_groups(self) -> list[ParamGroup]:
        """Parameters and settings of each group, which may be set, as in PyTorch:
        `optimizer.param_groups[0]["lr"] = 0.1`."""
        return [ParamGroup(each) for each in self.members()]

    def add_param_group(self, param_group: Mapping[str, Any]) -> None:
        """Train other parameters too: a dict of "params", and of arguments that are other for them.

        Raises UsageError for parameters that are trained already, and for what the optimiser itself
        refuses.
        """
        name = f"{type(self).__name__}.add_param_group"
        alike = vars(self).get("_alike")
        if alike is None:
            raise UsageError(f"{name}: make another {type(self).__name__}, with these beside")
        arguments.named(name, "param_group", param_group, object, "value")
        group = alike(**{**param_group})
        own = {id(p) for each in self.members() for p in each.params}
        if any(id(p) in own for p in group.params):
            raise UsageError(f"{name}: a parameter is in another group already")
        vars(self).setdefault("added_groups", []).append(group)

    # ---- steps ----------------------------------------------------------------------------

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget all gradients; without `set_to_none` make those that there are zero."""
        none = arguments.flag(type(self).__name__, "set_to_none", set_to_none)
        for parameter in (p for each in self.members() for p in each.params):
            if none:
                parameter.grad = None
            elif parameter.grad is not None:
                parameter.grad = parameter.grad.zeros_like()

    @without_gc()
    def update(self) -> list[Tensor]:
        """Assign new values to parameters and state, without running; the tensors assigned to.

        Raises UsageError if no parameter has a gradient, and in a jitted function for one that is
        passed to it too; DeviceError for one that has moved.
        """
        self._check_passed()
        parts = self._parts()
        if not parts:
            raise self._nothing()
        _check_devices(parts)
        chosen = [o.params[place] for _, o, places in parts for place in places]
        kept = [t for _, o, places in parts for t in (o.lr, *o._state(places))]

        def step() -> None:
            for _, optimizer, places in parts:
                optimizer._begin(places)
                for place in places:
                    optimizer._move(place)

        if all(type(o).__module__ in _RECORDED for _, o, _ in parts):
            gradients: list[Any] = [p.grad for p in chosen]
            facts = tuple([(number, *places, *o._settings()) for number, o, places in parts])
            recorded = _recorded.setdefault(self, Recorded())
            recorded.run(step, [*chosen, *kept, *gradients], facts)
        else:
            step()
        return [*chosen, *kept]

    def _check_passed(self) -> None:
        """A tensor that stands for an argument has the gradients that this optimiser would need."""
        noted = recorder()
        if noted is None:
            return
        for place, parameter in enumerate(p for each in self.members() for p in each.params):
            if id(parameter) in noted.passed and parameter._requires_grad:
                raise UsageError(
                    f"{type(self).__name__}: parameter {place} is also passed to the jitted "
                    "function, where another tensor has its gradient; pass none that the optimiser "
                    "holds"
                )

    def _parts(self) -> list[_Trained]:
        """Which parameters are trained in this step."""
        parts = [
            _Trained(number, each, [place for place, p in enumerate(each.params) if _is_trained(p)])
            for number, each in enumerate(self.members())
        ]
        return [part for part in parts if part.places]

    def _nothing(self) -> UsageError:
        params = [p for each in self.members() for p in each.params]
        which = f"{type(self).__name__}: none of {len(params)} parameters"
        if not any(p._requires_grad for p in params):
            return UsageError(
                f"{which} requires a gradient: call requires_grad_() on what shall be trained"
            )
        return UsageError(
            f"{which} has a gradient: call backward() on a loss that depends on one of them "
            "before step()"
        )

    def _settings(self) -> Iterator[str]:
        """What it has that is not a tensor."""
        for name, value in vars(self).items():
            if not name.startswith("_") and isinstance(value, PLAIN):
                yield f"{name}={value!r}"

    def _move(self, place: int) -> None:
        """Assign a new value to a parameter."""
        parameter = self.params[place]
        gradient, value = _gradient_of(parameter), parameter.detach()
        gradient = -gradient if self.maximize else gradient
        wide = value.cast(accumulator(value.dtype))
        change = self._change(place, wide, gradient.cast(wide.dtype))
        parameter.assign((wide - change).reshape(value.shape).cast(value.dtype))

    def step(self, closure: Closure | None = None) -> Loss | None:
        """One update, computed now. Raises UsageError if no parameter has a gradient.

        closure: is called before; it computes the loss, calls `backward()` and returns the loss,
        which is given back. What is not in memory yet, as it mostly is before the first step, is
        computed apart: thus the schedule of the first step serves later ones.
        """
        loss: Loss | None = None
        if closure is not None:
            with Tensor.enable_grad():
                loss = arguments.called(type(self).__name__, "closure", closure)()
        self._fill()
        first, *rest = self.update()
        first.realize(*rest)
        return loss

    def _fill(self) -> None:
        """Compute what a step writes, as far as it never was in memory."""
        written = [
            tensor
            for _, each, places in self._parts()
            for tensor in (*[each.params[place] for place in places], *each._state(places))
        ]
        waiting = [
            t for t in written if t.uop.base.op is not Ops.BUFFER or not is_written(t.uop.base)
        ]
        if waiting:
            waiting[0].realize(*waiting[1:])

    def schedule_step(self) -> list[Tensor]:
        """tinygrad's word for `update`: `loss.realize(*optimiser.schedule_step())`."""
        return self.update()

    def _state(self, places: list[int]) -> list[Tensor]:
        """What it has besides parameters at some places and the rate: its tensors, and those of
        its lists of one for each parameter."""
        own = [v for k, v in vars(self).items() if k not in ("params", "lr")]
        lists = [v for v in own if isinstance(v, list) and len(v) == len(self.params)]
        each = [v[place] for v in lists for place in places if isinstance(v[place], Tensor)]
        return [*[v for v in own if isinstance(v, Tensor)], *each]

    def _begin(self, places: list[int]) -> None:
        """Assign to what all parameters share, before the first of them."""

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        raise TypeError(f"{type(self).__name__} does not say how it updates")

    def _zeros(self) -> list[Tensor]:
        """Zeros like each parameter, float32 for narrow ones."""
        kinds = [accumulator(p.dtype) for p in self.params]
        return [
            p.zeros_like(dtype=kind, device=p.device).clone()
            for p, kind in zip(self.params, kinds, strict=True)
        ]


class OptimizerGroup(Optimizer):
    """Several optimisers, each with parameters of its own, as one."""

    def __init__(self, *optimizers: Optimizer) -> None:
        if not optimizers:
            raise UsageError("an optimiser group needs one optimiser or more, found none")
        members: tuple[object, ...] = optimizers
        for place, each in enumerate(members):
            if not isinstance(each, Optimizer):
                name = f"optimizers[{place}]"
                raise arguments.wrong("OptimizerGroup", name, "an optimiser", each)
        self.optimizers = optimizers
        self.params = [p for o in optimizers for p in o.params]
        self.device = optimizers[0].device
        vars(self)["lr"] = optimizers[0].lr

    def __getitem__(self, place: int) -> Optimizer:
        return self.optimizers[place]

    def members(self) -> list[Optimizer]:
        """See `Optimizer.members`."""
        return [each for o in self.optimizers for each in o.members()]


def _is_trained(parameter: Tensor) -> bool:
    return bool(parameter._requires_grad) and parameter.grad is not None


def _gradient_of(parameter: Tensor) -> Tensor:
    gradient: Any = parameter.grad
    detached: Tensor = gradient.detach()
    return detached
