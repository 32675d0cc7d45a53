"""What users write, all over the library, which `mypy --strict` accepts: see test_tensor_types."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
from typing_extensions import assert_type

from rulewright import Tensor, dtypes, function, jit, nn
from rulewright.nn.state import (
    get_parameters,
    get_state_dict,
    load_state_dict,
    safe_load,
    safe_save,
)
from rulewright.nn.utils import clip_grad_norm_

# ---- tensors -------------------------------------------------------------------------------------

a = Tensor([1.0, 2.0])
for each in (
    *(Tensor(3), Tensor(np.zeros((2, 2))), Tensor(b"ab"), Tensor(a), Tensor.full((2, 2), 3.5)),
    *(Tensor.zeros(2, 3), Tensor.zeros((2, 3), dtype=dtypes.f16), Tensor.linspace(0, 1, 5)),
    *(Tensor.ones(2, dtype="float32", device="C", requires_grad=True), Tensor.eye(3)),
    *(Tensor.rand(3, 3), Tensor.randint(3, low=0, high=9), a.zeros_like(), a.full_like(3)),
    *(a + 1, 1 + a, 1.5 - a, 2 * a, 2 / a, a // 2, 2 % a, a**2, 2**a, -a, abs(a), a @ a, a / a),
    *(a < 1, a >= 1, a == 1, a != a, 1 + a < a, a + np.float32(2), ~(a > 1) | (a > 1) & True),
    *(a.exp(), a.clip(0, 1), a.clamp(min=0), a.dot(a), a.swish(), a.remainder(2), a.movedim(0, 0)),
    *(a.clone().add_(1).clamp_(min=0), a.clone().relu_(), a.half(), a.to("C"), a.cast("f16")),
):
    assert_type(each, Tensor)
a += 1
a /= 2

x = Tensor.randn(3, 4)
for part in (
    *(x[0], x[-1], x[:, 1:], x[..., 0], x[None], x[[0, 2]], x[Tensor([0, 1])], x[0:2, ::2]),
    *(
        x.sum(),
        x.sum(0),
        x.sum((0, 1)),
        x.mean(dim=0),
        x.max(1, keepdim=True),
        x.std(),
        x.argmax(1),
    ),
    *(x.amax(1), x.amin(), x.softmax(), x.logsumexp(1), x.cumsum(0), x.all(1), x.norm()),
    *(x.reshape(4, 3), x.reshape((-1, 2)), x.permute(1, 0), x.expand(2, 3, 4), x.T, x.flatten()),
):
    assert_type(part, Tensor)
for row in x:
    assert_type(row, Tensor)
for row in x.split(2):
    assert_type(row, Tensor)
x[0] = 1
x[:, 1] = Tensor([1, 2, 3])
largest: Tensor = x.reshape(1, 1, 3, 4).max_pool2d(2)
largest, places = x.reshape(1, 1, 3, 4).max_pool2d(2, return_indices=True)
middle: Tensor = x.median()
rows, columns = x.shape
halves = x.reshape(rows, 2, columns // 2) * (1 / columns**0.5)
numbers: list[float] = [x[i].sum().item() for i in range(x.shape[0])]
count: int = x.numel()
array: npt.NDArray[Any] = x.numpy()

# ---- several as one, by place and as a list ------------------------------------------------------

several: list[Tensor] = [x, x]
for joined in (
    *(Tensor.cat(x, x), Tensor.cat(x, x, dim=1), Tensor.cat([x, x], 1), Tensor.cat(several, dim=1)),
    *(Tensor.cat((x, x)), Tensor.cat(*several), x.cat(x, dim=1), x.stack(x), Tensor.hstack((x, x))),
    *(Tensor.stack(several), Tensor.stack([x, x], 1), Tensor.stack(x, x, dim=1)),
    *(Tensor.hstack([x, x]), Tensor.vstack([x, x]), x.vstack(x), x.hstack(x)),
    *(*Tensor.meshgrid([a, a]), *Tensor.meshgrid([a, a], indexing="xy"), *a.meshgrid(a)),
    *(Tensor.einsum("ij,jk->ik", x, x.T), Tensor.stack([row.sum() for row in several]).mean()),
):
    assert_type(joined, Tensor)

# ---- functions that are wrapped ------------------------------------------------------------------


def plain(x: Tensor, by: int = 1) -> float:
    return float((x * by).sum())


@Tensor.no_grad
def without(x: Tensor, by: int = 1) -> float:
    return plain(x, by)


@Tensor.no_grad()
def called(x: Tensor, by: int = 1) -> float:
    return plain(x, by)


alike: list[Callable[[Tensor, int], float]] = [without, called, Tensor.no_grad(plain)]
assert_type(Tensor.no_grad(plain)(x, by=2), float)
with Tensor.no_grad(), Tensor.enable_grad(), Tensor.inference_mode(False), Tensor.train(False):
    assert_type(without(x), float)


@jit(donate=("x",))
def both(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return x + y, x * y


class Block:
    def __init__(self, width: int) -> None:
        self.inner = nn.Linear(width, width, bias=False)
        self.steps = nn.Sequential(self.inner, Tensor.relu, nn.Dropout(0.1), lambda x: x * 2)

    def __call__(self, x: Tensor) -> Tensor:
        return self.steps(x)

    @jit
    def run(self, x: Tensor) -> Tensor:
        return self(x)

    @function
    def traced(self, x: Tensor) -> Tensor:
        return nn.Identity()(self.inner(x))

    @Tensor.no_grad
    def infer(self, x: Tensor) -> Tensor:
        return self(x)


block = Block(4)
assert_type(both(x.clone(), x), tuple[Tensor, Tensor])
for value in (block(x), block.run(x), block.traced(x), block.infer(x)):
    assert_type(value, Tensor)
block.run.reset()

# ---- training ------------------------------------------------------------------------------------

loss: Tensor = nn.CrossEntropyLoss()(block(x), Tensor([1, 2, 0]))
optimiser: nn.optim.Optimizer = nn.optim.AdamW(get_parameters(block), lr=1e-3)
groups = nn.optim.NAdam([{"params": get_parameters(block), "lr": 1e-3}], betas=(0.8, 0.9))
groups.add_param_group({"params": [Tensor([1.0], requires_grad=True)]})
for group in groups.param_groups:
    group["lr"] *= 0.5
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, batch_first=True), 2)
assert_type(encoder(x[None], src_key_padding_mask=x[None, :, 0] < 0), Tensor)
assert_type(Tensor.ones(1, 1, 2, 2).grid_sample(Tensor.zeros(1, 1, 1, 2)).rot90(), Tensor)
schedule = nn.lr_scheduler.CosineAnnealingLR(optimiser, 10)
optimiser.zero_grad()
loss.backward()
assert_type(clip_grad_norm_(get_parameters(block), 1.0), Tensor)
optimiser.step()
schedule.step()
with TemporaryDirectory() as folder:
    path = Path(folder) / "block.safetensors"
    safe_save(get_state_dict(block), path, metadata={"steps": "1"})
    assert_type(safe_load(path), dict[str, Tensor])
    missing, unexpected = load_state_dict(block, safe_load(str(path)), strict=False, verbose=False)
    assert_type(missing, list[str])
