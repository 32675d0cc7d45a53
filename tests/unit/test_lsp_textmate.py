"""The TextMate grammar sees what the parser sees, and the shipped file is the one that is made."""

from __future__ import annotations

import json
import re

import pytest

from rulewright.lang.build import parsed_spec
from rulewright.lang.grammar import uop_parser
from rulewright.lsp.textmate import SCOPES, grammar, grammar_text, keywords

EXPECTED = {
    "NUMBER": "number",
    "CAMEL": "group",
    "OP": "op",
    "DOC": "doc",
    "STRING": "string",
    "LONGSTRING": "long string",
}
"""Terminals that have one colour everywhere, unless they stand behind a colon."""


def coloured(text):
    """(offset, length, scope) of every stretch, found as an editor does: line by line."""
    rules = [(re.compile(r.get("match") or r["begin"]), r) for r in grammar()["patterns"]]
    found, offset, until = [], 0, None
    for line in text.split("\n"):
        at = 0
        while at <= len(line):
            if until:
                end = re.compile(until[1]).search(line, at)
                stop = end.end() if end else len(line) + 1
                found.append((offset + at, stop - at, until[0]))
                at, until = stop, None if end else until
                continue
            matches = [
                (m.start(), i, m) for i, (p, _) in enumerate(rules) if (m := p.search(line, at))
            ]
            if not matches:
                break
            _, i, match = min(matches, key=lambda m: m[:2])
            rule = rules[i][1]
            if "begin" in rule:
                until = rule["name"], rule["end"]
                found.append((offset + match.start(), 3, rule["name"]))
            for group, capture in rule.get("captures", {}).items():
                start, end = match.span(int(group))
                found.append((offset + start, end - start, capture["name"]))
            if "name" in rule and "begin" not in rule:
                found.append((offset + match.start(), match.end() - match.start(), rule["name"]))
            at = max(match.end(), at + 1)
        offset += len(line) + 1
    return found


def scopes(text):
    """The scope of every character: that of the first stretch over it, or None."""
    scope_at = [None] * (len(text) + 1)
    for start, length, scope in reversed(coloured(text)):
        scope_at[start : start + length] = [scope] * length
    return scope_at


def texts(root):
    spec = [(f.path, f.text) for f in parsed_spec()]
    cases = sorted((root / "tests/cases").rglob("*.uop"))
    return spec + [(str(p), p.read_text(encoding="utf-8")) for p in cases]


def test_every_token_of_the_spec_has_the_colour_of_its_terminal(root):
    wrong, seen = [], set()
    for path, text in texts(root):
        scope_at = scopes(text)
        state = uop_parser().parse_interactive(text)
        for token in state.iter_parse():
            start = token.start_pos
            scope = scope_at[start]
            seen.add(token.type)
            behind_colon = scope == SCOPES["type"]
            if token.type in EXPECTED:
                right = behind_colon or scope == SCOPES[EXPECTED[token.type]]
            elif token.type == "NAME":
                allowed = (None, *map(SCOPES.get, ("declared", "variable", "type")))
                right = scope in allowed or token in ("inf", "nan")
            elif re.fullmatch("[a-z]+", token):
                right = scope in map(SCOPES.get, ("keyword", "connective", "constant"))
            else:
                continue
            if not right:
                wrong.append(
                    f"{path}:{token.line}:{token.column}: {token.type} {token!r} is {scope}"
                )
    assert not wrong, "\n".join(wrong[:20]) + f"\n{len(wrong)}"
    assert EXPECTED.keys() <= seen


def test_every_word_of_the_grammar_is_coloured():
    for word in keywords():
        [(_, length, scope)] = coloured(f"{word} ")
        assert length == len(word) and scope.startswith(("keyword.", "constant.language"))
    assert {"ruleset", "when", "trust", "entry", "and", "none"} <= set(keywords())


def test_the_shipped_file_is_what_the_spec_gives(root):
    shipped = root / "editors/vscode/syntaxes/uop.tmLanguage.json"
    assert shipped.read_text(encoding="utf-8") == grammar_text(), "rulewright lsp --textmate"


@pytest.mark.parametrize("name", ["package.json", "language-configuration.json"])
def test_the_extension_names_files_that_exist(root, name):
    folder = root / "editors/vscode"
    text = (folder / name).read_text(encoding="utf-8")
    json.loads(text)
    for path in re.findall(r'"(\./[^"]+)"', text):
        assert (folder / path).is_file(), path
