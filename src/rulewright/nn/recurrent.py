"""Recurrent layers: cells of one step, and whole sequences of steps."""

from __future__ import annotations

import math
from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar

from rulewright.nn import arguments
from rulewright.nn.layers import Layer, facts, uniform
from rulewright.tensor.function import Once
from rulewright.tensor.tensor import Tensor

FEW = 24
"""Steps from which on scheduling them once is worth more than memory that all of them share."""
TURNED_BITS = 32
"""Of numbers that so many steps multiply by from which on they are turned once, for all steps:
tensor cores take pairs of shorter ones as they are turned."""

MOST_LAYERS = 1024
_TENSORS = ("weight_", "bias_")
"""What the names of a recurrent layer's tensors begin with."""
State = Any  # a tensor, or for an LSTM a pair of them


class _Cell(Layer):
    """weight_ih (gates * hidden, input), weight_hh (gates * hidden, hidden) and two biases, all
    begun uniform in ±1/sqrt(hidden), as in PyTorch."""

    gates = 1
    _gated: ClassVar[Any]
    """The next state, given what goes into the gates and the state: a function of tensors alone."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True) -> None:
        name = type(self).__name__
        self.input_size = arguments.whole(name, "input_size", input_size)
        self.hidden_size = arguments.whole(name, "hidden_size", hidden_size, 1)
        bias = arguments.flag(name, "bias", bias)
        rows, bound = self.gates * hidden_size, 1 / math.sqrt(hidden_size)
        self.weight_ih = uniform(bound, rows, input_size)
        self.weight_hh = uniform(bound, rows, self._state_size())
        self.bias_ih = uniform(bound, rows) if bias else None
        self.bias_hh = uniform(bound, rows) if bias else None

    def _state_size(self) -> int:
        """Elements of the state that is given out."""
        return self.hidden_size

    def _check(self, x: Tensor, **states: Tensor) -> None:
        name = type(self).__name__
        arguments.sized(name, x, "…", self.input_size)
        for which, state in states.items():
            arguments.sized(name, state, *x.shape[:-1], self.hidden_size, name=which)

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        bias = self.bias_ih is not None
        return facts(self.input_size, self.hidden_size, bias=(bias, True))

    def _begin(self, x: Tensor) -> State:
        """The state (…, hidden_size) before the first step, for inputs of this batch: zeros."""
        return self._zeros(x, self._state_size())

    @staticmethod
    def _zeros(x: Tensor, size: int) -> Tensor:
        return Tensor.zeros(*x.shape[:-1], size, dtype=x.dtype, device=x.device)

    def _gates(self) -> Any:
        """What `_step` is given to compute gates by."""
        return self._gated

    def _of_input(self, x: Tensor) -> Tensor:
        """What inputs (…, input_size), of any number of steps, add to the gates of each."""
        return x.linear(self.weight_ih.T, self.bias_ih)

    def _of_state(self, h: Tensor) -> Tensor:
        """What the state (…, hidden_size) before a step adds to its gates."""
        return h.linear(self.weight_hh.T, self.bias_hh)


class _PlainCell(_Cell):
    """A cell whose state is one tensor h."""

    def __call__(self, x: Tensor, h: State = None) -> Tensor:
        """x (…, input_size) and h (…, hidden_size), or left out for zeros, give the next h.

        Raises ShapeError for another last axis.
        """
        self._check(x)
        h = self._begin(x) if h is None else h
        self._check(x, h=h)
        return self._step(self._of_input(x), h, self._gates())

    def _step(self, of_input: Tensor, h: State, gated: Any) -> Tensor:
        """The next h, given what the input adds; `gated` computes as this class's does."""
        state: Tensor = gated(of_input, self._of_state(h), h)
        return state


class RNNCell(_PlainCell):
    """One step of a plain recurrent network (Elman, 1990): the tanh or relu of what input and
    state add. Raises UsageError for another `nonlinearity`."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh"
    ) -> None:
        super().__init__(input_size, hidden_size, bias)
        name, words = type(self).__name__, ("tanh", "relu")
        self.nonlinearity = arguments.choice(name, "nonlinearity", nonlinearity, *words)

    def _gates(self) -> Any:
        return self._rectified if self.nonlinearity == "relu" else self._gated

    @staticmethod
    def _gated(a: Tensor, b: Tensor, h: Tensor) -> Tensor:
        return (a + b).tanh()

    @staticmethod
    def _rectified(a: Tensor, b: Tensor, h: Tensor) -> Tensor:
        return (a + b).relu()

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        shown = facts(nonlinearity=(self.nonlinearity, "tanh"))
        return f"{super().extra_repr()}, {shown}" if shown else super().extra_repr()


class LSTMCell(_Cell):
    """One step of long short-term memory (Hochreiter and Schmidhuber, 1997)."""

    gates = 4

    def _begin(self, x: Tensor) -> State:
        """The (h, c) before the first step."""
        return super()._begin(x), self._zeros(x, self.hidden_size)

    def __call__(self, x: Tensor, hc: State = None) -> tuple[Tensor, Tensor]:
        """x (…, input_size) and (h, c), each (…, hidden_size) or left out for zeros, give the
        next (h, c). Raises ShapeError for another last axis."""
        self._check(x)
        h, c = _pair("LSTMCell", hc) or self._begin(x)
        self._check(x, h=h, c=c)
        return self._step(self._of_input(x), (h, c), self._gates())

    def _step(self, of_input: Tensor, hc: State, gated: Any) -> tuple[Tensor, Tensor]:
        """The next (h, c), given what the input adds; `gated` computes as this class's does."""
        h, c = hc
        state: tuple[Tensor, Tensor] = gated(of_input + self._of_state(h), c)
        return state

    @staticmethod
    def _gated(sums: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """The next (h, c), given what goes into the gates (…, 4 * hidden_size)."""
        i, f, g, o = sums.chunk(4, dim=-1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c


class GRUCell(_PlainCell):
    """One step of a gated recurrent unit (Cho et al., 2014)."""

    gates = 3

    @staticmethod
    def _gated(a: Tensor, b: Tensor, h: Tensor) -> Tensor:
        (ar, az, an), (br, bz, bn) = (s.chunk(3, dim=-1) for s in (a, b))
        z = (az + bz).sigmoid()
        new = (an + (ar + br).sigmoid() * bn).tanh()
        return (1 - z) * new + z * h


class _ProjectedCell(LSTMCell):
    """An LSTMCell whose h is a product of what it would be and weight_hr (proj_size, hidden), as
    in PyTorch (Sak et al., 2014)."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool, proj_size: int) -> None:
        self.proj_size = proj_size
        super().__init__(input_size, hidden_size, bias)
        self.weight_hr = uniform(1 / math.sqrt(hidden_size), proj_size, hidden_size)

    def _state_size(self) -> int:
        return self.proj_size

    def _step(self, of_input: Tensor, hc: State, gated: Any) -> tuple[Tensor, Tensor]:
        h, c = super()._step(of_input, hc, gated)
        return h.linear(self.weight_hr.T), c


def _pair(owner: str, hc: State) -> tuple[Tensor, Tensor] | None:
    """The state of an LSTM, or None. Raises UsageError for what is no pair."""
    if hc is None:
        return None
    if not isinstance(hc, list | tuple) or len(hc) != 2:
        raise arguments.wrong(owner, "hc", "a pair of tensors (h, c)", hc)
    return hc[0], hc[1]


def _stacked(parts: list[Tensor], dim: int = 0) -> Tensor:
    return parts[0].stack(*parts[1:], dim=dim)


class _Recurrent(Layer):
    """Layers of cells over a sequence; the state's names are PyTorch's, "weight_ih_l0" and so on.

    Where it is `bidirectional`, each layer has a second cell, behind its first one in `cells`,
    that goes through the steps from the last to the first; outputs of both stand side by side.
    """

    cell: type[_Cell]

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
    ) -> None:  # fmt: skip
        name = type(self).__name__
        arguments.whole(name, "input_size", input_size)
        arguments.whole(name, "hidden_size", hidden_size, 1)
        self.num_layers = arguments.whole(name, "num_layers", num_layers, 1)
        if num_layers > MOST_LAYERS:
            expected = f"a whole number from 1 to {MOST_LAYERS}"
            raise arguments.wrong(name, "num_layers", expected, num_layers)
        bias = arguments.flag(name, "bias", bias)
        self.batch_first = arguments.flag(name, "batch_first", batch_first)
        self.dropout = arguments.number(name, "dropout", dropout, 0, 1)
        self.bidirectional = arguments.flag(name, "bidirectional", bidirectional)
        ways = 1 + int(bidirectional)
        self.cells: list[Any] = []
        for place in range(num_layers * ways):
            size = input_size if place < ways else self.cells[0]._state_size() * ways
            self.cells.append(self._cell_of(size, hidden_size, bias))

    def _cell_of(self, input_size: int, hidden_size: int, bias: bool) -> _Cell:
        return self.cell(input_size, hidden_size, bias)

    def _homes(self) -> dict[str, tuple[_Cell, str]]:
        """The cell and the name there of each tensor, by its name in a state."""
        if "cells" not in vars(self):  # of a class that sets its own before these are there
            return {}
        ways = 1 + int(self.bidirectional)
        return {
            f"{name}_l{place // ways}{'_reverse' * (place % ways)}": (cell, name)
            for place, cell in enumerate(self.cells)
            for name, tensor in vars(cell).items()
            if isinstance(tensor, Tensor)
        }

    def named_tensors(self) -> dict[str, Tensor]:
        """Its tensors by the names that they have in a state."""
        return {name: getattr(cell, own) for name, (cell, own) in self._homes().items()}

    if not TYPE_CHECKING:  # type checkers know the names there are

        def __getattr__(self, name: str) -> Any:
            """A tensor by its name in a state, as `weight_ih_l0`."""
            home = self._homes().get(name) if name.startswith(_TENSORS) else None
            return super().__getattr__(name) if home is None else getattr(*home)

        def __setattr__(self, name: str, value: Any) -> None:
            """Such a tensor is set where it is used."""
            home = self._homes().get(name) if name.startswith(_TENSORS) else None
            if home is None:
                super().__setattr__(name, value)
            else:
                setattr(*home, value)

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        first = self.cells[0]
        return facts(
            first.input_size, first.hidden_size, num_layers=(self.num_layers, 1),
            bias=(first.bias_ih is not None, True), batch_first=(self.batch_first, False),
            dropout=(self.dropout, 0.0), bidirectional=(self.bidirectional, False),
        )  # fmt: skip

    def _check(self, x: Tensor, **states: Tensor) -> bool:
        """Whether x has an axis of a batch. Raises ShapeError unless x and states, if they are
        given, fit."""
        name, first = type(self).__name__, self.cells[0]
        words = ("batch", "time") if self.batch_first else ("time", "batch")
        has_batch = arguments.tensor(name, "x", x).ndim != 2
        arguments.sized(name, x, *(words if has_batch else ("time",)), first.input_size)
        batch = [x.shape[words.index("batch")]] if has_batch else []
        sizes = {"h": first._state_size(), "c": first.hidden_size}
        for which, state in states.items():
            arguments.sized(name, state, len(self.cells), *batch, sizes[which], name=which)
        if x.shape[words.index("time") if has_batch else 0] == 0:
            raise arguments.wrong(name, "x", "one step or more", x)
        return has_batch

    def _outputs(self, x: Tensor, **states: Tensor) -> tuple[Tensor, list[Tensor]]:
        """Outputs of the last layer, and the last states, each (cells, …); `states` to begin
        with, if they are given. All without an axis of a batch where x has none."""
        has_batch = self._check(x, **states)
        axis = 1 - int(self.batch_first)
        known = [s if has_batch else s.unsqueeze(1) for s in states.values()]
        begin: list[State] = [None] * len(self.cells)
        if known:
            begin = [tuple([s[i] for s in known]) for i in range(len(self.cells))]
            begin = begin if len(known) > 1 else [state[0] for state in begin]
        outputs, ends = self._run(x if has_batch else x.unsqueeze(axis), begin)
        parts = zip(*[end if isinstance(end, tuple) else (end,) for end in ends], strict=True)
        last = [_stacked(list(part)) for part in parts]
        if not has_batch:
            return outputs.squeeze(axis), [state.squeeze(1) for state in last]
        return outputs, last

    def _run(self, x: Tensor, states: list[State]) -> tuple[Tensor, list[State]]:
        """Outputs of the last layer at each step, and the last state of each cell."""
        ways = 1 + int(self.bidirectional)
        for layer in range(self.num_layers):
            outputs = []
            for place in range(layer * ways, (layer + 1) * ways):
                output, states[place] = self._pass(x, place, states[place])
                outputs.append(output)
            x = outputs[0].cat(*outputs[1:], dim=-1)
            if self.dropout and layer < self.num_layers - 1:
                x = x.dropout(self.dropout)
        return x, states

    def _pass(self, x: Tensor, place: int, state: State) -> tuple[Tensor, State]:
        """Outputs of one cell at each step, and its last state."""
        axis, cell = int(self.batch_first), self.cells[place]
        turn = -1 if self.bidirectional and place % 2 else 1
        of_input = cell._of_input(x)
        steps = [of_input.select(axis, t) for t in range(int(x.shape[axis]))]
        gated = cell._gates()
        if len(steps) >= FEW:
            gated, weight = Once(gated), cell.weight_hh
            if weight.dtype.bits >= TURNED_BITS:
                cell = copy(cell)
                cell.weight_hh = weight.T.contiguous().T
        outputs = []
        for step in steps[::turn]:
            state = cell._step(step, cell._begin(step) if state is None else state, gated)
            outputs.append(state[0] if isinstance(state, tuple) else state)
        return _stacked(outputs[::turn], axis), state


class LSTM(_Recurrent):
    """Layers of `LSTMCell` over a sequence x (time, batch, input), or with `batch_first`
    (batch, time, input), or (time, input). `dropout` is between layers; `bidirectional` goes both
    ways; where `proj_size` is not 0, h has so many elements, products with weight_hr.

    Raises UsageError unless `proj_size` is below `hidden_size`.
    """

    cell = LSTMCell

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        proj_size: int = 0,
    ) -> None:  # fmt: skip
        self.proj_size = arguments.whole("LSTM", "proj_size", proj_size)
        size = arguments.whole("LSTM", "hidden_size", hidden_size, 1)
        if proj_size >= size:
            expected = f"a whole number from 0 to {size - 1}, below hidden_size"
            raise arguments.wrong("LSTM", "proj_size", expected, proj_size)
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional
        )

    def _cell_of(self, input_size: int, hidden_size: int, bias: bool) -> _Cell:
        if self.proj_size:
            return _ProjectedCell(input_size, hidden_size, bias, self.proj_size)
        return super()._cell_of(input_size, hidden_size, bias)

    def __call__(self, x: Tensor, hc: State = None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Outputs (time, batch, hidden) and the last (h, c), each (layers, batch, hidden); hc
        is such a pair to begin with. Both ways: (time, batch, 2 hidden) and (2 layers, …); of x
        without a batch all without it. Raises ShapeError for other shapes."""
        pair = _pair("LSTM", hc)
        states = {} if pair is None else {"h": pair[0], "c": pair[1]}
        outputs, (h, c) = self._outputs(x, **states)
        return outputs, (h, c)

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        shown = facts(proj_size=(self.proj_size, 0))
        return f"{super().extra_repr()}, {shown}" if shown else super().extra_repr()


class _Plain(_Recurrent):
    """Layers of cells whose state is one tensor."""

    def __call__(self, x: Tensor, h: State = None) -> tuple[Tensor, Tensor]:
        """Outputs (time, batch, hidden) and the last h (layers, batch, hidden).

        Both ways: (time, batch, 2 hidden) and (2 layers, …); of x (time, input) all without a
        batch. Raises ShapeError for other shapes.
        """
        outputs, (last,) = self._outputs(x, **({} if h is None else {"h": h}))
        return outputs, last


class GRU(_Plain):
    """Layers of `GRUCell` over a sequence; see `LSTM`."""

    cell = GRUCell


class RNN(_Plain):
    """Layers of `RNNCell` over a sequence; see `LSTM`."""

    cell = RNNCell

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh",
        bias: bool = True, batch_first: bool = False, dropout: float = 0.0,
        bidirectional: bool = False,
    ) -> None:  # fmt: skip
        self.nonlinearity = nonlinearity
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional
        )

    def _cell_of(self, input_size: int, hidden_size: int, bias: bool) -> _Cell:
        return RNNCell(input_size, hidden_size, bias, self.nonlinearity)
