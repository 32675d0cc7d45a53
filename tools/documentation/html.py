"""Pages of HTML from plain strings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

NAVIGATION = (
    ("index.html", "Overview"),
    ("guide.html", "The language"),
    ("rules.html", "Rules"),
    ("ops.html", "Ops"),
    ("dtypes.html", "Dtypes"),
    ("stages.html", "Stages"),
    ("pipeline.html", "Pipeline"),
    ("measures.html", "Measures"),
    ("externs.html", "Externs"),
    ("targets.html", "Targets"),
    ("methods.html", "Tensor methods"),
    ("commands.html", "Command line"),
    ("options.html", "Options"),
    ("errors.html", "Errors"),
)


@dataclass(frozen=True)
class Page:
    """A page: the name of its file, its title, and the HTML below the title."""

    name: str
    title: str
    body: str

    def render(self) -> str:
        """The whole file."""
        items = []
        for name, title in NAVIGATION:
            here = ' aria-current="page"' if name == self.name else ""
            items.append(f'<li><a href="{name}"{here}>{escape(title)}</a></li>')
        return _SHELL.format(
            title=escape(self.title), navigation="\n".join(items), body=self.body.strip()
        )


_SHELL = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} · Rulewright</title>
<link rel="stylesheet" href="style.css">
<script src="search-index.js" defer></script>
<script src="search.js" defer></script>
</head>
<body>
<nav>
<a class="brand" href="index.html">Rulewright</a>
<input id="search" type="search" placeholder="Search" aria-label="Search" autocomplete="off">
<ol id="found" hidden></ol>
<ul>
{navigation}
</ul>
</nav>
<main>
<h1>{title}</h1>
{body}
</main>
</body>
</html>
"""


def code(text: object) -> str:
    """Text in the font of code; nothing for no text."""
    return f"<code>{escape(str(text))}</code>" if str(text) else ""


def block(text: str) -> str:
    """Lines of code."""
    return f"<pre>{escape(text)}</pre>"


def link(href: str, inner: str, kind: str = "") -> str:
    """A link; `inner` is HTML."""
    shown = f' class="{kind}"' if kind else ""
    return f'<a href="{escape(href)}"{shown}>{inner}</a>'


def heading(level: int, anchor: str, inner: str) -> str:
    """A heading that can be linked to; `inner` is HTML."""
    mark = f'<a class="anchor" href="#{anchor}" aria-label="link">#</a>'
    return f'<h{level} id="{anchor}">{inner} {mark}</h{level}>'


def anchor(text: str) -> str:
    """A name as an anchor."""
    return re.sub(r"[^\w.-]", "-", text)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """A table that scrolls where it is too wide; cells are HTML.

    Columns in which nothing stands are left out. Nothing for no rows.
    """
    cells = [tuple(row) for row in rows]
    used = [i for i in range(len(head)) if any(row[i] for row in cells)]
    if not used:
        return ""
    lines = ["<tr>" + "".join(f"<td>{row[i]}</td>" for i in used) + "</tr>" for row in cells]
    top = "<tr>" + "".join(f"<th>{escape(head[i])}</th>" for i in used) + "</tr>"
    shown = f' class="{kind}"' if kind else ""
    head_html = f"<thead>{top}</thead>" if any(head[i] for i in used) else ""
    body = "\n".join(lines)
    return f'<div class="wide"><table{shown}>{head_html}<tbody>\n{body}\n</tbody></table></div>'


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """A list of terms and what there is to say of them (HTML); empty ones are left out."""
    shown = [f"<dt>{escape(k)}</dt><dd>{v}</dd>" for k, v in rows if v]
    return "<dl>\n" + "\n".join(shown) + "\n</dl>" if shown else ""


def badge(kind: str, text: str = "") -> str:
    """A word on a ground of its colour."""
    return f'<span class="badge {kind}">{escape(text or kind)}</span>'


def comma(parts: Iterable[str]) -> str:
    """Parts of HTML with commas between."""
    return ", ".join(parts)
