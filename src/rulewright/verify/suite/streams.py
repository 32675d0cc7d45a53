"""Random numbers: after a seed every device draws what the interpreter draws."""

from __future__ import annotations

from rulewright.verify.suite.program import SuiteProgram

_AGAIN = """
def both(make):
    drawn = []
    for where in (device, 'INTERP'):
        Tensor.manual_seed(n)
        drawn.append(make(where).to('INTERP').numpy())
    return drawn
"""
_SAME = "wanted = both(lambda on: {})[1]"


def _same(name: str, call: str, kind: str = "f32") -> SuiteProgram:
    """As the interpreter draws it."""
    return SuiteProgram(name, _AGAIN, f"result = both(lambda on: {call})[0]", _SAME.format(call),
                        (kind,), (0, 1, 5, 12345), 2e-6)  # fmt: skip


_CALLS = {
    "rand": "Tensor.rand(3, 7, device=on)",
    "rand of one": "Tensor.rand(1, device=on)",
    "rand twice": "Tensor.rand(5, device=on) + Tensor.rand(5, device=on)",
    "rand of f16": "Tensor.rand(3, 7, dtype=kind, device=on)",
    "rand of bf16": "Tensor.rand(3, 7, dtype=kind, device=on).float()",
    "randn": "Tensor.randn(3, 7, device=on)",
    "randint": "Tensor.randint(200, low=-5, high=1000, device=on)",
    "randint of bytes": "Tensor.randint(200, low=0, high=256, dtype='u8', device=on)",
    "randperm": "Tensor.randperm(37, device=on)",
    "uniform": "Tensor.uniform(50, low=-2.0, high=3.0, device=on)",
    "bernoulli": "Tensor.full((64,), 0.3, device=on).bernoulli()",
    "dropout": "Tensor.train()(lambda: Tensor.ones(64, device=on).dropout(0.4))()",
    "after a write": "Tensor.zeros(9, device=on).clone().assign(Tensor.rand(9, device=on))",
    "captured": "(lambda f: Tensor.cat(*[f(Tensor.ones(4, device=on)).clone() for _ in range(4)]))"
    "(jit(lambda x: x * Tensor.rand(4, device=on)))",
}

_KINDS = {"rand of f16": "f16", "rand of bf16": "bf16"}

ROWS = [_same(name, call, _KINDS.get(name, "f32")) for name, call in _CALLS.items()]
