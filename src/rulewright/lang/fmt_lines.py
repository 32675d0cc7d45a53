"""Cuts a `.uop` text into logical lines: a declaration's head, a clause, a statement, a `}`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from rulewright.lang import tree as t

_TOKENS = re.compile(
    r'(?P<long>"""(?:[^"]|"(?!""))*""")|(?P<doc>///[^\n]*)|(?P<comment>#[^\n]*)'
    r'|(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)'
    r"|(?P<word>\w+)|(?P<sign>=>|->|\.\.|//|<<|>>|<=|>=|==|!=|[^\s\w])|(?P<newline>\n)"
)


@dataclass
class PlacedToken:
    """A token with its place."""

    kind: str
    text: str
    line: int
    column: int
    glued: bool  # whether it follows the token before it without a space


@dataclass
class Logical:
    """What goes on one line if it fits, and the comments that belong to it."""

    kind: str
    level: int
    pieces: list[PlacedToken] = field(default_factory=list)
    leading: list[str] = field(default_factory=list)  # doc comments and comments on lines above
    trailing: list[str] = field(default_factory=list)  # comments at the end
    blank: bool = False  # whether a blank line stands before it


def tokens(text: str) -> Iterator[PlacedToken]:
    """Every token, comments and line ends included."""
    line, start, end = 1, 0, -1
    for match in _TOKENS.finditer(text):
        kind = match.lastgroup or ""
        yield PlacedToken(
            kind, match.group(), line, match.start() - start + 1, match.start() == end
        )
        end = -1 if kind == "newline" else match.end()
        breaks = match.group().count("\n")
        if breaks:
            line += breaks
            start = match.start() + match.group().rindex("\n") + 1


_Starts = dict[tuple[int, int], tuple[str, int]]


def starts(file: t.SourceFile) -> _Starts:
    """Where logical lines begin: place to kind and level."""
    begun: _Starts = {}

    def note(node: t.Node, kind: str, level: int) -> None:
        begun[node.span.line, node.span.column] = (kind, level)

    for item in file.items:
        note(item, _kind(item), 0)
        for rule in getattr(item, "rules", ()):
            note(rule, "rule", 1)
            for clause in rule.clauses:
                note(clause, "clause", 2)
        parts = [*getattr(item, "statements", ()), *getattr(item, "tolerates", ())]
        parts += [*getattr(item, "phases", ()), *getattr(item, "entries", ())]
        parts += getattr(item, "parts", ())
        if isinstance(item, t.TargetDecl):
            parts += item.facts
        for part in parts:
            if isinstance(part, t.Node):
                note(part, _kind(part), 1)
        if isinstance(item, t.Graph):
            _body(item.body, 1, note)
        for part in item.parts if isinstance(item, t.Case) else ():
            if part.body is not None and part.body.lines:
                _body(part.body, 2, note)
    return begun


def _body(body: t.Body, level: int, note: Callable[[t.Node, str, int], None]) -> None:
    for line in body.lines:
        note(line, "line", level)


def _kind(node: t.Node) -> str:
    if isinstance(node, t.TargetFact) and node.kind == t.CORE:
        return "core"
    names = {
        t.DTypeDecl: "dtype",
        t.DTypeSet: "set",
        t.Group: "set",
        t.Measure: "set",
        t.Promote: "promote",
        t.OpDecl: "op",
        t.Extern: "extern",
        t.Legal: "legal",
        t.Phase: "phase",
        t.EntryDecl: "entry",
        t.Equiv: "tolerate",
        t.TargetFact: "fact",
        t.CasePart: "part",
    }
    return names.get(type(node), "head")


class Cutter:
    """Distributes the tokens of a file over logical lines."""

    def __init__(self, text: str, file: t.SourceFile) -> None:
        self.starts = starts(file)
        self.lines: list[Logical] = []
        self.current: Logical | None = None
        self.blocks: list[bool] = []  # open braces: whether they hold lines of their own
        self.waiting: list[str] = []  # comments for the next logical line
        self.blank = False
        self.pending: tuple[str, int] | None = None
        self.long = self._long_bodies(file)
        newlines = 2  # the beginning of the text counts as the beginning of a line
        for piece in tokens(text):
            if piece.kind == "newline":
                newlines += 1
                continue
            self._take(piece, newlines)
            newlines = 0
        self._flush_waiting()

    @staticmethod
    def _long_bodies(file: t.SourceFile) -> set[tuple[int, int]]:
        """The places of graph bodies that are laid out over several lines."""
        long = set()
        for item in file.items:
            bodies = [item.body] if isinstance(item, t.Graph) else []
            if isinstance(item, t.Case):
                bodies += [p.body for p in item.parts if p.body is not None and p.body.lines]
            long |= {(b.span.line, b.span.column) for b in bodies}
        return long

    def _take(self, piece: PlacedToken, newlines: int) -> None:
        self.blank = self.blank or (newlines > 1 and bool(self.lines or self.waiting))
        start = self.starts.get((piece.line, piece.column))
        if piece.kind == "comment" and not newlines and self.lines and not self.waiting:
            self.lines[-1].trailing.append(piece.text.rstrip())
            return
        if piece.kind in ("comment", "doc"):
            self.pending = start or self.pending
            if (self.blank and self.waiting) or self.blank:
                self.waiting.append("")
                self.blank = False
            self.waiting.append(piece.text.rstrip())
            return
        start = start or (self.pending if piece.kind == "word" else None)
        if start:
            self.pending = None
            self._open(*start)
        elif piece.text == "return" and (self.current is None or self._in_body()):
            self._open("return", len(self.blocks))
        elif self.current is None:
            self._open("close" if piece.text == "}" else "other", max(0, len(self.blocks) - 1))
        self._append(piece)

    def _in_body(self) -> bool:
        return bool(self.blocks) and self.blocks[-1]

    def _open(self, kind: str, level: int) -> None:
        leading, blank = self.waiting, self.blank and not self.waiting
        if leading and self.blank:  # a comment that stands apart from what follows
            leading = [*leading, ""]
        if leading and leading[0] == "":
            leading, blank = leading[1:], True
        self.current = Logical(kind, level, leading=leading, blank=blank)
        self.lines.append(self.current)
        self.waiting, self.blank = [], False

    def _append(self, piece: PlacedToken) -> None:
        assert self.current is not None
        kind = self.current.kind
        if piece.text == "{" and piece.kind == "sign":
            block = kind == "head" or (piece.line, piece.column) in self.long
            self.blocks.append(block)
            self.current.pieces.append(piece)
            if block:
                self.current = None
            return
        if piece.text == "}" and piece.kind == "sign":
            block = self.blocks.pop() if self.blocks else False
            if block and self.current.pieces:
                self._open("close", len(self.blocks))
            self.current.pieces.append(piece)
            if block:
                self.current = None
            return
        self.current.pieces.append(piece)

    def _flush_waiting(self) -> None:
        if self.waiting:
            self._open("other", 0)
