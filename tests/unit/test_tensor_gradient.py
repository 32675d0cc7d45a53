"""Gradients against central differences in float64, and against closed forms."""

import re

import numpy as np
import pytest
from arrays import closeness, leaf
from pairs import in_turn

from rulewright import Tensor, dtypes
from rulewright.errors import ArgumentError, DTypeError, ShapeError, UsageError

close = closeness(1e-6, 1e-7)


def differences(f, arrays, weights, step=1e-5):
    """Central differences of sum(f(arrays) * weights), of one element each; not computed yet."""
    for which, array in enumerate(arrays):
        for i in range(array.size):
            ends = []
            for sign in (1, -1):
                moved = array.copy()
                moved.flat[i] += sign * step
                values = [moved if j == which else a for j, a in enumerate(arrays)]
                ends.append((f(*map(Tensor, values)) * Tensor(weights)).sum())
            yield (ends[0] - ends[1]) / (2 * step)


def check(rng, f, *arrays):
    arrays = [np.asarray(a, np.float64) for a in arrays]
    tensors = [Tensor(a) for a in arrays]
    out = f(*tensors)
    weights = rng.normal(size=out.shape)
    found = out.gradient(*tensors, gradient=Tensor(weights))
    slopes = list(differences(f, arrays, weights))
    Tensor.realize(*found, *slopes)
    assert [ours.shape for ours in found] == [array.shape for array in arrays]
    elements = np.concatenate([ours.numpy().ravel() for ours in found])
    np.testing.assert_allclose(elements, [s.item() for s in slopes], rtol=1e-5, atol=1e-6)


UNARY = [
    "neg", "exp", "exp2", "expm1", "sin", "cos", "tan", "tanh", "sinh", "cosh", "sigmoid", "silu",
    "softplus", "mish", "gelu", "quick_gelu", "relu", "leaky_relu", "elu", "selu", "relu6", "abs",
    "square", "softsign", "logsigmoid", "hardswish", "erf",
]  # fmt: skip
POSITIVE = ["log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal"]


@pytest.mark.parametrize("name", UNARY + POSITIVE)
def test_functions_of_one_number(rng, name):
    x = rng.normal(size=(3,))
    check(rng, lambda t: getattr(t, name)(), np.abs(x) + 0.2 if name in POSITIVE else x)


BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "maximum": lambda a, b: a.maximum(b),
    "minimum": lambda a, b: a.minimum(b),
    "pow": lambda a, b: a.abs() ** b,
    "where": lambda a, b: (a < b).where(a * 2, b * 3),
    "lerp": lambda a, b: a.lerp(b, 0.3),
    "mod": lambda a, b: a % b,
}


@pytest.mark.parametrize(
    ("shapes", "name"), in_turn([((3,), (3,)), ((2, 1), (3,)), ((), (2,))], BINARY), ids=str
)
def test_functions_of_two_numbers(rng, name, shapes):
    a, b = (rng.normal(size=s) for s in shapes)
    check(rng, BINARY[name], a, b + np.sign(b))


REDUCTIONS = {
    "sum": lambda t: t.sum(1),
    "sum all": lambda t: t.sum(),
    "mean": lambda t: t.mean(0, keepdim=True),
    "max": lambda t: t.max(1),
    "min": lambda t: t.min(),
    "prod": lambda t: t.prod(1),
    "var": lambda t: t.var(1),
    "std": lambda t: t.std(0),
    "softmax": lambda t: t.softmax(),
    "log_softmax": lambda t: t.log_softmax(0),
    "logsumexp": lambda t: t.logsumexp(1),
    "cumsum": lambda t: t.cumsum(1),
    "norm": lambda t: t.norm(axis=1),
    "layernorm": lambda t: t.layernorm(),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(rng, name):
    check(rng, REDUCTIONS[name], rng.normal(size=(2, 4)))


MOVES = {
    "reshape": lambda t: t.reshape(4, 3),
    "permute": lambda t: t.permute(2, 0, 1),
    "expand": lambda t: t.unsqueeze(1).expand(3, 5, 2, 2),
    "pad": lambda t: t.pad([(1, 2), None, (0, 1)]),
    "shrink": lambda t: t[1:, :, :1],
    "flip": lambda t: t.flip(0, 2),
    "slice": lambda t: t[::-2, 1],
    "cat": lambda t: t.cat(t * 2, dim=1),
    "stack": lambda t: t.stack(t.sin()),
    "repeat": lambda t: t.repeat(2, 1, 2),
    "roll": lambda t: t.roll(1, 0),
    "diagonal": lambda t: t.diagonal(),
    "tril": lambda t: t.tril(),
    "positions": lambda t: t[[2, 0, 0]],
    "gather": lambda t: t.gather(0, Tensor([[[2, 0], [1, 1]]])),
    "scatter": lambda t: t.scatter(0, Tensor([[[1, 1], [0, 2]]]), t[:1] * 3, reduce="add"),
    "contiguous": lambda t: t.contiguous() * 2,
    "masked_fill": lambda t: t.masked_fill(t > 0, 7),
}


@pytest.mark.parametrize("name", MOVES)
def test_moves(rng, name):
    check(rng, MOVES[name], rng.normal(size=(3, 2, 2)))


PRODUCTS = {
    "matmul": (lambda a, b: a @ b, (2, 3), (3, 2)),
    "batched": (lambda a, b: a @ b, (2, 2, 3), (3, 2)),
    "vector": (lambda a, b: a @ b, (3,), (3,)),
    "conv2d": (lambda x, w: x.conv2d(w, stride=2, padding=1), (1, 2, 4, 3), (2, 2, 2, 2)),
    "grouped": (lambda x, w: x.conv2d(w, groups=2), (1, 2, 3, 3), (2, 1, 2, 2)),
    "dilated": (lambda x, w: x.conv2d(w, dilation=2), (1, 1, 4, 4), (1, 1, 2, 2)),
    "max_pool2d": (lambda x, w: x.max_pool2d(2, 1, padding=1) * w, (1, 1, 3, 3), (1,)),
    "avg_pool2d": (lambda x, w: x.avg_pool2d(2) * w, (1, 1, 4, 4), (1,)),
    "cross_entropy": (lambda x, w: (x * w).cross_entropy(Tensor([1, 0])), (2, 3), (3,)),
    "bce": (lambda x, w: (x * w).binary_crossentropy_logits(Tensor([1.0, 0])), (2,), (2,)),
    "huber": (lambda x, w: x.huber_loss(w), (5,), (5,)),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_and_losses(rng, name):
    f, *shapes = PRODUCTS[name]
    check(rng, f, *(rng.normal(size=s) for s in shapes))


# ---- closed forms and special places ----------------------------------------------------------


def test_equal_extremes_share_the_gradient():
    x = leaf([3.0, 3.0, 1.0])
    x.max().backward()
    assert x.grad.tolist() == [0.5, 0.5, 0]
    y = leaf([2.0])
    y.maximum(2).sum().backward()
    assert y.grad.tolist() == [0.5]


def test_gradients_at_kinks():
    x = leaf([0.0, -1.0])
    (x.relu() + x.abs()).sum().backward()
    assert x.grad.tolist() == [0, -1]


@pytest.mark.parametrize(
    ("x", "expected"),
    [([2, 3, 4], [12, 8, 6]), ([2, 0, 4], [0, 8, 0]), ([0, 0, 4], [0, 0, 0])],
)
def test_product_with_zeros(x, expected):
    t = leaf([float(v) for v in x])
    t.prod().backward()
    assert t.grad.tolist() == expected


def test_cross_entropy_is_softmax_minus_target(rng):
    x, target = rng.normal(size=(4, 5)), np.array([1, 0, 4, 2])
    t = Tensor(x, requires_grad=True)
    t.cross_entropy(Tensor(target)).backward()
    powers = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    close(t.grad.numpy(), (powers - np.eye(5)[target]) / 4)


def test_matmul_gradients_are_the_transposed_products(rng):
    a, b, g = (rng.normal(size=s).astype(np.float32) for s in ((3, 4), (4, 2), (3, 2)))
    found = (x := Tensor(a)).matmul(y := Tensor(b)).gradient(x, y, gradient=Tensor(g))
    close(found[0].numpy(), g @ b.T, rtol=1e-5, atol=1e-5)
    close(found[1].numpy(), a.T @ g, rtol=1e-5, atol=1e-5)


def test_the_gradient_of_a_gradient():
    x = Tensor([2.0, -3.0], requires_grad=True)
    (first,) = (x**3).sum().gradient(x)
    (second,) = first.sum().gradient(x)
    assert first.tolist() == [12, 27] and second.tolist() == [12, -18]


def test_gradients_add_up():
    x = leaf([1.0, 2.0])
    (x * 3).sum().backward()
    (x * x).sum().backward()
    assert x.grad.tolist() == [5, 7]


def test_a_value_used_twice():
    x = leaf([3.0])
    y = x * x
    (y + y * x).sum().backward()
    assert x.grad.tolist() == [2 * 3 + 3 * 9]


def test_equal_constants_have_their_own_gradients():
    a = Tensor.ones(2, requires_grad=True)
    b = Tensor.ones(2, requires_grad=True)
    (a * 3 + b * 5 + Tensor.ones(2)).sum().backward()
    assert a.grad.tolist() == [3, 3] and b.grad.tolist() == [5, 5]


def test_detach_stops_the_gradient():
    x = leaf([2.0])
    (x * x.detach()).sum().backward()
    assert x.grad.tolist() == [2]


def test_integers_between_stop_it():
    x = leaf([2.5])
    with pytest.raises(UsageError, match="depends on no tensor with requires_grad"):
        x.detach().sum().backward()
    (x.int().float() * x).sum().backward()
    assert x.grad.tolist() == [2]


def test_gradients_pass_through_realized_values():
    x = leaf([1.0, 2.0])
    y = (x * x).realize()
    z = (y * 3).realize()
    assert z.tolist() == [3, 12]
    z.sum().backward()
    assert x.grad.tolist() == [6, 12]


def test_reading_a_loss_does_not_lose_its_gradient():
    x = leaf([3.0])
    loss = (x * x).sum()
    assert loss.item() == 9
    loss.backward()
    assert x.grad.item() == 6


def test_overwritten_values_are_an_error():
    x = leaf([3.0])
    y = (x * x).realize()
    x.assign([5.0]).realize()
    with pytest.raises(UsageError, match="was assigned to since"):
        y.sum().backward()


def test_the_gradient_by_a_value_between():
    x = Tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    out = (h * h).sum()
    assert out.gradient(h)[0].tolist() == [4, 8]
    h.realize()
    assert out.gradient(h, x)[1].tolist() == [8, 16]


def test_gradients_through_assignment():
    x = leaf([1.0, 2.0])
    y = x * 2
    y += x
    y.sum().backward()
    assert x.grad.tolist() == [3, 3]


def test_narrow_floats_keep_their_dtype():
    x = Tensor([1.0, 2.0], dtype="float16", requires_grad=True)
    (x.float() * 3).sum().backward()
    assert x.grad.dtype is dtypes.f16 and x.grad.tolist() == [3, 3]


def test_what_is_realized_in_between_has_gradients_where_the_target_requires_them():
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = (x * 3).realize()
    assert (y * y).sum().gradient(x)[0].tolist() == [18.0, 36.0]
    plain = Tensor([1.0, 2.0])
    y = (plain * 3).realize()
    with pytest.raises(UsageError, match="only if the target requires_grad"):
        (y * y).sum().gradient(plain)


@pytest.mark.parametrize("realized", [False, True])
@pytest.mark.parametrize(
    "choose",
    [
        lambda x: (x > 0).float(),
        lambda x: x.argmax(0).float(),
        lambda x: x.argsort().float().exp(),
        lambda x: x.int().cast("f64"),
        lambda x: x.bitcast("i32").float(),
        lambda x: (x > 0).where(1.0, -1.0),
        lambda x: Tensor.zeros(3).scatter(0, x.argsort(), 2.0),
        lambda x: x.sort()[1].one_hot(3).float(),
    ],
)
def test_a_mask_or_a_position_made_of_leaves_has_no_gradient(choose, realized):
    """It may become a leaf of its own, and what is written by it stays without gradients too."""
    x = leaf([0.5, -1.0, 2.0])
    mask = choose(x)
    mask = mask.realize() if realized else mask
    assert not mask.requires_grad
    written = Tensor.zeros(3).contiguous()
    written += mask.sum()
    assert not written.realize().requires_grad
    with pytest.raises(UsageError, match="depends on no tensor with requires_grad"):
        mask.sum().backward()
    assert mask.requires_grad_().is_leaf
    (mask * mask * x.sum()).sum().backward()
    values = np.array(mask.tolist())
    close(mask.grad, 2 * values * 1.5)
    close(x.grad, np.full(3, (values**2).sum()))


def test_what_has_no_gradient_says_so():
    x = leaf([1.0, 2.0])
    with pytest.raises(UsageError, match="of several elements"):
        (x * 2).backward()
    with pytest.raises(ShapeError, match="expected weights of shape"):
        (x * 2).backward(Tensor([1.0]))
    with pytest.raises(DTypeError, match="only floats have gradients"):
        x.int().sum().backward()
    with pytest.raises(DTypeError, match="only floats have gradients"):
        Tensor([1], requires_grad=True)
    with pytest.raises(UsageError, match="does not depend on target 0"):
        x.sum().gradient(Tensor([1.0]))
    assert x.sum().gradient(Tensor([1.0]), materialize_grads=True)[0].tolist() == [0]
    with pytest.raises(UsageError, match="the target is a constant"):
        x.sum().gradient(Tensor.ones(2))


def test_gradients_through_writing_into_a_part(rng):
    for ready in (False, True):
        x = Tensor(rng.normal(size=(3, 2)), requires_grad=True)
        v = Tensor(rng.normal(size=2), requires_grad=True)
        y = x * 2
        if ready:
            y.realize()
        y[1] = v * 5
        y[:, 0] += x[:, 1]
        (y * Tensor([[1.0, 2], [3, 4], [5, 6]], dtype="f64")).sum().backward()
        assert v.grad.tolist() == [15, 20]
        assert x.grad.tolist() == [[2, 5], [0, 3], [10, 17]]


def test_gradients_through_kernelized_values():
    x = leaf([1.0, 2.0])
    y = (x * x).kernelize()
    z = (y * 3).kernelize()
    z.sum().backward()
    assert x.grad.tolist() == [6, 12]
    x.grad = None
    y.realize()
    z.sum().backward()
    assert x.grad.tolist() == [6, 12]


def test_gradients_through_products_added():
    """MULACC, which only graphs made by hand hold at this stage."""
    from rulewright.ir.ops import Ops

    a, b, c = (leaf([v]) for v in (2.0, 3.0, 5.0))
    found = Tensor(a.uop.alu(Ops.MULACC, b.uop, c.uop))
    assert [g.item() for g in found.gradient(a, b, c)] == [3, 2, 1]


def test_every_gradient_rule_is_used():
    """These programs together ask every rule of the set."""
    from rulewright.ir.ops import Ops
    from rulewright.ir.rulesets import RuleSet, ruleset
    from rulewright.ir.uop import UOp

    asked = set()
    rules = ruleset("gradient")
    traced = rules.variant(lambda rule, before, after: asked.add(rule), None, ())
    x = leaf([[0.5, 2.0], [3.0, 4.0]])
    unary = ["neg", "reciprocal", "sqrt", "exp", "exp2", "log", "log2", "sin", "tanh", "trunc"]
    unary += ["erf", "cos", "atan"]
    values = [getattr(x, name)() for name in unary]
    values += [x.fmod(2)]
    values += [x.double(), x.int().float(), x.bool().where(x, 1), x + x, x - 1, x * x, x / x]
    values += [x.maximum(1), x.minimum(1), x**2.5, x.sum(), x.max(), x.min(), x.prod()]
    values += [x.flatten(), x.T, x.sum(0, keepdim=True).expand(3, 2), x.pad((1, 1)), x[1:]]
    values += [x.flip(0), (x + 1).contiguous(), x.to("INTERP:1"), Tensor.ones(2).to("INTERP:1")]
    values += [x.detach(), Tensor(x.uop.alu(Ops.MULACC, x.uop, x.uop)), x < 1]
    values += [Tensor(UOp(Ops.COPY, x.dtype, (UOp.const(x.dtype, 1),), "INTERP"))]
    memory = (x * 1).realize()
    memory[0] = x[1]
    other = (x * 1).realize()
    other.assign(x * 7)
    kept = (x * 1).realize()
    kept.detach()[0] = 1.0
    for value in (*values, memory, other, kept):
        for node in value.uop.toposort():
            if node.src and node.op.name != "GRAD":
                traced[Ops.GRAD](UOp(Ops.GRAD, UOp.sink().dtype, (node, node)), None)
    assert isinstance(rules, RuleSet) and asked == set(rules.rules)


def test_an_op_without_a_rule_says_so():
    from rulewright.ir.ops import Ops

    x = leaf([1.0, 2.0])
    y = Tensor(x.uop.alu(Ops.POW, x.uop)).bitcast("int32").bitcast("float32")
    with pytest.raises(UsageError, match="no gradient rule for BITCAST"):
        y.sum().backward()


@pytest.mark.parametrize("value", ["a", 2, 0.5, [True]])
def test_requires_grad_is_true_or_false(value):
    message = re.escape(f"requires_grad is True or False, found {value!r} of type")
    x = Tensor([1.0, 2.0])
    with pytest.raises(ArgumentError, match=message):
        x.requires_grad = value
    assert not x.requires_grad
    for make in (
        lambda: Tensor([1.0], requires_grad=value),
        lambda: Tensor.ones(2, requires_grad=value),
    ):
        with pytest.raises(ArgumentError, match=message):
            make()
