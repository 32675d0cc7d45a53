"""Rebuilding a graph: one walk that says what each node becomes, and carries notes along."""

import pytest

from rulewright import UOp, dtypes
from rulewright.ir.node import bits_of, may_hold
from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins, rebuild

N = UOp.variable("n", 0, 9)
ONE, TWO = UOp.index_const(1), UOp.index_const(2)


def double(node, src):
    return UOp.index_const(2 * node.arg)


def test_what_nothing_changes_is_the_same_node():
    root = (N + ONE) * TWO
    assert rebuild(root) is root
    assert rebuild(root, lambda node, src: None) is root


def test_a_change_is_told_what_became_of_the_operands():
    told = {}

    def changed(node, src):
        told[node] = src
        return double(node, src) if node.op is Ops.CONST else None

    assert rebuild((N + ONE) * TWO, changed) is (N + TWO) * UOp.index_const(4)
    assert told[N + ONE] == (N, TWO)


def test_only_nodes_of_the_ops_that_are_given_are_asked_about():
    assert rebuild((N + ONE) * TWO, double, {Ops.CONST}) is (N + TWO) * UOp.index_const(4)


def test_a_node_that_is_not_entered_keeps_operands_that_change_elsewhere():
    kept = (N + ONE).detach()
    root = UOp.sink(kept, N + ONE)
    new = rebuild(root, double, {Ops.CONST}, enter=lambda n: n.op is not Ops.DETACH)
    assert new.src == (kept, N + TWO)


def test_what_is_known_of_a_node_is_taken_and_nothing_below_it_is_looked_at():
    asked = []
    memo = {N + ONE: TWO}
    assert rebuild((N + ONE) * N, lambda n, src: asked.append(n), memo=memo) is TWO * N
    assert asked == [N, (N + ONE) * N]
    assert memo == {N + ONE: TWO, N: N, (N + ONE) * N: TWO * N}
    assert rebuild(N + ONE, memo=memo) is TWO


def test_notes_go_with_nodes_that_become_others_and_stay_where_there_are_some():
    origins = Origins({N + ONE: ("sum",), N: ("n",), (N + ONE) * TWO: ("old",)})
    four = UOp.index_const(4)
    origins.notes[(N + TWO) * four] = ("own",)
    rebuild((N + ONE) * TWO, double, {Ops.CONST}, origins=origins)
    assert origins.notes[N + TWO] == ("sum",)
    assert origins.notes[(N + TWO) * four] == ("own",)
    assert origins.gather([N, N + TWO]) == ("n", "sum")


@pytest.mark.parametrize("depth", [50, 20_000])
def test_shared_and_deep_graphs_are_rebuilt_node_by_node(depth):
    node, count = N.cast(dtypes.i32), 0
    for _ in range(depth):
        node = node + node

    def counted(node, src):
        nonlocal count
        count += 1

    assert rebuild(node, counted) is node
    assert count == depth + 2


def test_a_graph_may_hold_what_it_holds_and_a_small_one_little_else():
    leaves = [UOp(Ops.PARAM, dtypes.f32, (), (i, (3,), None)) for i in range(40)]
    chains = []
    for leaf in leaves:
        chain = [leaf]
        for _ in range(5):
            chain.append(chain[-1] * chain[-1] + leaf)
        chains.append(chain)
    wrong = 0
    for chain in chains:
        held = set(chain[-1].toposort())
        assert all(may_hold(chain[-1], bits_of([node])) for node in held)
        assert may_hold(chain[-1], bits_of([chains[0][0], *held]))
        others = [node for other in chains for node in other if node not in held]
        wrong += sum(may_hold(chain[-1], bits_of([node])) for node in others)
    assert wrong < 0.05 * 40 * 40 * 6
    joined = UOp.sink(*[chain[-1] for chain in chains])
    assert all(may_hold(joined, bits_of([node])) for node in joined.toposort())
    assert not may_hold(joined, bits_of([]))
