"""Proofs of rules: `prove_rule` climbs the ladder for one, `prove_files` for all rules of files."""

from rulewright.verify.prove.ladder import Settings, prove_rule, rules_of
from rulewright.verify.prove.proof import Outcome, Proof

__all__ = ["Outcome", "Proof", "Settings", "prove_rule", "rules_of"]
