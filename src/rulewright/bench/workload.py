"""What a workload is: a program over the vocabulary of a library, its inputs, its work.

A `WorkloadKind` makes workloads of any size; one of a size is a `Workload`, named after both:
`matmul/512`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from rulewright.errors import UsageError, nearest

_SUFFIXES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True)
class Workload:
    """A workload of one size.

    program(library, *tensors) gives a tensor or a tuple; with `wanted` it gives a loss without
    axes, and what is timed and checked are the loss and its gradients by the first `wanted`
    tensors, or with a `rate` these tensors after a step against them. inputs() are numpy arrays.
    flops: operations on elements of one call. terms: the length of its longest sum, which says
    how exact it can be. reference(*inputs as float64) gives the results in numpy, in order; None
    where numpy runs the program itself. without: peers that do not do it, or only for show. jit:
    whether what can compile a function whole does. timer(name of a library): the seconds of one
    run, where that is not a call over inputs in memory.
    """

    name: str
    program: Callable[..., Any]
    inputs: Callable[[], Sequence[Any]]
    flops: int
    dtype: str = "f32"
    terms: int = 1
    wanted: int = 0
    rate: float = 0.0
    reference: Callable[..., Sequence[Any]] | None = None
    without: frozenset[str] = frozenset()
    jit: bool = True
    timer: Callable[[str], float] | None = None


def slow_at(dtype: str) -> frozenset[str]:
    """The peers that compute with a dtype one number at a time."""
    return frozenset({"numpy"} if dtype in ("f16", "bf16") else ())


@dataclass(frozen=True)
class WorkloadKind:
    """Workloads of one kind by size. `sizes` are timed when it is asked for, `growing` ones with
    `--sizes grow`.
    """

    name: str
    make: Callable[[str, int], Workload] = field(repr=False)
    sizes: tuple[int, ...]
    growing: tuple[int, ...]

    def case(self, size: int) -> Workload:
        """The workload of a size, which is 1 or more."""
        return self.make(f"{self.name}/{size_text(size)}", size)

    def cases(self, sizes: Sequence[int] | None = None) -> list[Workload]:
        """The workloads of these sizes, or of its own."""
        return [self.case(size) for size in (self.sizes if sizes is None else sizes)]


def size_text(size: int) -> str:
    """A size as names have it: 16M for 16 * 2**20; below 64K all digits."""
    for suffix in ("G", "M", "K"):
        if size >= 64 << 10 and size % _SUFFIXES[suffix] == 0:
            return f"{size // _SUFFIXES[suffix]}{suffix}"
    return str(size)


def read_size(text: str) -> int:
    """A size as names have it. Raises UsageError unless it is a whole number from 1 on."""
    digits, factor = text, 1
    if text[-1:].upper() in _SUFFIXES:
        digits, factor = text[:-1], _SUFFIXES[text[-1].upper()]
    if not (digits.isascii() and digits.isdigit()) or int(digits) == 0:
        raise UsageError(f"expected a size such as 512 or 16M, found {text!r}")
    return int(digits) * factor


def find(
    kinds: Sequence[WorkloadKind], words: Sequence[str], sizes: Sequence[int] | str | None = None
) -> list[Workload]:
    """The workloads that words ask for, each once, in the order of the words.

    A word is a name (`matmul/512`, of any size), a pattern as in fnmatch (`matmul/*`), or the
    beginning of names up to a slash (`matmul`: all of its kinds). `sizes` stand for those of the
    kinds; "grow": sizes that grow. Raises UsageError for a word that fits nothing.
    """
    asked = (case for word in words for case in _asked(kinds, word, sizes))
    return list({case.name: case for case in asked}.values())


def _asked(
    kinds: Sequence[WorkloadKind], word: str, sizes: Sequence[int] | str | None
) -> list[Workload]:
    if sizes is not None:
        chosen = [kind for kind in kinds if _fits(kind.name, word) or _holds(kind, word)]
        cases = [c for k in chosen for c in k.cases(k.growing if isinstance(sizes, str) else sizes)]
    else:
        cases = [c for k in kinds for c in k.cases() if _fits(c.name, word) or _fits(k.name, word)]
        cases = cases or _of_any_size(kinds, word)
    if not cases:
        names = ", ".join(kind.name for kind in kinds)
        head, _, last = word.rpartition("/")
        near = nearest(head if last[:1].isdigit() else word, [kind.name for kind in kinds])
        hint = f"; did you mean {near}?" if near else ""
        raise UsageError(f"no workload fits {word!r}; expected a name, or a pattern of names, out "
                         f"of {names}, with /SIZE behind it or without{hint}")  # fmt: skip
    return cases


def _fits(name: str, word: str) -> bool:
    return fnmatchcase(name, word) or name.startswith(word.rstrip("/") + "/")


def _holds(kind: WorkloadKind, word: str) -> bool:
    return any(fnmatchcase(case.name, word) for case in kind.cases())


def _of_any_size(kinds: Sequence[WorkloadKind], word: str) -> list[Workload]:
    name, slash, size = word.rpartition("/")
    exact = [kind for kind in kinds if slash and kind.name == name]
    return [kind.case(read_size(size)) for kind in exact]


# ---- inputs --------------------------------------------------------------------------------------
#
# Numbers that workloads compute with: the same each time.


def random(*shapes: tuple[int, ...], dtype: str = "f32", scale: float = 1.0) -> list[Any]:
    """Arrays of normal numbers of this scale, in a dtype."""
    import numpy as np

    from rulewright.ir.dtypes import dtypes

    rng = np.random.default_rng(7)
    kind = getattr(dtypes, dtype).np
    return [(rng.standard_normal(s, np.float32) * np.float32(scale)).astype(kind) for s in shapes]


def positive(*shapes: tuple[int, ...]) -> list[Any]:
    """Arrays of float32 from 0 to 1, whose sums do not vanish."""
    import numpy as np

    rng = np.random.default_rng(7)
    return [rng.random(shape, np.float32) for shape in shapes]
