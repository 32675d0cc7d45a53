"""Deliberately broken rules and passes: what is planted, in which program it shows.

A rule is loaded in front of a set as a user's rule; a step of Python is replaced, or what it makes
is edited. `caught_by` says which of the checks refuse it, as found by running them; the test runs
them again.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import edits
import programs

from rulewright.checks.userfile import load_rules
from rulewright.ir import pipeline

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Plant:
    """A fault. `step` and `rule` are what `bisect` has to name."""

    name: str
    program: Callable[[], object]
    step: str
    rule: str = ""
    at: str = ""  # the set that a rule is loaded in front of
    edit: tuple[str, Callable] | None = None  # a pass, and what is done to its result
    replace: tuple[str, object] | None = None  # module:attribute, and what stands there instead
    target: str = "C"


def rule(name: str, program, step: str, at: str = "symbolic", **more) -> Plant:
    return Plant(name, program, step, rule=name, at=at, **more)


def edited(name: str, program, step: str, place: str, edit, **more) -> Plant:
    return Plant(name, program, step, edit=(place, edit), **more)


def replaced(name: str, program, step: str, place: str, other, **more) -> Plant:
    return Plant(name, program, step, replace=(place, other), **more)


_SCHEDULE, _CODEGEN = "rulewright.schedule.", "rulewright.codegen."

PLANTS = [
    # ---- rules: operands, guards, folds -------------------------------------------------------
    rule("swapped_operands", programs.arithmetic, "indexing"),
    rule("swapped_where", programs.arithmetic, "indexing"),
    rule("wrong_guard", programs.integers, "indexing"),
    rule("dropped_guard", programs.integers, "indexing"),
    rule("forgotten_sign", programs.integers, "indexing"),
    rule("wrong_fold", programs.integers, "indexing"),
    rule("strict_comparison", programs.integers, "indexing"),
    rule("negated_comparison", programs.integers, "indexing"),
    rule("truncating_shift", programs.integers, "indexing"),
    rule("subtracted_bound", programs.integers, "indexing"),
    rule("and_is_or", programs.arithmetic, "indexing"),
    rule("max_is_min", programs.arithmetic, "indexing"),
    # ---- rules: floats and casts --------------------------------------------------------------
    rule("times_zero", programs.floats, "indexing"),
    rule("over_itself", programs.floats, "indexing"),
    rule("equal_to_itself", programs.floats, "indexing"),
    rule("plus_zero", programs.floats, "indexing"),
    rule("dropped_narrow_integer", programs.casts, "indexing"),
    rule("dropped_narrow_float", programs.casts, "indexing"),
    rule("wrong_constant_of_exp", programs.softmax, "indexing"),
    # ---- rules: movement, reduction, memory ---------------------------------------------------
    rule("pad_through_exp", programs.padded, "early", at="early"),
    rule("lost_flip", programs.moved, "early", at="early"),
    rule("lost_validity", programs.padded, "movement", at="index_movement"),
    rule("sum_of_equals", programs.repeated, "indexing", at="collapse"),
    rule("lost_gate", programs.padded, "gates", at="gates"),
    rule("wrong_addend", programs.product, "accumulation", at="accumulation"),
    rule("floor_is_truncation", programs.integers, "decompose", at="c_f16_lowering"),
    # ---- rules: gradients ---------------------------------------------------------------------
    rule("gradient_of_product", programs.slopes, "gradient", at="gradient"),
    rule("gradient_of_root", programs.slopes, "gradient", at="gradient"),
    rule("gradient_of_quotient", programs.slopes, "gradient", at="gradient"),
    # ---- passes of the schedule ---------------------------------------------------------------
    edited("lost_store", programs.sums, "share", _SCHEDULE + "share:share_outputs",
           edits.without_last_effect),
    edited("swapped_outputs", programs.same_kernels, "share", _SCHEDULE + "share:share_outputs",
           edits.with_values_swapped),
    edited("short_reduction", programs.sums, "rangeify", _SCHEDULE + "rangeify:rangeify",
           edits.resized_ranges("reduce", -1)),
    edited("long_loop", programs.moved, "flatten", _SCHEDULE + "kernels:flat_kernels",
           edits.resized_kernels("loop", 1)),
    edited("short_loop", programs.moved, "flatten", _SCHEDULE + "kernels:flat_kernels",
           edits.resized_kernels("loop", -1)),
    replaced("transposed_memory", programs.chain, "flatten", _SCHEDULE + "kernels:flat_index",
             edits.swapped_flat_index),
    edited("wrong_dedup", programs.same_kernels, "flatten", _SCHEDULE + "kernels:flat_kernels",
           edits.with_one_kernel),
    edited("swapped_arguments", programs.arithmetic, "flatten", _SCHEDULE + "kernels:flat_kernels",
           edits.with_arguments_swapped),
    replaced("lost_write_after_read", programs.assigned, "order",
             _SCHEDULE + "order:_write_after_read", lambda calls: iter(())),
    edited("lost_read_after_write", programs.chain, "order", _SCHEDULE + "order:order_kernels",
           edits.last_first),
    replaced("pad_cut_at_zero", programs.slope_of_pad, "gradient",
             "rulewright.tensor.assign:pairs", edits.no_padding_before, rule="grad_pad"),
    # ---- passes of one kernel -----------------------------------------------------------------
    edited("wrong_identity", programs.sums, "accumulate",
           _CODEGEN + "accumulators:accumulators", edits.with_identity_one),
    edited("unweighed_blocks", programs.blocks, "axes", _CODEGEN + "heuristic:choose_axes",
           edits.without_weights_of_blocks),
    edited("unscaled_sums", programs.blocks, "accumulate",
           _CODEGEN + "accumulators:accumulators", edits.with_sums_unscaled),
    edited("overlapping_parts", programs.shared_parts, "axes", _CODEGEN + "heuristic:choose_axes",
           edits.with_rests_one_earlier),
    replaced("wrong_piece", programs.joined, "axes", _CODEGEN + "cuts:_Piece.chosen",
             edits.other_choice),
    replaced("one_lane_more", programs.odd_rows, "expand", _CODEGEN + "masks:_smaller",
             edits.one_more),
    edited("missing_barrier", programs.long_sum, "accumulate",
           _CODEGEN + "accumulators:accumulators", edits.without_barriers, target="OPENCL"),
    edited("missing_barrier_of_copies", programs.product_of_halves, "accumulate",
           _CODEGEN + "accumulators:accumulators", edits.without_barriers,
           target="CUDA_EMULATED"),
    edited("swapped_lane", programs.product_of_halves, "accumulate",
           _CODEGEN + "accumulators:accumulators", edits.with_lanes_swapped,
           target="CUDA_EMULATED"),
    replaced("swapped_matrices", programs.product_of_halves, "accumulate",
             _CODEGEN + "fragments:_begin", edits.with_matrices_swapped, target="CUDA_EMULATED"),
    replaced("wrong_distance", programs.short_sum, "accumulate", _CODEGEN + "exchange:combined",
             edits.with_a_distance_twice, target="CUDA_EMULATED"),
    edited("reversed_lanes", programs.vectors, "expand", _CODEGEN + "expand:expand",
           edits.with_lanes_reversed, target="OPENCL"),
    edited("one_lane", programs.vectors, "expand", _CODEGEN + "expand:expand",
           edits.with_first_lane, target="OPENCL"),
    replaced("every_item_writes", programs.long_sum, "launch", _CODEGEN + "launch:_once_each",
             lambda effect, missing: effect, target="OPENCL"),
    replaced("narrow_indices", programs.product, "indices", _CODEGEN + "launch:index_dtype",
             edits.narrow),
    edited("unset_accumulator", programs.sums, "linearize", _CODEGEN + "linearize:linearize",
           edits.without_first_store),
    # ---- memory, binding, cache, device -------------------------------------------------------
    replaced("short_lifetimes", programs.chain, "memory plan",
             "rulewright.driver.memory:buffer_lifetimes", edits.short_lifetimes),
    replaced("overlapping_plan", programs.chain, "memory plan",
             "rulewright.driver.schedules:plan_memory", edits.plan_at_zero),
    replaced("views_at_zero", programs.chain, "binding",
             "rulewright.runtime.buffer:Buffer.view", edits.view_at_zero),
    replaced("swapped_binding", programs.twice, "binding",
             "rulewright.driver.schedules:argument_of",
             edits.swapped_argument),
    replaced("colliding_cache", programs.twice, "schedule cache",
             "rulewright.driver.schedules:_cache", edits.Colliding()),
    replaced("wrong_source", programs.twice, "device C",
             "rulewright.driver.units:join_kernels", edits.wrong_source),
    replaced("swapped_bits", programs.product_of_halves, "device CUDA_EMULATED",
             _CODEGEN + "cores:cores", edits.with_bits_swapped, target="CUDA_EMULATED"),
    replaced("one_lane_away", programs.product_of_halves, "device CUDA_EMULATED",
             _CODEGEN + "lower:write_kernel", edits.one_lane_away, target="CUDA_EMULATED"),
    replaced("one_lane_silent", programs.short_sum, "device CUDA_EMULATED",
             _CODEGEN + "lower:write_kernel", edits.one_lane_reads_nothing,
             target="CUDA_EMULATED"),
]  # fmt: skip


@contextmanager
def planted(plant: Plant) -> Iterator[None]:
    """The fault is in force."""
    with edits.fresh_caches():
        if plant.at:
            with load_rules(FOLDER / "rules" / f"{plant.name}.uop", at=plant.at):
                yield
        elif plant.edit is not None:
            place, edit = plant.edit
            true = pipeline._function

            def function(name: str):
                if name != place:
                    return true(name)
                return lambda *args: edit(true(name)(*args))

            with patch.object(pipeline, "_function", function):
                yield
        else:
            assert plant.replace is not None
            place, other = plant.replace
            module, _, name = place.partition(":")
            owner = importlib.import_module(module)
            *path, name = name.split(".")
            for part in path:
                owner = getattr(owner, part)
            with patch.object(owner, name, other):
                yield
