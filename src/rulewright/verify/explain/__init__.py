"""Why a kernel looks so: the chain of rules and passes from a tensor's node to a line of source."""

from rulewright.verify.explain.chain import History, Link
from rulewright.verify.explain.kernels import Explained, explain_function, explain_program

__all__ = ["Explained", "History", "Link", "explain_function", "explain_program"]
