"""Proofs of rules: `prove_rule` of one, `files.prove_trees` of all rules of files."""

from rulewright.verify.prove.proof import Outcome, Proof
from rulewright.verify.prove.tactics import Settings, prove_rule, rules_of

__all__ = ["Outcome", "Proof", "Settings", "prove_rule", "rules_of"]
