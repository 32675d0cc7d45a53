"""L-BFGS: steps by curvature that is learnt from the last few steps, with a search along each."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rulewright.errors import UsageError
from rulewright.nn import arguments
from rulewright.nn.optimizer import Closure, Loss, Optimizer, Params
from rulewright.tensor.tensor import Tensor

if TYPE_CHECKING:
    Vector = np.ndarray[Any, np.dtype[np.float64]]

LEAST_CURVATURE = 1e-10
"""Pairs of a step and a change of the gradient whose product is not above this are not kept."""

DECREASE, FLATTER, MOST_TRIALS = 1e-4, 0.9, 25
"""Of the strong Wolfe conditions: which part of the expected decrease a step must have, and of the
slope it may leave; and how many lengths of a step are tried."""


class _Pair(NamedTuple):
    """A step, and what the gradient became more by it."""

    step: Vector
    change: Vector

    @property
    def curvature(self) -> float:
        return float(self.step @ self.change)


class _Trial(NamedTuple):
    """A length of a step, the loss and the gradient there, and the loss's slope along the step."""

    length: float
    loss: float
    gradient: Vector
    slope: float


class LBFGS(Optimizer):
    """Quasi-Newton steps by the last `history_size` of them (Nocedal, 1980), as PyTorch's.

    `step(closure)` takes up to `max_iter` steps; the closure forgets gradients, computes the loss,
    calls `backward()` and returns the loss, up to `max_eval` times or so (1.25 `max_iter`). It
    ends early where no gradient is above `tolerance_grad`, or a step or what it gains is below
    `tolerance_change`. line_search_fn: "strong_wolfe" chooses lengths of steps by trials; without
    it they are `lr`, the first one at most 1 / the sum of the gradient's magnitudes.

    Directions are computed on the host in float64, and what it remembers is no part of its state.
    Raises UsageError for several groups of parameters.
    """

    def __init__(
        self, params: Params, lr: float | Tensor = 1.0, max_iter: int = 20,
        max_eval: int | None = None, tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9, history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:  # fmt: skip
        self.max_iter = arguments.whole("LBFGS", "max_iter", max_iter, 1)
        most = max_iter * 5 // 4 if max_eval is None else max_eval
        self.max_eval = arguments.whole("LBFGS", "max_eval", most, 1)
        self.tolerance_grad = arguments.number("LBFGS", "tolerance_grad", tolerance_grad, 0)
        self.tolerance_change = arguments.number("LBFGS", "tolerance_change", tolerance_change, 0)
        self.history_size = arguments.whole("LBFGS", "history_size", history_size, 1)
        if line_search_fn not in (None, "strong_wolfe"):
            expected = "None or 'strong_wolfe'"
            raise arguments.wrong("LBFGS", "line_search_fn", expected, line_search_fn)
        self.line_search_fn = line_search_fn
        super().__init__(params, lr)
        self._pairs: deque[_Pair] = deque()
        self._last: tuple[Vector, Vector] | None = None  # the last step, the gradient before it

    def add_param_group(self, param_group: Mapping[str, Any]) -> None:
        """Raise UsageError: all parameters are one vector."""
        raise UsageError("LBFGS: all parameters are one group: pass them as one list")

    def update(self) -> list[Tensor]:
        """Raise UsageError: steps hang on numbers, which have to be computed."""
        raise UsageError("LBFGS: a step asks for losses on the way: call step(closure)")

    def step(self, closure: Closure | None = None) -> Loss:
        """Up to `max_iter` steps; the loss before them. Raises UsageError without a closure, and
        if no parameter has a gradient."""
        if closure is None or not callable(closure):
            expected = "a function that computes the loss, calls backward() and returns it"
            raise arguments.wrong("LBFGS.step", "closure", expected, closure)
        before = self._called(closure)
        _Minimising(self, closure, before).run()
        return before

    def _called(self, closure: Closure) -> Loss:
        with Tensor.enable_grad():
            loss = closure()
        if not self._parts():
            raise self._nothing()
        return loss

    # ---- parameters as one vector ---------------------------------------------------------

    def _gathered(self, tensors: list[Tensor | None]) -> Vector:
        zeros = [np.zeros(int(p.numel())) for p in self.params]
        flat = [
            zero if t is None else t.detach().numpy().astype(np.float64).reshape(-1)
            for t, zero in zip(tensors, zeros, strict=True)
        ]
        return np.concatenate(flat)

    def _spread(self, values: Vector) -> None:
        sizes = [int(p.numel()) for p in self.params]
        parts = np.split(values, np.cumsum(sizes)[:-1])
        for parameter, part in zip(self.params, parts, strict=True):
            if parameter._requires_grad:
                new = Tensor(part, device=parameter.device).reshape(parameter.shape)
                parameter.assign(new.cast(parameter.dtype))
        self.params[0].realize(*self.params[1:])

    # ---- curvature ------------------------------------------------------------------------

    def _direction(self, gradient: Vector) -> Vector:
        """Minus the gradient times the inverse of what is known of the curvature."""
        if self._last is None:
            return -gradient
        step, before = self._last
        pair = _Pair(step, gradient - before)
        if pair.curvature > LEAST_CURVATURE:
            self._pairs.append(pair)
            while len(self._pairs) > self.history_size:
                self._pairs.popleft()
        direction, shares = -gradient, []
        for pair in reversed(self._pairs):
            shares.append(float(pair.step @ direction) / pair.curvature)
            direction = direction - shares[-1] * pair.change
        if self._pairs:
            newest = self._pairs[-1]
            direction = direction * (newest.curvature / float(newest.change @ newest.change))
        for pair in self._pairs:
            share = float(pair.change @ direction) / pair.curvature
            direction = direction + (shares.pop() - share) * pair.step
        return direction


class _Minimising:
    """The steps of one call of `LBFGS.step`."""

    def __init__(self, owner: LBFGS, closure: Closure, loss: Loss) -> None:
        self.owner, self.closure, self.calls = owner, closure, 1
        self.place = owner._gathered([*owner.params])
        self.here = self._read(0.0, loss, None)

    def _read(self, length: float, loss: Loss, direction: Vector | None) -> _Trial:
        value = float(loss.item() if isinstance(loss, Tensor) else loss)
        gradient = self.owner._gathered([p.grad for p in self.owner.params])
        slope = 0.0 if direction is None else float(gradient @ direction)
        return _Trial(length, value, gradient, slope)

    def _tried(self, direction: Vector, length: float) -> _Trial:
        """The loss behind a step from the place where it is."""
        self.owner._spread(self.place + length * direction)
        self.calls += 1
        return self._read(length, self.owner._called(self.closure), direction)

    def run(self) -> None:
        """Take steps until one of the limits is reached."""
        owner, rate = self.owner, float(self.owner.lr.item())
        for number in range(owner.max_iter):
            gradient = self.here.gradient
            if abs(gradient).max(initial=0.0) <= owner.tolerance_grad:
                return
            is_first = owner._last is None
            direction = owner._direction(gradient)
            slope = float(gradient @ direction)
            if not slope < -owner.tolerance_change:
                owner._last = None if is_first else (0 * direction, gradient)
                return
            before = self.here.loss
            start = self.here._replace(length=0.0, slope=slope)
            length = rate * min(1.0, 1.0 / float(abs(gradient).sum())) if is_first else rate
            is_last = number == owner.max_iter - 1
            step = self._moved(start, direction, length, is_last) * direction
            owner._last = step, gradient
            self.place = self.place + step
            gained = abs(self.here.loss - before)
            short = abs(step).max() <= owner.tolerance_change
            if short or gained < owner.tolerance_change or self.calls >= owner.max_eval:
                return

    def _moved(self, start: _Trial, direction: Vector, length: float, is_last: bool) -> float:
        """Take a step; how much of the direction it is."""
        if self.owner.line_search_fn is not None:
            self.here = _searched(lambda t: self._tried(direction, t), start, length)
            self.owner._spread(self.place + self.here.length * direction)
            return self.here.length
        if is_last:  # nobody asks for the loss there
            self.owner._spread(self.place + length * direction)
        else:
            self.here = self._tried(direction, length)
        return length


# ---- a search along a line -----------------------------------------------------------------------


def _searched(trial: Callable[[float], _Trial], start: _Trial, length: float) -> _Trial:
    """A step that decreases the loss enough and leaves little slope: the strong Wolfe conditions
    (Nocedal and Wright, "Numerical Optimization", 3.5 and 3.6), or the best of `MOST_TRIALS`."""
    low = last = start
    for number in range(MOST_TRIALS):
        now = trial(length)
        if _is_too_high(now, start) or (number > 0 and now.loss >= last.loss):
            return _narrowed(trial, start, last, now, MOST_TRIALS - number - 1)
        if abs(now.slope) <= -FLATTER * start.slope:
            return now
        low = now if now.loss <= low.loss else low
        if now.slope >= 0:
            return _narrowed(trial, start, now, last, MOST_TRIALS - number - 1)
        longest, shortest = 10 * length, length + 0.01 * (length - last.length)
        length = min(max(_lowest(last, now, longest), shortest), longest)
        last = now
    return low


def _narrowed(
    trial: Callable[[float], _Trial], start: _Trial, low: _Trial, other: _Trial, trials: int
) -> _Trial:
    """The same between two lengths, of which `low` has the lower loss and slopes to the other."""
    for _ in range(trials):
        first, last = sorted((low.length, other.length))
        width = last - first
        if width * max(abs(low.gradient).max(initial=0.0), 1.0) < 1e-12:
            break
        inside = _lowest(low, other, (first + last) / 2)
        now = trial(min(max(inside, first + 0.1 * width), last - 0.1 * width))
        if _is_too_high(now, start) or now.loss >= low.loss:
            other = now
            continue
        if abs(now.slope) <= -FLATTER * start.slope:
            return now
        if now.slope * (other.length - low.length) >= 0:
            other = low
        low = now
    return low


def _is_too_high(now: _Trial, start: _Trial) -> bool:
    """Whether a loss, which may be NaN, is not low enough for the length of its step."""
    return not now.loss <= start.loss + DECREASE * now.length * start.slope


def _lowest(a: _Trial, b: _Trial, otherwise: float) -> float:
    """Where the cubic with two losses and slopes is lowest; `otherwise` where it is nowhere."""
    if not all(map(math.isfinite, (a.loss, b.loss, a.slope, b.slope))) or a.length == b.length:
        return otherwise
    a, b = sorted((a, b), key=lambda t: t.length)
    mean = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.length - b.length)
    inner = mean * mean - a.slope * b.slope
    if inner < 0:
        return otherwise
    root = math.sqrt(inner)
    below = b.slope - a.slope + 2 * root
    if below == 0:
        return otherwise
    return b.length - (b.length - a.length) * (b.slope + root - mean) / below
