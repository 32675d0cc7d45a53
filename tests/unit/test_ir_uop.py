"""UOps: one object for equal nodes, evaluation, helpers, walks, derived properties."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import threading
import weakref
from fractions import Fraction

import numpy as np
import pytest

from rulewright.errors import (
    ArgumentError,
    DTypeError,
    ShapeError,
    UnknownAttributeError,
    UsageError,
    VariableError,
)
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp, live_nodes

N = UOp.variable("n", 1, 10)
I32 = UOp(Ops.PARAM, dtypes.i32, (), (0, (), None))
X = UOp(Ops.BUFFER, dtypes.f32, (), (901, (3, 4), "C"))


# ---- identity -------------------------------------------------------------------------------


def test_equal_trees_are_the_same_object():
    assert (N + 1) * 4 is (UOp.variable("n", 1, 10) + 1) * 4
    assert N + 1 is not N + 2
    assert N is not UOp.variable("n", 1, 11)
    assert UOp.const(dtypes.i32, 3) is not UOp.const(dtypes.i64, 3)


@pytest.mark.parametrize("field", ["op", "dtype", "src", "arg", "_shape", "new", "__class__"])
def test_a_node_cannot_be_changed(field):
    node = UOp.const(dtypes.i32, 77)
    before = node.op, node.dtype, node.src, node.arg
    with pytest.raises(AttributeError, match=f"{field} of a UOp cannot be changed"):
        setattr(node, field, 9)
    with pytest.raises(AttributeError, match="cannot be changed"):
        delattr(node, field)
    assert (node.op, node.dtype, node.src, node.arg) == before
    assert UOp.const(dtypes.i32, 77).arg == 77


@pytest.mark.parametrize("value", [0.0, -0.0, float("inf"), float("-inf"), 1.5])
def test_float_constants_are_singletons(value):
    node = UOp.const(dtypes.f32, value)
    assert UOp.const(dtypes.f32, value) is node
    assert repr(node.arg) == repr(value)


def test_nan_constants_are_one_node():
    assert UOp.const(dtypes.f32, float("nan")) is UOp.const(dtypes.f32, -float("nan"))


def test_zeros_of_both_signs_are_two_nodes():
    assert UOp.const(dtypes.f64, 0.0) is not UOp.const(dtypes.f64, -0.0)


def test_true_and_one_are_two_nodes_even_as_arguments():
    one, true = UOp.const(dtypes.i32, 1), UOp.const(dtypes.bool, True)
    assert one is not true
    assert type(UOp.const(dtypes.i32, True).arg) is int
    assert type(UOp.const(dtypes.bool, 1).arg) is bool
    assert UOp.sink(info=1) is not UOp.sink(info=True)
    assert UOp.sink(info=1.0) is not UOp.sink(info="1.0")


def test_constants_wrap_and_round_to_their_dtype():
    assert UOp.const(dtypes.u8, 257) is UOp.const(dtypes.u8, 1)
    assert UOp.const(dtypes.i8, 128).arg == -128
    assert UOp.const(dtypes.f16, 1 + 2**-12).arg == 1.0


def test_unreferenced_nodes_are_freed():
    gc.collect()
    before = live_nodes()
    node = UOp.variable("freed", 0, 7) * 3 + 1
    assert live_nodes() > before
    gone = weakref.ref(node)
    del node
    assert gone() is None  # without the cyclic collector: nodes never form a cycle
    assert live_nodes() == before


def test_a_node_made_again_after_it_was_freed():
    first = weakref.ref(UOp.variable("again", 0, 7))
    second = UOp.variable("again", 0, 7)
    assert first() is None
    assert UOp.variable("again", 0, 7) is second


def test_a_long_chain_is_made_and_freed_without_recursion():
    gc.collect()
    before, node = live_nodes(), N
    for _ in range(100_000):
        node = UOp(Ops.NEG, dtypes.index, (node,))
    assert live_nodes() - before >= 100_000
    assert len(node.toposort()) == 100_001
    assert node.vmin == 1
    node = N
    assert live_nodes() == before


def test_threads_get_the_same_nodes():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    wrong: list[str] = []
    shared: list[list[UOp]] = [[] for _ in range(4)]
    barrier = threading.Barrier(4)

    def work(mine: list[UOp]) -> None:
        for _ in range(20):
            barrier.wait()
            mine[:] = [UOp.variable("shared", 0, k) + k for k in range(50)]
            barrier.wait()
            if any(a is not b for a, b in zip(mine, shared[0], strict=True)):
                wrong.append("equal nodes are two objects")
            barrier.wait()
            mine.clear()  # all threads free, and then make, the same nodes

    threads = [threading.Thread(target=work, args=(mine,)) for mine in shared]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong


def test_copies_and_pickles_are_the_same_object():
    node = ((N + 1) * 4).cast(dtypes.f32) * 0.5
    assert copy.copy(node) is node
    assert copy.deepcopy([node])[0] is node
    assert pickle.loads(pickle.dumps(node)) is node
    assert pickle.loads(pickle.dumps(dtypes.f32.vec(4))) is dtypes.f32.vec(4)
    assert pickle.loads(pickle.dumps(Ops.ADD)) is Ops.ADD


def test_a_pickle_keeps_arguments_apart():
    for node in (UOp.sink(info=True), UOp.const(dtypes.f32, -0.0), UOp.const(dtypes.f32, 1e-45)):
        assert pickle.loads(pickle.dumps(node)) is node


@pytest.mark.parametrize("op", [Ops.BUFFER, Ops.HOST])
def test_what_is_of_this_process_alone_is_not_pickled(op):
    node = UOp(op, dtypes.f32, (), (1, (3,), "C")) * 2.0
    with pytest.raises(UsageError, match=f"{op.name} number 1 is of this process.*the tensor"):
        pickle.dumps(node)
    assert copy.deepcopy(node) is node


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: X.substitute([(X, X)]), "substitute: expected a dict of nodes"),
        (lambda: X.substitute({"x": X}), "substitute: expected UOps, .*, found 'x' of type str"),
        (lambda: X.substitute({X: 1.0}), "substitute: expected UOps, .*, found 1.0 of type float"),
        (lambda: X.replace(op="ADD"), "UOp: expected an op such as Ops.ADD, found 'ADD'"),
        (lambda: X.replace(dtype="f32"), "BUFFER: expected a dtype such as dtypes.f32"),
        (lambda: X.replace(src=[X]), "BUFFER: expected a tuple of UOps, found"),
        (lambda: X.replace(src=(1,)), "BUFFER: expected UOps, .*, found 1 of type int"),
        (lambda: X.replace(arg=[1]), r"BUFFER: an argument holds numbers, .*, found \[1\]"),
        (lambda: UOp(Ops.NEG, dtypes.f32, [X]), "NEG: expected a tuple of UOps, found"),
        (lambda: X.alu(Ops.ADD), "ADD takes 2 operands, found 1"),
        (lambda: X.alu(Ops.NEG, X), "NEG takes 1 operands, found 2"),
    ],
)
def test_what_is_no_node_and_no_field_of_one(call, message):
    with pytest.raises(ArgumentError, match=message):
        call()


@pytest.mark.parametrize("fields, message", [
    (("ADD", dtypes.f32), "UOp: expected an op such as Ops.ADD, found 'ADD' of type str"),
    ((None, dtypes.f32), "UOp: expected an op such as Ops.ADD, found None of type NoneType"),
    ((Ops.NEG, "f32"), "NEG: expected a dtype such as dtypes.f32, found 'f32' of type str"),
    ((Ops.NEG, dtypes.f32, (3,)), "NEG: expected UOps, such as .*, found 3 of type int"),
    ((Ops.NEG, dtypes.f32, (X, None)), "UOps, such as .*, found None of type NoneType"),
    ((Ops.NEG, dtypes.f32, "x"), "NEG: expected a tuple of UOps, found 'x' of type str"),
    ((Ops.NEG, dtypes.f32, ""), "NEG: expected a tuple of UOps, found '' of type str"),
    ((Ops.NEG, dtypes.f32, X), "NEG: expected a tuple of UOps, found UOp"),
])  # fmt: skip
def test_a_node_of_what_is_none_is_not_made(fields, message):
    with pytest.raises(ArgumentError, match=message):
        UOp(*fields) if len(fields) > 2 else UOp(*fields, (X,))


def test_an_unknown_attribute_says_how_the_op_is_applied():
    for name, hint in (("exp2", r"alu\(Ops.EXP2\)"), ("max", r"alu\(Ops.MAX\)")):
        said = f"a UOp has no attribute '{name}'; here it is {hint}"
        with pytest.raises(UnknownAttributeError, match=said):
            getattr(X, name)
    assert not hasattr(X, "exp2") and not hasattr(X, "__array__")
    assert X.cast(dtypes.f64).dtype is dtypes.f64, "what has a method is that"


def test_nodes_have_no_hook_that_each_look_at_one_passes_through():
    assert not any("__getattr__" in vars(cls) for cls in UOp.__mro__)


def test_repr_is_short_and_str_is_the_graph():
    assert repr(N + 1) == "UOp(ADD, index, 2 sources, None)"
    assert str(N + 1).splitlines()[-2] == "  return add_0"


# ---- evaluation -----------------------------------------------------------------------------


def test_constant_trees_evaluate():
    two = UOp.const(dtypes.i32, 2)
    assert int((two + 3) * 4) == 20
    assert (two + 3).simplify() is UOp.const(dtypes.i32, 5)
    assert float(UOp.const(dtypes.f32, 1.5) + 1.0) == 2.5
    assert bool(two < 3) is True
    assert bool(two.eq(3)) is False


def test_what_bounds_decide_evaluates():
    assert bool(N < 11)
    assert not bool(N > 10)
    assert int(N // 11) == 0
    assert int(N - N) == 0


@pytest.mark.parametrize("kind", [int, float, bool])
def test_a_symbolic_value_is_not_a_number(kind):
    with pytest.raises(VariableError) as error:
        kind((N + 1) * 4)
    assert f"{kind.__name__}(): expected a constant, found the symbolic " in str(error.value)
    assert str(error.value).endswith("n * 4 + 4; bind its variables first")


def test_bound_variables_evaluate():
    assert int(N.bind(3) * 2) == 6


# ---- helpers --------------------------------------------------------------------------------


def test_cast_and_bitcast():
    assert I32.cast(dtypes.i32) is I32
    assert I32.cast(dtypes.f32).dtype is dtypes.f32
    assert I32.bitcast(dtypes.f32).op is Ops.BITCAST
    with pytest.raises(DTypeError, match="bitcast: i32 and f64 differ in width"):
        I32.bitcast(dtypes.f64)


def test_alu_wants_one_dtype():
    with pytest.raises(DTypeError, match="ADD: dtypes differ: i32, index; cast first"):
        I32.alu(Ops.ADD, N)
    assert (I32 < 3).dtype is dtypes.bool
    assert (I32 < 3).where(I32, I32 + 1).dtype is dtypes.i32
    with pytest.raises(DTypeError, match="WHERE: dtypes differ: i32, index"):
        (I32 < 3).where(I32, N)


def test_a_fraction_does_not_become_an_integer():
    for half in (0.5, np.float64(0.5), np.float32(0.5), np.float16(0.5), Fraction(1, 2)):
        with pytest.raises(DTypeError, match=r"with a value of index; cast the value first, or"):
            N * half
        with pytest.raises(DTypeError, match=r"with a value of i32; cast the value first$"):
            half + I32
    for quotient in (lambda: N / 2, lambda: 1 / N, lambda: N / N, lambda: I32 / 2):
        with pytest.raises(DTypeError, match=r"/ \(whole numbers have //\) with a value of "):
            quotient()
    assert N * np.int64(2) is N * 2 and N + np.uint8(1) is N + 1
    assert (N.cast(dtypes.f32) * 2).src[1] is UOp.const(dtypes.f32, 2.0)


def test_reflected_operators_keep_the_order():
    assert 10 - I32 is UOp.const(dtypes.i32, 10) - I32
    assert 10 // I32 is UOp.const(dtypes.i32, 10) // I32
    three = UOp.const(dtypes.i32, 3)
    assert (I32 > 3) is (three < I32)
    assert (I32 >= 3) is (three <= I32)


def test_memory_loops_and_order():
    i = UOp.range(3, 0)
    where = X.index(i, UOp.index_const(1))
    store = where.store(where.load() + 1.0)
    loop = store.end(i)
    assert (store.op, store.dtype, store.src) == (Ops.STORE, dtypes.void, (where, store.src[1]))
    assert loop.src == (store, i)
    assert store.end() is store
    assert X.after() is X
    assert X.after(loop).src == (X, loop)
    assert X.contiguous().op is Ops.CONTIGUOUS
    assert X.detach().op is Ops.DETACH
    assert UOp.sink(loop, info="k").arg == "k"
    assert where.reduce(Ops.ADD) is where
    assert where.reduce(Ops.ADD, i).arg is Ops.ADD


def test_variables_and_their_bounds():
    with pytest.raises(VariableError, match="variable k: lower bound 5 is above upper bound 4"):
        UOp.variable("k", 5, 4)
    with pytest.raises(VariableError, match="bind: n = 11 is outside 1 … 10"):
        N.bind(11)
    with pytest.raises(UsageError, match="bind: expected a variable, found ADD"):
        (N + 1).bind(3)


def test_movement_of_nothing_is_the_node_itself():
    assert X.reshape((3, 4)) is X
    assert X.expand((3, 4)) is X
    assert X.permute((0, 1)) is X
    assert X.flip((False, False)) is X
    assert X.pad(((0, 0), (0, 0))) is X
    assert X.shrink(((0, 3), (0, 4))) is X


def test_symbolic_sizes_are_sources_of_a_movement():
    rows = X.shrink(((0, N), (0, 4)))
    assert rows.src == (X, N)
    assert rows.arg == ((0, None), (0, 4))
    assert rows.shape == (N, 4)
    assert rows.max_shape == (10, 4)


# ---- walks ----------------------------------------------------------------------------------


def test_toposort_is_operands_first_and_stable():
    a, b = N + 1, N * 2
    root = (a + b) * (b + a)
    order = root.toposort()
    place = {node: i for i, node in enumerate(order)}
    assert all(place[s] < place[node] for node in order for s in node.src)
    assert len(order) == len(set(order))
    assert order[-1] is root
    assert order == root.toposort()
    assert [node for node in order if node in (a, b)] == [a, b]


def test_toposort_does_not_enter_what_it_is_told_not_to():
    inner = N + 1
    order = (inner * 2).toposort(lambda node: node is not inner)
    assert inner in order
    assert N not in order


def test_substitute_replaces_and_does_not_search_again():
    m = UOp.variable("m", 1, 10)
    assert ((N + 1) * N).substitute({N: m}) is (m + 1) * m
    assert (N + 1).substitute({N: N + 1}) is (N + 1) + 1
    assert (N + 1).substitute({m: N}) is N + 1
    assert (N + 1).substitute({}) is N + 1
    assert N.substitute({N: m}) is m


def test_substitute_passes_over_what_is_older_but_tells_a_memo_of_it():
    old = UOp.variable("old", 0, 9) + 1
    new = UOp.variable("new", 0, 9)
    whole = old * new
    memo: dict[UOp, UOp] = {}
    assert whole.substitute({new: old}, memo) is whole.substitute({new: old}) is old * old
    assert memo[old] is old and memo[old.src[0]] is old.src[0]
    assert old.substitute({new: old}) is old


def test_replace_copies_with_changes():
    assert (N + 1).replace(op=Ops.MUL) is N * 1
    assert (N + 1).replace() is N + 1
    with pytest.raises(UsageError, match="replace: a UOp has no 'colour'; it has op, dtype"):
        N.replace(colour=3)


# ---- derived properties ---------------------------------------------------------------------


def test_ranges_open_and_close():
    i, j = UOp.range(3, 0), UOp.range(4, 1, "reduce")
    value = X.index(i, j)
    assert value.ranges == (i, j)
    total = value.reduce(Ops.ADD, j)
    assert total.ranges == (i,)
    assert X.index(i, UOp.index_const(0)).store(total).end(i).ranges == ()
    assert (i + j + i).ranges == (i, j)
    assert (j + i).ranges == (j, i)


def test_a_range_whose_size_depends_on_a_range():
    i = UOp.range(3, 0)
    j = UOp.range(i + 1, 1)
    assert j.ranges == (i, j)
    assert (j.vmin, j.vmax) == (0, 2)
    assert j.size is i + 1


def test_shapes_of_effects_scalars_and_reductions():
    assert X.store(X).shape is None
    assert N.shape == ()
    assert UOp(Ops.REDUCE_AXIS, dtypes.f32, (X,), (Ops.ADD, (1,))).shape == (3, 1)
    assert X.index(N).shape == (4,)
    assert (X + X).shape == (3, 4)
    assert (X * 2.0).shape == (3, 4)  # a scalar goes with any shape
    assert X.size == 12
    with pytest.raises(ShapeError, match="ADD: operands have shapes"):
        _ = (X + X.permute((1, 0))).shape


def test_device_and_base():
    view = X.reshape((12,)).shrink(((2, 8),))
    assert view.device == "C"
    assert view.base is X
    assert N.device is None
    assert UOp(Ops.COPY, dtypes.f32, (X,), "CL").device == "CL"
    assert X.after(X.store(X)).base is X


def test_unknown_ops_are_attribute_errors():
    with pytest.raises(AttributeError, match="no op 'PLUS' in spec"):
        _ = Ops.PLUS
    assert "ADD" in Ops
    assert Ops.ADD in Ops.group("Elementwise")
