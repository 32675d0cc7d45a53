"""What all optimisers have in common, and several of them as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

from rulewright.collector import without_gc
from rulewright.errors import UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.nn import arguments
from rulewright.nn.names import OF_OPTIMIZERS, Hinting
from rulewright.nn.recorded import Recorded
from rulewright.runtime.memories import is_written
from rulewright.tensor.history import LEAF
from rulewright.tensor.kinds import accumulator
from rulewright.tensor.tensor import Tensor

_recorded: WeakKeyDictionary[Optimizer, Recorded] = WeakKeyDictionary()
"""What the steps of each do."""


class Optimizer(Hinting):
    """What all optimisers have: parameters, a learning rate, and their own state.

    params: tensors, such as `nn.state.get_parameters(model)`. Those that require a gradient are
    trained, and of these in each step those that have one: the others are passed over, until they
    require one again, as in PyTorch. What an optimiser remembers is kept in float32 or wider, and
    `nn.state.get_state_dict` finds it.

    Raises UsageError if no parameter requires a gradient, for a parameter that is computed from
    others, and for a learning rate that is negative or not finite.

    A subclass says in `_change` what a value loses; it may assign to its own tensors, which
    `_state` lists.
    """

    ELSEWHERE = OF_OPTIMIZERS
    _is_recorded = False
    """Whether the code of this very class does the same as long as its settings are the same."""

    def __init__(self, params: Iterable[Tensor], lr: float | Tensor) -> None:
        self.params = self._parameters(params)
        self.device = self.params[0].device
        wide = any(p.dtype is dtypes.f64 for p in self.params)
        self.scalars = dtypes.f64 if wide else dtypes.f32  # whatever the default float is
        rate = self._rate(lr)
        vars(self)["lr"] = rate.clone() if isinstance(lr, Tensor) else rate

    def _parameters(self, params: Iterable[Tensor]) -> list[Tensor]:
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

    def members(self) -> list[Optimizer]:
        """The optimisers of which this one consists, each with a rate of its own: itself."""
        return [self]

    def set_lr(self, lr: float | Tensor) -> None:
        """Use another learning rate from now on.

        Raises UsageError for a number that is negative or not finite.
        """
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

    # ---- steps ----------------------------------------------------------------------------

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget all gradients; without `set_to_none` make those that there are zero."""
        none = arguments.flag(type(self).__name__, "set_to_none", set_to_none)
        for parameter in self.params:
            if none:
                parameter.grad = None
            elif parameter.grad is not None:
                parameter.grad = parameter.grad.zeros_like()

    @without_gc()
    def update(self) -> list[Tensor]:
        """Assign new values to parameters and state, without running; the tensors assigned to.

        Raises UsageError if no parameter has a gradient.
        """
        places = self._places()
        if not places:
            raise self._nothing()
        return self._updated(places)

    def _places(self) -> list[int]:
        """Which parameters are trained in this step."""
        pairs = enumerate(self.params)
        return [i for i, p in pairs if p._requires_grad and p.grad is not None]

    def _nothing(self) -> UsageError:
        which = f"{type(self).__name__}: none of {len(self.params)} parameters"
        if not any(p._requires_grad for p in self.params):
            return UsageError(
                f"{which} requires a gradient: call requires_grad_() on what shall be trained"
            )
        return UsageError(
            f"{which} has a gradient: call backward() on a loss that depends on one of them "
            "before step()"
        )

    def _updated(self, places: list[int]) -> list[Tensor]:
        chosen = [self.params[place] for place in places]
        changed = [*chosen, self.lr, *self._state(places)]

        def step() -> None:
            self._begin(places)
            for place in places:
                self._move(place)

        if vars(type(self)).get("_is_recorded"):
            gradients: list[Any] = [p.grad for p in chosen]
            recorded = _recorded.setdefault(self, Recorded())
            recorded.run(step, [*changed, *gradients], (*places, *self._settings()))
        else:
            step()
        return changed

    def _settings(self) -> Iterator[str]:
        """What it has that is not a tensor."""
        for name, value in vars(self).items():
            first = value[0] if isinstance(value, list) and value else value
            if not isinstance(first, Tensor):
                yield f"{name}={value!r}"

    def _move(self, place: int) -> None:
        """Assign a new value to a parameter."""
        parameter = self.params[place]
        gradient, value = _gradient_of(parameter), parameter.detach()
        wide = value.cast(accumulator(value.dtype))
        change = self._change(place, wide, gradient.cast(wide.dtype))
        parameter.assign((wide - change).reshape(value.shape).cast(value.dtype))

    def step(self) -> None:
        """One update, computed now. Raises UsageError if no parameter has a gradient.

        What is not in memory yet, as it mostly is before the first step, is computed apart: thus
        the schedule of the first step serves later ones.
        """
        self._fill()
        first, *rest = self.update()
        first.realize(*rest)

    def _fill(self) -> None:
        """Compute what a step writes, as far as it never was in memory."""
        places = self._places()
        written = [*[self.params[place] for place in places], *self._state(places)]
        waiting = [
            t for t in written if t.uop.base.op is not Ops.BUFFER or not is_written(t.uop.base)
        ]
        if waiting:
            waiting[0].realize(*waiting[1:])

    def schedule_step(self) -> list[Tensor]:
        """tinygrad's word for `update`: `loss.realize(*optimiser.schedule_step())`."""
        return self.update()

    def _state(self, places: list[int]) -> list[Tensor]:
        """What is assigned to besides the parameters at some places."""
        return []

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

    def set_lr(self, lr: float | Tensor) -> None:
        """Use another learning rate in all of them; see `Optimizer.set_lr`."""
        for optimizer in self.optimizers:
            optimizer.set_lr(lr)

    def _places(self) -> list[int]:
        return [i for i, o in enumerate(self.optimizers) if o._places()]

    def _fill(self) -> None:
        for optimizer in self.optimizers:
            optimizer._fill()

    def _updated(self, places: list[int]) -> list[Tensor]:
        return [t for place in places for t in self.optimizers[place].update()]


def _gradient_of(parameter: Tensor) -> Tensor:
    gradient: Any = parameter.grad
    detached: Tensor = gradient.detach()
    return detached
