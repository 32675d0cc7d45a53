"""Replaying a capture: when it still fits, and how results are made from its kernels."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rulewright.driver.replay import Replay
from rulewright.errors import FileError, JitError
from rulewright.ir.ops import Ops
from rulewright.ir.placement import names_of
from rulewright.ir.uop import UOp
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.memories import buffer_of, new_buffer, stand_for
from rulewright.tensor import history
from rulewright.tensor.alias import Alias
from rulewright.tensor.assign import move_out, unshare
from rulewright.tensor.core import Core
from rulewright.tensor.guards import Guards
from rulewright.tensor.jit_arguments import Arguments, normal
from rulewright.tensor.jit_memory import Spares, check_outside, let_go, taken
from rulewright.tensor.jit_templates import (
    IndexBounds,
    TensorTemplate,
    in_order,
    memories,
    release,
    root_buffer,
)
from rulewright.tensor.random import next_words
from rulewright.tensor.realize import realize
from rulewright.tensor.registry import is_shared, lazy_since, lazy_tensors, newest_change, shared
from rulewright.tensor.tensor import Tensor
from rulewright.tensor.views import shown_by

if TYPE_CHECKING:
    from rulewright.driver.row import Row
    from rulewright.tensor.jit import Quick


_NO_VARIABLES: Mapping[str, int] = {}
_CALLEES = Ops.group("Callee")


def _give_memory(tensors: Sequence[Core]) -> None:
    """Fill memory with the values of tensors that have none."""
    for tensor in tensors:
        if not memories(tensor.uop):
            move_out(tensor)
    realize(tensors)


class Replaying:
    """What a capture knows once it is complete, and the runs of it.

    Slots number the memories that each run has others for: those of the arguments (`_nodes`), then
    those of the results (`fresh`). `state` is the memory from outside that kernels use, `written`
    the part of it that they write, `written_inputs` the slots of arguments that they write. `taken`
    says by result in whose donated memory it comes to be: an argument's, and whether it is read.
    """

    guards: Guards
    bounds: IndexBounds
    random: list[Buffer]
    replays: Replay
    binds: dict[UOp, UOp]
    state: set[Buffer]
    written: set[Buffer]
    written_inputs: set[int]
    fresh: list[UOp]
    taken: Mapping[int, tuple[int, bool]] = {}
    spares: Spares
    templates: list[TensorTemplate]
    only: TensorTemplate | None  # set if the one thing that a call makes is a new tensor
    shared: list[int]
    grads: list[Any]
    constants: list[tuple[int | None, Buffer, Any]]
    _nodes: list[UOp]
    argument_slots: list[int]
    quick: Quick | None = None
    _aliases: dict[Alias, int]
    _structure: Any
    _order: list[int]  # for each place of the structure its result: one may stand in several
    _state_tensors: list[tuple[weakref.ref[Core], UOp, int]]
    _of_no_memory: list[tuple[Core, UOp]]  # from outside: kernels have their values as constants
    _leaves: list[tuple[weakref.ref[Core], int]]
    _followed: list[tuple[weakref.ref[UOp], int]]  # memory that gradients went through, as it was
    _unseen: weakref.WeakSet[UOp]  # memory that kernels write so that no gradient sees it
    _unseen_slots: list[int]
    _written_nodes: weakref.WeakSet[UOp]
    _harmless: weakref.WeakSet[UOp]
    _settled: int = 0
    _read: Mapping[int, UOp] = {}  # gradients, between a look and the run

    def _check_aliases(self, arguments: Arguments, slots: list[int]) -> None:
        """Raise JitError if memory is written that is known by another name as well."""
        inputs = arguments.inputs
        if arguments.donated:
            check_outside(arguments, self.is_outside)
        if not (self.written or self.written_inputs):
            return
        roots = {i.root for i, s in zip(inputs, slots, strict=True) if s in self.written_inputs}
        for place, (each, slot) in enumerate(zip(inputs, slots, strict=True)):
            below = each.copied or (each.root,)
            wrong = any(b in self.written for b in below)
            if slot in self.written_inputs:
                wrong = wrong or bool(each.copied) or each.root in self.state
            if each.copied:
                wrong = wrong or any(b in roots for b in below)
            if wrong:
                raise JitError(
                    f"jit: tensor argument {place} of shape {each.tensor.shape} shares memory "
                    "that the function writes to under another name; pass a clone(), or the whole "
                    "tensor instead of a view"
                )

    def _result_tensors(
        self, arguments: Sequence[Core], nodes: list[UOp], binds: Mapping[UOp, UOp]
    ) -> list[Core]:
        """The tensors of a result over these memories."""
        aliases: dict[Alias, Alias] = {}
        for alias, place in self._aliases.items():
            tensor = arguments[place]
            if tensor._alias is None:
                tensor._alias = Alias(tensor.uop)
            aliases[alias] = tensor._alias
        results = [t.make(nodes, arguments, binds, aliases) for t in self.templates]
        if len(results) > 1:
            shared.update([nodes[slot] for slot in self.shared])
        return (
            results
            if len(results) == len(self._order)
            else [results[place] for place in self._order]
        )

    # ---- replaying ------------------------------------------------------------------------

    def fits(self, arguments: Arguments) -> bool:
        """Whether what the function reads beside its arguments is as it was captured.

        Assignments that wait are run, and values that need what will be overwritten computed.
        """
        if self.guards.broken() is not None or not self.bounds.hold(arguments.variables):
            return False
        if changed := [t for t, uop in self._of_no_memory if t.uop is not uop]:
            _give_memory(changed)  # so that kernels read what is assigned from now on
            return False
        self._settle(arguments)
        return self._same_around(arguments.tensors)

    def unchanged(self, tensors: Sequence[Core]) -> bool:
        """Whether it fits, with nothing to be done first, if its arguments and their memory do."""
        if newest_change() != self._settled or history.any_origin() or self.guards.broken():
            return False
        if any(t.uop is not uop for t, uop in self._of_no_memory):
            return False
        if self.written and shared and any(is_shared(n) for n in self._written_nodes):
            return False
        return self._same_around(tensors)

    def is_outside(self, buffer: Buffer) -> bool:
        """Whether this is memory from outside that kernels use."""
        return buffer in self.state or buffer in self.written

    def _same_around(self, tensors: Sequence[Core]) -> bool:
        """Whether tensors from outside stand for what they stood for."""
        for reference, uop, leaf in self._state_tensors:
            tensor = reference()
            if tensor is not None and (tensor.uop is not uop or tensor._requires_grad != leaf):
                return False
        for reference, leaf in self._leaves:  # a gradient may need no more of it than that
            tensor = reference()
            if tensor is not None and tensor._requires_grad != leaf:
                return False
        for link, time in self._followed:
            memory = link()
            if memory is not None and history.origin_time(memory) != time:
                return False
        return not self.grads or self._grads_fit(tensors)

    def _grads_fit(self, tensors: Sequence[Core]) -> bool:
        """Whether gradients are like those of the capture; what kernels read of them is kept for
        the run, for others may let go of it meanwhile."""
        read: dict[int, UOp] = {}
        if not all(self._grad_fits(g, tensors, read) for g in self.grads):
            return False
        self._read = read
        return True

    def _grad_fits(self, noted: Any, tensors: Sequence[Core], read: dict[int, UOp]) -> bool:
        holder, _, _, was_none, reads, view = noted
        tensor = self._holder(holder, tensors)
        if tensor is None:
            return False
        grad = tensor.grad
        if view is None:
            return not was_none or grad is None
        if grad is None:
            return False
        realize([grad])
        if normal(grad.uop) is not view:  # another constant, or elements that lie otherwise
            _give_memory([grad])
            return False
        if reads is None:
            return True
        memory = shown_by(grad.uop)
        assert memory is not None
        read[reads - len(self._nodes)] = memory
        return memory.op is Ops.BUFFER

    @staticmethod
    def _holder(holder: Any, tensors: Sequence[Core]) -> Core | None:
        return tensors[holder] if isinstance(holder, int) else holder()

    def _settle(self, arguments: Arguments) -> None:
        change = newest_change()
        if change != self._settled:
            concerned = [t for t in lazy_since(self._settled) if self._concerns(t.uop)]
            if concerned:
                realize(concerned)
            self._settled = change
        if self.written_inputs:
            rows = zip(arguments.inputs, self.argument_slots, strict=True)
            written = [i for i, slot in rows if slot in self.written_inputs]
            if any(i.root.is_readonly for i in written):
                raise FileError("jit: the function writes into a file that was opened to be read")
            release(written)
        if self.written:
            for memory in [m for m in self._written_nodes if is_shared(m)]:
                self._unshare(memory)

    def _unshare(self, memory: UOp) -> None:
        """Give tensors that only happen to have written memory a memory of their own."""
        kept = [r() for r, uop, _ in self._state_tensors if uop.base is memory]
        owner = next((t for t in kept if t is not None), None)
        if owner is None:
            owner = Tensor._make(memory, names_of(memory.arg[2]))
        unshare(owner, memory)
        realize([t for t in lazy_tensors() if memory in t.uop.toposort()])

    def _concerns(self, uop: UOp) -> bool:
        """Whether a lazy value waits to write memory of this capture, or reads what it writes.

        What is made of a value that does not is looked at from there on.
        """
        for node in uop.toposort(lambda n: n not in self._harmless and n.op not in _CALLEES):
            if node.op is Ops.BUFFER and root_buffer(node) in self.written:
                return True
            if node.op is Ops.AFTER and root_buffer(node.base) in self.state:
                return True
        self._harmless.add(uop)
        return False

    def replay(self, arguments: Arguments) -> Any:
        """Run the kernels over other arguments; the function's result for them."""
        if self.quick is not None:
            self.quick.forget()
        try:
            return self._replayed(arguments)
        except BaseException:  # Ctrl-C, anywhere
            self.spares.forget()
            raise

    def _replayed(self, arguments: Arguments) -> Any:
        self._drop_gradients(arguments.tensors)
        nodes = [*self._nodes]  # in the place of each comes what the arguments have there
        for place, slot in zip(arguments.inputs, self.argument_slots, strict=True):
            nodes[slot] = place.node
        self._check_aliases(arguments, self.argument_slots)
        read = self._gradients_read()
        handed = self._handed(arguments, nodes) if arguments.donated else {}
        buffers = [buffer_of(n) for n in nodes]
        for at in range(len(self.fresh)):
            node, buffer, _ = handed.get(at) or self._new_memory(at, read)
            nodes.append(node)
            buffers.append(buffer)
        self._fill(buffers)
        self.replays.run(buffers, arguments.variables)
        if history.any_origin():
            written = [*self._written_nodes, *[nodes[slot] for slot in sorted(self.written_inputs)]]
            unseen = [nodes[slot] for slot in self._unseen_slots]
            history.overwrite(written, {*self._unseen, *unseen})
        binds = {old: new for new in arguments.binds for old in [self.binds[new.src[0]]]}
        return self._results_of(arguments.tensors, nodes, binds)

    def run_again(self, row: Row, tensors: Sequence[Core], each: Sequence[Core]) -> Any:
        """Run the one row of kernels, in whose slots the memory of the arguments is, which `each`
        names once."""
        only = self.only
        if only is not None:
            node, buffer, again = self.spares.take(0)
            if not again:
                row.put(len(each), buffer)
            if self.random:
                self._fill(())
            row.run_again(_NO_VARIABLES)
            return only.over(node)
        self._drop_gradients(tensors)
        nodes = [tensor.uop.base for tensor in each]
        read = self._gradients_read()
        first = len(nodes)
        for at in range(len(self.fresh)):
            node, buffer, again = self._new_memory(at, read)
            if not again:
                row.put(first + at, buffer)
            nodes.append(node)
        if self.random:
            self._fill(())
        row.run_again(_NO_VARIABLES)
        return self._results_of(tensors, nodes, {})

    def _handed(
        self, arguments: Arguments, nodes: list[UOp]
    ) -> dict[int, tuple[UOp, Buffer, bool]]:
        """The memory of results that begins as that of donated tensors, which go now.

        `nodes` are those of the arguments, of which other ones stand for what was taken.
        """
        memories: dict[int, tuple[UOp, Buffer, bool]] = {}
        for at, (place, is_read) in self.taken.items():
            slot, like = self.argument_slots[place], self.fresh[at]
            nodes[slot] = like
            buffer, is_alone = taken(arguments, place)
            nodes[slot] = stand_for(new_buffer(like.dtype, *like.arg[1:]), buffer)
            if is_alone:
                memories[at] = nodes[slot], buffer, False
                continue
            memories[at] = self._new_memory(at, {})
            if is_read:
                host = buffer.device.in_host_memory
                memories[at][1].copyin(buffer.as_numpy() if host else buffer.numpy())
        let_go(arguments)
        return memories

    def _new_memory(self, at: int, read: Mapping[int, UOp]) -> tuple[UOp, Buffer, bool]:
        """Memory in place `at` behind the arguments', and whether it is that of the last run."""
        node = read.get(at)
        if node is None:
            return self.spares.take(at)
        return node, buffer_of(node), False

    def _drop_gradients(self, tensors: Sequence[Core]) -> None:
        """Let go of gradients that will be others and that no kernel reads: memory for the new."""
        for holder, same, _, _, reads, _ in self.grads:
            tensor = self._holder(holder, tensors)
            if not same and reads is None and tensor is not None:
                tensor._grad = None

    def _gradients_read(self) -> Mapping[int, UOp]:
        """The gradients that kernels read, by their places behind the arguments; once."""
        read, self._read = self._read, {}
        return read

    def _fill(self, buffers: Sequence[Buffer]) -> None:
        for buffer in self.random:
            buffer.copyin(np.array(next_words(), np.uint32))
        for slot, buffer, data in self.constants:
            (buffer if slot is None else buffers[slot]).copyin(data)

    def _results_of(
        self, tensors: Sequence[Core], nodes: list[UOp], binds: Mapping[UOp, UOp]
    ) -> Any:
        results = self._result_tensors(tensors, nodes, binds)
        for holder, same, template, _, _, _ in self.grads:
            tensor = self._holder(holder, tensors)
            if not same and tensor is not None:
                tensor._grad = template and template.make(nodes, tensors, binds, {})
        return in_order(self._structure, results)
