"""MATMUL=blas: products of matrices by OpenBLAS, in the schedule like kernels."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from rulewright import Context, Tensor, Variable, jit, nn
from rulewright.codegen.library import library_product
from rulewright.codegen.lower import lower_kernel
from rulewright.driver import library
from rulewright.errors import DeviceRuntimeError, MissingExtraError, UsageError
from rulewright.profile import clear_profile, profile_events
from rulewright.render import target
from rulewright.runtime.clib import open_for_all

pytest.importorskip("scipy_openblas32")


@pytest.fixture(autouse=True)
def by_library():
    with Context(MATMUL="blas", DEVICE="C"):
        yield


def kernels(tensor: Tensor) -> list[str]:
    """Names of the kernels that compute a tensor, which run."""
    names = []
    for item in tensor.schedule():
        names.append(item.lower().name)
        item.run()
    return names


def check(program, *shapes, dtype="f4"):
    """What a program computes is what it computes of numpy's arrays in f64; its kernels."""
    rng = np.random.default_rng(len(shapes))
    arrays = [rng.normal(size=shape).astype(dtype) for shape in shapes]
    found = program(*[Tensor(a).realize() for a in arrays])
    names = kernels(found)
    want = program(*[a.astype("f8") for a in arrays])
    error = 1e-4 if dtype == "f4" else 1e-12
    np.testing.assert_allclose(found.numpy(), want, rtol=error, atol=error * np.abs(want).max())
    return names


PRODUCTS = {
    "plain": (lambda a, b: a @ b, [(48, 64), (64, 40)], "blas_48_40_64"),
    "primes": (lambda a, b: a @ b, [(37, 511), (511, 53)], "blas_37_53_511"),
    "left turned": (lambda a, b: a.T @ b, [(64, 48), (64, 40)], "blas_48_40_64"),
    "right turned": (lambda a, b: a @ b.T, [(48, 64), (40, 64)], "blas_48_40_64"),
    "both turned": (lambda a, b: a.T @ b.T, [(64, 48), (40, 64)], "blas_48_40_64"),
    "itself": (lambda a: a @ a.T, [(48, 64)], "blas_48_48_64"),
    "a batch": (lambda a, b: a @ b, [(3, 48, 64), (3, 64, 40)], "blas_3_48_40_64"),
    "a batch of two axes": (lambda a, b: a @ b, [(2, 3, 48, 64), (2, 3, 64, 40)],
                            "blas_2_3_48_40_64"),
    "one matrix for a batch": (lambda a, b: a @ b, [(3, 48, 64), (64, 40)], "blas_144_40_64"),
    "a batch that is no matrix": (lambda a, b: a.swapaxes(0, 1) @ b, [(48, 3, 64), (64, 40)],
                                  "blas_3_48_40_64"),
    "a part": (lambda a, b: a[1:, 3:] @ b, [(49, 67), (64, 40)], "blas_48_40_64"),
}  # fmt: skip


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_are_the_librarys(name):
    program, shapes, kernel = PRODUCTS[name]
    assert check(program, *shapes) == [kernel]


def test_so_are_those_of_f64():
    assert check(lambda a, b: a.T @ b.T, (64, 48), (40, 64), dtype="f8") == ["blas_48_40_64"]


def test_a_turned_result_is_stored_as_it_lies():
    a, b = (Tensor(np.random.default_rng(i).normal(size=(64, 64))).realize() for i in (0, 1))
    found = (a @ b).T.contiguous()
    assert kernels(found) == ["blas_64_64_64"]
    np.testing.assert_allclose(found.numpy(), (a.numpy() @ b.numpy()).T, rtol=1e-12)


def test_several_summed_axes_are_one_where_they_follow_each_other():
    a = Tensor(np.random.default_rng(0).normal(size=(48, 8, 9))).realize()
    b = Tensor(np.random.default_rng(1).normal(size=(8, 9, 40))).realize()
    found = Tensor.einsum("ikl,klj->ij", a, b)
    assert kernels(found) == ["blas_48_40_72"]
    np.testing.assert_allclose(found.numpy(), np.einsum("ikl,klj->ij", a.numpy(), b.numpy()))
    turned = Tensor.einsum("ikl,lkj->ij", a, b.permute(1, 0, 2))
    assert kernels(turned) == ["blas_48_40_72"]
    apart = Tensor.einsum("ikl,lkj->ij", a, b.reshape(9, 8, 40))
    assert not any(name.startswith("blas") for name in kernels(apart))
    wanted = np.einsum("ikl,lkj->ij", a.numpy(), b.numpy().reshape(9, 8, 40))
    np.testing.assert_allclose(apart.numpy(), wanted)


def test_what_is_computed_before_and_after_has_kernels_of_its_own():
    names = check(lambda x, u, c, v: (abs(x) @ u + c) @ v,
                  (128, 196), (196, 256), (256,), (256, 64))  # fmt: skip
    assert [n for n in names if n.startswith("blas")] == ["blas_128_256_196", "blas_128_64_256"]
    assert len(names) == 4


OTHERS = {
    "few elements": lambda x: x[:3, :5] @ x[:5, :4],
    "a vector": lambda x: x[0] @ x,
    "half precision": lambda x: x.half() @ x.half(),
    "integers": lambda x: x.int() @ x.int(),
    "rows in reverse": lambda x: x @ x[:, ::-1],
    "every other column": lambda x: x[:, ::2] @ x[::2],
    "an expanded operand": lambda x: x @ x[:1].expand(48, 48),
    "no rows": lambda x: x[:0] @ x,
    "nothing to sum": lambda x: x[:, :0] @ x[:0],
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_products_are_kernels_of_ours(name):
    x = Tensor((np.arange(48 * 48) % 7 - 3.0).reshape(48, 48).astype("f4")).realize()
    found = OTHERS[name](x)
    assert not any(n.startswith("blas") for n in kernels(found))
    with Context(MATMUL="", DEVICE="INTERP"):
        wanted = OTHERS[name](Tensor(x.numpy())).numpy()
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-2)


def test_symbolic_sizes_are_kernels_of_ours():
    n = Variable("n", 1, 48)
    x = Tensor(np.ones((48, 48), "f4")).realize()
    found = x[: n.bind(40)] @ x
    items, values = found.schedule_with_vars()
    assert not any(item.lower().name.startswith("blas") for item in items)
    for item in items:
        item.run(values)
    assert (found.numpy() == 48).all()


def test_the_option_is_in_force_where_it_stands_alone():
    a = Tensor(np.ones((64, 64), "f4")).realize()
    for chosen, start in (("blas", "blas_"), ("", "r_"), ("blas", "blas_")):
        with Context(MATMUL=chosen):
            (name,) = kernels(a @ a)
        assert name.startswith(start)


def test_an_interpreted_product_is_no_librarys():
    with Context(DEVICE="INTERP"):
        a = Tensor(np.ones((64, 64), "f4"))
        assert ((a @ a).relu().numpy() == 64).all()


def test_training_steps_are_captured_with_the_library():
    def losses(device: str) -> list[float]:
        Tensor.manual_seed(0)
        with Context(DEVICE=device), Tensor.train():
            model = nn.Sequential(nn.Linear(64, 128), Tensor.relu, nn.Linear(128, 64))
            optimiser = nn.optim.SGD(nn.state.get_parameters(model), lr=0.1)

            @jit
            def step(x: Tensor) -> Tensor:
                optimiser.zero_grad()
                loss = (model(x) - x).square().mean()
                loss.backward()
                optimiser.step()
                return loss

            x = Tensor(np.random.default_rng(0).normal(size=(256, 64)).astype("f4"))
            return [step(x.clone().realize()).item() for _ in range(6)]

    found = losses("C")
    assert found[-1] < found[0]
    np.testing.assert_allclose(found, losses("INTERP"), rtol=1e-4)


def test_a_product_is_profiled_like_a_kernel():
    a = Tensor(np.ones((64, 64), "f4")).realize()
    clear_profile()
    with Context(PROFILE=1):
        (a @ a).realize()
    assert "blas_64_64_64" in {event.name for event in profile_events()}


@pytest.mark.parametrize("level", [1, 2])
def test_checks_take_the_loops_that_it_stands_for(level):
    a = Tensor(np.random.default_rng(0).normal(size=(32, 48))).realize()
    with Context(VERIFY=level):
        found = (a @ a.T).numpy()
    np.testing.assert_allclose(found, a.numpy() @ a.numpy().T)


# ---- one tensor --------------------------------------------------------------------------------


def test_one_tensor_is_computed_by_it():
    a = Tensor(np.ones((4, 4), "f4")).realize()
    with Context(MATMUL=""):
        found = (a @ a).contiguous(arg="blas")
        assert kernels(found) == ["blas_4_4_4"]
    assert (found.numpy() == 4).all()


@pytest.mark.parametrize("sizes", [
    (5, 1, 7), (1, 9, 1), (1, 1, 1), (1, 4, 3), (3, 4, 1), (5, 0, 7), (0, 4, 5), (4, 5, 0),
])  # fmt: skip
@pytest.mark.parametrize("device", ["C", "INTERP"])
def test_it_computes_products_of_any_size(sizes, device, rng):
    rows, depth, columns = sizes
    a, b = rng.normal(size=(rows, depth)), rng.normal(size=(depth, columns))
    found = Tensor(a, device=device) @ Tensor(b, device=device)
    np.testing.assert_allclose(found.contiguous(arg="blas").numpy(), a @ b, rtol=1e-12)


def test_one_column_by_one_row_is_a_kernel_of_ours_where_all_large_products_are_the_librarys():
    x = Tensor(np.arange(512, dtype="f4")).realize()
    assert kernels(x.reshape(512, 1) @ x.reshape(1, 512)) == ["e_512_512"]


@pytest.mark.parametrize("program", [
    lambda x: x + 1, lambda x: x.sum(0), lambda x: (x @ x) * 2, lambda x: x.half() @ x.half(),
])  # fmt: skip
@pytest.mark.parametrize("device", ["C", "INTERP"])
def test_what_is_no_product_is_refused(program, device):
    found = program(Tensor(np.ones((8, 8), "f4"), device=device).realize()).contiguous(arg="blas")
    with pytest.raises(UsageError, match="`blas` is for a product of two matrices in memory"):
        found.realize()


def test_other_targets_have_no_library():
    a = Tensor(np.ones((8, 8), "f4")).realize()
    (item,) = (a @ a).contiguous(arg="blas").schedule()
    assert library_product(item.ast, target("OPENCL")) is None
    with pytest.raises(UsageError, match="none for OPENCL"):
        lower_kernel(item.ast, "OPENCL")


# ---- what is wrong -----------------------------------------------------------------------------


def test_another_word_is_refused():
    wanted = "option MATMUL: expected '' or 'blas', found 'mkl'"
    with pytest.raises(UsageError, match=wanted), Context(MATMUL="mkl"):
        pass


def test_the_extra_to_install_is_named(monkeypatch):
    library._library.cache_clear()
    monkeypatch.setitem(sys.modules, "scipy_openblas32", None)
    a = Tensor(np.ones((61, 61), "f4")).realize()
    with pytest.raises(MissingExtraError, match=r"rulewright\[blas\]"):
        (a @ a).realize()
    monkeypatch.undo()
    library._library.cache_clear()
    assert ((a @ a).numpy() == 61).all()


def test_a_file_that_is_no_library_is_named(tmp_path):
    with pytest.raises(DeviceRuntimeError, match="cannot load"):
        open_for_all(tmp_path / "none.so")
