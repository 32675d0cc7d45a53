"""Layers, optimisers, and the state of models.

A model is any object; its state is the tensors found in its attributes, lists and dicts. Those that
require a gradient are trained: layers make their own parameters so.
"""

from rulewright.nn import lr_scheduler, optim, state, utils
from rulewright.nn.attention import MultiHeadAttention
from rulewright.nn.convolutions import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from rulewright.nn.layers import Dropout, Embedding, Linear, Sequential
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
    "InstanceNorm",
    "LSTMCell",
    "LayerNorm",
    "LayerNorm2d",
    "Linear",
    "MultiHeadAttention",
    "RMSNorm",
    "Sequential",
    "lr_scheduler",
    "optim",
    "state",
    "utils",
]
