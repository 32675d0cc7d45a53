"""One canonical layout for `.uop` text; comments stay, and what the text means."""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.lang.fmt_lines import Cutter, Logical, PlacedToken
from rulewright.lang.parse import parse_text

WIDTH = 100
_STEP = "  "

_HEADS = ("head", "op", "extern", "rule", "fact", "core", "promote", "tolerate", "phase", "entry")
_KEYWORDS = "when and or not return example reject allow forbid let equiv priority"
_WORDS_BEFORE = frozenset([*_KEYWORDS.split(" "), "=", "=>", "->"])
_SIGNS = "+ - * / // % << >> & | ^ < <= > >= == != = => -> and or"
_BINARY = frozenset(_SIGNS.split(" "))
_FLAGS = ("commutative", "associative", "idempotent", "leaf")
_FACTS = ("infix", "prefix", "identity", "shape", "interval", "meaning", "smt", "ulps")
_CLAUSES = {
    "op": frozenset([*_FLAGS, *_FACTS]),
    "extern": frozenset(["pure", "partial", "total", "because", "model"]),
    "core": frozenset(["a", "b", "c", "mantissa", "registers", "operands"]),
}
_COLUMNS = {"dtype": (":", "word="), "set": ("=",), "entry": ("=", "from"), "legal": ("text",)}


def format_text(text: str, path: str = "<text>") -> str:
    """The text in its canonical layout: formatting that again changes nothing.

    Raises RuleError if it does not parse.
    """
    file = parse_text(text, path)
    lines = Cutter(text, file).lines
    laid = _align(lines)
    out: list[str] = []
    for i, (line, rows) in enumerate(zip(lines, laid, strict=True)):
        before = lines[i - 1] if i else None
        if out and _has_blank(before, line):
            out.append("")
        indent = "  " * line.level
        out += [indent + c if c else "" for c in line.leading]
        out += rows
    return "\n".join(out).strip("\n") + "\n" if out else ""


def _has_blank(before: Logical | None, line: Logical) -> bool:
    """Whether a blank line goes before this one: where there was one, and between blocks."""
    if before is None or line.kind == "close" or before.pieces[-1:] == []:
        return bool(before and line.blank and line.kind != "close")
    if line.kind == "rule":
        return before.kind != "head"
    if before.pieces[-1].text == "{":
        return False
    if line.kind == "head":
        return True
    if before.kind == "close" and line.level == 0:
        return True
    return line.blank


# ---- one logical line -------------------------------------------------------------------------


def glues(line: Logical) -> list[str]:
    """The spaces before each token of a logical line."""
    if line.kind == "rule":
        end = _header_end(line.pieces)
        pattern = Logical("clause", 2, line.pieces[end:])
        return [*_glues(line, line.pieces[:end]), *glues(pattern)]
    return _glues(line, line.pieces)


def _glues(line: Logical, pieces: list[PlacedToken]) -> list[str]:
    glued: list[str] = []
    depth, header = 0, line.kind in _HEADS
    part = Logical(line.kind, line.level, pieces)
    for i, piece in enumerate(pieces):
        depth -= piece.text in (")", "]", "}")
        glued.append(_glue(part, i, header, depth) if i else "")
        depth += piece.text in ("(", "[", "{")
        if line.kind == "legal":
            header = (header or piece.text == "for") and piece.text != "when"
    return glued


def _header_end(pieces: Sequence[PlacedToken]) -> int:
    """The number of tokens before a rule's pattern."""
    end = 2
    if end < len(pieces) and pieces[end].text == "<":
        end = next(j for j, p in enumerate(pieces) if p.text == ">") + 1
    while end < len(pieces) and pieces[end].text in ("equiv", "priority"):
        sized = pieces[end].text == "priority" or pieces[end + 2].text == ":"
        end += 3 + (pieces[end].text == "equiv") if sized else 2
    return end


def _glue(line: Logical, i: int, header: bool, depth: int) -> str:
    pieces = line.pieces
    a, b = pieces[i - 1], pieces[i]
    if a.kind in ("text", "long") or b.kind in ("text", "long"):
        return _glue_text(line, a, b)
    if line.kind in _CLAUSES and depth == 0 and b.text in _CLAUSES[line.kind]:
        flags = a.text in _FLAGS and b.text in _FLAGS
        return " " if flags or b.text in ("partial", "total") else "  "
    if header and (a.text in "<>" or b.text in "<>"):
        tight = a.text == "<" or b.text in "<>" or (a.text == ">" and b.text in ("(", "["))
        return "" if tight else " "
    if ":" in (a.text, b.text):
        return _glue_colon(line, i, header)
    if _is_lanes(pieces, i) or (a.text == "*" and _is_lanes(pieces, i - 1)):
        return ""
    return _glue_signs(line, pieces, i)


def _glue_text(line: Logical, a: PlacedToken, b: PlacedToken) -> str:
    if a.text in "([{" or b.text in ")],}.:":
        return ""
    if line.kind == "legal" and b.kind == "text" and a.text not in _BINARY and a.text != ",":
        return "  "
    if line.kind in _CLAUSES and b.text in _CLAUSES[line.kind]:
        return "  "
    return " "


def _glue_colon(line: Logical, i: int, header: bool) -> str:
    pieces, b = line.pieces, line.pieces[i]
    if line.kind == "dtype":
        return " "
    colon = i if b.text == ":" else i - 1
    if line.kind == "op" and pieces[colon - 1].text == ")":
        return " "
    if not header or (colon > 1 and pieces[colon - 2].text in ("equiv", "tolerate")):
        return ""
    return "" if b.text == ":" else " "


def _is_lanes(pieces: Sequence[PlacedToken], i: int) -> bool:
    """Whether this `*` is the one of `f32*4`."""
    if pieces[i].text != "*" or not pieces[i].glued or i < 2 or pieces[i - 2].text != ":":
        return False
    after = pieces[i + 1] if i + 1 < len(pieces) else None
    return after is not None and after.glued and (after.text.isdigit() or after.text.isupper())


def _is_prefix(pieces: Sequence[PlacedToken], i: int) -> bool:
    """Whether the minus or sign at i has no left operand."""
    if i == 0:
        return True
    before = pieces[i - 1]
    return before.text in _BINARY or before.text in _WORDS_BEFORE or before.text in "([{,~-"


def _glue_signs(line: Logical, pieces: Sequence[PlacedToken], i: int) -> str:
    a, b = pieces[i - 1], pieces[i]
    spaced = line.kind == "set" or (line.kind == "part" and _is_body(pieces, i))
    if spaced and (a.text == "{" or b.text == "}"):
        return " "
    if a.text == "reject" and i == 1:
        return "  "
    if b.text in (")", "]", "}", ",", "..", ".", "@", "!") or a.text in ("(", "[", "$", "@", "."):
        return ""
    if a.text == "{" and line.kind not in ("head", "part"):
        return ""
    if a.text == "!" or (a.text in ("-", "~") and _is_prefix(pieces, i - 1)):
        return ""
    if b.text in ("(", "[") and (a.kind == "word" or a.text in ("]", ")")):
        return " " if a.text in _WORDS_BEFORE or (b.text == "[" and a.text in "])") else ""
    return " "


def _is_body(pieces: Sequence[PlacedToken], i: int) -> bool:
    """Whether the brace at i or before it is that of a graph on one line."""
    opening = next((j for j, p in enumerate(pieces) if p.text == "{"), -1)
    return i in (opening + 1, len(pieces) - 1)


# ---- layout -----------------------------------------------------------------------------------


def _align(lines: Sequence[Logical]) -> list[list[str]]:
    """The rows of each logical line; tables of the same kind get common columns."""
    laid: list[list[str]] = []
    i = 0
    while i < len(lines):
        kind, level = lines[i].kind, lines[i].level
        end = i + 1
        if kind in _COLUMNS:
            while end < len(lines) and (lines[end].kind, lines[end].level) == (kind, level):
                end += 1
        block = [(line, glues(line)) for line in lines[i:end]]
        if kind in _COLUMNS:
            _pad(kind, block)
        laid += [_rows(line, spaces) for line, spaces in block]
        i = end
    return laid


def _cells(kind: str, line: Logical) -> list[int]:
    """The tokens before which a column begins."""
    cells, depth = [], 0
    for i, piece in enumerate(line.pieces):
        depth += (piece.text in "([{") - (piece.text in ")]}")
        following = line.pieces[i + 1].text if i + 1 < len(line.pieces) else ""
        names = (piece.text, piece.kind, "word=" if following == "=" else "")
        if i > 1 and depth == 0 and any(n in _COLUMNS[kind] for n in names):
            cells.append(i)
    return cells


def _pad(kind: str, block: Sequence[tuple[Logical, list[str]]]) -> None:
    """Widen the spaces before the cells of a table so that columns line up."""
    rows = [(line, spaces, _cells(kind, line)) for line, spaces in block]
    for column in range(max((len(cells) for _, _, cells in rows), default=0)):
        here = [r for r in rows if len(r[2]) > column]
        ends = [_width(line, spaces, cells[column]) for line, spaces, cells in here]
        lengths = [_width(line, spaces, None) for line, spaces, _ in here]
        pairs = zip(ends, lengths, strict=True)
        fits = [e for e, n in pairs if kind == "dtype" or n - e + max(ends) < WIDTH]
        widest = max(fits, default=0)
        for (_, spaces, cells), end in zip(here, ends, strict=True):
            least = 2 if kind == "legal" or (kind == "dtype" and column) else 1
            spaces[cells[column]] = " " * max(least, widest - end + least)


def _width(line: Logical, spaces: Sequence[str], upto: int | None) -> int:
    """Columns of a line before token `upto`, or of all of it."""
    parts = zip(line.pieces[:upto], spaces[:upto], strict=True)
    return 2 * line.level + sum(len(p.text) + len(s) for p, s in parts)


def _rows(line: Logical, spaces: list[str]) -> list[str]:
    """The physical lines of a logical one."""
    if not line.pieces:
        return []
    indent = "  " * line.level
    rows = []
    if line.kind == "rule":
        end = _header_end(line.pieces)
        rows.append(indent + _joined(line.pieces[:end], spaces[:end]))
        rows += _filled(line.kind, line.pieces[end:], spaces[end:], indent + "  ")
    else:
        rows += _filled(line.kind, line.pieces, spaces, indent)
    if line.trailing:
        rows[-1] += "  " + " ".join(line.trailing)
    return rows


def _joined(pieces: Sequence[PlacedToken], spaces: Sequence[str]) -> str:
    return "".join(s + p.text for p, s in zip(pieces, spaces, strict=True))


def _filled(kind: str, pieces: Sequence[PlacedToken], spaces: list[str], indent: str) -> list[str]:
    """Break where the line is too long: before its `=>`, then at the outermost places."""
    line = indent + _joined(pieces, spaces)
    if len(line) <= WIDTH or any(p.kind == "long" for p in pieces):
        return [line]
    arrow = _arrow(pieces)
    if arrow:
        rest = ["", *spaces[arrow + 1 :]]
        first = _broken(kind, pieces[:arrow], spaces[:arrow], indent)
        return first + _broken(kind, pieces[arrow:], rest, indent + _STEP)
    return _broken(kind, pieces, spaces, indent)


def _arrow(pieces: Sequence[PlacedToken]) -> int | None:
    """The `=>` that is in no bracket."""
    depth = 0
    for i, piece in enumerate(pieces):
        depth += (piece.text in ("(", "[", "{")) - (piece.text in (")", "]", "}"))
        if i and piece.text == "=>" and depth == 0:
            return i
    return None


def _broken(kind: str, pieces: Sequence[PlacedToken], spaces: list[str], indent: str) -> list[str]:
    """Lines as full as they can be; what is deeper in brackets stands further right."""
    rows, prefix, depth = [], indent, 0
    while pieces:
        line = prefix + _joined(pieces, spaces)
        at = _break(kind, pieces, spaces, len(prefix), depth) if len(line) > WIDTH else None
        if at is None:
            rows.append(line)
            break
        rows.append(prefix + _joined(pieces[:at], spaces[:at]))
        depth += sum((p.text in ("(", "[", "{")) - (p.text in (")", "]", "}")) for p in pieces[:at])
        prefix = indent + _STEP * min(4, max(1, depth))
        pieces, spaces = pieces[at:], ["", *spaces[at + 1 :]]
    return rows


def _break(
    kind: str, pieces: Sequence[PlacedToken], spaces: Sequence[str], indent: int, depth: int
) -> int | None:
    """The token to begin the next line with: outermost first, then the last that fits."""
    best: tuple[int, int] | None = None
    width, square = indent, 0
    for i, piece in enumerate(pieces):
        square -= piece.text == "]"
        depth -= piece.text in (")", "]", "}")
        if i and spaces[i] and not square:
            rank = _rank(kind, pieces, i, depth)
            better = best is None or (rank is not None and width <= WIDTH and rank <= best[0])
            if rank is not None and better:
                best = (rank, i)
        square += piece.text == "["
        depth += piece.text in ("(", "[", "{")
        width += len(spaces[i]) + len(piece.text)
    return best[1] if best else None


def _rank(kind: str, pieces: Sequence[PlacedToken], i: int, depth: int) -> int | None:
    """How good a place before token i is for a break: smaller is better; None is no place."""
    a, b = pieces[i - 1], pieces[i]
    if kind in _CLAUSES:
        first = kind == "op" or (b.text in ("pure", "because") and a.kind == "text")
        return int(not first) if depth == 0 and b.text in _CLAUSES[kind] else None
    if a.text == ",":
        return 2 * depth + 1
    if b.text in ("and", "or"):
        return 2 * depth + 1
    if kind == "set" and a.kind == b.kind == "word" and depth > 1:
        return 2 * depth + 2
    if b.text in _BINARY - {"=", "=>"} and not _is_prefix(pieces, i):
        return 2 * depth + 2
    return None
