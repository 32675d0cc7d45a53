"""Says in words what is wrong where the parser stopped."""

from __future__ import annotations

import re
import sys
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rulewright.lang.diagnostics import Diagnostic, nearest
from rulewright.lang.tree import Span

if TYPE_CHECKING:
    from lark import Lark, Token

_TOP = "dtype dtypes promote group op extern measure ruleset stage target pipeline graph case"
TOP_LEVEL = tuple(_TOP.split(" "))
CLAUSES = tuple(["when", "let", "example", "reject", "prove", "trust", "expands", "after", "rule"])

_PAIRS = {"(": ")", "[": "]", "{": "}"}
_TEXTS = re.compile(
    r'"""(?:[^"]|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*|///[^\n]*|(?P<open>[(\[{])|(?P<close>[)\]}])'
)
_KINDS = {
    "NAME": "a name",
    "OP": "an op",
    "CAMEL": "a group or set",
    "NUMBER": "a number",
    "STRING": "text in double quotes",
    "LONGSTRING": "text in triple quotes",
    "SIGNED": "a signed number",
    "LEGAL": "`allow` or `forbid`",
    "EKIND": "`guard`, `fn` or `build`",
    "OPFACT": "an op's clause",
    "LANES": "lanes",
    "DOC": "",
    "EFLAG": "",
    "FLAG": "",
    "ORD": "",
    "REST": "",
    "VECTOR": "",
}
_STARTS = "WILD NUMBER STRING NAME OP CAMEL ADDOP TRUE FALSE NONE NOT"
_STARTERS = frozenset(_STARTS.split(" "))
_START_SIGNS = frozenset("([{$~-")
_JOINS = "CMP BOR XOR BAND SHIFT ADDOP MULOP AND OR DOT COLON"
_OPERATORS = frozenset(_JOINS.split(" "))


@dataclass
class BracketScan:
    """Where brackets and texts of a text lie."""

    brackets: list[tuple[int, str]]
    texts: list[tuple[int, int]]

    def inside_text(self, position: int) -> bool:
        """Whether a position is inside a string or comment."""
        i = bisect_right(self.texts, (position, sys.maxsize)) - 1
        return i >= 0 and self.texts[i][0] < position < self.texts[i][1]

    def open_at(self, position: int) -> list[tuple[int, str]]:
        """The brackets open before a position, outermost first."""
        stack: list[tuple[int, str]] = []
        for at, char in self.brackets:
            if at >= position:
                break
            if char in _PAIRS:
                stack.append((at, char))
            elif stack and _PAIRS[stack[-1][1]] == char:
                stack.pop()
        return stack

    def closers(self, position: int) -> str:
        """What would close all brackets open at a position."""
        return "".join(_PAIRS[char] for _, char in reversed(self.open_at(position)))


def scan(text: str) -> BracketScan:
    """Find brackets outside of strings and comments."""
    brackets, texts = [], []
    for match in _TEXTS.finditer(text):
        if match.lastgroup:
            brackets.append((match.start(), match.group()))
        else:
            texts.append(match.span())
    return BracketScan(brackets, texts)


class Stop(NamedTuple):
    """Where and how the parser stopped: what it read, what it would take, the token there."""

    text: str
    position: int
    token: str  # "" at the end of the text
    kind: str  # the terminal's name; "" for a character that begins none
    accepts: frozenset[str]
    before: tuple[Token, ...]
    parser: Lark


def _stop(text: str, parser: Lark) -> Stop:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    state: Any = parser.parse_interactive(text)
    tokens: list[Token] = []
    try:
        tokens.extend(state.iter_parse())
        end = len(text.rstrip())
        return Stop(text, end, "", "$END", frozenset(state.accepts()), tuple(tokens), parser)
    except UnexpectedToken as error:
        token = error.token
        position = len(text.rstrip()) if token.type == "$END" else token.start_pos or 0
        token_text = "" if token.type == "$END" else str(token)
        kind = token.type
    except UnexpectedCharacters as error:
        position, token_text, kind = error.pos_in_stream or 0, text[error.pos_in_stream or 0], ""
    return Stop(text, position, token_text, kind, frozenset(state.accepts()), tuple(tokens), parser)


def describe(text: str, path: str, offset: int, parser: Lark) -> tuple[Diagnostic, int]:
    """The diagnostic of the first syntax error of a text, and its position.

    `offset` is the number of lines of the file before the text.
    """
    stop = _stop(text, parser)

    def span(position: int, length: int = 1) -> Span:
        line = text.count("\n", 0, position)
        column = position - (text.rfind("\n", 0, position) + 1) + 1
        return Span(path, line + 1 + offset, column, line + 1 + offset, column + max(1, length))

    for explain in _EXPLANATIONS:
        answer = explain(stop)
        if answer:
            break
    else:
        signed = stop.kind == "SIGNED" and "NUMBER" in stop.accepts
        hint = "numbers have no sign here" if signed else ""
        answer = _Answer(f"expected {_expected(stop)}, found {_token(stop)}", hint)
    at = stop.position if answer.at is None else answer.at
    other = span(answer.other) if answer.other is not None else None
    length = len(stop.token.split("\n")[0]) if answer.at is None else answer.length
    diagnostic = Diagnostic(
        "syntax", answer.message, span(at, length), other, answer.note, answer.help
    )
    return diagnostic, stop.position


class _Answer(NamedTuple):
    message: str
    help: str = ""
    at: int | None = None  # None: where the parser stopped
    length: int = 1
    other: int | None = None
    note: str = ""


def _token(stop: Stop) -> str:
    return f"`{stop.token}`" if stop.token else "the end"


def _in_rule(stop: Stop) -> bool:
    """Whether the pattern of a rule or example waits for its arrow."""
    return any(_spelling(stop.parser, name) == "=>" for name in stop.accepts)


_ESCAPE = r'["\\bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}'
_WRONG_ESCAPE = re.compile(rf'"(?:[^"\\\n]|\\(?:{_ESCAPE}))*(\\(?!{_ESCAPE})[^\n])')


def _unclosed_text(stop: Stop) -> _Answer | None:
    if stop.kind or stop.token not in "\"'":
        return None
    if stop.token == "'":
        return _Answer("text stands in double quotes", 'write `"…"`')
    wrong = _WRONG_ESCAPE.match(stop.text, stop.position)
    if wrong:
        message = f"`{wrong.group(1)}` is no character in a text"
        known = r"there are `\n`, `\t`, `\"`, `\\`, and `\u` with four hex digits for any other"
        return _Answer(message, known, wrong.start(1), 2)
    return _Answer("this text is not closed on its line", 'end it with `"`, or use `"""`')


def _idle_doc(stop: Stop) -> _Answer | None:
    last = stop.before[-1] if stop.before else None
    if last is None or last.type != "DOC" or stop.kind not in ("$END", "RBRACE"):
        return None
    at = last.start_pos or 0
    return _Answer("this doc comment describes nothing", "begin it with `#`", at, len(last))


_FORM = "a rule is written `pattern => result`"


def _arrow(stop: Stop) -> _Answer | None:
    text, at = stop.text, stop.position
    start = at - 1 if text[at - 1 : at + 1] == "->" else at
    if text[start : start + 2] == "->":
        return _Answer(
            "expected `=>`, found `->`", "a rule is written `pattern => result`", start, 2
        )
    if stop.token == "=>" and _clause(stop) == "reject":
        return _Answer("`reject` takes one expression", "for a result write `example a => b`")
    if stop.token == "=" and _in_rule(stop):
        return _Answer("expected `=>`, found `=`", _FORM)
    return None


def _clause(stop: Stop) -> str:
    """The clause keyword that was read last."""
    return next((str(t) for t in reversed(stop.before) if str(t) in CLAUSES), "")


def _brackets(stop: Stop) -> _Answer | None:
    scanned = scan(stop.text)
    stack = scanned.open_at(stop.position)
    if stop.token in (")", "]", "}"):
        if not stack:
            return _Answer(f"`{stop.token}` closes nothing")
        opened, char = stack[-1]
        if _PAIRS[char] != stop.token:
            message = f"expected `{_PAIRS[char]}`, found `{stop.token}`"
            return _Answer(message, other=opened, note=f"`{char}` opened here")
        return None
    if not stack:
        return None
    opened, char = stack[-1]
    ends = stop.kind == "$END" or stop.token in (*TOP_LEVEL, *CLAUSES, "=>")
    if (char == "{" and not ends) or (char == "{" and stop.token in CLAUSES):
        return None
    if ends and _accepts(stop, _PAIRS[char]):
        where = "the end" if stop.kind == "$END" else f"`{stop.token}`"
        message = f"`{char}` is not closed before {where}"
        return _Answer(message, f"add `{_PAIRS[char]}`", opened, 1)
    return None


def _accepts(stop: Stop, sign: str) -> bool:
    return any(_spelling(stop.parser, name) == sign for name in stop.accepts)


_SIGNS = {
    "&&": "write `and`",
    "||": "write `or`",
    "**": "write `POW(a, b)`",
    ";": "nothing ends a line; leave it out",
    "!": "write `not`",
    "?": "write `WHERE(condition, yes, no)`",
}
_LOOKALIKES = {
    **dict.fromkeys("\u2212\u2013\u2014\u2011", "`-`"),
    **dict.fromkeys("\u201c\u201d\u201e", 'text as `"…"`'),
    **{"×": "`*`", "÷": "`/`", "≤": "`<=`", "≥": "`>=`", "≠": "`!=`", "→": "`=>`", "⇒": "`=>`"},
}
"""What word processors and web pages have in the place of signs."""


def _sign(stop: Stop) -> _Answer | None:
    text, at = stop.text, stop.position
    for sign, hint in _SIGNS.items():
        for start in (at, at - len(sign) + 1):
            if text.startswith(sign, start) and (sign != "!" or stop.token == "!"):
                return _Answer(f"`{sign}` is no sign of the language", hint, start, len(sign))
    if stop.token == "//" and not text[text.rfind("\n", 0, at) + 1 : at].strip():
        return _Answer("`//` divides", "a comment begins with `#`, a doc comment with `///`")
    if text.startswith("/*", at):
        return _Answer("`/*` begins no comment", "a comment begins with `#`, on each line", at, 2)
    if stop.token == "{" and "PLUS" in stop.accepts and "RULESET" in stop.accepts:
        hint = "put the rules into a set of its own, and add that to the sum"
        return _Answer("a ruleset is a sum of others, or has rules", hint)
    if stop.token == ">" and stop.before and stop.before[-1] == "<":
        declares = str(stop.before[-3:][0]) in ("rule", "op")
        hint = "leave `<>` out, or write `<T: Int>`" if declares else "write `!=`"
        message = (
            "nothing stands between `<` and `>`" if declares else "`<>` is no sign of the language"
        )
        return _Answer(message, hint, at - 1, 2)
    if stop.token == "=" and _clause(stop) == "when":
        return _Answer("`=` gives a name", "write `==` to compare")
    if stop.token == "[" and stop.before and stop.before[-1].type in ("NAME", "RPAR", "RSQB"):
        whole, element = "compare all of it, as `a == (1, 0)`", "write `INDEX(x, i)`"
        hint = whole if _clause(stop) == "when" else element
        return _Answer("nothing is taken out by `[…]`", hint)
    if stop.kind == "CMP" and "BOR" in stop.accepts:
        both = "a < b and b < c" if _clause(stop) == "when" else "(a < b) & (b < c)"
        return _Answer("a comparison is not compared again", f"write `{both}`")
    if stop.kind:
        return None
    shown = stop.token if stop.token.isprintable() else f"U+{ord(stop.token):04X}"
    return _Answer(f"unexpected character `{shown}`", _instead(stop.token))


def _instead(character: str) -> str:
    """What to write in its place. Letters of other scripts look like those that names are of."""
    if character in _LOOKALIKES:
        return f"write {_LOOKALIKES[character]}"
    if not character.isprintable():
        return "take it out"
    if not character.isalpha():
        return ""
    name = unicodedata.name(character, f"U+{ord(character):04X}")
    return f"this is {name}; names are of a to z, A to Z, 0 to 9 and _"


_ATTRIBUTES = ("equiv", "priority")


def _attribute(stop: Stop) -> _Answer | None:
    """What is said of a whole rule, among its clauses."""
    if stop.token not in _ATTRIBUTES or "RULE" not in stop.accepts:
        return None
    hint = f"write `rule NAME {stop.token} …`, before the pattern"
    return _Answer(f"`{stop.token}` stands behind the rule's name", hint)


def _missing_arrow(stop: Stop) -> _Answer | None:
    if _in_rule(stop) and (stop.token in CLAUSES or stop.token in ("}", "") or _is_name(stop)):
        words = "`=>` and what it becomes"
        return _Answer(f"expected {words}, found {_token(stop)}")
    return None


def _is_name(stop: Stop) -> bool:
    return stop.kind in ("NAME", "OP", "CAMEL", "NUMBER")


def _misspelt(stop: Stop) -> _Answer | None:
    """A word where a keyword is due."""
    if not re.fullmatch(r"[A-Za-z]\w*", stop.token):
        return None
    words = [w for name in sorted(stop.accepts) for w in _words(stop.parser, name)]
    line = stop.text[stop.text.rfind("\n", 0, stop.position) + 1 : stop.position]
    if "ruleset" in words and not line.strip():
        hint = nearest(stop.token, words) or f"there are {', '.join(TOP_LEVEL)}"
        return _Answer(f"`{stop.token}` begins no declaration", hint)
    hint = nearest(stop.token, words)
    if stop.kind == "NAME" and "NAME" not in stop.accepts and (hint or "OPFACT" in stop.accepts):
        hint = hint or f"there are {', '.join(w for w in words if w not in TOP_LEVEL)}"
        return _Answer(f"unknown clause `{stop.token}`", hint)
    if "OP" in stop.accepts and stop.kind == "NAME" and "NAME" not in stop.accepts:
        return _Answer(f"expected {_expected(stop)}, found `{stop.token}`", "ops are UPPER CASE")
    if "NAME" in stop.accepts and stop.kind in ("OP", "CAMEL"):
        return _Answer(f"expected {_expected(stop)}, found `{stop.token}`", "names are lower case")
    if stop.accepts == {"CAMEL"}:
        expected, hint = _expected(stop), "groups and sets are CamelCase, such as `Movement`"
        return _Answer(f"expected {expected}, found `{stop.token}`", hint)
    return None


_EXPLANATIONS = (
    _unclosed_text, _idle_doc, _arrow, _brackets, _sign, _attribute, _missing_arrow, _misspelt,
)  # fmt: skip
"""In the order in which they are asked; the first that knows answers."""


def _words(parser: Lark, terminal: str) -> list[str]:
    """The keywords that a terminal stands for, sorted."""
    pattern = next((t.pattern for t in parser.terminals if t.name == terminal), None)
    if pattern is None or not re.fullmatch(r"[a-z|(?:)]+", pattern.value):
        return []
    return sorted(re.findall(r"[a-z]{2,}", pattern.value))


def _spelling(parser: Lark, terminal: str) -> str:
    pattern = next((t.pattern for t in parser.terminals if t.name == terminal), None)
    return pattern.value if pattern is not None and pattern.type == "str" else ""


def _expected(stop: Stop) -> str:
    """What the parser would take, in a few words."""
    names = set(stop.accepts)
    words: list[str] = []
    if "WILD" in names and "NUMBER" in names:
        words.append("an expression")
        names = {n for n in names - _STARTERS if _spelling(stop.parser, n) not in _START_SIGNS}
    if "RETURN" in names:  # in a graph every word may begin a line
        names &= {"NAME", "RETURN"}
    if "ADDOP" in names:
        names -= _OPERATORS
    names -= {n for n in names if _spelling(stop.parser, n) in ("[", "(") and "RULE" in names}
    return _list([*words, *_names(stop.parser, names)])


def _names(parser: Lark, names: Iterable[str]) -> list[str]:
    known = [t.name for t in parser.terminals]
    words = []
    for name in sorted(names, key=lambda n: known.index(n) if n in known else -1):
        if name == "$END":
            words.append("the end")
        elif name in _KINDS:
            words.append(_KINDS[name])
        else:
            words.append(f"`{_spelling(parser, name)}`")
    return list(dict.fromkeys(w for w in words if w not in ("", "``")))


def _list(words: list[str]) -> str:
    if len(words) > 6:
        words = [*words[:6], "…"]
    if not words:
        return "something else"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
