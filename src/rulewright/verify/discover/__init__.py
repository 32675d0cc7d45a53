"""Rules that the machine finds: terms of equal value, oriented, widened, proved and ranked."""

from rulewright.verify.discover.accept import Accepted
from rulewright.verify.discover.search import Limits, RuleSearch, Space

__all__ = ["Accepted", "Limits", "RuleSearch", "Space"]
