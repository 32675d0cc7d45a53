"""Programs as source text: one renderer for the C family, fed by `spec/80-targets`."""

from rulewright.render.kernel import arguments, parameters, variables
from rulewright.render.library import CallOfProduct, Matrix, write_product
from rulewright.render.target import Target, target
from rulewright.render.unit import Written, join_kernels, render, render_unit, write_kernel

__all__ = [
    "CallOfProduct", "Matrix", "Target", "Written", "arguments", "join_kernels", "parameters",
    "render", "render_unit", "target", "variables", "write_kernel", "write_product",
]  # fmt: skip
