"""Every argument of every public callable of `rulewright.nn`, and of `function`, refuses wrong
values at the call: the message names the callable, the argument, what was expected and what came.

A row of TABLE is a callable, arguments that are right, and for each argument the kinds of wrong
values. `test_every_argument_has_a_row` finds what has none.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from rulewright import Tensor, function, nn
from rulewright.errors import DeviceError, FunctionError, ShapeError, UsageError
from rulewright.nn import lr_scheduler, optim, state, utils


class Wrong(NamedTuple):
    """Wrong values, and what is said of each of them after the name of the argument."""

    values: tuple[Any, ...]
    message: str
    error: type[Exception] = UsageError


class Row(NamedTuple):
    """A callable, or what makes one, with arguments that are right, and which others are wrong."""

    call: Callable[..., Any]
    right: Callable[[], dict[str, Any]]
    wrong: dict[str, Wrong | tuple[Wrong, ...]]


NAN, INF = math.nan, math.inf
COUNT = Wrong((-1, 2.5, "2", None, True), " as a whole number of 0 or more, found ")
SIZE = Wrong((0, -1, 2.5, "2", None, True, Tensor(2)), " as a whole number of 1 or more, found ")
SEVERAL = Wrong((-1, 1.5, "3", None, (1, 2, 3, 4, 5, 6, 7)), " must be a whole number of ")
FLAG = Wrong((2, "yes", None, 1.0, Tensor(1)), " as True or False, found ")
KNOWN = Wrong((0, -1, 2.5, "2", True), " as a whole number of 1 or more, found ")
WAY = Wrong((2, "yes", 1.0), " as True or False, found ")
PART = Wrong((-0.1, 1.5, NAN, "0.5", None, True), " as a number from 0 to 1, found ")
SHARE = Wrong((-0.1, 1.5, NAN, "0.5", True), " as a number from 0 to 1, found ")
BELOW = Wrong((1, -0.1, NAN, "0.5", None), " as a number from 0 to below 1, found ")
AMOUNT = Wrong((-1, NAN, INF, "1", None, True), " as a number of 0 or more, found ")
RATE = (AMOUNT, Wrong((Tensor([1.0, 2.0]),), " as a number, or a tensor of one element"))
TENSOR = Wrong((3, None, [1.0], np.ones(2)), " as a tensor, found ")
STATE = Wrong((3, [1.0], np.ones((1, 3))), " as a tensor, found ")  # may be left out
MODEL = Wrong((None, 3, "net", nn.Linear), " as an object")
PATH = Wrong((3, None, b"a", ""), " as the name of a file, found ")
DEVICE = (
    Wrong((3, ["C"]), " as the name of a device, found "),
    Wrong(("NOWHERE",), "unknown device", DeviceError),
)
PARAMS = (
    Wrong((Tensor([1.0]), 3, None, {}, "w"), " as several tensors, such as get_parameters("),
    Wrong(([3],), "[0] as a tensor, found 3"),
    Wrong(([{"params": []}],), "an optimiser needs one parameter or more, found none"),
    Wrong(([],), "one parameter or more"),
    Wrong(([Tensor([1.0])],), "none of 1 parameters requires a gradient"),
)
GRADIENTS = Wrong((3, None, {}), " as several tensors, such as")
OPTIMIZER = Wrong((None, 3, [Tensor([1.0])]), " as an optimiser, found ")


def fixed(**given: Any) -> Callable[[], dict[str, Any]]:
    """The same right arguments each time."""
    return lambda: given


def shape(*sizes: int, says: str = ": expected ") -> tuple[Wrong, Wrong]:
    """No tensor, or a tensor of a wrong shape."""
    return TENSOR, Wrong((Tensor.ones(*sizes),), says, ShapeError)


def sloped() -> Tensor:
    """A tensor that has a gradient."""
    x = Tensor([1.0], requires_grad=True)
    x.sum().backward()
    return x


def weights() -> dict[str, Any]:
    return {"params": [Tensor([1.0, 2.0], requires_grad=True)]}


def optimizer() -> dict[str, Any]:
    return {"optimizer": optim.SGD(**weights(), lr=0.5)}


def plateau(**given: Any) -> Callable[[], dict[str, Any]]:
    return lambda: {**optimizer(), **given}


# ---- layers ------------------------------------------------------------------------------------

CONV: dict[str, Wrong | tuple[Wrong, ...]] = {
    "in_channels": SIZE, "out_channels": SIZE, "kernel_size": SEVERAL, "stride": SEVERAL,
    "dilation": SEVERAL, "padding": Wrong((1.5, None), "padding must be a whole number"),
    "groups": (SIZE, Wrong((3,), "3 groups must divide 2 and 4 channels")), "bias": FLAG,
}  # fmt: skip
TRANSPOSED = {**CONV, "output_padding": SEVERAL}
CONV["padding_mode"] = Wrong(("constant", None, 3), " as 'zeros' or 'reflect' or 'replicate' or ")
CHANNELS = fixed(in_channels=2, out_channels=4, kernel_size=3)
BATCH: dict[str, Wrong | tuple[Wrong, ...]] = {
    "num_features": COUNT, "eps": AMOUNT, "affine": FLAG, "track_running_stats": FLAG,
    "momentum": SHARE,
}  # fmt: skip
LAYER_NORM: dict[str, Wrong | tuple[Wrong, ...]] = {
    "normalized_shape": (SIZE, Wrong(((2, 0), (2.5,)), " as a whole number of 1"),
                         Wrong(((),), " as one size or more, found ()")),
    "eps": AMOUNT, "elementwise_affine": FLAG, "bias": FLAG,
}  # fmt: skip
CELL: dict[str, Wrong | tuple[Wrong, ...]] = {
    "input_size": COUNT, "hidden_size": SIZE, "bias": FLAG,
}  # fmt: skip
RECURRENT = {
    **CELL, "num_layers": SIZE, "batch_first": FLAG, "dropout": PART, "bidirectional": FLAG,
}  # fmt: skip
NONLINEARITY = Wrong(("sin", None, 3), " as 'tanh' or 'relu', found ")
SIZES = fixed(input_size=2, hidden_size=3)
PAIR = Wrong((3, Tensor.ones(1), (Tensor.ones(1),)), " as a pair of tensors (h, c), found ")

FUNCTION = Wrong((3, None, "f"), " as a function, found ")
HOOK = fixed(hook=print)

BLOCK = fixed(d_model=4, nhead=2)
BLOCKS: dict[str, Wrong | tuple[Wrong, ...]] = {
    "d_model": Wrong((0, 1.5, "4"), ": expected embed_dim as a whole number of 1 or more"),
    "nhead": Wrong((3,), "3 heads must divide 4"), "dim_feedforward": SIZE, "dropout": PART,
    "activation": Wrong(("tanh", None, 3), " as 'relu' or 'gelu', found "),
    "layer_norm_eps": Wrong((-1.0,), "expected eps as"), "batch_first": FLAG, "norm_first": FLAG,
    "bias": FLAG,
}  # fmt: skip
MASK = Wrong((3,), ": expected mask as a tensor, found 3")
PADDING = Wrong((3, Tensor.ones(2, 1)), ": expected key_padding_mask ")
FLAG_WITHIN = Wrong((2, "yes", None), ": expected is_causal as True or False, found ")
STACK = fixed(layer=nn.TransformerEncoderLayer(4, 2), num_layers=1)
STACKS: dict[str, Wrong | tuple[Wrong, ...]] = {
    "layer": Wrong((3, None), " as a function"),
    "num_layers": SIZE,
    "norm": Wrong((3,), " as a function"),
}

DIM = Wrong((2.5, "1", None, True), " as a whole number, found ")
NUMBER = Wrong((NAN, INF, "1", None, True), " as a finite number, found ")
SIZES_OF_METHODS = Wrong((1.5, "a", -1), " as a whole number of 1 or more, found ")
SCALES = Wrong(("2", -1.0, (2, "a")), " as a number of 0 or more, found ")
OPTIONS: dict[str, Wrong] = {
    **dict.fromkeys(("inplace", "ceil_mode", "return_indices", "count_include_pad"), FLAG),
    **dict.fromkeys(("full", "log_input", "log_target"), FLAG),
    **dict.fromkeys(("align_corners", "recompute_scale_factor"), WAY),
    **dict.fromkeys(("keepdim", "swap", "zero_infinity"), FLAG), "blank": COUNT,
    "divisor_override": Wrong((0, 2.5, "2", True), " as a whole number"),
    **dict.fromkeys(("lambd", "eps", "p"), AMOUNT),
    **dict.fromkeys(("delta", "label_smoothing"), AMOUNT),
    **dict.fromkeys(("alpha", "margin", "min_val", "max_val", "negative_slope"), NUMBER),
    **dict.fromkeys(("beta", "threshold", "value"), NUMBER),
    **dict.fromkeys(("dim", "start_dim", "end_dim", "ignore_index"), DIM),
    **dict.fromkeys(("upscale_factor", "downscale_factor"), SIZE),
    **dict.fromkeys(("kernel_size", "padding", "dilation"), SEVERAL),
    **dict.fromkeys(("stride", "output_size"), Wrong(SEVERAL.values[:3], SEVERAL.message)),
    **dict.fromkeys(("size", "unflattened_size"), SIZES_OF_METHODS), "scale_factor": SCALES,
    **dict.fromkeys(("weight", "pos_weight"), Wrong((3, [1.0]), " as a tensor, found ")),
    "approximate": Wrong(("erf", None), " as 'none' or 'tanh', found "),
    "mode": Wrong(("spline", None), " as 'nearest' or 'nearest-exact' or "),
    "reduction": Wrong(("avg", None, 3), " as 'mean' or 'sum' or 'none'"),
}  # fmt: skip
OTHERWISE: dict[str, Wrong] = {"MultiMarginLoss.p": SIZE, "SmoothL1Loss.beta": AMOUNT}


def method_row(layer: type[nn.MethodLayer]) -> Row:
    """The row of a layer that calls a method: an argument of one name takes the same in all."""
    name, needed = layer.__name__, {"dim": 0, "threshold": 0, "value": 0}
    takes = inspect.signature(layer).parameters.values()
    right = {p.name: needed.get(p.name, 1) for p in takes if p.default is p.empty}
    kinds = {p.name: OTHERWISE.get(f"{name}.{p.name}", OPTIONS[p.name]) for p in takes}
    return Row(layer, fixed(**right), kinds)


TABLE: dict[str, Row] = {
    "Linear": Row(nn.Linear, fixed(in_features=2, out_features=3),
                  {"in_features": COUNT, "out_features": COUNT, "bias": FLAG}),
    "Linear.__call__": Row(nn.Linear(2, 3), dict, {"x": shape(2, 3)}),
    "Embedding": Row(nn.Embedding, fixed(vocab_size=3, embed_size=2), {
        "vocab_size": COUNT, "embed_size": SIZE, "padding_idx": (
            Wrong((2.5, "1", True), " as a whole number, found "),
            Wrong((3, -4), " as a whole number from -3 to 2, found "))}),
    "Embedding.from_pretrained": Row(
        nn.Embedding.from_pretrained, fixed(embeddings=Tensor.ones(3, 2)), {
            "embeddings": shape(3), "freeze": FLAG, "padding_idx": (
                Wrong((2.5, "1", True), " as a whole number, found "),
                Wrong((3, -4), " as a whole number from -3 to 2, found "))}),
    "Embedding.__call__": Row(nn.Embedding(3, 2), dict, {
        "positions": (TENSOR, Wrong((Tensor([1.0]),), "must hold integers"))}),
    "EmbeddingBag": Row(nn.EmbeddingBag, fixed(vocab_size=3, embed_size=2), {
        "vocab_size": COUNT, "embed_size": SIZE, "include_last_offset": FLAG,
        "mode": Wrong(("min", None, 3), " as 'sum' or 'mean' or 'max', found "),
        "padding_idx": Wrong((2.5, "1", True), " as a whole number, found ")}),
    "EmbeddingBag.__call__": Row(
        nn.EmbeddingBag(3, 2, "sum"), fixed(input=Tensor([1]), offsets=Tensor([0])), {
            "input": (TENSOR, Wrong((Tensor([1.0]),), "must hold integers")),
            "offsets": Wrong((3, [0]), " as a tensor, found "),
            "per_sample_weights": (Wrong((3, [1.0]), " as a tensor, found "), Wrong(
                (Tensor([1.0, 2.0]),), ": expected per_sample_weights (1,), found", ShapeError))}),
    "MethodLayer.__call__": Row(nn.ReLU(), dict, {"x": TENSOR}),
    "PReLU": Row(nn.PReLU, dict, {
        "num_parameters": SIZE, "init": Wrong((NAN, "1", None, True), " as a finite number")}),
    "PReLU.__call__": Row(nn.PReLU(3), dict, {"x": shape(2, 4, says="prelu")}),
    "Dropout": Row(nn.Dropout, dict, {"p": PART, "inplace": FLAG}),
    "Dropout.__call__": Row(nn.Dropout(), dict, {"x": TENSOR}),
    "RNNCell": Row(nn.RNNCell, fixed(input_size=2, hidden_size=3), {
        **CELL, "nonlinearity": NONLINEARITY}),
    "RNN": Row(nn.RNN, SIZES, {**RECURRENT, "nonlinearity": NONLINEARITY}),
    "Hooked.register_forward_pre_hook": Row(nn.ReLU().register_forward_pre_hook, HOOK, {
        "hook": FUNCTION, "prepend": FLAG, "with_kwargs": FLAG}),
    "Hooked.register_forward_hook": Row(nn.ReLU().register_forward_hook, HOOK, {
        "hook": FUNCTION, "prepend": FLAG, "with_kwargs": FLAG, "always_call": FLAG}),
    "Sequential": Row(nn.Sequential, dict, {
        "layers": Wrong((3, None, [nn.Linear(1, 1)]), "[0] as a layer or a function: ")}),
    "MultiHeadAttention": Row(nn.MultiHeadAttention, fixed(embed_dim=4, num_heads=2), {
        "embed_dim": SIZE, "num_heads": (SIZE, Wrong((3,), "3 heads must divide 4")),
        "dropout": PART, "bias": FLAG}),
    "MultiheadAttention": Row(nn.MultiheadAttention, fixed(embed_dim=4, num_heads=2), {
        "embed_dim": SIZE, "num_heads": (SIZE, Wrong((3,), "3 heads must divide 4")),
        "dropout": PART, "bias": FLAG, "batch_first": FLAG, "kdim": KNOWN, "vdim": KNOWN}),
    "MultiheadAttention.__call__": Row(
        nn.MultiheadAttention(4, 2),
        fixed(query=Tensor.ones(2, 1, 4), key=Tensor.ones(3, 1, 4), value=Tensor.ones(3, 1, 4)),
        {"query": shape(2, 1, 3), "key": shape(3, 4), "value": shape(3, 1, 5),
         "need_weights": FLAG, "average_attn_weights": FLAG, "is_causal": FLAG,
         "attn_mask": (STATE, Wrong((Tensor.ones(3, 2), Tensor.ones(1, 2, 3)), "", ShapeError)),
         "key_padding_mask": (STATE, Wrong((Tensor.ones(2, 3), Tensor.ones(3)), "", ShapeError))}),
    "MultiHeadAttention.__call__": Row(
        nn.MultiHeadAttention(4, 2), fixed(query=Tensor.ones(1, 2, 4)),
        {"query": shape(2, 4), "key": (STATE, Wrong((Tensor.ones(1, 2, 3),), "", ShapeError)),
         "value": (STATE, Wrong((Tensor.ones(1, 2, 3),), "", ShapeError)), "attn_mask": STATE,
         "is_causal": FLAG, "key_padding_mask": (
             Wrong((3, Tensor.ones(2, 1)), ": expected key_padding_mask "),
             Wrong((Tensor.ones(1, 2),), " as bools, found "))}),
    "TransformerEncoderLayer": Row(nn.TransformerEncoderLayer, BLOCK, BLOCKS),
    "TransformerDecoderLayer": Row(nn.TransformerDecoderLayer, BLOCK, BLOCKS),
    "TransformerEncoderLayer.__call__": Row(
        nn.TransformerEncoderLayer(4, 2), fixed(src=Tensor.ones(2, 1, 4)), {
            "src": shape(2, 4), "src_mask": MASK, "src_key_padding_mask": PADDING,
            "is_causal": FLAG_WITHIN}),
    "TransformerDecoderLayer.__call__": Row(
        nn.TransformerDecoderLayer(4, 2),
        fixed(tgt=Tensor.ones(2, 1, 4), memory=Tensor.ones(2, 1, 4)), {
            "tgt": shape(2, 4), "memory": shape(2, 4), "tgt_mask": MASK, "memory_mask": MASK,
            "tgt_key_padding_mask": PADDING, "memory_key_padding_mask": PADDING,
            "tgt_is_causal": FLAG_WITHIN, "memory_is_causal": FLAG_WITHIN}),
    "TransformerEncoder": Row(nn.TransformerEncoder, STACK, STACKS),
    "TransformerDecoder": Row(nn.TransformerDecoder, STACK, STACKS),
    "LSTM.__call__": Row(nn.LSTM(2, 3), fixed(x=Tensor.ones(4, 1, 2)), {
        "x": (*shape(4, 1, 3), Wrong((Tensor.ones(0, 1, 2),), " as one step or more")),
        "hc": (PAIR, Wrong(((3, 3),), "expected h as a tensor"),
               Wrong(((Tensor.ones(1, 1, 3), Tensor.ones(1, 3)),), "expected c (1, 1, 3)",
                     ShapeError))}),
    "LSTMCell.__call__": Row(nn.LSTMCell(2, 3), fixed(x=Tensor.ones(1, 2)), {
        "x": shape(1, 3),
        "hc": (PAIR, Wrong(((Tensor.ones(3), Tensor.ones(1, 3)),), "expected h (1, 3)",
                           ShapeError))}),
    "GroupNorm": Row(nn.GroupNorm, fixed(num_groups=2, num_channels=4), {
        "num_groups": (SIZE, Wrong((3,), "3 groups must divide 4", ShapeError)),
        "num_channels": SIZE, "eps": AMOUNT, "affine": FLAG}),
    "GroupNorm.__call__": Row(nn.GroupNorm(2, 4), dict, {"x": shape(2, 3)}),
    "InstanceNorm": Row(nn.InstanceNorm, fixed(num_features=4), {
        "num_features": SIZE, "eps": AMOUNT, "affine": FLAG}),
    "InstanceNorm.__call__": Row(nn.InstanceNorm(4), dict, {"x": shape(2, 3)}),
    "RMSNorm": Row(nn.RMSNorm, fixed(dim=4), {
        "dim": SIZE, "eps": AMOUNT, "elementwise_affine": FLAG}),
    "RMSNorm.__call__": Row(nn.RMSNorm(4), dict, {"x": shape(2, 3)}),
    "LayerNorm.__call__": Row(nn.LayerNorm((3, 4)), dict, {"x": shape(2, 4)}),
    "LayerNorm2d.__call__": Row(nn.LayerNorm2d(4), dict, {"x": shape(2, 4)}),
}  # fmt: skip
for _rank in (1, 2, 3):
    _x = (2, 5) + (9,) * (_rank - 1)
    for _kind, _wrong in (("Conv", CONV), ("ConvTranspose", TRANSPOSED)):
        _name = f"{_kind}{_rank}d"
        _layer: Any = getattr(nn, _name)
        TABLE[_name] = Row(_layer, CHANNELS, _wrong)
        TABLE[f"{_name}.__call__"] = Row(_layer(2, 4, 3), dict, {"x": shape(*_x, 9, says="")})
for _name in ("BatchNorm", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d"):
    TABLE[_name] = Row(getattr(nn, _name), fixed(num_features=3), BATCH)
    TABLE[f"{_name}.__call__"] = Row(getattr(nn, _name)(3), dict, {"x": shape(2)})
for _name in ("LayerNorm", "LayerNorm2d"):
    TABLE[_name] = Row(getattr(nn, _name), fixed(normalized_shape=4), LAYER_NORM)
for _rank in (1, 2, 3):
    _x = (2, 3, 4, 4, 4)[: _rank + 2]
    for _kind, _wrong in (
        ("Dropout", {"p": PART, "inplace": FLAG}),
        ("InstanceNorm", {"num_features": SIZE, "eps": AMOUNT, "affine": FLAG}),
    ):
        _name = f"{_kind}{_rank}d"
        _layer = getattr(nn, _name)
        TABLE[_name] = Row(_layer, fixed(num_features=3) if "eps" in _wrong else dict, _wrong)
        TABLE[f"{_name}.__call__"] = Row(_layer(3) if "eps" in _wrong else _layer(), dict, {
            "x": shape(*_x, 4)})  # fmt: skip
for _name in ("LSTMCell", "GRUCell"):
    TABLE[_name] = Row(getattr(nn, _name), SIZES, CELL)
for _name in ("RNN", "GRU"):
    _layer = getattr(nn, _name)
    TABLE[f"{_name}.__call__"] = Row(_layer(2, 3), fixed(x=Tensor.ones(4, 1, 2)), {
        "x": shape(1, 3), "h": (STATE, Wrong((Tensor.ones(1, 3),), "", ShapeError))})  # fmt: skip
    _layer = getattr(nn, f"{_name}Cell")
    TABLE[f"{_name}Cell.__call__"] = Row(_layer(2, 3), fixed(x=Tensor.ones(1, 2)), {
        "x": shape(1, 3), "h": (STATE, Wrong((Tensor.ones(1, 2),), "", ShapeError))})  # fmt: skip
for _name in nn.methods.__all__:
    _layer = getattr(nn, _name)
    if _layer is not nn.MethodLayer:
        TABLE[_name] = method_row(_layer)
TABLE["GRU"] = Row(nn.GRU, SIZES, RECURRENT)
TABLE["LSTM"] = Row(
    nn.LSTM,
    SIZES,
    {**RECURRENT, "proj_size": (COUNT, Wrong((3,), " as a whole number from 0 to 2, below"))},
)

# ---- optimisers and schedules --------------------------------------------------------------------

DECAYED: dict[str, Wrong | tuple[Wrong, ...]] = {
    "params": PARAMS, "lr": RATE, "weight_decay": AMOUNT, "maximize": FLAG,
}  # fmt: skip
DESCENT = {**DECAYED, "momentum": AMOUNT, "nesterov": FLAG}
MOMENTS = {
    **DECAYED, "b1": BELOW, "b2": BELOW, "eps": AMOUNT,
    "betas": Wrong((0.9, (0.9,), "ab", (0.9, 0.9, 0.5)), " as a pair of numbers (b1, b2), found "),
}  # fmt: skip
APART = {**MOMENTS, "decoupled_weight_decay": FLAG}
PAIR_OF_NUMBERS = Wrong((0.5, (0.5,), None, "ab3"), " as a pair of numbers, found ")
NUMBERS = Wrong(((), 3, None), " as one number or more, found ")
MILESTONES = (
    Wrong((3, "3", None), " as several whole numbers, found "),
    Wrong(([-1], [2.5]), "[0] as a whole number of 0 or more"),
)
ZERO = Wrong((0,), " as a number above 0, found 0")
SCHEDULES: dict[str, tuple[dict[str, Any], dict[str, Wrong | tuple[Wrong, ...]]]] = {
    "LRScheduler": ({}, {}),
    "LambdaLR": ({"lr_lambda": lambda n: 1.0}, {"lr_lambda": (
        Wrong((3, None), " as a function"),
        Wrong((lambda n: -1.0, lambda n: "a"), "(0) as a number of 0 or more, found "))}),
    "StepLR": ({"step_size": 2}, {"step_size": SIZE, "gamma": AMOUNT}),
    "MultiStepLR": ({"milestones": [2]}, {"milestones": MILESTONES, "gamma": AMOUNT}),
    "ExponentialLR": ({"gamma": 0.5}, {"gamma": AMOUNT}),
    "LinearLR": ({}, {"start_factor": (PART, ZERO), "end_factor": PART, "total_iters": SIZE}),
    "ConstantLR": ({}, {"factor": PART, "total_iters": COUNT}),
    "PolynomialLR": ({}, {"total_iters": SIZE, "power": AMOUNT}),
    "MultiplicativeLR": ({"lr_lambda": lambda n: 1.0}, {"lr_lambda": Wrong(
        (3, None), " as a function")}),
    "CosineAnnealingWarmRestarts": ({"T_0": 2}, {
        "T_0": SIZE, "T_mult": SIZE, "eta_min": AMOUNT}),
    "CyclicLR": ({"base_lr": 0.1, "max_lr": 1.0}, {
        "base_lr": AMOUNT, "max_lr": AMOUNT, "step_size_up": SIZE,
        "step_size_down": Wrong((0, 2.5, "2", True), " as a whole number of 1 or more, found "),
        "mode": Wrong(("square", None), " as 'triangular' or 'triangular2' or 'exp_range'"),
        "gamma": AMOUNT}),
    "CosineAnnealingLR": ({"T_max": 2}, {"T_max": SIZE, "eta_min": AMOUNT}),
    "OneCycleLR": ({"max_lr": 1.0, "total_steps": 4}, {
        "max_lr": AMOUNT, "total_steps": SIZE, "pct_start": PART, "div_factor": (AMOUNT, ZERO),
        "final_div_factor": (AMOUNT, ZERO), "epochs": KNOWN, "steps_per_epoch": KNOWN,
        "anneal_strategy": Wrong(("cosine", None, 3), " as 'cos' or 'linear', found "),
        "three_phase": FLAG}),
    "ReduceLROnPlateau": ({}, {
        "mode": Wrong(("least", None, 3), " as 'min' or 'max', found "), "factor": BELOW,
        "patience": COUNT, "threshold": AMOUNT,
        "threshold_mode": Wrong(("relative", None), " as 'rel' or 'abs', found "),
        "cooldown": COUNT, "min_lr": AMOUNT, "eps": AMOUNT}),
}  # fmt: skip


def steps() -> lr_scheduler.StepLR:
    return lr_scheduler.StepLR(**optimizer(), step_size=2)


def sequence() -> dict[str, Any]:
    given = optimizer()
    return {**given, "schedulers": [lr_scheduler.StepLR(**given, step_size=2)], "milestones": []}


TABLE |= {
    "SequentialLR": Row(lr_scheduler.SequentialLR, sequence, {
        "optimizer": Wrong((None, 3), "schedulers[0] as a schedule of the same optimiser"),
        "schedulers": (Wrong((3, None, []), " as one schedule or more, found "),
                       Wrong(([3], [steps()]), "[0] as a schedule of the same optimiser")),
        "milestones": Wrong((3, None, [2]), " as 0 whole numbers, one for each schedule")}),
    "ChainedScheduler": Row(lr_scheduler.ChainedScheduler, lambda: {
        "schedulers": [(step := steps())], "optimizer": step.optimizer}, {
        "optimizer": Wrong((3, optim.SGD(**weights())), "schedulers[0] as a schedule of the same"),
        "schedulers": (Wrong((3, None, []), " as one schedule or more, found "),
                       Wrong(([3], [steps()]), "[0] as a schedule of the same optimiser"))}),
    "ChainedScheduler.load_state_dict": Row(
        lr_scheduler.ChainedScheduler([steps()]).load_state_dict, dict, {
            "state": Wrong((None, 3, {"speed": 1}), " as a state of 1 schedules")}),
    "parameters_to_vector": Row(utils.parameters_to_vector, dict, {
        "parameters": (GRADIENTS, Wrong(([],), " as one tensor or more, found "))}),
    "vector_to_parameters": Row(utils.vector_to_parameters, lambda: {
        "parameters": [Tensor.ones(2, 2)], "vec": Tensor.ones(4)}, {
        "vec": shape(3), "parameters": (GRADIENTS, Wrong(([],), " as one tensor or more"))}),
    "SGD": Row(optim.SGD, weights, {
        **DESCENT, "dampening": Wrong((NAN, INF, "1", None, True), " as a finite number, found ")}),
    "LARS": Row(optim.LARS, weights, {**DESCENT, "classic": FLAG, "tcoef": AMOUNT}),
    "Muon": Row(optim.Muon, weights, {**DESCENT, "ns_steps": COUNT, "ns_coefficients": (
        NUMBERS, Wrong(((NAN,), ("a",)), "[0] as a finite number, found "))}),
    "Adam": Row(optim.Adam, weights, {**APART, "amsgrad": FLAG}),
    "AdamW": Row(optim.AdamW, weights, {**MOMENTS, "amsgrad": FLAG}),
    "LAMB": Row(optim.LAMB, weights, MOMENTS),
    "Adamax": Row(optim.Adamax, weights, MOMENTS),
    "NAdam": Row(optim.NAdam, weights, {**APART, "momentum_decay": AMOUNT}),
    "RAdam": Row(optim.RAdam, weights, APART),
    "RMSprop": Row(optim.RMSprop, weights, {
        **{word: kind for word, kind in DESCENT.items() if word != "nesterov"}, "alpha": PART,
        "eps": AMOUNT, "centered": FLAG}),
    "Adagrad": Row(optim.Adagrad, weights, {
        **DECAYED, **dict.fromkeys(("lr_decay", "initial_accumulator_value", "eps"), AMOUNT)}),
    "ASGD": Row(optim.ASGD, weights, {
        **DECAYED, **dict.fromkeys(("lambd", "alpha", "t0"), NUMBER)}),
    "Optimizer": Row(optim.Optimizer, lambda: {**weights(), "lr": 1.0},
                     {"params": PARAMS, "lr": RATE, "maximize": FLAG}),
    "Optimizer.zero_grad": Row(optim.SGD(**weights()).zero_grad, dict, {"set_to_none": FLAG}),
    "Adadelta": Row(optim.Adadelta, weights, {**DECAYED, "rho": PART, "eps": AMOUNT}),
    "Rprop": Row(optim.Rprop, weights, {
        "params": PARAMS, "lr": RATE, "maximize": FLAG,
        "etas": (PAIR_OF_NUMBERS, Wrong(((1.2, 0.5), (0, 2)), "0 < etas[0] < 1 < etas[1]")),
        "step_sizes": (PAIR_OF_NUMBERS, Wrong(((-1, 2),), "[0] as a number of 0 or more"))}),
    "LBFGS": Row(optim.LBFGS, weights, {
        "params": PARAMS, "lr": RATE, "max_iter": SIZE, "history_size": SIZE,
        "max_eval": Wrong((0, -1, 2.5, "2", True), " as a whole number of 1 or more, found "),
        "tolerance_grad": AMOUNT, "tolerance_change": AMOUNT,
        "line_search_fn": Wrong(("wolfe", 3, True), " as None or 'strong_wolfe', found ")}),
    "LBFGS.step": Row(optim.LBFGS(**weights()).step, fixed(closure=print), {
        "closure": Wrong((None, 3, "f"), " as a function that computes the loss, calls ")}),
    "LBFGS.add_param_group": Row(optim.LBFGS(**weights()).add_param_group, dict, {
        "param_group": Wrong((None, {"params": [Tensor(1)]}), "all parameters are one group")}),
    "Optimizer.step": Row(optim.SGD(**weights()).step, fixed(closure=print), {
        "closure": Wrong((3, "f"), " as a function, found ")}),
    "Optimizer.add_param_group": Row(optim.SGD(**weights()).add_param_group, dict, {
        "param_group": Wrong((None, 3, [Tensor(1)]), " as a dict of names and values, found ")}),
    "Optimizer.set_lr": Row(optim.SGD(**weights()).set_lr, dict, {"lr": RATE}),
    "OptimizerGroup.set_lr": Row(optim.OptimizerGroup(optim.SGD(**weights())).set_lr, dict,
                                 {"lr": RATE}),
    "OptimizerGroup": Row(optim.OptimizerGroup, dict, {
        "optimizers": Wrong((None, 3), "[0] as an optimiser, found ")}),
    "LRScheduler.load_state_dict": Row(steps().load_state_dict, dict, {
        "state": Wrong((None, 3, {"speed": 1}), " as a dict of step_size, gamma, ")}),
    "ReduceLROnPlateau.step": Row(lr_scheduler.ReduceLROnPlateau(**optimizer()).step, dict, {
        "metrics": (Wrong((None,), "step() needs the number"),
                    Wrong(("a", [1]), " as one number, found "))}),
    "clip_grad_norm_": Row(utils.clip_grad_norm_, fixed(parameters=[sloped()], max_norm=1.0), {
        "parameters": GRADIENTS, "max_norm": AMOUNT,
        "norm_type": Wrong((-1, NAN, "2", None), " as a number of 0 or more, found "),
        "error_if_nonfinite": FLAG, "foreach": WAY}),
    "clip_grad_value_": Row(utils.clip_grad_value_, fixed(parameters=[], clip_value=1.0), {
        "parameters": GRADIENTS, "clip_value": AMOUNT, "foreach": WAY}),
    "get_parameters": Row(state.get_parameters, dict, {"model": MODEL}),
    "get_state_dict": Row(state.get_state_dict, fixed(model=[]), {
        "model": MODEL, "prefix": Wrong((3, None), " as text, found ")}),
    "load_state_dict": Row(state.load_state_dict, fixed(model=nn.Linear(1, 1), state={}), {
        "model": MODEL, "strict": FLAG, "verbose": FLAG, "realize": FLAG,
        "state": (Wrong((None, 3, [1]), " as a dict of names and values, found "),
                  Wrong(({"weight": 1.0, "bias": [0.0]},), "weight has shape (1, 1)", ShapeError),
                  Wrong(({"weight": "a", "bias": [0.0]},), "load_state_dict: weight: no tensor"),
                  Wrong(({},), "missing names ['weight', 'bias']"))}),
    "safe_load": Row(state.safe_load, fixed(path="absent"), {"path": PATH, "device": DEVICE}),
    "safe_load_metadata": Row(state.safe_load_metadata, dict, {"path": PATH}),
    "safe_save": Row(state.safe_save, fixed(tensors={}, path="absent"), {
        "path": PATH, "tensors": (Wrong((None, [Tensor(1)]), " as a dict of names and tensors"),
                                  Wrong(({3: Tensor(1)},), " as a dict whose names are text"),
                                  Wrong(({"a": 3},), "['a'] as a tensor, found 3"),
                                  Wrong(({"__metadata__": Tensor(1)},), "another name")),
        "metadata": (Wrong((3, ["a"]), " as a dict of names and texts"),
                     Wrong(({"a": 3},), "['a'] as a text, found 3"))}),
    "torch_load": Row(state.torch_load, fixed(path="absent"), {"path": PATH, "device": DEVICE}),
    "function": Row(function, dict, {
        "traced": Wrong((3, "f"), "expected a function, found ", FunctionError),
        "precompile": Wrong((1, None, "yes"), " as True or False, found ", FunctionError),
        "grad_fxn": Wrong((3, "f"), " as a function, found ", FunctionError)}),
}  # fmt: skip
for _name, (_right, _wrong) in SCHEDULES.items():
    _made: Any = getattr(lr_scheduler, _name)
    TABLE[_name] = Row(_made, plateau(**_right), {"optimizer": OPTIMIZER, **_wrong})

WITHOUT = {
    "Sequential.__call__(x)": "whatever its first layer takes",
    "Identity.__call__(x)": "anything",
    "MethodLayer(args)": "those of the layer: see `method_row`",
    "MethodLayer(named)": "those of the layer: see `method_row`",
    "MethodLayer.__call__(others)": "what the method takes",
    **dict.fromkeys(
        [
            f"TransformerEncoder.__call__({word})"
            for word in ("src", "mask", "src_key_padding_mask", "is_causal")
        ]
        + [f"TransformerDecoder.__call__({word})" for word in ("tgt", "memory", "masks", "named")],
        "what its layer takes",
    ),
}


def cases() -> Iterator[Any]:
    for name, row in TABLE.items():
        for argument, kinds in row.wrong.items():
            several = (kinds,) if isinstance(kinds, Wrong) else kinds
            yield pytest.param(row, argument, several, id=f"{name}-{argument}")


@pytest.mark.parametrize(("row", "argument", "kinds"), list(cases()))
def test_a_wrong_value_is_refused(row: Row, argument: str, kinds: tuple[Wrong, ...]) -> None:
    for kind in kinds:
        for value in kind.values:
            problem = refusal_problem(row, argument, kind, value)
            assert not problem, f"{argument}={value!r}: {problem}"


def refusal_problem(row: Row, argument: str, kind: Wrong, value: Any) -> str:
    """What is wrong with how a value of an argument is refused."""
    given = row.right()
    parameter = inspect.signature(row.call).parameters[argument]
    try:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.POSITIONAL_ONLY):
            row.call(value)
        else:
            row.call(**{**given, argument: value})
    except kind.error as error:
        text = str(error)
    else:
        return "it is taken"
    if kind.message.startswith((" ", "[", "(")):
        is_said = re.search(rf"\w: expected {re.escape(argument + kind.message)}", text) or (
            kind.message == SEVERAL.message and f"{argument}{kind.message}" in text
        )
    else:
        is_said = kind.message in text
    return "" if is_said else text


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Each callable that users call, by the name that the table has for it."""
    yield "function", function
    for module in (nn, optim, lr_scheduler, utils, state):
        for name in getattr(module, "__all__", dir(module)):
            item = getattr(module, name)
            inside = str(getattr(item, "__module__", "")).startswith("rulewright.nn")
            if name.startswith("_") or not callable(item) or not inside:
                continue
            yield name, item
            if inspect.isclass(item):
                yield from methods(item)


def methods(kind: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Methods that a class, or a private class above it, defines."""
    for above in kind.__mro__:
        if not above.__module__.startswith("rulewright.nn"):
            continue
        owner = kind if above.__name__.startswith("_") else above
        for name, item in vars(above).items():
            if inspect.isfunction(item) and (name == "__call__" or not name.startswith("_")):
                yield f"{owner.__name__}.{name}", item


def test_every_argument_has_a_row() -> None:
    missing = []
    for name, item in public():
        row = TABLE.get(name)
        known = set() if row is None else set(row.wrong)
        for argument in inspect.signature(item).parameters:
            rate = name.endswith(".rate")  # of each schedule
            if argument == "self" or argument in known or rate:
                continue
            if f"{name}({argument})" not in WITHOUT:
                missing.append(f"{name}({argument})")
    assert missing == []


def test_every_row_is_of_what_it_says() -> None:
    known = dict(public())
    for name, row in TABLE.items():
        kind, _, method = name.partition(".")
        if name not in known:  # of a class above it
            assert hasattr(known[kind], method), name
        assert method or known[kind] is row.call, name
        assert set(row.wrong) <= set(inspect.signature(row.call).parameters), name


@pytest.mark.parametrize("kind", RATE)
def test_a_learning_rate_that_is_set(kind: Wrong) -> None:
    given = optim.SGD(**weights(), lr=0.5)
    for value in kind.values:
        with pytest.raises(UsageError, match=f"expected lr{kind.message}"):
            given.lr = value
    assert given.lr.item() == 0.5
