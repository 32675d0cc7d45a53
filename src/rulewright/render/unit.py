"""Translation units: one or several kernels under one preamble."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rulewright.errors import StageError
from rulewright.ir.dtypes import DType
from rulewright.ir.uop import UOp
from rulewright.render.kernel import KernelWriter
from rulewright.render.target import Target


def _vector_definitions(target: Target, kernels: Iterable[Written]) -> list[str]:
    if not target.has_text("vector_definition"):
        return []
    template = target.text("vector_definition")
    used = {d for k in kernels for d in k.dtypes if d.count > 1}
    definitions = []
    for dtype in sorted(used, key=lambda d: (d.base, d.count)):
        values = {
            "type": target.type_name(dtype),
            "of": target.type_name(dtype.scalar),
            "bytes": str(dtype.itemsize),
            "align": str(dtype.scalar.itemsize),
        }
        definitions.append(template.fill(values).text)
    return definitions


def _preamble(target: Target, kernels: Sequence[Written]) -> str:
    used = sorted({d.base for k in kernels for d in k.dtypes})
    names = ["preamble", *(f"preamble_{base}" for base in used)]
    parts = [target.text(n).fill({}).text for n in names if target.has_text(n)]
    parts += _vector_definitions(target, kernels)
    parts += dict.fromkeys(h.strip("\n") for k in kernels for h in k.helpers)
    return "".join(part + "\n" for part in parts)


@dataclass(frozen=True)
class Written:
    """The text of one kernel, and what a unit that holds it declares before: dtypes and helpers."""

    text: str
    dtypes: tuple[DType, ...]
    helpers: tuple[str, ...]

    def under(self, name: str, other: str) -> Written:
        """The same kernel under another name, which stands at one place: before its parameters."""
        place = rf"\b{re.escape(name)}\("
        return replace(self, text=re.sub(place, f"{other}(", self.text, count=1))


def write_kernel(uops: Sequence[UOp], target: Target, name: str) -> Written:
    """One kernel, for `join_kernels`. Raises what `render_unit` raises."""
    writer = KernelWriter(uops, target, name)
    text = "\n".join(writer.write()) + "\n"
    macros = macros_of(target.macros, [text, *writer.helpers])
    return Written(text, tuple(writer.dtypes), (*macros, *writer.helpers))


def macros_of(macros: Mapping[str, str], texts: Sequence[str]) -> list[str]:
    """The definitions of macros that texts name, and of those that these definitions name."""
    used: list[str] = []
    waiting = list(texts)
    while waiting:
        text = waiting.pop()
        new = [m for word, m in macros.items() if word in text and m not in used]
        used += new
        waiting += new
    return [macro for macro in macros.values() if macro in used]


def join_kernels(kernels: Sequence[Written], target: Target) -> str:
    """Source of several kernels of different names.

    Raises StageError for several on a target where kernels declare what they take before them, all
    under the same names.
    """
    if len(kernels) > 1 and target.has_text("parameter_before"):
        raise StageError(
            f"target {target.name} takes one kernel in a unit, found {len(kernels)}; `unit_length` "
            "of its device is to be 0"
        )
    preamble = _preamble(target, kernels)
    texts = [kernel.text for kernel in kernels]
    return "\n".join([preamble, *texts] if preamble else texts)


def render_unit(programs: Sequence[tuple[Sequence[UOp], str]], target: Target) -> str:
    """Source of several kernels, each given as its list of uops and its name.

    Raises DTypeError for a dtype that the target lacks, StageError for a uop that it cannot
    express.
    """
    return join_kernels([write_kernel(uops, target, name) for uops, name in programs], target)


def render(uops: Sequence[UOp], target: Target, name: str) -> str:
    """Source of one kernel as a whole translation unit. Raises what `render_unit` raises."""
    return render_unit([(uops, name)], target)
