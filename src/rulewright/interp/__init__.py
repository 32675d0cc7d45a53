"""The reference interpreter: runs a graph of any stage with numpy, and knows no rule."""

from rulewright.interp.run import evaluate, run_kernel, shadow_kernel
from rulewright.interp.shadow import Shadowed

__all__ = ["Shadowed", "evaluate", "run_kernel", "shadow_kernel"]
