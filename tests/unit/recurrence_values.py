"""What a step of a recurrent cell gives, in float64."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rulewright import nn

Weights = Mapping[str, np.ndarray]


def weights(cell: Any) -> Weights:
    """The state of a cell."""
    return {k: v.numpy().astype(np.float64) for k, v in nn.state.get_state_dict(cell).items()}


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def rnn_step(cell: Weights, x: np.ndarray, h: np.ndarray) -> np.ndarray:
    """The next h of an RNNCell with biases and tanh."""
    return np.tanh(sum(_sums(cell, x, h)))


def lstm_step(
    cell: Weights, x: np.ndarray, h: np.ndarray, c: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The next (h, c) of an LSTMCell with biases."""
    of_input, of_state = _sums(cell, x, h)
    i, f, g, o = np.split(of_input + of_state, 4, -1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def gru_step(cell: Weights, x: np.ndarray, h: np.ndarray) -> np.ndarray:
    """The next h of a GRUCell with biases."""
    (ar, az, an), (br, bz, bn) = (np.split(sums, 3, -1) for sums in _sums(cell, x, h))
    z = sigmoid(az + bz)
    return (1 - z) * np.tanh(an + sigmoid(ar + br) * bn) + z * h


def _sums(cell: Weights, x: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the input and the state add to the gates."""
    return (
        x @ cell["weight_ih"].T + cell["bias_ih"],
        h @ cell["weight_hh"].T + cell["bias_hh"],
    )
