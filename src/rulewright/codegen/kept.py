"""Programs on disk: kernels that some process has lowered need no lowering in the next.

An entry is filed under the kernels' graphs, the target, `spec/`, what was loaded beside it and
concerns the target, and the source of all that lowers.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rulewright.codegen.program import KernelProgram
from rulewright.diskcache import DiskCache
from rulewright.ir.known import rules_are_the_specs
from rulewright.ir.uop import UOp
from rulewright.lang.beside import target_key
from rulewright.lang.build import code_key
from rulewright.options import options

_store = DiskCache("programs")


def kept_programs(kernels: Sequence[UOp], target_name: str) -> Iterator[KernelProgram]:
    """The programs of kernels in order, as `lower_kernel` makes them, each as soon as it is there.

    Those that were kept, which are kept together, come without their `uops`. Nothing is kept where
    something else than the text is wanted: with user rules, checks after each entry, a stop before
    the last one, reports of rules, or the option CACHE at 0.
    """
    chosen = options()
    special = chosen.VERIFY or chosen.STOP_AFTER or chosen.DEBUG >= 6 or not chosen.CACHE
    keeps = not special and rules_are_the_specs()
    parts = [target_name, target_key(target_name), code_key(), *map(str, kernels)] if keeps else []
    key = "\0".join(parts)
    data = _store.get(key) if keeps else None
    if data is not None:
        yield from pickle.loads(data)
        return
    from rulewright.codegen.lower import lower_kernel  # what lowers is read once it is needed

    programs: list[KernelProgram] = []
    for kernel in kernels:
        programs.append(lower_kernel(kernel, target_name))
        if keeps and len(programs) == len(kernels):
            _store.put(key, pickle.dumps([replace(p, uops=()) for p in programs], protocol=4))
        yield programs[-1]
