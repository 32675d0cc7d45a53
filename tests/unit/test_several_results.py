"""What methods with several results give: tuples, whose parts have names."""

import numpy as np
import pytest

from rulewright import Tensor, function, jit

MATRIX = np.array([[4.0, 1.0], [1.0, 3.0]], np.float32)
NAMES = {
    "aminmax": (lambda x: x.aminmax(dim=1), ("min", "max")),
    "qr": (lambda x: x.qr(), ("Q", "R")),
    "svd": (lambda x: x.svd(), ("U", "S", "Vh")),
    "svd of fewer rows": (lambda x: x[:1].svd(), ("U", "S", "Vh")),
    "eigh": (lambda x: x.eigh(), ("eigenvalues", "eigenvectors")),
    "slogdet": (lambda x: x.slogdet(), ("sign", "logabsdet")),
    "qr of nothing": (lambda x: x[:0].qr(False), ("Q", "R")),
    "svd of nothing": (lambda x: x[:0].svd(), ("U", "S", "Vh")),
    "eigh of nothing": (lambda x: x[:0, :0].eigh(), ("eigenvalues", "eigenvectors")),
    "sort": (lambda x: x.sort(1), ("values", "indices")),
    "cummax": (lambda x: x.cummax(1), ("values", "indices")),
}


@pytest.mark.parametrize("name", NAMES)
def test_parts_have_names(name):
    call, parts = NAMES[name]
    results = call(Tensor(MATRIX))
    assert isinstance(results, tuple) and len(results) == len(parts)
    for part, result in zip(parts, results, strict=True):
        assert getattr(results, part) is result


@pytest.mark.parametrize("wrap", [jit, function])
@pytest.mark.parametrize("name", ["aminmax", "qr", "slogdet"])
def test_names_pass_through_functions(name, wrap):
    call, parts = NAMES[name]
    step = wrap(lambda x: call(x + 0))
    for _ in range(3):
        results = step(Tensor(MATRIX))
        for part, expected in zip(parts, call(Tensor(MATRIX)), strict=True):
            np.testing.assert_allclose(getattr(results, part).numpy(), expected.numpy(), rtol=1e-6)


def test_the_parts_are_what_they_are_called():
    left, values, right = (part.numpy() for part in Tensor(MATRIX).svd())
    np.testing.assert_allclose(left * values @ right, MATRIX, rtol=1e-5)
    found = Tensor(MATRIX).eigh()
    np.testing.assert_allclose(
        found.eigenvectors.numpy() * found.eigenvalues.numpy() @ found.eigenvectors.numpy().T,
        MATRIX, rtol=1e-5,
    )  # fmt: skip
    assert Tensor(MATRIX).aminmax().max.item() == 4.0 and Tensor(MATRIX).slogdet().sign.item() == 1
