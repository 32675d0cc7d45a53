"""Translation units: one or several kernels under one preamble."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rulewright.ir.uop import UOp
from rulewright.render.kernel import KernelWriter
from rulewright.render.target import Target


def _vector_definitions(target: Target, writers: Iterable[KernelWriter]) -> list[str]:
    if not target.has_text("vector_definition"):
        return []
    template = target.text("vector_definition")
    used = {d for w in writers for d in w.dtypes if d.count > 1}
    found = []
    for dtype in sorted(used, key=lambda d: (d.base, d.count)):
        values = {
            "type": target.type_name(dtype),
            "of": target.type_name(dtype.scalar),
            "bytes": str(dtype.itemsize),
            "align": str(dtype.scalar.itemsize),
        }
        found.append(template.fill(values).text)
    return found


def _preamble(target: Target, writers: Sequence[KernelWriter]) -> str:
    used = sorted({d.base for w in writers for d in w.dtypes})
    names = ["preamble", *(f"preamble_{base}" for base in used)]
    parts = [target.text(n).fill({}).text for n in names if target.has_text(n)]
    parts += _vector_definitions(target, writers)
    parts += dict.fromkeys(h.strip("\n") for w in writers for h in w.helpers)
    return "".join(part + "\n" for part in parts)


def render_unit(programs: Sequence[tuple[Sequence[UOp], str]], target: Target) -> str:
    """Source of several kernels, each given as its list of uops and its name.

    Raises DTypeError for a dtype that the target lacks, StageError for a uop that it cannot
    express.
    """
    writers = [KernelWriter(uops, target, name) for uops, name in programs]
    kernels = ["\n".join(writer.write()) + "\n" for writer in writers]
    preamble = _preamble(target, writers)
    return "\n".join([preamble, *kernels] if preamble else kernels)


def render(uops: Sequence[UOp], target: Target, name: str) -> str:
    """Source of one kernel as a whole translation unit. Raises what `render_unit` raises."""
    return render_unit([(uops, name)], target)
