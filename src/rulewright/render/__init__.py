"""Programs as source text: one renderer for the C family, fed by `spec/80-targets`."""

from rulewright.render.kernel import parameters, variables
from rulewright.render.streams import streamed
from rulewright.render.target import Target, target
from rulewright.render.unit import Written, join_kernels, render, render_unit, write_kernel

__all__ = [
    "Target", "Written", "join_kernels", "parameters", "render", "render_unit", "streamed",
    "target", "variables", "write_kernel",
]  # fmt: skip
