"""Races that a rule makes at positions which data gives; the interpreter knows one order alone."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.verify.prove.races import races_anew
from rulewright.verify.prove.trial import Trial

ITEM, STEP = UOp.range(4, 0, "global"), UOp.range(2, 1, "reduce")
LOOP = UOp.range(4, 2, "loop")
OUT = UOp(Ops.PARAM, dtypes.i32, (), (0, (8,), None))
AT = UOp(Ops.PARAM, dtypes.i32, (), (1, (8,), None))
NOTHING = UOp.sink()


def _races(after, at, before=NOTHING):
    bindings = {OUT: np.zeros(8, np.int32), AT: np.array(at, np.int32)}
    return races_anew(Trial(before, after, bindings))


def _walk(end):
    """Each work item walks over all positions, and adds 1 at those from its first one up to an
    end."""
    place, first = AT.index(STEP).cast(dtypes.index), ITEM * 2
    mine = ((first <= place) & (place < first + end)).where(place, UOp(Ops.INVALID, dtypes.index))
    old = OUT.after(STEP).index(mine)
    return old.store(old + 1).end(ITEM, STEP)


def test_work_items_that_go_on_from_one_element_race_where_data_says_so():
    assert _races(_walk(2), [1, 2] * 4) == ""
    assert _races(_walk(3), [1, 3] * 4) == ""  # none is the first of another item
    assert _races(_walk(3), [1, 2] * 4) == "race: several work items write element 2"
    assert _races(_walk(3), [1, 2] * 4, before=_walk(3)) == ""


@pytest.mark.parametrize("kind", ["loop", "reduce"])
def test_what_a_store_before_it_wrote_is_not_read_as_it_was(kind):
    loop = LOOP.replace(arg=(2, kind))
    fill = OUT.index(LOOP).store(UOp.const(dtypes.i32, 5)).end(LOOP)
    there = AT.index(loop).cast(dtypes.index)
    memory = OUT.after(fill, loop)
    stale = memory.index(there).store(OUT.index(there) + 1).end(loop)
    now = memory.index(there).store(memory.index(there) + 1).end(loop)
    places = [0, 1, 2, 3, 0, 0, 0, 0]
    assert _races(stale, places) == "element 0 of what is written is read as it was before"
    assert _races(now, places) == ""
    assert _races(stale, [4, 5, 6, 7, 0, 0, 0, 0]) == ""  # which the store before does not write


def test_a_step_that_reads_what_another_step_writes_reads_it_as_it_was():
    there = AT.index(STEP).cast(dtypes.index)
    stale = OUT.after(STEP).index(there).store(OUT.index(there) + 1).end(STEP)
    assert _races(stale, [2, 3] * 4) == ""
    assert _races(stale, [3, 3] * 4) == "element 3 of what is written is read as it was before"


def test_what_another_memory_holds_and_a_loop_that_no_index_names_do_not_matter():
    other = OUT.replace(arg=(2, (8,), None))
    fill = other.index(LOOP).store(UOp.const(dtypes.i32, 5)).end(LOOP)
    element = OUT.after(fill, STEP).index(UOp.index_const(1))
    assert _races(element.store(OUT.index(LOOP) + element).end(STEP, LOOP), range(8)) != ""
    first = OUT.after(fill).index(UOp.index_const(0))
    assert _races(first.store(first + 1).end(LOOP), range(8)) == ""


def test_memory_without_axes_is_let_pass():
    cell = OUT.replace(arg=(2, (), None)).index()
    store = cell.store(cell + LOOP.cast(dtypes.i32)).end(LOOP)
    assert races_anew(Trial(NOTHING, store)) == ""
