"""The memory planner against its independent checker, a brute-force bound, and bad plans."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from rulewright.driver.memory import Arena, MemoryPlan, Step, plan_memory
from rulewright.errors import ScheduleError, ValidationError
from rulewright.verify.validate.plan import check_plan

CPU = Arena("C", "compute")


def chain(sizes: list[int]) -> list[Step]:
    """Step i reads buffer i and writes buffer i+1."""
    pairs = zip(enumerate(sizes), list(enumerate(sizes))[1:], strict=False)
    return [Step([(f"b{i}", m, "C"), (f"b{j}", n, "C")]) for (i, m), (j, n) in pairs]


def test_a_chain_needs_two_buffers() -> None:
    steps = chain([1000] * 20)
    plan = plan_memory(steps)
    check_plan(plan, steps)
    assert plan.before == 20 * 1024 and plan.after == plan.bound == 2 * 1024
    assert str(plan).startswith("memory: 20 buffers, 20,480 -> 2,048 bytes in 1 arenas")


def test_small_buffers_share_what_a_large_one_left() -> None:
    steps = [*chain([4096, 64]), Step([("b1", 64, "C"), ("x", 1024, "C"), ("y", 2048, "C")])]
    plan = plan_memory(steps)
    check_plan(plan, steps)
    assert plan.after == 4096 + 64


def test_held_buffers_are_untouched() -> None:
    steps = chain([512] * 4)
    plan = plan_memory(steps, held={"b0", "b3"})
    check_plan(plan, steps, held={"b0", "b3"})
    assert set(plan.placements) == {"b1", "b2"}


def test_copies_and_devices_have_arenas_of_their_own() -> None:
    steps = [
        Step([("a", 256, "C"), ("b", 256, "C")]),
        Step([("b", 256, "C"), ("c", 256, "C:1")], is_copy=True),
        Step([("c", 256, "C:1"), ("d", 256, "C:1")]),
    ]
    plan = plan_memory(steps)
    check_plan(plan, steps)
    lanes = {key: (arena.device, arena.lane) for key, (arena, _) in plan.placements.items()}
    assert lanes == {
        "a": ("C", "compute"),
        "b": ("C", "copy"),
        "c": ("C:1", "copy"),
        "d": ("C:1", "compute"),
    }


def test_empty_schedule_and_empty_buffers() -> None:
    assert plan_memory([]).after == 0
    steps = [Step([("a", 0, "C"), ("b", 0, "C"), ("c", 1, "C")])]
    plan = plan_memory(steps)
    check_plan(plan, steps)
    assert plan.after == 64


def test_steps_that_disagree_are_an_error() -> None:
    with pytest.raises(ScheduleError, match=r"buffer 'a': step 1 takes it for 8 bytes on C"):
        plan_memory([Step([("a", 4, "C")]), Step([("a", 8, "C")])])


touch = st.tuples(st.integers(0, 14), st.integers(0, 1))
schedules = st.lists(st.tuples(st.lists(touch, max_size=4), st.booleans()), max_size=16)
byte_sizes = st.lists(st.integers(0, 1500), min_size=15, max_size=15)


def make_steps(schedule, sizes) -> list[Step]:
    """Buffer k is always on the device of its parity."""
    return [
        Step([(f"b{k}", sizes[k], f"C:{k % 2}") for k, _ in touches], is_copy)
        for touches, is_copy in schedule
    ]


@given(schedules, byte_sizes, st.sampled_from([1, 16, 64, 128]), st.sets(st.integers(0, 14)))
def test_plans_are_sound(schedule, sizes, alignment, held_numbers) -> None:
    steps, held = make_steps(schedule, sizes), {f"b{k}" for k in held_numbers}
    plan = plan_memory(steps, held, alignment)
    check_plan(plan, steps, held, alignment)
    assert plan.bound <= plan.after <= plan.before
    assert plan.after == sum(plan.arenas.values())
    assert set(plan.placements) == {k for s in steps for k, _, _ in s.touches} - held


@given(schedules, byte_sizes)
def test_plans_do_not_depend_on_keys(schedule, sizes) -> None:
    steps = make_steps(schedule, sizes)
    renamed = [
        Step([(("other", 99 - int(k[1:])), n, d) for k, n, d in s.touches], s.is_copy)
        for s in steps
    ]
    offsets = list(plan_memory(steps).placements.values())
    assert offsets == list(plan_memory(renamed).placements.values())


@given(schedules, byte_sizes, st.data())
def test_checker_agrees_with_a_byte_map(schedule, sizes, data) -> None:
    """Random places, sound or not: the checker must say what marking every byte says."""
    steps = make_steps(schedule, sizes)
    plan = plan_memory(steps, alignment=1)
    places = {
        key: (arena, data.draw(st.integers(0, max(0, 400))))
        for key, (arena, _) in plan.placements.items()
    }
    random_plan = replace(plan, placements=places, arenas=dict.fromkeys(plan.arenas, 2000))
    try:
        check_plan(random_plan, steps, alignment=1)
        sound = True
    except ValidationError:
        sound = False
    assert sound == bytes_are_disjoint(steps, places)


def bytes_are_disjoint(steps: list[Step], places) -> bool:
    uses: dict[str, list[int]] = {}
    for index, step in enumerate(steps):
        for key, _, _ in step.touches:
            uses.setdefault(key, []).append(index)
    sizes = {key: n for step in steps for key, n, _ in step.touches}
    for index in range(len(steps)):
        taken: dict[tuple[Arena, int], str] = {}
        for key in (k for k, at in uses.items() if at[0] <= index <= at[-1]):
            arena, offset = places[key]
            for byte in range(offset, offset + sizes[key]):
                if taken.setdefault((arena, byte), key) != key:
                    return False
    return True


STEPS = [Step([("a", 100, "C"), ("b", 100, "C")]), Step([("b", 100, "C"), ("c", 100, "C")])]
GOOD = plan_memory(STEPS)


@pytest.mark.parametrize(
    ("places", "arena_bytes", "message"),
    [
        ({"a": 0, "b": 64, "c": 0}, 256, "buffers 'a' and 'b' are both live at step 0"),
        ({"a": 0, "b": 128, "c": 128}, 256, "buffers 'b' and 'c' are both live at step 1"),
        ({"a": 0, "b": 128}, 256, "buffer 'c' is used but has no place"),
        ({"a": 0, "b": 100, "c": 0}, 256, "'b' lies at byte 100, no multiple of 64"),
        ({"a": 0, "b": 128, "c": 0}, 200, "'b' of 100 bytes at byte 128 leaves its arena"),
    ],
)
def test_checker_names_what_is_wrong(places, arena_bytes, message) -> None:
    plan = MemoryPlan({k: (CPU, at) for k, at in places.items()}, {CPU: arena_bytes}, 0, 0, 0)
    with pytest.raises(ValidationError, match=message):
        check_plan(plan, STEPS)


def test_checker_knows_held_buffers_and_lanes() -> None:
    with pytest.raises(ValidationError, match="held buffer 'b' must not be placed"):
        check_plan(GOOD, STEPS, held={"b"})
    moved = replace(GOOD, placements={**GOOD.placements, "a": (Arena("C", "copy"), 0)})
    with pytest.raises(
        ValidationError, match="'a' of C, lane compute, lies in the arena of C, lane"
    ):
        check_plan(moved, STEPS)


def test_close_to_the_bound_on_a_training_like_schedule() -> None:
    """Forward keeps activations, backward frees them in the other order."""
    sizes = [64 * (1 + (7 * k) % 13) for k in range(60)]
    steps = chain(sizes)
    for k in reversed(range(1, 60)):
        steps.append(Step([(f"b{k}", sizes[k], "C"), (f"g{k}", sizes[k], "C"),
                           (f"g{k - 1}", sizes[k - 1], "C")]))  # fmt: skip
    plan = plan_memory(steps)
    check_plan(plan, steps)
    assert plan.after <= 1.1 * plan.bound


@pytest.mark.benchmark(group="memory plan")
def test_time_to_plan(benchmark) -> None:
    steps = chain([64 * (1 + k % 17) for k in range(1000)])
    plan = benchmark(plan_memory, steps)
    check_plan(plan, steps)
