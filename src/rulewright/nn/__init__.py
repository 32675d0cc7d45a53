"""Layers, optimisers, and the state of models.

A model is any object; its state is the tensors found in its attributes, lists and dicts. Those that
require a gradient are trained: layers make their own parameters so.
"""

from typing import TYPE_CHECKING

from rulewright.ir.expected import unknown_name
from rulewright.nn import lr_scheduler, methods, optim, state, utils
from rulewright.nn.attention import MultiHeadAttention
from rulewright.nn.convolutions import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from rulewright.nn.layers import Dropout, Embedding, Identity, Linear, PReLU, Sequential
from rulewright.nn.methods import *  # noqa: F403  # the layers of a table, listed there once
from rulewright.nn.names import OF_NN
from rulewright.nn.norms import (
    BatchNorm,
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    GroupNorm,
    InstanceNorm,
    LayerNorm,
    LayerNorm2d,
    RMSNorm,
)
from rulewright.nn.recurrent import GRU, LSTM, GRUCell, LSTMCell

__all__ = [
    "GRU",
    "LSTM",
    "BatchNorm",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "Dropout",
    "Embedding",
    "GRUCell",
    "GroupNorm",
    "Identity",
    "InstanceNorm",
    "LSTMCell",
    "LayerNorm",
    "LayerNorm2d",
    "Linear",
    "MultiHeadAttention",
    "PReLU",
    "RMSNorm",
    "Sequential",
    "lr_scheduler",
    "optim",
    "state",
    "utils",
]
__all__ += methods.__all__


if not TYPE_CHECKING:  # type checkers know the names there are

    def __getattr__(name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        raise unknown_name(f"module {__name__!r}", name, OF_NN, __all__)
