"""What is wrong with a text, where, and what to do about it: for people and for editors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rulewright.errors import RuleError, UsageError, nearest as nearest_name
from rulewright.lang.reading import read_source
from rulewright.lang.tree import NO_SPAN, Span
from rulewright.paths import spec_dir


@dataclass(frozen=True)
class Diagnostic:
    """One problem: its message at `span`, perhaps a second place, perhaps a way out.

    `code` is a stable short name for tools; `note` says what stands at `other`.
    """

    code: str
    message: str
    span: Span
    other: Span | None = None
    note: str = ""
    help: str = ""

    @property
    def file(self) -> str:
        """The file the problem is in."""
        return self.span.file

    def to_json(self) -> dict[str, object]:
        """Plain data for `--format json`; lines and columns count from 1, the end is exclusive."""
        data: dict[str, object] = {
            "severity": "error",
            "code": self.code,
            "message": self.message,
            **self.span._asdict(),
        }
        if self.other:
            data["related"] = [{"message": self.note, **self.other._asdict()}]
        if self.help:
            data["help"] = self.help
        return data

    def render(self, source: str | None = None) -> str:
        """`file:line:col: error: …` with the source line and a caret under the span.

        `source` is the text of the file; without it the file is read, or the lines left out.
        """
        lines = [f"{_place(self.span)}: error: {self.message}"]
        lines += excerpt(self.span, source)
        if self.other:
            lines.append(f"{_place(self.other)}: note: {self.note}")
            lines += excerpt(self.other, source if self.other.file == self.file else None)
        if self.help:
            lines.append(f"  help: {self.help}")
        return "\n".join(lines)


def _place(span: Span) -> str:
    return f"{span.file}:{span.line}:{span.column}" if span != NO_SPAN else "?"


@cache
def _lines_of(file: str) -> tuple[str, ...]:
    path = Path(file)
    if file.startswith("spec/") and not path.is_file():  # named from the folder above spec/
        path = spec_dir().parent / file
    try:
        return tuple(read_source(path).split("\n"))
    except UsageError:
        return ()


_WIDEST = 400  # columns of a line that are shown, around its problem


def excerpt(span: Span, source: str | None) -> list[str]:
    """The line a span begins in, and carets under its part of that line."""
    lines = source.split("\n") if source is not None else _lines_of(span.file)
    if not 0 < span.line <= len(lines):
        return []
    line = lines[span.line - 1]
    end = span.end_column if span.end_line == span.line else len(line.rstrip()) + 1
    start = min(span.column, len(line) + 1)
    if len(line) > _WIDEST:
        first = max(0, start - 1 - _WIDEST // 3)
        line = line[first : first + _WIDEST]
        start, end = start - first, end - first
    indent = "".join("\t" if c == "\t" else " " for c in line[: start - 1])
    number = f"{span.line:>5}"
    bar = " " * len(number)
    carets = "^" * max(1, min(end, len(line) + 1) - start)
    return [f"{number} | {line.rstrip()}", f"{bar} | {indent}{carets}"]


def nearest(name: str, known: Iterable[str]) -> str:
    """`did you mean ...?` for a name that is close to a known one, else nothing."""
    near = nearest_name(name, known)
    return f"did you mean `{near}`?" if near else ""


def in_order(problems: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sorted by place, duplicates left out."""
    return sorted(dict.fromkeys(problems), key=lambda d: (d.span, d.code, d.message))


def count_line(problems: list[Diagnostic]) -> str:
    """`3 errors`."""
    return f"{len(problems)} error{'' if len(problems) == 1 else 's'}"


def reason_of(error: RuleError) -> str:
    """What the first problem of an error is, without its place."""
    first = next((d for d in error.diagnostics if isinstance(d, Diagnostic)), None)
    return first.message if first else str(error)


def rule_error(
    problems: list[Diagnostic], source_of: Callable[[str], str | None] = lambda file: None
) -> RuleError:
    """A RuleError whose message is all diagnostics and their count."""
    parts = [d.render(source_of(d.file)) for d in problems]
    return RuleError("\n\n".join([*parts, count_line(problems)]), tuple(problems))
