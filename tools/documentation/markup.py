"""Docs and Markdown as HTML: as much of it as this project's texts use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from documentation.html import anchor, block, heading, table

_INLINE = re.compile(
    r"`([^`]+)`|\*\*(.+?)\*\*|\[([^\]]+)\]\(([^)\s]+)\)"
    r"|(?<![\w*])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\w*])"
)

_BLOCKS = ("#", "|", "```", "- ")


def inline(text: str) -> str:
    """`code`, **strong**, *emphasis* and links that lead out; all else as it stands."""

    def shown(found: re.Match[str]) -> str:
        if found.group(1):
            return f"<code>{escape(found.group(1))}</code>"
        if found.group(2):
            return f"<strong>{escape(found.group(2))}</strong>"
        if found.group(5):
            return f"<em>{escape(found.group(5))}</em>"
        label, target = escape(found.group(3)), found.group(4)
        return f'<a href="{escape(target)}">{label}</a>' if "://" in target else label

    parts, end = [], 0
    for found in _INLINE.finditer(text):
        parts += [escape(text[end : found.start()]), shown(found)]
        end = found.end()
    return "".join([*parts, escape(text[end:])])


def doc(text: str) -> str:
    """A docstring or doc comment: paragraphs, and blocks of examples or indented lines."""
    made = []
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        lines = part.split("\n")
        if part.strip().startswith(">>>") or all(x.startswith("    ") for x in lines if x.strip()):
            made.append(block(part) if part.strip() else "")
        elif part.strip():
            made.append(f"<p>{inline(' '.join(x.strip() for x in lines))}</p>")
    return "\n".join(made)


def markdown(text: str) -> str:
    """A Markdown text without its title: headings, tables, lists, fenced blocks, paragraphs."""
    lines = text.split("\n")
    made: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        end = at + 1
        if line.startswith("```"):
            while end < len(lines) and not lines[end].startswith("```"):
                end += 1
            made.append(block("\n".join(lines[at + 1 : end])))
            end += 1
        elif line.startswith("#"):
            made += _heading(line)
        elif line.startswith("|"):
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            made.append(_table(lines[at:end]))
        elif line.startswith("- "):
            while end < len(lines) and lines[end].strip() and not lines[end].startswith("```"):
                end += 1
            made.append(_list(lines[at:end]))
        elif line.strip():
            while end < len(lines) and lines[end].strip() and not lines[end].startswith(_BLOCKS):
                end += 1
            made.append(f"<p>{inline(' '.join(lines[at:end]))}</p>")
        at = end
    return "\n".join(made)


def _heading(line: str) -> list[str]:
    marks, _, title = line.partition(" ")
    return [] if len(marks) == 1 else [heading(len(marks), anchor(title.lower()), inline(title))]


def _cells(line: str) -> list[str]:
    """The cells of a row; a bar inside of backticks or behind a backslash is text."""
    parts = re.findall(r"((?:`[^`]*`|\\\||[^|`])*)\|", line.strip().removeprefix("|"))
    return [part.strip().replace("\\|", "|") for part in parts]


def _table(lines: Sequence[str]) -> str:
    head, _, *rows = lines
    return table(_cells(head), [[inline(cell) for cell in _cells(row)] for row in rows])


def _list(lines: Sequence[str]) -> str:
    items = re.split(r"(?:^|\n)- ", "\n".join(lines))[1:]
    return "<ul>" + "".join(f"<li>{inline(' '.join(i.split()))}</li>" for i in items) + "</ul>"
