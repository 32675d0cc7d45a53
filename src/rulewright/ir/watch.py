"""Who checks compilation where the option VERIFY asks for it.

The checks stand in a layer above the steps that they check, so they are named by a string, as the
passes of `spec/90-pipeline.uop` are, and imported only where they run.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType

_CHECKS = "rulewright.verify.validate"
_CERTIFY = "rulewright.verify.certify"


@cache
def checks() -> ModuleType:
    """The module of all checks: `check_entry`, `watched`, `check_schedule` and their kin."""
    return import_module(_CHECKS)


@cache
def certificates() -> ModuleType:
    """The module that makes certificates: `write`."""
    return import_module(_CERTIFY)
