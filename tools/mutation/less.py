"""Whether a mutant that is right fires for less than its rule: what it leaves out is lost.

Such a mutant is a fault that no proof notices; an example that has to fire does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mutation.mutants import Mutant
from rulewright.lang import tree as t
from rulewright.lang.build import load_table
from rulewright.lang.matcher_facts import Facts, conjuncts

if TYPE_CHECKING:
    from rulewright.verify.prove.terms import Kind
    from rulewright.verify.prove.typed import TypedRule

_TIMEOUT = 1.0  # seconds of an idle core a question


def fires_less(mutant: Mutant, rule: t.Rule) -> bool:
    """Whether something matches a rule and not its mutant, as far as z3 can tell; else True.

    The mutant is one that z3 has proved.
    """
    guards = [clause.guard for clause in rule.all(t.When)]
    changed = [clause.guard for clause in mutant.rule.all(t.When)]
    if mutant.rule.pattern != rule.pattern:
        return True
    if changed == guards or mutant.what.startswith("dropped "):
        return False
    return _reads_ops(changed, guards) or _refuses(mutant.rule, rule)


def _reads_ops(changed: Sequence[t.Expr], guards: Sequence[t.Expr]) -> bool:
    """Whether a clause that is another one asks for an op, of which terms know nothing."""
    known = [part for guard in guards for part in conjuncts(guard)]
    others = [p for guard in changed for p in conjuncts(guard) if p not in known]
    return any(isinstance(n, t.Field) and n.name == "op" for p in others for n in t.walk(p))


def _refuses(mutant: t.Rule, rule: t.Rule) -> bool:
    """Whether the guard of the mutant refuses what that of the rule takes, at some dtypes."""
    from rulewright.verify.prove.integers import kinds_of
    from rulewright.verify.prove.terms import NeverMatches, Unsupported
    from rulewright.verify.prove.typed import TypedRule

    facts = Facts(load_table())
    try:
        one, other = TypedRule(rule, facts), TypedRule(mutant, facts)
        for choice in one.instances():
            kinds = None if choice.whole is None else kinds_of(choice.whole)
            if kinds is None or any(k.sort == "float" for k in kinds.values()):
                return True
            try:
                if _asked(one, other, kinds):
                    return True
            except NeverMatches:
                continue
    except Unsupported:
        return True
    return False


def _asked(rule: TypedRule, mutant: TypedRule, kinds: Mapping[int, Kind]) -> bool:
    """Whether z3 finds values, or does not know, at which the rule alone matches."""
    import z3

    from rulewright.verify.prove.instance import Instance
    from rulewright.verify.prove.smt import WORK, SmtDomain

    symbols = SmtDomain()
    one, other = Instance(rule, kinds, symbols), Instance(mutant, kinds, symbols)
    solver = z3.Solver(ctx=symbols.context)
    solver.set("rlimit", int(_TIMEOUT * WORK))
    solver.add(*symbols.facts, *symbols.lemmas(), one.matches.raw)
    solver.add(*[a.raw for a in other.assumed])
    solver.add(z3.Not(other.matches.raw))
    return bool(solver.check() != z3.unsat)
