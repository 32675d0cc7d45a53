"""Tensors on several devices: values are those of numpy, however a tensor is cut."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from rulewright import Context, Tensor, Variable, function, jit, nn
from rulewright.errors import ArgumentError, AxisError, DeviceError, ShapeError

_PAIR = ("C:0", "C:1")
_DEVICES = [("C:0",), _PAIR, ("C:0", "C:1", "C:2"), tuple(f"C:{i}" for i in range(4)),
            ("INTERP:0", "INTERP:1"), ("C", "INTERP")]  # fmt: skip
_N = Variable("n", 1, 12)
_RANDOM = np.random.default_rng(7)
_A, _B = (_RANDOM.standard_normal((12, 12)).astype(np.float32) for _ in range(2))


def _close(tensor, wanted, tolerance=1e-5):
    np.testing.assert_allclose(tensor.numpy(), wanted, tolerance, tolerance)


@pytest.mark.parametrize("devices", _DEVICES, ids=",".join)
@pytest.mark.parametrize("axis", [0, 1, None])
def test_values(devices, axis):
    x, same = (Tensor(a).shard(devices, axis) for a in (_A, _B))
    whole = Tensor(_B).shard(devices)
    assert x.device == ("C" if len(devices) == 1 else tuple(d.removesuffix(":0") for d in devices))
    _close(x, _A)
    _close(x + same, _A + _B)
    _close(x * whole, _A * _B)
    _close((x + 1).sum(0), (_A + 1).sum(0))
    _close(x.max(1), _A.max(1))
    _close(x.T.exp(), np.exp(_A.T))
    _close(x @ whole, _A @ _B, 1e-4)
    _close(whole @ x, _B @ _A, 1e-4)
    _close(x.softmax(1).sum(), np.float32(12))
    _close(x.to("C:5"), _A)
    _close(x.shard(devices, 1), _A)
    assert x.sum().item() == pytest.approx(_A.sum(), rel=1e-4)
    assert (x > 0).tolist() == (_A > 0).tolist()


def test_both_sides_of_a_product_cut_along_the_sum():
    _close(Tensor(_A).shard(_PAIR, 1) @ Tensor(_B).shard(_PAIR, 0), _A @ _B, 1e-4)


def test_movement_that_leaves_the_cut_whole():
    x = Tensor(_A).shard(_PAIR, 0)
    _close(x.reshape(4, 3, 12), _A.reshape(4, 3, 12))
    _close(x.reshape(-1), _A.reshape(-1))
    _close(x.flip(1), _A[:, ::-1])
    _close(x.pad(((0, 0), (2, 1))), np.pad(_A, ((0, 0), (2, 1))))
    _close(x[:, 3:5], _A[:, 3:5])
    _close(x.unsqueeze(1).expand(12, 5, 12), np.broadcast_to(_A[:, None], (12, 5, 12)))
    _close(x.cat(Tensor(_B).shard(_PAIR, 0), dim=1), np.concatenate([_A, _B], 1))
    _close(x[Tensor([1, 9, 0]).shard(_PAIR)], _A[[1, 9, 0]])


def test_what_one_device_has_of_the_cut_axis_all_get():
    x = Tensor(_A).shard(_PAIR, 0)
    _close(x[7], _A[7])
    _close(x[:6] + Tensor(_B).shard(_PAIR)[:6], _A[:6] + _B[:6])


def test_values_of_no_device():
    x = Tensor.ones(4, 6).shard(_PAIR, 0)
    _close(x * 3, np.full((4, 6), 3, np.float32))
    _close(x.sum(0), np.full(6, 4, np.float32))
    _close(Tensor(_A).shard(_PAIR, 0).tril(), np.tril(_A))
    _close(Tensor(_A).shard(_PAIR, 1) + Tensor.arange(12), _A + np.arange(12))
    assert Tensor(3.0).shard(_PAIR).item() == 3


def test_no_elements():
    x = Tensor(np.zeros((0, 3), np.float32)).shard(_PAIR, 0) + 1
    assert x.numpy().shape == (0, 3)
    assert x.sum().item() == 0
    _close(x.sum(0).to("INTERP"), np.zeros(3, np.float32))


def test_a_value_of_no_device_stored_on_two():
    """The second memory must not be filled from the first, which is on another device."""
    x = Tensor.ones(4, 6).sum(0, keepdim=True)
    one, other = x.clone("C"), x.clone("C:1")
    one.realize(other)
    _close(one, np.full((1, 6), 4, np.float32))
    _close(other, np.full((1, 6), 4, np.float32))


@pytest.mark.parametrize("axis", [0, 1, None])
def test_writes(axis):
    x = Tensor(_A).shard(_PAIR, axis).realize()
    before = x * 1
    x.assign(x * 2)
    x += 1
    _close(x, _A * 2 + 1)
    _close(before, _A)
    x.assign(Tensor(_B).shard(_PAIR))
    _close(x, _B)


def test_checks_of_values_hold():
    x, w = Tensor(_A).shard(_PAIR, 0).realize(), Tensor(_B).shard(_PAIR).realize()
    with Context(VERIFY=2):
        _close((x @ w + x).sum(0), (_A @ _B + _A).sum(0), 1e-4)


# ---- gradients -----------------------------------------------------------------------------------


def test_gradients_are_where_their_leaves_are():
    x = Tensor(_A, requires_grad=True).shard_(_PAIR, 0)
    w = Tensor(_B, requires_grad=True).shard_(_PAIR)
    (x @ w).square().sum().backward()
    _close(w.grad, 2 * _A.T @ (_A @ _B), 1e-3)
    _close(x.grad, 2 * (_A @ _B) @ _B.T, 1e-3)
    assert x.grad.uop.device == "C,C:1@0"
    assert w.grad.uop.device == "C,C:1"


def test_gradients_through_shard_and_back():
    x = Tensor(_A, requires_grad=True)
    w = Tensor(_B, requires_grad=True)
    (x.shard(_PAIR, 0) @ w.shard(_PAIR)).square().sum().to("C").backward()
    _close(w.grad, 2 * _A.T @ (_A @ _B), 1e-3)
    _close(x.grad, 2 * (_A @ _B) @ _B.T, 1e-3)
    assert w.grad.device == x.grad.device == "C"


@pytest.mark.parametrize("axis", [0, 1, None])
def test_zeros_for_a_gradient_are_where_the_leaf_is(axis):
    x, other = (Tensor(a, requires_grad=True).shard_(_PAIR, axis) for a in (_A, _B))
    slope, zeros = x.sum().gradient(x, other, materialize_grads=True)
    assert slope.uop.device == zeros.uop.device == other.uop.device
    _close(zeros, np.zeros((12, 12)))


def test_a_gradient_that_hangs_on_no_memory():
    bias = Tensor(_B[0], requires_grad=True).shard_(_PAIR)
    (Tensor(_A).shard(_PAIR, 0) + bias).sum().backward()
    _close(bias.grad, np.full(12, 12, np.float32))


_X, _CLASSES = _RANDOM.standard_normal((12, 5)).astype(np.float32), _RANDOM.integers(0, 3, 12)
_WEIGHTS = [_RANDOM.standard_normal(s).astype(np.float32) / 3 for s in ((5, 8), (8,), (8, 3))]


def _trained(devices, optimiser, jitted, cut=None):
    weights = [Tensor(w, requires_grad=True) for w in _WEIGHTS]
    for weight in weights if devices else ():
        axis = cut if cut is None else weight.ndim - 1
        weight.shard_(devices, axis if weight is not weights[2] else None if cut is None else 0)
    steps = getattr(nn.optim, optimiser)(weights, lr=0.1)

    def step(x, y):
        steps.zero_grad()
        hidden = (x @ weights[0] + weights[1]).relu()
        loss = (hidden @ weights[2]).cross_entropy(y)
        loss.backward()
        steps.step()
        return loss.realize()

    run = jit(step) if jitted else step
    losses = []
    with Tensor.train():
        for i in range(5):
            x, y = Tensor(_X + i), Tensor(_CLASSES)
            if devices:
                batch = 0 if cut is None else None
                x, y = x.shard(devices, batch).realize(), y.shard(devices, batch).realize()
            losses.append(run(x, y).item())
    return losses, [w.numpy() for w in weights]


@pytest.mark.parametrize("optimiser", ["SGD", "Adam"])
@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize("cut", [None, 1], ids=["data", "model"])
def test_training_is_that_of_one_device(optimiser, jitted, cut):
    wanted, weights = _trained((), optimiser, False)
    for devices in (_PAIR, tuple(f"C:{i}" for i in range(4))):
        losses, found = _trained(devices, optimiser, jitted, cut)
        np.testing.assert_allclose(losses, wanted, 1e-4)
        for one, other in zip(found, weights, strict=True):
            np.testing.assert_allclose(one, other, 1e-3, 1e-5)


# ---- jit and functions ---------------------------------------------------------------------------


def test_jit_of_arguments_results_and_state():
    state = Tensor(_A).shard(_PAIR, 0).realize()

    @jit
    def step(x):
        state.assign(state + x)
        return state * 2, x.sum(0)

    results = [step(Tensor(_B + i).shard(_PAIR, 0).realize()) for i in range(4)]
    for i, (doubled, total) in enumerate(results):
        wanted = _A + sum(_B + k for k in range(i + 1))
        _close(doubled, wanted * 2, 1e-4)
        _close(total, (_B + i).sum(0), 1e-4)
        assert doubled.device == ("C", "C:1")


@pytest.mark.parametrize("axis", [0, 1, None])
def test_what_waits_when_a_replay_begins(axis):
    """What writes the state that it reads is done before, and what reads the state it writes."""
    read, written = (Tensor(a).shard(_PAIR, axis).realize() for a in (_A, _B))
    wanted, total = _A.copy(), _B.copy()

    @jit
    def step(x):
        written.assign(written + x)
        return x * read

    for i in range(5):
        x, before = Tensor(_B + i).shard(_PAIR, axis).realize(), written * 2
        _close(step(x), (_B + i) * wanted, 1e-4)
        _close(before, total * 2, 1e-4)
        total += _B + i
        _close(written, total, 1e-4)
        read += 1
        wanted += 1
        read[3:9], wanted[3:9] = i, i
        written.assign(Tensor(_A).shard(_PAIR))
        total = _A.copy()


def test_a_rate_that_a_schedule_sets_reaches_a_replay():
    x, w = (Tensor(a).shard(_PAIR, 0).realize() for a in (_A, _B))
    w.requires_grad_()
    steps = nn.optim.SGD([w], lr=1.0)
    rates = nn.lr_scheduler.StepLR(steps, step_size=1, gamma=0.5)

    @jit
    def step(x):
        steps.zero_grad()
        (w * x).sum().backward()
        steps.step()
        return w.sum(1)

    for count in range(1, 6):
        step(x)
        rates.step()
        _close(w, _B - _A * (2 - 0.5 ** (count - 1)), 1e-4)


def test_jit_of_an_argument_that_is_cut_and_one_that_is_not():
    @jit
    def both(x, y):
        return x * 2, y.sum() + x.sum().to("C")

    for i in range(4):
        doubled, total = both(Tensor(_A + i).shard(_PAIR, 0).realize(), Tensor(_B * i).realize())
        _close(doubled, (_A + i) * 2)
        _close(total, (_B * i).sum() + (_A + i).sum(), 1e-4)


def test_jit_that_shards_inside_and_one_that_donates():
    @jit
    def product(x, w):
        return (x.shard(_PAIR, 0) @ w.shard(_PAIR)).to("C")

    @jit(donate=0)
    def doubled(x):
        return x * 2

    x = Tensor(_A).shard(_PAIR, 0).realize()
    for i in range(4):
        _close(product(Tensor(_A + i).realize(), Tensor(_B).realize()), (_A + i) @ _B, 1e-4)
        x = doubled(x)
    _close(x, _A * 16)


@pytest.mark.parametrize("precompile", [False, True])
def test_functions(precompile):
    @function(precompile=precompile)
    def total(x, y):
        return (x * y).sum(0)

    x = Tensor(_A, requires_grad=True).shard_(_PAIR, 0)
    total(x, x).sum().backward()
    _close(total(x, x), (_A * _A).sum(0))
    _close(x.grad, 2 * _A)


@pytest.mark.parametrize("axis", [0, 1, None])
def test_functions_that_call_functions(axis):
    @function
    def total(x):
        return x.exp().sum(0, keepdim=True)

    @function
    def both(x, y):
        return total(x) * y + total(x * y)

    x, y = Tensor(_A, requires_grad=True).shard_(_PAIR, axis), Tensor(_B).shard(_PAIR, 0)
    result = both(x, y)
    result.sum().backward()
    product = np.exp(_A * _B)
    _close(result, np.exp(_A).sum(0) * _B + product.sum(0), 1e-4)
    _close(x.grad, np.exp(_A) * _B.sum(0) + 12 * _B * product, 1e-4)
    assert x.grad.uop.device == x.uop.device


@pytest.mark.parametrize("axis", [0, 1, None])
def test_factors(axis):
    a = _A[:4, :4]
    x, square = Tensor(a).shard(_PAIR, axis), Tensor(a @ a.T).shard(_PAIR, axis)
    q, r = x.qr()
    _close(q @ r, a)
    _close(q.T @ q, np.eye(4))
    _close(square.cholesky(), np.linalg.cholesky(a @ a.T))
    _close(square.eigh()[0], np.linalg.eigvalsh(a @ a.T), 1e-4)
    _close(x.slogdet()[1], np.linalg.slogdet(a)[1])
    _close(x.solve(square), np.linalg.solve(a, a @ a.T), 1e-3)


def test_copies_of_tensors():
    x = Tensor(_A).shard(_PAIR, 0)
    for other in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), x.clone(), x.clone(_PAIR)):
        _close(other, _A)
    assert x.zeros_like().uop.device == "C,C:1@0"
    assert Tensor(_A, device=_PAIR).device == Tensor(_A).to(_PAIR).device == ("C", "C:1")
    assert Tensor.rand(4, 6, device=_PAIR).numpy().std() > 0


# ---- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda x: x + Tensor(_B), DeviceError, r"on \('C', 'C:1'\) and C; move one"),
        (lambda x: x.assign(Tensor(_B)), DeviceError, r"on \('C', 'C:1'\), the value on C"),
        (lambda x: x + Tensor(_B).shard(("C:1", "C:2"), 0), DeviceError, r"\('C:1', 'C:2'\)"),
        (lambda x: x.kernelize(), DeviceError, "on several devices is realized at once"),
        (lambda x: x.custom_kernel(fxn=abs), DeviceError, r"custom_kernel: .*gather.*\.to\('C'\)"),
        (lambda x: Tensor.custom_function(abs, x), DeviceError, r"found \('C', 'C:1'\); gather"),
        (lambda x: x.shard(("C", "DISK"), 0), DeviceError, "DISK has no memory but that of files"),
        (lambda x: x.sum().shard(_PAIR, 0), ShapeError, r"axis 0 of shape \(\) .* take .* none"),
        (
            lambda x: x[: _N.bind(4)].shard(_PAIR, 0),
            ShapeError,
            "axis 0 .* no size that parts in 2",
        ),
        (lambda x: np.from_dlpack(x), DeviceError, r"DLPack: the tensor is on \('C', 'C:1'\)"),
        (lambda x: x.shard(("C", "C:0"), 0), DeviceError, "each once"),
        (lambda x: x.shard((), 0), ArgumentError, "expected a name such as"),
        (lambda x: x.shard("C"), ArgumentError, "devices is a list or tuple, found 'C'"),
        (lambda x: x.shard(("C", "NOWHERE")), DeviceError, "unknown device 'NOWHERE'"),
        (lambda x: x.shard(_PAIR, 2), AxisError, "axis 2 is out of range"),
    ],
)
def test_what_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make(Tensor(_A).shard(_PAIR, 0))
