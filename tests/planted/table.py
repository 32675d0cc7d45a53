"""Which check catches each planted fault, as data, and as the table of README.md."""

from __future__ import annotations

from plants import PLANTS

LEVELS = {
    1: "long_loop transposed_memory lost_gate lost_write_after_read lost_read_after_write "
    "missing_barrier overlapping_parts wrong_piece one_lane_more every_item_writes narrow_indices "
    "short_lifetimes overlapping_plan views_at_zero swapped_binding missing_barrier_of_copies",
    2: "swapped_operands swapped_where wrong_guard forgotten_sign wrong_fold strict_comparison "
    "negated_comparison truncating_shift and_is_or max_is_min dropped_narrow_integer "
    "wrong_constant_of_exp pad_through_exp lost_flip lost_validity sum_of_equals wrong_addend "
    "floor_is_truncation gradient_of_product gradient_of_root gradient_of_quotient lost_store "
    "swapped_outputs short_reduction short_loop wrong_dedup swapped_arguments pad_cut_at_zero "
    "wrong_identity unweighed_blocks unscaled_sums reversed_lanes one_lane swapped_lane "
    "wrong_distance swapped_matrices unset_accumulator colliding_cache",
    3: "dropped_guard subtracted_bound times_zero over_itself equal_to_itself plus_zero "
    "dropped_narrow_float",
    0: "wrong_source swapped_bits one_lane_away one_lane_silent",
}
VERIFY = {name: level for level, names in LEVELS.items() for name in names.split()}
"""The lowest level of VERIFY that refuses a fault; 0 for what only a device shows."""

NOT_REFUTED = {
    "lost_validity": "an element at no index is 0 to the interpreter, as a PAD is",
}
"""Planted rules that `prove` does not refute, and why."""

NOT_IN_STAGES = {
    "colliding_cache": "the stages are right, and another program's are run",
    "wrong_source": "the last stage is right, and its text is another",
    "swapped_bits": "lanes bring what their layout says, which is another than the device's",
    "one_lane_away": "the last stage is right, and its text is another",
    "one_lane_silent": "the last stage is right, and its text is another",
}
"""Faults of which `VERIFY=prove` certifies the stages, and why."""

INTRODUCTION = """# Planted faults

Rules and passes that are broken on purpose, and what catches each: `prove` refutes the rule,
`VERIFY` at this level or above refuses to compile, `bisect` names the step and the rule. Rules
stand in `rules/`, edits of passes in `edits.py`, the programs in which they show in `programs.py`.

Written by `python tests/planted/table.py > tests/planted/README.md`; `test_planted.py` runs every
line of it.
"""


def prove_column(plant) -> str:
    if not plant.at:
        return "no rule"
    return "not refuted: " + NOT_REFUTED[plant.name] if plant.name in NOT_REFUTED else "refuted"


def markdown() -> str:
    rows = ["| fault | prove | VERIFY | bisect names |", "|---|---|---|---|"]
    for plant in PLANTS:
        level = VERIFY[plant.name] or "the device alone shows it"
        found = f"{plant.step}, rule `{plant.rule}`" if plant.rule else plant.step
        rows.append(f"| `{plant.name}` | {prove_column(plant)} | {level} | {found} |")
    return INTRODUCTION + "\n" + "\n".join(rows) + "\n"


if __name__ == "__main__":
    print(markdown(), end="")
