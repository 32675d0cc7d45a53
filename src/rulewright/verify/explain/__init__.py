"""Why a kernel looks so: the chain of rules and passes from a tensor's node to a line of source."""

from rulewright.verify.explain.chain import (
    Explained,
    History,
    Link,
    explain_function,
    explain_program,
)

__all__ = ["Explained", "History", "Link", "explain_function", "explain_program"]
