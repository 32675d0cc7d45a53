"""Parts of memory that a program reads.

A row of a matrix, `x[i]`, or the next batch, `x[i : i + 32]`, lies in one piece in memory. A
program that reads it is the same for each i if the piece is an argument, and not the matrix with a
number that says where it begins: so it is scheduled once.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable
from math import prod
from typing import NamedTuple

from rulewright.ir.ops import Ops
from rulewright.ir.placement import placement
from rulewright.ir.structure import Structure
from rulewright.ir.uop import UOp
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import Device
from rulewright.runtime.memories import buffer_of, new_buffer, stand_for


class BufferRegion(NamedTuple):
    """Elements of a BUFFER that lie one behind the other."""

    base: UOp
    first: int
    shape: tuple[int, ...]

    @property
    def kind(self) -> tuple[object, ...]:
        """What programs that read it hang on."""
        return self.base.dtype, self.shape, self.base.arg[2]

    def buffer(self) -> Buffer:
        """The memory of these elements."""
        return piece_of(buffer_of(self.base), self.first, prod(self.shape))

    def memory(self) -> UOp:
        """A BUFFER node for these elements."""
        node = new_buffer(self.base.dtype, self.shape, self.base.arg[2])
        return stand_for(node, self.buffer())


def piece_of(buffer: Buffer, first: int, count: int) -> Buffer:
    """Some elements of a buffer, one behind the other."""
    return buffer.view(first * buffer.dtype.itemsize, count)


def regions(sink: UOp) -> dict[UOp, BufferRegion]:
    """Views under `sink` that are a piece of memory.

    Those of memory that is written are left out, and those on devices that care where memory
    begins.
    """
    pieces: dict[UOp, BufferRegion] = {}
    tops: dict[UOp, None] = {}
    written: set[UOp] = set()
    nodes = sink.toposort(lambda n: n.op is not Ops.FUNCTION)
    if not any([n.op is Ops.SHRINK for n in nodes]):
        return {}  # each view shows all of its memory
    for node in nodes:
        if node.op in _STARTS:
            piece = _region(node, pieces)
            if piece is not None:
                pieces[node] = piece
                continue
        if node.op is Ops.STORE:
            written.add(node.src[0].base)
        for source in node.src:
            if source in pieces:
                tops[source] = None
    chosen = [(top, pieces[top]) for top in tops]
    return {
        top: piece
        for top, piece in chosen
        if piece.base not in written and 0 < prod(piece.shape) < prod(piece.base.arg[1])
    }


def structure(
    sink: UOp,
    parts: Iterable[Hashable],
    refuses: Callable[[UOp], bool],
    most: int,
    fixed: Container[UOp] = (),
) -> tuple[Structure | None, dict[UOp, BufferRegion]]:
    """What a graph says but for the memory it reads, and for where pieces of it begin, other than
    of `fixed` memory; None if it is refused. Beside it these pieces."""
    graph = Structure(parts, refuses, most)
    if not graph.over(sink):
        return None, {}
    if not any([node.op is Ops.SHRINK for node in graph.number]):
        return graph, {}
    pieces = {view: piece for view, piece in regions(sink).items() if piece.base not in fixed}
    if pieces:
        kinds = {view: piece.kind for view, piece in pieces.items()}
        graph = Structure(parts, refuses, most, kinds)
        graph.over(sink)
    return graph, pieces


def region_of(node: UOp) -> BufferRegion | None:
    """The elements of memory that a view shows, if they lie one behind the other."""
    moves = []
    while _is_move(node):
        moves.append(node)
        node = node.src[0]
    is_one = node.op is Ops.BUFFER and placement(node.arg[2]) is None
    region = BufferRegion(node, 0, node.arg[1]) if is_one else None
    while moves and region is not None:
        region = _moved(moves.pop(), region)
    return region


_MOVES = (Ops.RESHAPE, Ops.SHRINK)
_STARTS = (Ops.BUFFER, *_MOVES)


def _is_move(node: UOp) -> bool:
    return node.op in _MOVES and len(node.src) == 1


def _region(node: UOp, known: dict[UOp, BufferRegion]) -> BufferRegion | None:
    if node.op is Ops.BUFFER:
        if placement(node.arg[2]) is not None:
            return None
        native = Device.device_class(node.arg[2]).is_native
        return BufferRegion(node, 0, node.arg[1]) if native else None
    below = known.get(node.src[0]) if _is_move(node) else None
    return _moved(node, below) if below is not None else None


def _moved(node: UOp, below: BufferRegion) -> BufferRegion | None:
    """What a RESHAPE or SHRINK shows of such elements."""
    if node.op is Ops.RESHAPE:
        return below._replace(shape=node.arg)
    shape = tuple(end - begin for begin, end in node.arg)
    first, step, whole = below.first, 1, True
    for (begin, end), size in zip(reversed(node.arg), reversed(below.shape), strict=True):
        if end - begin != 1 and not whole and 0 not in shape:
            return None
        whole = whole and (begin, end) == (0, size)
        first, step = first + begin * step, step * size
    return BufferRegion(below.base, 0 if 0 in shape else first, shape)
