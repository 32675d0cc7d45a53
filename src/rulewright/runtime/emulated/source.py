"""What the host's compiler is given: a shim, the kernels' own source, and entries that call them.

The source is compiled as it was rendered. One word is blanked out: `threadgroup` before what a
pointer points to, which in C++ cannot be the `static` that it is before a variable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from rulewright.runtime.gpu import DYNAMIC

FOLDER = Path(__file__).parent
ENTRY = "rw_entry_"  # and the kernel's name

_POSITIONS = {
    "threadgroup_position_in_grid": "rw_block()",
    "thread_position_in_threadgroup": "rw_thread()",
    "threads_per_threadgroup": "rw_block_size()",
    "threadgroups_per_grid": "rw_grid_size()",
}
"""Attributes of Metal's parameters, and what gives their values."""
_ATTRIBUTE = re.compile(r"\[\[\s*(\w+)\s*(?:\(\s*(\d+)\s*\))?\s*\]\]")
_NAME = re.compile(r"(\w+)\s*$")
_POINTER = re.compile(r"(?<=\()threadgroup\b|\bthreadgroup\b(?=[\w\s]*\*)")
_MMA = re.compile(r"asm volatile\(((?:[^()]|\([^()]*\))*)\);")
_WARPS = re.compile(
    r"wgmma\.mma_async\.sync\.aligned\.(m64n\d+k\d+\.\S+) \{[^}]*\}, "
    r"%(\d+), %(\d+), ([01])(?:, 1, 1(?:, %(\d+), %(\d+))?)?;"
)
_WAITED = re.compile(
    r"fence\.proxy\.async\.shared::cta;wgmma\.fence\.sync\.aligned;(?P<products>.*)"
    r"wgmma\.commit_group\.sync\.aligned;wgmma\.wait_group\.sync\.aligned 0;"
)
_MACRO = re.compile(r"^#define (\w+) ((?:.*\\\n)*.*)$", re.MULTILINE)
_OPERAND = re.compile(r"\"[+=]?[a-z]\"\s*\(([^()]*)\)")
_LOADS = re.compile(r"ldmatrix\.sync\.aligned\.m8n8\.x([124])(\.trans)?\.shared\.b16")
_DEFINED = r"__shared__ \g<begin>[\g<bytes> / sizeof(\g<type>)];"
_BOUNDS = r"__launch_bounds__\(\s*(\d+)\s*\)\s*"


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel: its name, its type, its attribute (Metal) and the number in that."""

    name: str
    type: str
    attribute: str = ""
    number: int = -1

    @property
    def is_memory(self) -> bool:
        """Whether it points to a buffer."""
        return "*" in self.type

    @property
    def is_variable(self) -> bool:
        """Whether it is a number that a launch passes."""
        return not self.is_memory and self.attribute in ("", "buffer")


@cache
def _shim(kind: str) -> str:
    parts = [(FOLDER / name).read_text(encoding="utf-8") for name in ("shim.h", f"{kind}.h")]
    return "\n".join(parts)


def signature(source: str, name: str) -> list[Parameter]:
    """The parameters of the kernel `name`. Raises ValueError if it has no such kernel."""
    definition = re.search(rf"\b{re.escape(name)}\s*\(([^{{;]*)\)\s*\{{", source)
    if definition is None:
        raise ValueError(f"the source defines no kernel {name}")
    return [_parameter(text) for text in definition[1].split(",") if text.strip()]


def _parameter(text: str) -> Parameter:
    attribute = _ATTRIBUTE.search(text)
    declared = _ATTRIBUTE.sub("", text).strip()
    name = _NAME.search(declared)
    if name is None:
        raise ValueError(f"a parameter without a name: {text.strip()}")
    kind = declared[: name.start()].strip()
    if attribute is None:
        return Parameter(name[1], kind)
    return Parameter(name[1], kind, attribute[1], int(attribute[2] or -1))


def memories(parameters: list[Parameter]) -> list[Parameter]:
    """The parameters that are buffers, in the order in which a launch names them."""
    return sorted((p for p in parameters if p.is_memory), key=lambda p: p.number)


def most_threads(source: str, name: str) -> int | None:
    """Threads of a block that the kernel is compiled for, where it says so (CUDA)."""
    bounds = re.search(_BOUNDS + re.escape(name) + r"\s*\(", source)
    return int(bounds[1]) if bounds else None


def unit(source: str, names: Sequence[str], kind: str) -> str:
    """The translation unit for kernels of a source; `kind` is "cuda" or "metal".

    Raises ValueError for a kernel that cannot be called: its name, or a parameter.
    """
    entries = "".join(_entry(name, signature(source, name)) for name in names)
    if kind == "cuda":
        macros = {m[1]: m[2].replace("\\\n", " ") for m in _MACRO.finditer(source)}
        source = _MMA.sub(partial(_multiplied, macros), DYNAMIC.sub(_DEFINED, source))
    else:
        source = _POINTER.sub(" " * len("threadgroup"), source)
    return f'{_shim(kind)}\n#line 1 "kernel"\n{source}\n#line 1 "entries"\n{entries}'


@cache
def _instructions() -> frozenset[str]:
    """How the instructions end that lanes multiply by."""
    return frozenset(re.findall(r'^ *\{"(\S+)", ', (FOLDER / "cores.c").read_text("utf-8"), re.M))


def _multiplied(macros: Mapping[str, str], instruction: re.Match[str]) -> str:
    """A call of the emulator in the place of a PTX instruction, on as many lines.

    Raises ValueError for an instruction that is not emulated.
    """
    whole = re.sub(r"\b[A-Z]+\b", lambda word: macros.get(word[0], word[0]), instruction[1])
    pieces = re.split(r":(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", whole)
    text, *operands = pieces
    if "wgmma." in text:
        return _multiplied_shared(text, operands) + "\n" * instruction[0].count("\n")
    said = "".join(re.findall(r"\"([^\"]*)\"", text))
    words = said.split()
    values = [value for part in operands[:2] for value in _OPERAND.findall(part)]
    taken = _placed(said, values)
    if len(taken) == 2 and words and (load := _LOADS.fullmatch(words[0])):
        return _loaded(load, *taken) + "\n" * instruction[0].count("\n")
    known = words and words[0].removeprefix("mma.sync.aligned.") in _instructions()
    if not known or len(taken) != 4:
        raise ValueError(f"instruction {words[0] if words else text.strip()} is not emulated")
    a, b, c = (", ".join(part) for part in taken[1:])
    call = (
        f"{{ unsigned rw_a[] = {{{a}}}, rw_b[] = {{{b}}}; "
        f"__typeof__({taken[0][0]}) rw_c[] = {{{c}}}; "
        f'rw_multiply(__LINE__, __COUNTER__, "{words[0]}", rw_a, rw_b, rw_c); '
    )
    back = " ".join(f"{place} = rw_c[{i}];" for i, place in enumerate(taken[0]))
    return f"{call}{back} }}" + "\n" * instruction[0].count("\n")


def _placed(said: str, values: Sequence[str]) -> list[list[str]]:
    """The operands in each pair of brackets of an instruction, which names them by number.

    Raises ValueError for a number that none has.
    """
    groups = [re.findall(r"%(\d+)", group) for group in re.findall(r"[{\[]([^}\]]*)[}\]]", said)]
    if any(int(number) >= len(values) for group in groups for number in group):
        raise ValueError(f"instruction {said.strip()} has {len(values)} operands")
    return [[values[int(number)] for number in group] for group in groups]


def _multiplied_shared(text: str, operands: Sequence[str]) -> str:
    """Calls of the emulator for products of matrices in shared memory, which have to be fenced and
    waited for at once.

    Raises ValueError for others.
    """
    said = "".join(re.findall(r"\"([^\"]*)\"", text)).replace("\\n", "")
    waited = _WAITED.fullmatch(said)
    sums, inputs = (_OPERAND.findall(part) for part in operands[:2])
    products = list(_WARPS.finditer(waited["products"])) if waited else []
    if not waited or "".join(p[0] for p in products) != waited["products"]:
        raise ValueError(f"instructions of four warps without a fence and a wait: {said}")
    values, calls = [*sums, *inputs], ""
    for what, a, b, adds, *turned in map(re.Match.groups, products):
        of_a, of_b = (values[int(number)] if number else "0" for number in turned)
        named = f"{values[int(a)]}, {values[int(b)]}, {of_a}, {of_b}, {adds}"
        calls += f'rw_multiply_shared(__LINE__, __COUNTER__, "{what}", {named}, rw_c); '
    back = " ".join(f"{place} = rw_c[{i}];" for i, place in enumerate(sums))
    return f"{{ __typeof__(+{sums[0]}) rw_c[] = {{{', '.join(sums)}}}; {calls}{back} }}"


def _loaded(load: re.Match[str], places: list[str], at: list[str]) -> str:
    """A call of the emulator that reads small matrices from shared memory."""
    call = f"__LINE__, __COUNTER__, {load[1]}, {int(bool(load[2]))}, {at[0]}, rw_x"
    back = " ".join(f"{place} = rw_x[{i}];" for i, place in enumerate(places))
    return f"{{ unsigned rw_x[{load[1]}]; rw_load_matrices({call}); {back} }}"


def _entry(name: str, parameters: list[Parameter]) -> str:
    """A function that calls a kernel, and is not watched itself."""
    arguments = ", ".join(_argument(p, parameters) for p in parameters)
    taken = "void *const *memories, const long *variables, const rw_hooks *hooks"
    body = f"  rw_hooks_here = hooks;\n  rw_begin();\n  {name}({arguments});\n"
    return f'extern "C" RW_PLAIN void {ENTRY}{name}({taken}) {{\n{body}}}\n'


def _argument(parameter: Parameter, parameters: list[Parameter]) -> str:
    """The expression that the entry passes."""
    known = memories(parameters)
    if parameter.is_memory:
        return f"({parameter.type})memories[{known.index(parameter)}]"
    if parameter.attribute in ("", "buffer"):
        numbers = [p for p in parameters if not p.is_memory and p.attribute in ("", "buffer")]
        numbers.sort(key=lambda p: p.number)
        return f"variables[{numbers.index(parameter)}]"
    if parameter.attribute not in _POSITIONS:
        raise ValueError(f"parameter {parameter.name}: [[{parameter.attribute}]] is not emulated")
    return f"rw_as<{parameter.type}>({_POSITIONS[parameter.attribute]})"
