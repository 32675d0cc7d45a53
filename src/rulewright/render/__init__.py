"""Programs as source text: one renderer for the C family, fed by `spec/80-targets`."""

from rulewright.render.kernel import parameters, variables
from rulewright.render.target import Target, target
from rulewright.render.unit import render, render_unit

__all__ = ["Target", "parameters", "render", "render_unit", "target", "variables"]
