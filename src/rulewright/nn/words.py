"""PyTorch's words for arguments that layers, optimisers and schedules call otherwise, or have not.

An argument that has no meaning here is taken where it says what is done anyway, and refused with a
message where it asks for something else: what is ignored is nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rulewright.errors import UsageError
from rulewright.ir.expected import shown

WORDS: Mapping[str, str] = {
    "num_embeddings": "vocab_size",
    "embedding_dim": "embed_size",
    "normalized_shape": "dim",
    "encoder_layer": "layer",
    "decoder_layer": "layer",
}
"""PyTorch's words for arguments of layers, where the layer has no argument of that name."""

EITHER, ANYTHING = object(), object()
"""Stand for True, False and None, and for all values: the word says nothing about what is done."""

_LOOKED_UP: Mapping[str, Any] = {
    "max_norm": None, "norm_type": 2.0, "scale_grad_by_freq": False, "sparse": EITHER,
}  # fmt: skip
_TRANSPOSED: Mapping[str, Any] = {"padding_mode": "zeros"}
_INSTANCE: Mapping[str, Any] = {"track_running_stats": False, "momentum": ANYTHING}

UNUSED: Mapping[str, Mapping[str, Any]] = {
    "Embedding": _LOOKED_UP,
    "EmbeddingBag": _LOOKED_UP,
    **{f"ConvTranspose{rank}d": _TRANSPOSED for rank in (1, 2, 3)},
    **{f"InstanceNorm{rank}d": _INSTANCE for rank in (1, 2, 3)},
    "AdaptiveMaxPool1d": {"return_indices": False},
    "AdaptiveMaxPool2d": {"return_indices": False},
    "TransformerEncoder": {"enable_nested_tensor": EITHER, "mask_check": EITHER},
    "MultiHeadAttention": {"add_bias_kv": False, "add_zero_attn": False},
    "Optimizer": dict.fromkeys(("foreach", "fused", "capturable"), EITHER)
    | {"differentiable": False},
    "OneCycleLR": {"cycle_momentum": False},
    "CyclicLR": {"cycle_momentum": False, "scale_fn": None, "scale_mode": ANYTHING},
}
"""Words of a class, and of those made of it: the value that says what is done here anyway."""

INSTEAD: Mapping[str, str] = {
    "differentiable": "no gradient passes through a step; write new values as an expression, such "
    "as w - lr * x.gradient(w)[0]",
    "cycle_momentum": "the momentum stays; set optimizer.param_groups[0]['momentum'] in the loop",
    "max_norm": "renormalise the rows of weight after a step, inside no_grad()",
    "track_running_stats": "BatchNorm has running statistics",
    "padding_mode": "pad the input with Tensor.pad(…, mode=…)",
    "return_indices": "x.max_pool2d(…, return_indices=True)",
    "scale_fn": "LambdaLR takes a function",
}
"""What to write where something else is asked for."""


def own_word(word: str, known: Mapping[str, Any]) -> str:
    """What an argument is called here."""
    own = WORDS.get(word, word)
    return own if own in known and word not in known else word


def without_unused(
    kind: type, named: Mapping[str, Any], known: Mapping[str, Any]
) -> dict[str, Any]:
    """Arguments of a class by name, without those that say what is done anyway.

    Raises UsageError for one that says something else.
    """
    unused: dict[str, Any] = {}
    for above in reversed(kind.__mro__):
        unused |= UNUSED.get(above.__name__, {})
    kept = {}
    for word, value in named.items():
        if word in known or word not in unused:
            kept[word] = value
            continue
        wanted = unused[word]
        if not _fits(value, wanted):
            what = "True or False" if wanted is EITHER else f"{wanted!r}, for there is no other"
            text = f"{kind.__name__}: expected {word} as {what}, found {shown(value)}"
            text += f" of type {type(value).__name__}"
            raise UsageError(f"{text}; {INSTEAD[word]}" if word in INSTEAD else text)
    return kept


def _fits(value: Any, wanted: Any) -> bool:
    if wanted is ANYTHING or (wanted is EITHER and value is None):
        return True
    if wanted is EITHER or isinstance(wanted, bool):
        return isinstance(value, bool) and wanted in (EITHER, value)
    return value is wanted or (isinstance(value, float | int | str) and bool(value == wanted))
