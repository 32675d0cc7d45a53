"""Layers, optimisers, and the state of models.

A model is any object; its parameters are the tensors found in its attributes, lists and dicts.
"""

from rulewright.nn import optim, state
from rulewright.nn.layers import (
    BatchNorm,
    BatchNorm2d,
    Conv2d,
    Embedding,
    LayerNorm,
    Linear,
)

__all__ = [
    "BatchNorm",
    "BatchNorm2d",
    "Conv2d",
    "Embedding",
    "LayerNorm",
    "Linear",
    "optim",
    "state",
]
