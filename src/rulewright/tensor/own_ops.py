"""Ops of users' files, applied to tensors."""

from __future__ import annotations

from typing import Any

from rulewright.errors import ArgumentError, DTypeError, UsageError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.expected import refuse
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.lang.diagnostics import nearest
from rulewright.lang.more_ops import more_ops
from rulewright.tensor.elementwise import SCALARS
from rulewright.tensor.kinds import constant, default_float, meeting_dtype, scalar_dtype, weak
from rulewright.tensor.shapes import node_cast, nodes_broadcast
from rulewright.tensor.tensor import Tensor


def op(name: str, *operands: Any) -> Tensor:
    """An op that `load_spec` loaded, on tensors: element by element, as its `meaning` says.

    Operands are tensors, numbers or arrays; they broadcast, and those of one type parameter meet
    in one dtype as those of `+` do. Where the op takes floats alone, integers become the default
    float type.

    Raises UsageError for a name that no loaded file declares as an op, ArgumentError for another
    number of operands, DTypeError for a dtype that the op does not take, ShapeError for shapes that
    do not broadcast, DeviceError for operands on several devices.

    >>> from rulewright import Tensor, load_spec, op
    >>> _ = load_spec("cube.uop")                    # doctest: +SKIP
    >>> op("CUBE", Tensor([1.0, 2.0])).tolist()      # doctest: +SKIP
    [1.0, 8.0]
    """
    own = _declared(name)
    if len(operands) != len(own.params):
        takes = ", ".join(param for param, _, _ in own.params)
        raise ArgumentError(
            f"op {name}: expected {len(own.params)} operands ({takes}), found {len(operands)}"
        )
    some = next((o for o in operands if isinstance(o, Tensor)), None)
    first = Tensor(operands[0]) if some is None else some
    values: list[Any] = [first if o is operands[0] and some is None else weak(o) for o in operands]
    device = first._device
    for place, operand in enumerate(values):
        if operand.__class__ not in SCALARS:
            values[place] = first._operand(operand, f"op {name}")
            device = first._joint_device(values[place], f"op {name}") or device
    kinds = {kind: _meet(own, kind, values) for _, kind, _ in own.params}
    nodes = []
    for operand, (_, kind, _) in zip(values, own.params, strict=True):
        scalar = operand.__class__ in SCALARS
        node = constant(kinds[kind], operand) if scalar else node_cast(operand.uop, kinds[kind])
        nodes.append(node)
    dtype = kinds[own.result] if own.result in kinds else getattr(dtypes, own.result)
    return first._make(UOp(own, dtype, tuple(nodes_broadcast(nodes, f"op {name}"))), device)


def _declared(name: Any) -> Op:
    """The op of this name. Raises UsageError if no file that was loaded declares it."""
    if not isinstance(name, str):
        refuse("op", "the name of an op", name)
    known = more_ops()
    if name in known:
        return Ops._all[name]
    if name in Ops:
        raise UsageError(f"op {name}: it is one of the spec's; tensors have methods for those")
    hint = nearest(name, known) or f"loaded are {', '.join(sorted(known)) or 'none'}"
    raise UsageError(f"op {name}: no file that was loaded declares it ({hint}); see load_spec")


def _meet(op: Op, kind: str, operands: list[Any]) -> DType:
    """The dtype in which the operands of one type meet, which the op takes."""
    mine = [o for o, (_, own, _) in zip(operands, op.params, strict=True) if own == kind]
    nodes = [o.uop for o in mine if o.__class__ not in SCALARS]
    scalars = [o for o in mine if o.__class__ in SCALARS]
    if not nodes:
        nodes = [constant(default_float(), scalars[0])]
    dtype = nodes[0].dtype
    for node in nodes[1:]:
        dtype = meeting_dtype(node_cast(nodes[0], dtype), node)
    for value in scalars:
        dtype = scalar_dtype(dtype, value)
    allowed = op.kinds(kind)
    if dtype.name not in allowed and not dtype.is_float and default_float().name in allowed:
        dtype = default_float()
    if dtype.name not in allowed:
        raise DTypeError(
            f"op {op.name}: expected one of {', '.join(allowed)}, found {dtype.name}; cast first"
        )
    return dtype
