"""Rules that may be false: right ones with a fault, as text.

Each is a shipped rule or one of `right.txt`, changed in a place or two: a guard dropped, weakened
or exchanged for another, an operand, an op, a number or a dtype that is another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from rule_fuzz.guards import Guards, scope_of
from rulewright.lang import tree as t
from rulewright.lang.build import parsed_spec
from rulewright.lang.matcher_facts import Facts
from rulewright.lang.parse import parse_text
from rulewright.lang.signature import source


def right_rules() -> dict[str, list[str]]:
    """The right rules of `right.txt` by their families."""
    families: dict[str, list[str]] = {}
    for line in (Path(__file__).parent / "right.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            rules = families.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            rules.append(line)
    return families


FAMILIES = (*right_rules(), "shipped")

_SETS = ("Int", "Wrapping", "Number", "Any", "Float", "Bits", "i32", "u8", "i8", "bool", "f32",
         "f16", "index", "Signed", "Unsigned", "i64", "fp8e4m3", "fp8e5m2fnuz", "bool",
         "u8")  # fmt: skip
_NEAR = (("ADD", "SUB"), ("MIN", "MAX"), ("AND", "OR"), ("FLOORDIV", "CDIV"), ("FLOORMOD", "CMOD"),
         ("SHL", "SHR"), ("RESHAPE", "EXPAND"), ("PAD", "SHRINK"), ("FLIP", "PERMUTE"),
         ("DETACH", "CONTIGUOUS"), ("CMPLT", "CMPLE"), ("MUL", "ADD"), ("LOAD", "INDEX"),
         ("CAST", "BITCAST"), ("XOR", "OR"), ("SQRT", "EXP"))  # fmt: skip
_SIGNS = ((" + ", " - "), (" * ", " // "), (" < ", " <= "), (" & ", " | "), (" << ", " >> "),
          (" == ", " != "), (" % ", " // "), (" / ", " * "), (" ^ ", " | "))  # fmt: skip
_NAMED = (
    "_",
    "_",
    "_",
    "PARAM()",
    "CONST()",
    "FLIP()",
    "BUFFER()",
    "RANGE()",
    "NEG()",
    "AFTER(_, _)",
)
_LEVELS = ("", "", "nan_payload", "signed_zero", "finite", "reassoc", "ulp:1")


@dataclass(frozen=True)
class Parts:
    """A rule in pieces of text. `clauses` are guards and lets in their order."""

    family: str
    params: str
    equiv: str
    pattern: str
    replacement: str
    clauses: tuple[tuple[str, str], ...] = ()

    def text(self) -> str:
        """The rule as it is written."""
        head = f"rule it{f'<{self.params}>' if self.params else ''}"
        head += f" equiv {self.equiv}" if self.equiv else ""
        clauses = "".join(f"\n  {word} {text}" for word, text in self.clauses)
        return f"{head}\n  {self.pattern} => {self.replacement}{clauses}"


def parsed(text: str) -> t.Rule:
    """The tree of a rule. Raises RuleError."""
    file = parse_text(f"ruleset fuzz {{ {text} prove interp }}")
    return file.all(t.RuleSetDecl)[0].rules[0]


def _parts(family: str, rule: t.Rule, text: str) -> Parts:
    def piece(node: t.Node) -> str:
        return " ".join(source(text, node.span).split())

    clauses = []
    for clause in rule.clauses:
        if isinstance(clause, t.When):
            clauses.append(("when", piece(clause.guard)))
        elif isinstance(clause, t.Let):
            clauses.append(("let", f"{clause.name} = {piece(clause.value)}"))
    params = ", ".join(f"{p.name}: {' | '.join(p.sets)}" if p.sets else str(p.name)
                       for p in rule.type_params)  # fmt: skip
    equiv = "" if rule.equiv is None else str(rule.equiv.name)
    if rule.equiv is not None and rule.equiv.amount is not None:
        equiv += f":{rule.equiv.amount}"
    return Parts(
        family, params, equiv, piece(rule.pattern), piece(rule.replacement), tuple(clauses)
    )


def bases() -> dict[str, list[Parts]]:
    """The rules that are changed, by their families."""
    families: dict[str, list[Parts]] = {}
    for family, texts in right_rules().items():
        for text in texts:
            text = f"rule it{'' if text[0] == '<' else ' '}{text}"
            whole = f"ruleset fuzz {{ {text} prove interp }}"
            rule = parse_text(whole).all(t.RuleSetDecl)[0].rules[0]
            families.setdefault(family, []).append(_parts(family, rule, whole))
    for file in parsed_spec():
        for ruleset in file.all(t.RuleSetDecl):
            for rule in ruleset.rules:
                head = t.bare(rule.pattern)
                op = head.head if isinstance(head, t.OpNode) else None
                if isinstance(op, t.OpName) and op.name == "GRAD":
                    continue
                families.setdefault("shipped", []).append(_parts("shipped", rule, file.text))
    return families


class Faults:
    """Changes rules. The same for the same generator."""

    def __init__(self, facts: Facts, rng: Random, family: str = "") -> None:
        self.facts, self.rng = facts, rng
        self.families = bases()
        self.names = [family] if family else list(self.families)

    def rules(self) -> Iterator[tuple[str, str]]:
        """The family and the text of one faulty rule after another; some say nothing."""
        while True:
            family = self.rng.choice(self.names)
            parts = self.rng.choice(self.families[family])
            scope = scope_of(parsed(parts.text()), self.facts)
            guards = Guards(scope, self.rng)
            for _ in range(self.rng.choice((1, 1, 1, 2, 2, 3))):
                parts = self._changed(parts, guards, scope.nodes)
            yield family, parts.text()

    def _changed(self, parts: Parts, guards: Guards, nodes: tuple[str, ...]) -> Parts:
        makers = [self._guard] * 6 + [self._result] * 3 + [self._word] * 3 + [self._type] * 2
        return self.rng.choice(makers)(parts, guards, nodes)

    def _guard(self, parts: Parts, guards: Guards, nodes: tuple[str, ...]) -> Parts:
        """A guard that is weaker, another, or not there."""
        places = [i for i, (word, _) in enumerate(parts.clauses) if word == "when"]
        choice = self.rng.random()
        if not places:
            return replace(parts, clauses=(*parts.clauses, ("when", guards.make())))
        at = self.rng.choice(places)
        old = parts.clauses[at][1]
        if choice < 0.65:
            new = f"({old}) or {guards.make()}"
        elif choice < 0.75:
            new = f"{guards.make()} or ({old})"
        elif choice < 0.85:
            new = guards.make()
        elif choice < 0.92:
            pieces = old.split(" and ")
            pieces.pop(self.rng.randrange(len(pieces)))
            new = " and ".join(pieces)
        else:
            new = f"not ({old})"
        clause = (("when", new),) if new else ()
        return replace(parts, clauses=(*parts.clauses[:at], *clause, *parts.clauses[at + 1 :]))

    def _result(self, parts: Parts, guards: Guards, nodes: tuple[str, ...]) -> Parts:
        """Another replacement, behind another guard."""
        choice = self.rng.random()
        new = parts.replacement
        if choice < 0.3 and nodes:
            new = self.rng.choice(nodes)
        elif choice < 0.5 and len(nodes) > 1:
            one, other = self.rng.sample(nodes, 2)
            new = re.sub(rf"\b({one}|{other})\b", lambda m: other if m[0] == one else one, new)
        elif choice < 0.65:
            new = self._swapped(new)
        elif choice < 0.8:
            new = re.sub(
                r"^(.*)$", self.rng.choice((r"-(\1)", r"CONTIGUOUS(\1)", r"(\1) + 1")), new
            )
        else:
            others = self.families[parts.family]
            new = self.rng.choice(others).replacement
        if self.rng.random() < 0.6:
            parts = replace(parts, clauses=(*parts.clauses, ("when", guards.make())))
        return replace(parts, replacement=new)

    def _swapped(self, text: str) -> str:
        """With an op, a sign or a number that is another."""
        ways = []
        for pair in (*_NEAR, *_SIGNS):
            for old, new in (pair, pair[::-1]):
                pattern = rf"\b{old}\b" if old.isalpha() else re.escape(old)
                ways += [(m.span(), new) for m in re.finditer(pattern, text)]
        for match in re.finditer(r"(?<![\w.])\d+(?![\w.])", text):
            ways.append((match.span(), str(max(0, int(match[0]) + self.rng.choice((-1, 1))))))
        if not ways:
            return text
        (start, end), new = self.rng.choice(ways)
        return text[:start] + new + text[end:]

    def _word(self, parts: Parts, guards: Guards, nodes: tuple[str, ...]) -> Parts:
        """A word that is another, anywhere."""
        if self.rng.random() < 0.4 and parts.clauses:
            at = self.rng.randrange(len(parts.clauses))
            word, text = parts.clauses[at]
            new = ((word, self._swapped(text)),)
            return replace(parts, clauses=(*parts.clauses[:at], *new, *parts.clauses[at + 1 :]))
        if self.rng.random() < 0.5:
            return replace(parts, pattern=self._swapped(parts.pattern))
        return replace(parts, replacement=self._swapped(parts.replacement))

    def _type(self, parts: Parts, guards: Guards, nodes: tuple[str, ...]) -> Parts:
        """Other dtypes, none, another equivalence, or operands of some ops alone."""
        choice = self.rng.random()
        if choice > 0.85 and nodes:
            name, op = self.rng.choice(nodes), self.rng.choice(_NAMED)
            new = re.sub(rf"\b{name}\b(?!@)", f"{name}@{op}", parts.pattern, count=1)
            return replace(parts, pattern=new)
        if choice < 0.2:
            return replace(parts, equiv=self.rng.choice(_LEVELS))
        if choice < 0.6 and parts.params:
            found = list(re.finditer(r": ([\w| ]+)", parts.params))
            if found:
                start, end = self.rng.choice(found).span(1)
                new = parts.params[:start] + self.rng.choice(_SETS) + parts.params[end:]
                return replace(parts, params=new)
        names = list(re.finditer(r":([a-z]+\d+|bool|index)\b", parts.pattern))
        if names:
            start, end = self.rng.choice(names).span(1)
            new = self.rng.choice(("i32", "u8", "f32", "i64", "bool", "index", "f16", "u64"))
            return replace(parts, pattern=parts.pattern[:start] + new + parts.pattern[end:])
        return replace(parts, pattern=re.sub(r":T\b", "", parts.pattern, count=1))
