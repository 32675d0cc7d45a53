"""Templates: a target's spelling of an op, with parentheses put only where they are needed.

`{a} + {b}` has two slots. An operand's text comes with its level: 0 for a name or call, 1 for a
unary or cast expression, then one more for each row of the target's `precedence`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

_SLOT = re.compile(r"\{(\w+)\}")
_UNARY = "-~!*&)"
ATOM, UNARY = 0, 1


class Text(NamedTuple):
    """A piece of source and how tightly its outermost operator binds (0 is tightest)."""

    text: str
    level: int = ATOM


class Levels:
    """The binary operators of a language by level, from rows such as `* / %; + -`."""

    def __init__(self, rows: str) -> None:
        self.of: dict[str, int] = {}
        for level, row in enumerate(rows.split(";"), UNARY + 1):
            self.of.update(dict.fromkeys(row.split(), level))
        if "?" in self.of:
            self.of[":"] = self.of["?"]
        self.sum = self.of.get("+", UNARY)
        self.chains = frozenset(self.of[o] for o in "&^|" if o in self.of)
        self.choice = min((self.of[o] for o in ("&&", "||", "?") if o in self.of), default=99)

    def must_wrap(self, child: int, left: int | None, right: int | None) -> bool:
        """Whether an operand of level `child` needs parentheses between its neighbours.

        `left` and `right` are levels of the operators beside it, None beside brackets. More are
        put than the language asks for where comparisons, shifts and bit operators meet.
        """
        if child == ATOM or left is right is None:
            return False
        if (left is not None and child >= left) or (right is not None and child > right):
            return True
        if child == right == self.of.get("?"):
            return True
        if left is None and child == right and child in self.chains:
            return False  # a | b | c
        around = [level for level in (left, right) if level is not None and level > UNARY]
        mixed = any(self.sum < level < self.choice for level in around)
        compares = any(level in (self.of.get("<"), self.of.get("==")) for level in around)
        if mixed and not compares:
            return child > UNARY
        return child > self.sum and any(level < self.choice for level in around)


class Template:
    """A parsed spelling."""

    def __init__(self, text: str, levels: Levels) -> None:
        self.levels = levels
        self.pieces = _SLOT.split(text)  # text, slot, text, slot, … text
        self.uses = Counter(self.pieces[1::2])
        self.level = self._level("x".join(self.pieces[::2]), text)
        self._slots = [  # name, level to its left and right, text behind it
            (self.pieces[i], self._beside(self.pieces[i - 1], -1), self._beside(after, 0), after)
            for i in range(1, len(self.pieces), 2)
            for after in self.pieces[i + 1 : i + 2]
        ]
        self._bare = self.pieces[::2] == ["", ""]  # `{x}` adds nothing

    def _level(self, bare: str, text: str) -> int:
        depth, level = 0, ATOM
        for word in re.findall(r"[()\[\]{}]|[^\s()\[\]{}]+", bare):
            if word in "([{":
                depth += 1
            elif word in ")]}":
                depth -= 1
            elif depth == 0:
                level = max(level, self.levels.of.get(word, ATOM))
        if level == ATOM and text.startswith(tuple("-~!*(")):
            return UNARY
        return level

    def _beside(self, text: str, side: int) -> int | None:
        """Level of the operator at the end (-1) or beginning (0) of the text beside a slot."""
        words = text.split()
        if not words:
            return None
        char = text[side]
        if char.isspace():  # operators of two operands stand between spaces
            return self.levels.of.get(words[side])
        if side == 0:
            return ATOM if char in ".[" else None
        return UNARY if char in _UNARY else None

    def fill(self, values: Mapping[str, Text | str]) -> Text:
        """The text with every slot filled; operands given as `Text` are wrapped where needed.

        Raises KeyError for a slot without a value.
        """
        if self._bare:
            alone = values[self.pieces[1]]
            return alone if isinstance(alone, Text) else Text(alone)
        out = [self.pieces[0]]
        for name, left, right, after in self._slots:
            value = values[name]
            if value.__class__ is Text:
                text, level = value
                wrap = level != ATOM and self.levels.must_wrap(level, left, right)
                out.append(f"({text})" if wrap else text)
            else:
                out.append(value)
            out.append(after)
        return Text("".join(out), self.level)
