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

    def shown(match: re.Match[str]) -> str:
        if match.group(1):
            return f"<code>{escape(match.group(1))}</code>"
        if match.group(2):
            return f"<strong>{escape(match.group(2))}</strong>"
        if match.group(5):
            return f"<em>{escape(match.group(5))}</em>"
        label, target = escape(match.group(3)), match.group(4)
        return f'<a href="{escape(target)}">{label}</a>' if "://" in target else label

    parts, end = [], 0
    for match in _INLINE.finditer(text):
        parts += [escape(text[end : match.start()]), shown(match)]
        end = match.end()
    return "".join([*parts, escape(text[end:])])


def doc(text: str) -> str:
    """A docstring or doc comment: paragraphs, and blocks of examples or indented lines."""
    parts = []
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        lines = part.split("\n")
        if part.strip().startswith(">>>") or all(x.startswith("    ") for x in lines if x.strip()):
            parts.append(block(part) if part.strip() else "")
        elif part.strip():
            parts.append(f"<p>{inline(' '.join(x.strip() for x in lines))}</p>")
    return "\n".join(parts)


def markdown(text: str) -> str:
    """A Markdown text without its title: headings, tables, lists, fenced blocks, paragraphs."""
    lines = text.split("\n")
    parts: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        end = at + 1
        if line.startswith("```"):
            while end < len(lines) and not lines[end].startswith("```"):
                end += 1
            parts.append(block("\n".join(lines[at + 1 : end])))
            end += 1
        elif line.startswith("#"):
            parts += _heading(line)
        elif line.startswith("|"):
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            parts.append(_table(lines[at:end]))
        elif line.startswith("- "):
            while end < len(lines) and lines[end].strip() and not lines[end].startswith("```"):
                end += 1
            parts.append(_list(lines[at:end]))
        elif line.strip():
            while end < len(lines) and lines[end].strip() and not lines[end].startswith(_BLOCKS):
                end += 1
            parts.append(f"<p>{inline(' '.join(lines[at:end]))}</p>")
        at = end
    return "\n".join(parts)


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
