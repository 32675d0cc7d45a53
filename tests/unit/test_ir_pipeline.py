"""The pipeline's driver: parts of it, where it stops, what it checks behind each entry."""

from __future__ import annotations

from itertools import pairwise

import pytest

from rulewright.driver.graphs import schedule
from rulewright.errors import StageError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.pipeline import (
    Entry,
    entries,
    entry_named,
    lowering,
    phases,
    run_entries,
    scheduling,
)
from rulewright.ir.stages import check_stage
from rulewright.ir.uop import UOp
from rulewright.options import Context
from rulewright.runtime.memories import buffer_of, new_buffer
from rulewright.schedule.build import schedule_function

A = UOp(Ops.PARAM, dtypes.f32, (), (0, (5, 3), "C"))
B = UOp(Ops.PARAM, dtypes.f32, (), (1, (3, 5), "C"))
FUNCTION = UOp.sink(B.store(A.permute((1, 0)) + 1.0))


def _names(steps: tuple[Entry, ...]) -> list[str]:
    return [entry.name for entry in steps]


def test_entries_are_in_order_and_their_stages_follow():
    steps = entries()
    assert len(set(_names(steps))) == len(steps)
    parts = (scheduling(), lowering())
    assert parts[0] + parts[1] == steps
    for part in parts:
        for first, second in pairwise(part):
            assert first.result == second.source


def test_every_entry_says_what_it_does():
    for entry in entries():
        assert entry.doc.strip().endswith("."), entry.name


def test_phases_are_inclusive():
    assert _names(phases("join")) == _names(phases("join", "join")) == ["fuse", "gather"]
    assert phases("kernelize", "join") == phases("kernelize") + phases("join")
    assert {entry.phase for entry in phases("choose", "write")} == {"choose", "lower", "write"}


def test_every_entry_is_part_of_a_phase():
    order = list(dict.fromkeys(entry.phase for entry in entries()))
    assert "" not in order
    assert sum((phases(phase) for phase in order), ()) == entries()


@pytest.mark.parametrize("first, last", [("joined", "arrange"), ("join", "arange"), ("", "")])
def test_an_unknown_phase_is_named_with_those_there_are(first, last):
    with pytest.raises(UsageError, match=r"no phase '(joined|arange|)'; phases are resolve, kern"):
        phases(first, last)


def test_an_unknown_entry_is_named_with_those_there_are():
    with pytest.raises(UsageError, match="no pipeline entry 'odrer'; entries are functions,"):
        entry_named("odrer")


def test_results_come_one_by_one():
    steps = phases("kernelize")
    found = dict(run_entries(FUNCTION, steps))
    assert list(found) == _names(steps)
    for entry in steps:
        check_stage(found[entry.name], entry.result)


@pytest.mark.parametrize("name", ["early", "rangeify", "movement"])
def test_stop_after_stops_behind_an_entry(name):
    with Context(STOP_AFTER=name):
        found = [done for done, _ in run_entries(FUNCTION, phases("kernelize", "arrange"))]
    assert found[-1] == name
    assert "order" not in found


def test_stop_after_gives_the_earlier_stage():
    with Context(stop_after="indexing"):
        graph = schedule_function(FUNCTION)
    check_stage(graph, "indexed")
    assert graph.op is Ops.SINK
    assert schedule_function(FUNCTION).op is Ops.LINEAR


def test_stop_after_an_unknown_entry_is_an_error():
    with (
        Context(STOP_AFTER="rangefy"),
        pytest.raises(
            UsageError, match="no pipeline entry 'rangefy'; entries are functions, shards"
        ),
    ):
        schedule_function(FUNCTION)


def test_what_stops_early_is_not_run_and_not_remembered():
    out = new_buffer(dtypes.f32, (5,), "INTERP")
    program = UOp.sink(out.store(UOp.const(dtypes.f32, 2.0).reshape((1,)).expand((5,))))
    with (
        Context(STOP_AFTER="rangeify"),
        pytest.raises(UsageError, match="STOP_AFTER=rangeify: what stops there has no kernels"),
    ):
        schedule(program)
    schedule(program).run()
    assert buffer_of(out).numpy().tolist() == [2.0] * 5


def broken_pass(graph: UOp) -> UOp:
    """A pass that leaves a RANGE in whole tensors."""
    return UOp.sink(graph.src[0], UOp.range(3, 0).cast(dtypes.f32))


BROKEN = Entry("broken", "pass", f"{__name__}:broken_pass", "function", "function", "")


def test_an_illegal_result_names_entry_stage_node_and_clause():
    with Context(VERIFY=1), pytest.raises(StageError) as error:
        list(run_entries(FUNCTION, (BROKEN,)))
    text = str(error.value)
    assert text.startswith(
        "RANGE is not legal at stage function after broken: loops are made by rangeify "
        "(spec/30-stages.uop:"
    )
    assert 'RANGE[0, "loop"](3:index)' in text


def test_stages_are_not_checked_without_verify():
    with Context(VERIFY=0):
        assert [name for name, _ in run_entries(FUNCTION, (BROKEN,))] == ["broken"]


def test_a_node_that_no_clause_allows_is_told_the_nearest():
    kernel = UOp.sink(UOp(Ops.BARRIER, dtypes.void, (A.store(A),)))
    with pytest.raises(StageError, match="BARRIER is not legal at stage function: no `allow` fits"):
        check_stage(kernel, "function")
    odd = UOp.sink(UOp(Ops.STORE, dtypes.void, (A, A, UOp.const(dtypes.bool, True))))
    with pytest.raises(StageError, match="no `allow` fits; the nearest: spec"):
        check_stage(odd, "function")


def test_an_unknown_stage():
    with pytest.raises(StageError, match="unknown stage 'tensors'; known are common, memory"):
        check_stage(FUNCTION, "tensors")


def test_debug_6_tells_which_rules_fired(capsys):
    graph = UOp.range(4, 0) + 0
    entry = entry_named("indexing")
    with Context(DEBUG=6):
        entry.run(UOp.sink(graph.end(UOp.range(4, 0))))
    assert "add_zero x1" in capsys.readouterr().err
