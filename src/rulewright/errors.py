"""Every exception that Rulewright raises on purpose, in one tree.

RulewrightError (RuntimeError)
├── UsageError (ValueError)        a caller passed something that cannot mean anything
│   ├── ArgumentError (TypeError)  an argument of a kind that is not taken
│   │   └── ChoiceError (NotImplementedError)  a word that is none of those to choose from
│   ├── RangeError (OverflowError) a number that its dtype cannot hold
│   ├── ShapeError (AssertionError)  shapes that do not fit, negative sizes
│   │   ├── AxisError (IndexError)     an axis that a tensor does not have
│   │   └── PositionError (IndexError) a position that an axis does not have, or what is none
│   ├── DTypeError (TypeError)     a dtype that the operation does not take
│   │   ├── UnknownDTypeError (AttributeError)  a name that is no dtype's
│   │   └── NoTypeError            a dtype that a target has no type of
│   ├── UnknownAttributeError (AttributeError)  a name that a tensor or a layer does not have
│   ├── UnknownImportError (ImportError)  a name that a module does not have, to be imported
│   ├── FileError (OSError)        a file that cannot be read or written
│   │   └── MissingFileError (FileNotFoundError)  a file that is not there
│   ├── DeviceError                unknown device, or several where one is needed
│   ├── VariableError              a symbolic variable is unbound or bound twice
│   ├── FunctionError              a traced function or kernel that cannot be called like that
│   └── JitError                   a jitted function does what cannot be replayed
├── RuleError                      a `.uop` text is wrong; carries diagnostics
├── RewriteError                   a rewrite did not end, or an extern broke its word
├── StageError                     a graph is not legal at a stage
├── ScheduleError                  no order of kernels exists, or an op may not stand there
│   └── CycleError                 buffers that depend on each other
├── InterpreterError               a graph means nothing to the reference interpreter
├── ValidationError                compilation changed what a program means (VERIFY=)
├── CompileError                   a device compiler refused generated source
├── DeviceRuntimeError             a device failed while running
└── MissingExtraError (ImportError) an optional package is needed; names the extra

In parentheses: the classes of Python by which PyTorch, numpy or tinygrad raise the same, so that
`except` clauses written for those catch it here. PyTorch has RuntimeError for nearly everything,
numpy ValueError, and tinygrad asserts that shapes fit.
"""

from __future__ import annotations

from collections.abc import Iterable


class RulewrightError(RuntimeError):
    """Base of every error that Rulewright raises on purpose."""


class UsageError(RulewrightError, ValueError):
    """A caller passed a value that cannot mean anything here."""


class ArgumentError(UsageError, TypeError):
    """An argument of a kind that is not taken, such as text for a number."""


class ChoiceError(ArgumentError, NotImplementedError):
    """A word that is none of those that an argument takes, such as a mode."""


class RangeError(UsageError, OverflowError):
    """A number that its dtype cannot hold."""


class ShapeError(UsageError, AssertionError):
    """Shapes, axes or sizes that do not fit."""


class AxisError(ShapeError, IndexError):
    """An axis that a tensor does not have."""


class PositionError(ShapeError, IndexError):
    """A position outside of its axis, known before anything is computed; or what is no index."""


class DTypeError(UsageError, TypeError):
    """A dtype that the operation does not take."""


class NoTypeError(DTypeError):
    """A dtype that a target has no type of; `lacks` is its name."""

    lacks = ""


class UnknownAttributeError(UsageError, AttributeError):
    """A name that a tensor, a layer, an optimiser or a module does not have."""


class UnknownImportError(UsageError, ImportError):
    """A name that a module does not have, asked for by `from module import name`."""


class UnknownDTypeError(DTypeError, AttributeError):
    """A name that no dtype has."""


class FileError(UsageError, OSError):
    """A file that cannot be read or written, or is no file that holds data."""


class MissingFileError(FileError, FileNotFoundError):
    """A file that is not there."""


class DeviceError(UsageError):
    """An unknown device, or several devices where one is needed."""


class FunctionError(UsageError):
    """A traced function, or a kernel in UOps, that is wrong or is called with what does not fit."""


class JitError(UsageError):
    """A jitted function does what cannot be captured and replayed rightly."""


class VariableError(UsageError):
    """A symbolic variable that is unbound, out of range or bound to two values."""


class RuleError(RulewrightError):
    """A `.uop` text is wrong. `diagnostics` holds every problem found, in order of position."""

    def __init__(self, message: str, diagnostics: tuple[object, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics


class RewriteError(RulewrightError):
    """A rewrite ran out of fuel, or an extern function broke its declaration.

    `cycle` holds the steps that come again and again, if that is known: (rule, before, after).
    """

    def __init__(self, message: str, cycle: tuple[tuple[str, object, object], ...] = ()) -> None:
        super().__init__(message)
        self.cycle = cycle


class StageError(RulewrightError):
    """A graph holds a node that its stage does not allow."""


class ScheduleError(RulewrightError):
    """A graph that cannot be split into ordered kernels."""


class CycleError(ScheduleError):
    """Buffers whose reads and writes depend on each other in a cycle."""


class InterpreterError(RulewrightError):
    """A graph that has no meaning, found while interpreting it."""


class ValidationError(RulewrightError):
    """A step of compilation that changed what a program means, or would touch memory wrongly.

    `problem` says what is wrong; `entry` (of the pipeline), `rule` and its `place` (file:line) name
    the step as far as it is known; `before` and `after` are its graphs, or None.
    """

    def __init__(
        self,
        problem: str,
        entry: str = "",
        rule: str = "",
        place: str = "",
        before: object = None,
        after: object = None,
    ) -> None:
        super().__init__(problem)
        self.problem, self.entry = problem, entry
        self.rule, self.place = rule, place
        self.before, self.after = before, after

    def __str__(self) -> str:
        step = f"rule {self.rule} ({self.place})" if self.rule else ""
        where = ", ".join(part for part in (self.entry, step) if part)
        lines = [f"{where}: {self.problem}" if where else self.problem]
        for name, graph in (("before", self.before), ("after", self.after)):
            lines += [name, _cut(str(graph))] if graph is not None else []
        return "\n".join(lines)


MOST_LINES = 80  # of a graph that a message prints


def _cut(text: str) -> str:
    lines = text.rstrip("\n").split("\n")
    left = len(lines) - MOST_LINES
    return "\n".join([*lines[:MOST_LINES], f"… {left} more lines"] if left > 0 else lines)


class CompileError(RulewrightError):
    """A device compiler refused generated source, or took longer than it may.

    `source` is what it was given, `output` all that it said; the message quotes both in part.
    `unit` names the kernels in the source, `kernels` are their graphs and `methods` the tensor
    methods that they came from, with the user's lines, as far as they are known.
    """

    def __init__(self, message: str, source: str = "", output: str = "", unit: str = "") -> None:
        super().__init__(message)
        self.source, self.output, self.unit = source, output, unit
        self.kernels: tuple[object, ...] = ()
        self.methods: tuple[str, ...] = ()

    def __str__(self) -> str:
        kernels = [f"kernels: {self.unit}"] if self.unit else []
        methods = [f"tensor methods: {'; '.join(self.methods)}"] if self.methods else []
        return "\n".join([super().__str__(), *kernels, *methods])


class DeviceRuntimeError(RulewrightError):
    """A device failed while allocating, copying or running.

    `kernels` are the graphs of what ran and `methods` the tensor methods that they came from, with
    the user's lines, as far as they are known. `is_late` says that something queued before failed,
    not what was asked for now.
    """

    kernels: tuple[object, ...] = ()
    methods: tuple[str, ...] = ()
    is_late: bool = False

    def __str__(self) -> str:
        methods = [f"tensor methods: {'; '.join(self.methods)}"] if self.methods else []
        return "\n".join([super().__str__(), *methods])


class MissingExtraError(RulewrightError, ImportError):
    """An optional package is needed; the message names the extra that installs it."""


class RulewrightWarning(UserWarning):
    """Something works, but not as well as it could; the message says what to do."""


# ---- what names are like -----------------------------------------------------------------------


def nearest(name: object, known: Iterable[str]) -> str:
    """The known name that another one is like, upper and lower case aside; "" if there is none."""
    from difflib import get_close_matches

    if not isinstance(name, str):
        return ""
    by_case = {n: n for n in sorted(set(known))}
    by_letters = {n.lower(): n for n in by_case}
    if name.lower() in by_letters and name not in by_case:
        return by_letters[name.lower()]
    for names, word in ((by_case, name), (by_letters, name.lower())):
        for close in get_close_matches(word, names, 1):
            return names[close]
    return ""


def listed(lead: str, known: Iterable[str], name: object) -> str:
    """`known are add, mul; did you mean mul?`: what there is, behind an error for another name."""
    names = list(known)
    near = nearest(name, names)
    return f"{lead} {', '.join(names) or 'none'}" + (f"; did you mean {near}?" if near else "")
