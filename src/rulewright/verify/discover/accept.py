"""Whether a shape is a rule: checked, oriented, not known, proved; and how often it fits."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from rulewright.checks.ends import falls, gauges_of
from rulewright.checks.equiv import check_loaded
from rulewright.checks.examples import built, matcher_of
from rulewright.checks.files import check_files
from rulewright.checks.userfile import load_rules
from rulewright.errors import RewriteError, RulewrightError
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.rulesets import Match, ruleset
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.build import load_table, parsed_spec
from rulewright.lang.parse import parse_expr, parse_text
from rulewright.lang.symbols import collect
from rulewright.verify.discover.general import Shape, members
from rulewright.verify.discover.rejects import candidates
from rulewright.verify.discover.seen import Standing, nodes_of
from rulewright.verify.discover.term import CandidateTerm
from rulewright.verify.discover.write import SET, Draft, file_text, names_of, rule_text
from rulewright.verify.prove import Proof, Settings
from rulewright.verify.prove.files import prove_parsed

_FINE = ("proved", "bounded")


@dataclass(frozen=True)
class Accepted:
    """A rule as text, its proof, how many nodes of the golden programs it fits, and how many nodes
    they lose by it."""

    name: str
    text: str
    proof: Proof
    fits: int
    saved: int = 0

    def lines(self) -> str:
        """The rule under a line of what is known of it."""
        width = f" up to {self.proof.width} bits" if self.proof.width.isdigit() else ""
        gain = f"fits {self.fits} nodes of the golden programs, which lose {self.saved}"
        return f"# {self.proof.status}{width}; {gain}\n{self.text}"


class Judge:
    """Turns shapes into rules of a set."""

    def __init__(self, name: str, graphs: Iterable[Standing], equiv: Iterable[str]) -> None:
        self.name, self.graphs = name, list(dict.fromkeys(graphs))
        self.nodes = nodes_of(graphs)
        self.levels = ("", "nan_payload", *equiv)
        self.symbols = collect(parsed_spec())[0]
        self.taken = set(self.symbols.rules)
        self.measure = self._measure()

    def _measure(self) -> str:
        """The measure of the set, or of the first that it is a part of and that has one."""
        for known in self.symbols.rulesets.values():
            said = next((str(o.value) for o in known.options if o.name == "measure"), "")
            if said and self.name in ruleset(str(known.name)).closure:
                return said
        return ""

    def __enter__(self) -> Judge:
        self._in_force = ExitStack()
        return self

    def __exit__(self, *_: object) -> None:
        self._in_force.close()

    def take(self, rule: Accepted) -> Accepted | None:
        """Have the set use a rule until the end of the `with` block; what the graphs lose by it.

        None for a rule by which they grow, or that goes round in a cycle with others: it is not
        used.
        """
        with TemporaryDirectory() as folder:
            path = Path(folder) / f"{SET}.uop"
            path.write_text(file_text([rule.text], self.measure), encoding="utf-8")
            loaded = load_rules(path, at=self.name)
        try:
            after = self._rewritten()
        except RewriteError:
            loaded.close()
            return None
        saved = sum(map(_count, self.graphs)) - sum(map(_count, after))
        if saved < 0:
            loaded.close()
            return None
        self._in_force.enter_context(loaded)
        self.graphs = list(dict.fromkeys(after))
        self.nodes = nodes_of(self.graphs)
        return replace(rule, saved=saved)

    def _rewritten(self) -> list[Standing]:
        """The graphs as the sets of their entries leave them now."""
        memos: dict[str, dict[UOp, UOp]] = {}
        rewritten = []
        for graph, sets in self.graphs:
            for name in sets:
                if self.name in ruleset(name).closure:
                    graph = rewrite(graph, name, memo=memos.setdefault(name, {}))
            rewritten.append(Standing(graph, sets))
        return rewritten

    def rule(self, shape: Shape) -> Accepted | None:
        """The rule that a shape is; None where it does not pass every check and its proof."""
        draft = self._draft(shape)
        for level in self._levels(shape):
            draft = replace(draft, equiv=level)
            rule = self._oriented(shape, draft)
            if rule is None:
                return None
            draft, fits = rule
            text = rule_text(shape, draft, self._refused(shape, draft))
            proof = self._proof(file_text([text], self.measure), draft.name)
            if proof is not None:
                self.taken.add(draft.name)
                return Accepted(draft.name, text, proof, fits)
        return None

    def _draft(self, shape: Shape) -> Draft:
        stem = "_".join(names_of(shape.left))
        number = next(n for n in range(1, 1000) if f"{stem}_{n}" not in self.taken)
        extra = tuple(
            f"{v}.valid" for v in shape.left.names("var")
            if v not in shape.right.names("var") and _may_be_index(shape, v)
        )  # fmt: skip
        return Draft(f"{stem}_{number}", _doc(shape), extra=extra, method=_method(shape))

    def _levels(self, shape: Shape) -> tuple[str, ...]:
        has_float = any(
            b.startswith(("f", "bf")) for part in shape.left.walk() for b in kinds_of(shape, part)
        )
        return self.levels if has_float else ("",)

    def _oriented(self, shape: Shape, draft: Draft) -> tuple[Draft, int] | None:
        """The draft with the clauses that lower the measure, and how many nodes the rule fits."""
        not_constant = tuple(f"{v}.op != CONST" for v in shape.right.names("var"))
        for extra in dict.fromkeys((draft.extra, (*draft.extra, *not_constant))):
            tried = replace(draft, extra=extra)
            text = file_text([rule_text(shape, tried, ())], self.measure)
            try:
                rule = _parsed(text)
                if not self._falls(rule):
                    continue
                fits = self._fits(rule)
            except RulewrightError:
                return None
            return tried, fits
        return None

    def _falls(self, rule: t.Rule) -> bool:
        if not self.measure:
            return True
        gauges = gauges_of(self.symbols.measures[self.measure])
        return falls(rule, gauges, self.symbols)

    def _fits(self, rule: t.Rule) -> int:
        match = matcher_of([rule], load_table())
        return sum(n for node, n in self.nodes.items()
                   if node.op in match and match[node.op](node, None) is not None)  # fmt: skip

    def _refused(self, shape: Shape, draft: Draft) -> list[str]:
        """What the rule refuses, one for each thing that it asks."""
        plain = file_text([rule_text(shape, draft, ())], self.measure)
        match = matcher_of([_parsed(plain)], load_table())
        reasons = []
        for graphs in candidates(shape, draft):
            refused = [g for g in graphs if _refuses(match, g)]
            reasons += refused[:1]
        return list(dict.fromkeys(reasons))

    def _proof(self, text: str, name: str) -> Proof | None:
        file = parse_text(text, f"{SET}.uop")
        if check_files([file], parsed_spec(), values=True):
            return None
        rules = [r for s in file.all(t.RuleSetDecl) for r in s.rules]
        if list(check_loaded(rules, self.name, self.symbols)):
            return None
        quick = prove_parsed(file, name, Settings(quick=True))
        if quick is None or quick.status not in _FINE:
            return None
        proof = prove_parsed(file, name, Settings())
        return proof if proof is not None and proof.status in _FINE else None


def _count(standing: Standing) -> int:
    """Nodes other than constants."""
    return sum(node.op is not Ops.CONST for node in standing.graph.toposort())


def _refuses(match: Match, text: str) -> bool:
    node = built(parse_expr(text))
    if not isinstance(node, UOp):
        return False
    rules = match.get(node.op)
    return rules is None or rules(node, None) is None


def _parsed(text: str) -> t.Rule:
    return parse_text(text, f"{SET}.uop").all(t.RuleSetDecl)[0].rules[0]


def kinds_of(shape: Shape, part: CandidateTerm) -> list[str]:
    """The dtypes that a part of a rule may have."""
    known = shape.kinds.get(part.dtype.base)
    return members(known[1]) if known else [part.dtype.base]


def _may_be_index(shape: Shape, name: str) -> bool:
    part = next(p for p in shape.left.walk() if p.kind == "var" and p.head == name)
    return "index" in kinds_of(shape, part)


def _method(shape: Shape) -> str:
    named = {b for part in shape.left.walk() for b in kinds_of(shape, part)}
    whole = any(not b.startswith(("f", "bf")) and b != "bool" for b in named)
    return "smt" if whole or named == {"bool"} else "interp"


def _doc(shape: Shape) -> str:
    before, after = (side.size for side in shape.sides)
    return f"{before} op{'s become' if before > 1 else ' becomes'} {after or 'none'}."
