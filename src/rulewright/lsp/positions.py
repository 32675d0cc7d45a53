"""Places as editors count them: from 0, in the units that editor and server agreed on.

Those are UTF-16 units unless the editor offers others. The language's own places count characters
from 1, and only a newline ends a line.
"""

from __future__ import annotations

from lsprotocol import types
from pygls.workspace import PositionCodec

from rulewright.lang.tree import Span


class TextPositions:
    """Converts places of one text."""

    def __init__(self, text: str, codec: PositionCodec) -> None:
        self.lines = text.split("\n")
        self.codec = codec

    def position(self, line: int, column: int) -> types.Position:
        """A line and column from 1, as the editor counts; past the end, it is the end."""
        if line > len(self.lines):
            line, column = len(self.lines), len(self.lines[-1]) + 1
        before = self.lines[max(0, line - 1)][: max(0, column - 1)]
        return types.Position(max(0, line - 1), self.codec.client_num_units(before))

    def range(self, span: Span) -> types.Range:
        """A span as the editor counts."""
        start = self.position(span.line, span.column)
        return types.Range(start, self.position(span.end_line, span.end_column))

    def place(self, at: types.Position) -> tuple[int, int]:
        """Line and column, from 1, of an editor's place; past the end of a line, its end."""
        if at.line >= len(self.lines):
            return len(self.lines), len(self.lines[-1]) + 1
        units, line = 0, self.lines[at.line]
        for column, char in enumerate(line, 1):
            if units >= at.character:
                return at.line + 1, column
            units += self.codec.client_num_units(char)
        return at.line + 1, len(line) + 1

    def everything(self) -> types.Range:
        """The whole text."""
        return types.Range(
            types.Position(0, 0), self.position(len(self.lines), len(self.lines[-1]) + 1)
        )
