"""A user's program, which `mypy --strict` accepts: see unit/test_tensor_types.py."""

from __future__ import annotations

import numpy as np
from typing_extensions import assert_type

from rulewright import Context, Tensor, Variable, dtypes, jit, nn


class Network:
    def __init__(self, hidden: int) -> None:
        self.first = nn.Linear(4, hidden)
        self.second = nn.Linear(hidden, 2)

    def __call__(self, x: Tensor) -> Tensor:
        return self.second(self.first(x).relu()).log_softmax(-1)


@jit
def double(x: Tensor, by: int = 2) -> Tensor:
    return x * by


@Tensor.no_grad()
def loss_of(network: Network, x: Tensor) -> float:
    return float(network(x).mean().item())


def train(network: Network, steps: int) -> list[float]:
    optimiser = nn.optim.SGD(nn.state.get_parameters(network), lr=0.1)
    optimiser.lr = 0.05
    losses: list[float] = []
    with Tensor.train(), Context(DEBUG=0):
        for _ in range(steps):
            x = Tensor.randn(8, 4)
            optimiser.zero_grad()
            loss = network(x).sum(-1).square().mean()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
    return losses


x = Tensor([[1.0, 2.0], [3.0, 4.0]], dtype=dtypes.f32, requires_grad=True)
assert_type(x + 1, Tensor)
assert_type(2 * x[0], Tensor)
assert_type(x @ x.T, Tensor)
assert_type(x < 2, Tensor)
assert_type(double(x), Tensor)
assert_type(x.sum().gradient(x), list[Tensor])
assert_type(Tensor.from_numpy(np.zeros(3)), Tensor)
assert_type(x.data(), memoryview)
assert_type(x.detach().clone().add_(1).clamp_(min=0), Tensor)
assert_type(x.quantile(0.5, dim=0), Tensor)
assert_type(x.mode().values, Tensor)
assert_type(x.sort()[1], Tensor)
best, places = x.topk(1)
assert_type(best, Tensor)
x[0] = 1.0
x += np.float32(2)
grad = x.grad
if grad is not None:
    assert_type(grad.numpy().ndim, int)
n = Variable("n", 1, 2)
part: Tensor = x[: n.bind(1)]
print(part.shape, part.dtype.name, part.device, loss_of(Network(3), Tensor.ones(1, 4)))
print(train(Network(3), 2))
