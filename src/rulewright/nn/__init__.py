"""Layers, optimisers, and the state of models.

A model is any object; its state is the tensors found in its attributes, lists and dicts. Those that
require a gradient are trained: layers make their own parameters so.
"""

from typing import TYPE_CHECKING

from rulewright.nn import init, lr_scheduler, methods, optim, state, utils
from rulewright.nn.attention import MultiHeadAttention
from rulewright.nn.convolutions import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from rulewright.nn.layers import (
    Dropout,
    Dropout1d,
    Dropout2d,
    Dropout3d,
    Embedding,
    EmbeddingBag,
    Identity,
    Linear,
    PReLU,
)
from rulewright.nn.methods import *  # noqa: F403  # the layers of a table, listed there once
from rulewright.nn.multihead import MultiheadAttention
from rulewright.nn.names import OF_NN, unknown_in_module
from rulewright.nn.norms import (
    BatchNorm,
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    GroupNorm,
    InstanceNorm,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    LayerNorm,
    LayerNorm2d,
    RMSNorm,
)
from rulewright.nn.recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell
from rulewright.nn.sequential import Sequential
from rulewright.nn.transformer import (
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)

__all__ = [
    "GRU", "LSTM", "RNN", "BatchNorm", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Conv1d",
    "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "Dropout",
    "Dropout1d", "Dropout2d", "Dropout3d", "Embedding", "EmbeddingBag", "GRUCell", "GroupNorm",
    "Identity", "InstanceNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LSTMCell",
    "LayerNorm", "LayerNorm2d", "Linear", "MultiHeadAttention", "MultiheadAttention", "PReLU",
    "RMSNorm", "RNNCell", "Sequential", "TransformerDecoder", "TransformerDecoderLayer",
    "TransformerEncoder", "TransformerEncoderLayer", "init", "lr_scheduler", "optim", "state",
    "utils",
]  # fmt: skip
__all__ += methods.__all__


if not TYPE_CHECKING:  # type checkers know the names there are

    def __getattr__(name: str) -> object:
        raise unknown_in_module(__name__, name, OF_NN, __all__)
