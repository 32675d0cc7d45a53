"""Twenty short tests, to be read in order: a tour from a tensor to its kernel."""

import numpy as np
import pytest

from rulewright import Context, GlobalCounters, Tensor, UOp, Variable, dtypes, nn
from rulewright.errors import ShapeError
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.text import print_graph, read_graph


def test_a_tensor_holds_numbers():
    x = Tensor([[1, 2], [3, 4]])
    assert x.shape == (2, 2) and x.dtype is dtypes.int64
    assert x.tolist() == [[1, 2], [3, 4]]


def test_arithmetic_broadcasts_as_numpys_does():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert (x * 2 + Tensor([10.0, 20.0])).tolist() == [[12, 24], [16, 28]]


def test_numpy_goes_in_and_comes_out():
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(Tensor(a).T.numpy(), a.T)


def test_nothing_is_computed_before_it_is_needed():
    x = Tensor([1.0, 2.0]) + 1
    assert "lazy" in repr(x)
    assert "realized" in repr(x.realize())


def test_shapes_change_without_copies():
    x = Tensor(np.arange(12))
    y = x.reshape(3, 4).permute(1, 0)[::-1, 1:]
    np.testing.assert_array_equal(y.numpy(), np.arange(12).reshape(3, 4).T[::-1, 1:])


def test_writing_into_a_part_shows_in_every_view():
    x = Tensor([[1, 2], [3, 4]])
    row = x[1]
    x[:, 0] = 9
    assert row.tolist() == [9, 4]


def test_what_does_not_fit_says_why():
    with pytest.raises(ShapeError, match="axis -1 has sizes 2 and 3; sizes must be equal or 1"):
        Tensor([1, 2]) + Tensor([1, 2, 3])


def test_a_whole_softmax_is_one_kernel():
    scores = Tensor(np.random.RandomState(0).rand(64, 100).astype(np.float32))
    with Context(DEVICE="C"):
        assert len(scores.softmax().schedule()) == 1


def test_matrix_products():
    a, b = (np.random.RandomState(i).rand(5, 5).astype(np.float32) for i in (1, 2))
    np.testing.assert_allclose((Tensor(a) @ Tensor(b)).numpy(), a @ b, rtol=1e-5)


def test_gradients():
    x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
    (x**3).sum().backward()
    assert x.grad.tolist() == [3, 12, 27]


def test_a_gradient_is_a_tensor_like_any_other():
    x = Tensor([2.0], requires_grad=True)
    (first,) = (x**3).sum().gradient(x)
    (second,) = first.sum().gradient(x)
    assert second.item() == 12


def test_a_layer_learns():
    Tensor.manual_seed(0)
    layer, x = nn.Linear(1, 1), Tensor([[-1.0], [0.0], [1.0]])
    optimizer = nn.optim.SGD(nn.state.get_parameters(layer), lr=0.4)
    for _ in range(30):
        optimizer.zero_grad()
        (layer(x) - (3 * x + 1)).square().mean().backward()
        optimizer.step()
    assert layer.weight.item() == pytest.approx(3, abs=1e-3)
    assert layer.bias.item() == pytest.approx(1, abs=1e-3)


def test_random_numbers_follow_from_the_seed():
    Tensor.manual_seed(42)
    first = Tensor.rand(4).tolist()
    Tensor.manual_seed(42)
    assert Tensor.rand(4).tolist() == first


def test_one_program_for_many_sizes():
    x, n = Tensor([1.0, 2.0, 3.0, 4.0]), Variable("n", 1, 4)
    assert [x[: n.bind(i)].sum().item() for i in (1, 2, 4)] == [1, 3, 10]


def test_a_tensor_is_a_handle_on_a_graph():
    x = Tensor([1.0, 2.0])
    node = (x + x).uop
    assert node.op is Ops.ADD and node.src == (x.uop, x.uop)


def test_equal_graphs_are_one_object():
    n = UOp.variable("n", 0, 9)
    assert n * 2 + 1 is n * 2 + 1


def test_rules_simplify_graphs():
    n = UOp.variable("n", 0, 9)
    assert rewrite((n * 4 + 3) // 4, "symbolic") is n


def test_every_graph_has_a_text():
    node = UOp.variable("n", 0, 9) * 2
    assert read_graph(print_graph(node)) is node


def test_a_schedule_shows_its_kernels():
    (item,) = (Tensor([1.0, 2.0]) * 3).schedule()
    assert "3" in item.lower().source
    item.run()


def test_every_device_gives_the_same_answer():
    before = GlobalCounters.kernels
    answers = [(Tensor([1.0, 4.0], device=d).sqrt() + 1).tolist() for d in ("C", "INTERP")]
    assert answers[0] == answers[1] == [2, 3]
    assert GlobalCounters.kernels == before + 2
