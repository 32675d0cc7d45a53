"""Work grows with the graph, not with the paths through it: walks visit a shared node once.

Reads of operands are counted, so that a verdict does not hang on the machine. The graphs share
every value: as trees they have 2**60 nodes.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from walks import check_growth, counting

from rulewright import Context, Tensor, function, jit, nn
from rulewright.codegen.lower import lower_kernel
from rulewright.ir.expression import LONGEST
from rulewright.ir.linear import linear
from rulewright.ir.node import rebuilt
from rulewright.ir.ops import Ops
from rulewright.ir.sums import conjuncts
from rulewright.ir.text import print_graph, read_graph
from rulewright.ir.uop import UOp
from rulewright.render import render_unit, target

Program = Callable[[Tensor, int], Tensor]


def repeated(step: Callable[[Tensor], Tensor]) -> Program:
    """A step on a tensor, done again and again."""

    def program(x: Tensor, depth: int) -> Tensor:
        for _ in range(depth):
            x = step(x)
        return x

    return program


def written(x: Tensor, depth: int) -> Tensor:
    """Pending writes, each of which reads what the one before has written."""
    memory = x.clone()
    for i in range(depth):
        memory[i % 4] = memory[(i + 1) % 4] * memory[0]
    return memory


PROGRAMS: dict[str, Program] = {
    "sum": repeated(lambda x: x + x),
    "product": repeated(lambda x: x * (x + 1)),
    "exponentials": repeated(lambda x: (x - x.exp()) * x.exp()),
    "where": repeated(lambda x: (x > 1).where(x, x + 1)),
    "softmax": repeated(lambda x: x.softmax(-1)),
    "normalised": repeated(lambda x: x + x / (x * x).sum(-1, keepdim=True)),
    "flipped": repeated(lambda x: x + x.flip(-1)),
    "stacked": repeated(lambda x: Tensor.stack(x, x * 2)[1]),
    "joined": repeated(lambda x: x[..., :32].cat(x[..., 32:] * x[..., :32], dim=-1)),
    "shifted": repeated(lambda x: x.pad(((0, 0), (1, 0)))[:, :-1] + x),
    "product of matrices": repeated(lambda x: x @ x.T @ x),
    "whole numbers": lambda x, depth: repeated(lambda i: i * (i + 1) // 3)(x.int(), depth),
    "drawn": lambda x, depth: repeated(lambda y: y.softmax(-1))(x, depth).multinomial(1),
    "chosen": lambda x, depth: repeated(lambda y: y * (y + 1))(x, depth).argmax(-1),
    "written": written,
}


def leaf(**options: bool) -> Tensor:
    """Where the programs begin: 4 rows of 64."""
    return Tensor([[0.1, 0.2, 0.3, 0.4] * 16] * 4, device="INTERP", **options).realize()


def scheduled(program: Program, depth: int) -> None:
    """Kernels are chosen, lowered for targets of all kinds, and written down."""
    for item in program(leaf(), depth).schedule():
        for name in ("C", "CUDA"):
            if not item.is_copy:
                render_unit([(lower_kernel(item.ast, name).uops, "k")], target(name))


def interpreted(program: Program, depth: int) -> None:
    """The reference interpreter computes it; what the compiler did is checked."""
    with Context(VERIFY=1):
        program(leaf(), depth).numpy()


def differentiated(program: Program, depth: int) -> None:
    """A gradient is taken, and scheduled."""
    x = leaf(requires_grad=True)
    y = program(x, depth)
    if y.requires_grad:
        y.sum().backward()
        assert x.grad is not None
        x.grad.schedule()


def jitted(program: Program, depth: int) -> None:
    """It is called until it is replayed."""
    step = jit(lambda x: program(x, depth).realize())
    for _ in range(3):
        step(leaf())


def called(program: Program, depth: int) -> None:
    """It is a function of which the graph holds a call, whole or inline."""
    for precompile in (False, True):
        step = function(precompile=precompile)(lambda x: program(x, depth))
        step(leaf()).schedule()


def printed(program: Program, depth: int) -> None:
    """Its graph is written and read again."""
    x = program(leaf(), depth)
    assert read_graph(print_graph(x.uop)) is x.uop
    repr(x), str(x)


WAYS = [scheduled, interpreted, differentiated, jitted, called, printed]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("name", PROGRAMS)
def test_work_grows_with_the_graph(name: str, way: Callable[[Program, int], None]):
    jitted(lambda x, _: x + 1, 0)  # a capture does what other tests left to be written
    with Context(CACHE=0):
        check_growth(lambda depth: way(PROGRAMS[name], depth))


def trained(layers: int) -> None:
    """A step of training of so many layers: the loss and all gradients are realised together."""
    x, weights = leaf(), [leaf(requires_grad=True) for _ in range(layers)]
    for weight in weights:
        x = x + (x * weight).softmax(-1)
    loss = (x * x).sum()
    Tensor.realize(loss, *loss.gradient(*weights))


def test_what_a_training_step_realises_is_walked_once():
    counts = []
    with Context(CACHE=0):
        trained(6)  # what is known from then on is walked by none of those that are compared
        for layers in (12, 24, 48):
            with counting() as reads:
                trained(layers)
            counts.append(reads[rebuilt.__code__])
    first, second = counts[1] - counts[0], counts[2] - counts[1]
    message = f"the same for each layer, found {counts} for 12, 24, 48 of them"
    assert first > 0 and second < 2.1 * first, message


@pytest.mark.parametrize("step", [
    lambda x: (x * 2 + 1).sum().realize(),
    lambda x: x.clone().assign(x + 1).realize(),
    lambda x: Tensor.realize(x.sort()[0], x.cumsum(0)),
    lambda x: x.add(1).numpy(),
])  # fmt: skip
def test_what_others_hold_is_not_walked(step: Callable[[Tensor], object]):
    """Beside a model whose parameters nobody has computed yet, a step does not look into them."""
    x, held, counts = leaf(), [], []
    with Context(DEVICE="INTERP"):
        for _ in range(3):
            step(x)  # what is known from then on is known to all
            with counting() as reads:
                step(x)
            counts.append(reads.total())
            held += [nn.Linear(8, 8) for _ in range(20)]
    parameters = 2 * 40  # at the last step; the graph of each has more than a hundred nodes
    assert len(held) == 60 and counts[2] - counts[0] < 4 * parameters, counts


def test_sums_of_sums_are_scheduled_in_one_walk():
    def summed(depth: int) -> None:
        x = leaf()
        for i in range(depth):
            x = (x * 1.5 + i).sum(0, keepdim=True).expand(4, 64)
        x.schedule()

    counts = []
    with Context(CACHE=0):
        for depth in (40, 80, 160):
            with counting(3e6) as reads:
                summed(depth)
            counts.append(reads.total())
    assert counts[2] - counts[1] < 2.3 * (counts[1] - counts[0]), counts


def test_a_view_is_made_without_a_walk_to_its_memory():
    def sliced(depth: int) -> None:
        x = Tensor([0.5] * 500, device="INTERP").realize()
        for _ in range(depth):
            x = x[1:]
        assert x.shape == (500 - depth,)

    counts = []
    for depth in (100, 200, 400):
        with counting() as reads:
            sliced(depth)
        counts.append(reads.total())
    assert counts[2] - counts[1] < 2.1 * (counts[1] - counts[0]), counts


def test_more_pending_writes_than_python_has_stack():
    x = Tensor([1, 2, 3], device="INTERP").realize()
    for _ in range(1200):
        x += 1
    assert x.tolist() == [1201, 1202, 1203]


def test_expressions_that_share_everything():
    n = UOp.range(5, 0)
    doubled, grown, both = n, n, n < 3
    for _ in range(60):
        doubled, grown = doubled + doubled, grown * (grown + 1)
        both = UOp(Ops.AND, both.dtype, (both, both))
    assert linear(doubled).stride(n) == 2**60
    assert conjuncts(both) == [n < 3]
    assert len(grown.render()) < 3 * LONGEST


# ---- that the counter finds what it should -------------------------------------------------


def shared(depth: int) -> UOp:
    """A graph of `depth` nodes with 2**depth paths."""
    x = UOp.variable("n", 1, 9)
    for _ in range(depth):
        x = x * x
    return x


def as_tree(node: UOp) -> int:
    """A planted walk that forgets where it was."""
    return 1 + sum(map(as_tree, node.src))


def each_anew(node: UOp) -> None:
    """A planted walk that looks below every node anew."""
    for inner in node.toposort():
        inner.toposort()


def again_and_again(node: UOp) -> None:
    """A planted walk that looks below the same node anew at each node."""
    for _ in node.toposort():
        node.toposort()


@pytest.mark.parametrize("walk", [as_tree, each_anew, again_and_again])
def test_a_planted_walk_is_found_and_named(walk: Callable[[UOp], object]):
    with pytest.raises(pytest.fail.Exception, match="more than linear"):
        check_growth(lambda depth: walk(shared(depth)), (20, 60, 200))
    with counting() as reads:
        as_tree(shared(10))
    assert "as_tree" in reads.who()


def test_a_walk_that_remembers_passes():
    check_growth(lambda depth: shared(depth).toposort(), (20, 60, 200))
