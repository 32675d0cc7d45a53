"""Axis choices that a user attaches to a tensor: `contiguous(arg=…)`."""

import numpy as np
import pytest

from rulewright import Context, Tensor, Variable, jit
from rulewright.codegen.choices import Choice
from rulewright.codegen.lower import lower_kernel
from rulewright.errors import ArgumentError, UsageError
from rulewright.ir.text import print_graph, read_graph

TILE = "r3, r4 = split(r0, 4); upcast(r4); r5, r6 = split(r1, 8); simd(r6); thread(r3)"
ROWS = "r1, r2 = split(r0, 8); simd(r2)"


@pytest.fixture
def pair(rng):
    arrays = [rng.random(shape, np.float32) for shape in ((12, 7), (7, 16))]
    return arrays, [Tensor(a).realize() for a in arrays]


def choices(*tensors):
    """The choices of the kernels that compute tensors, which are then run."""
    items, values = tensors[0].schedule_with_vars(*tensors[1:])
    for item in items:
        item.run(values)
    return [item.lower().choices for item in items if not item.is_copy]


def test_the_kernel_of_a_tensor_has_the_choices_given(pair):
    (a, b), (x, y) = pair
    made = x.matmul(y).contiguous(arg=TILE)
    assert choices(x.matmul(y).contiguous(arg=TILE)) == [TILE]
    np.testing.assert_allclose(made.numpy(), a @ b, rtol=1e-5)


def test_only_that_kernel_has_them(pair):
    _, (x, y) = pair
    found = choices(((x.matmul(y).contiguous(arg=TILE) + 1).contiguous() * 2).sum(1))
    assert found[0] == TILE and TILE not in found[1:] and len(found) == 3


def test_they_stay_where_others_use_the_tensor_too(pair):
    (a, b), (x, y) = pair
    made = x.matmul(y).contiguous(arg=TILE)
    other = made * 2
    assert choices(made, other)[0] == TILE
    made = x.matmul(y).contiguous(arg=TILE)
    other = made * 2
    other.realize(made)
    np.testing.assert_allclose(made.numpy(), a @ b, rtol=1e-5)
    np.testing.assert_allclose(other.numpy(), a @ b * 2, rtol=1e-5)


def test_choices_may_be_objects(pair):
    _, (x, y) = pair
    given = [Choice("split", 0, 4, (3, 4)), Choice("upcast", 4)]
    assert choices(x.matmul(y).contiguous(arg=given)) == ["r3, r4 = split(r0, 4); upcast(r4)"]


def test_the_last_choices_count_and_none_are_none(pair):
    _, (x, y) = pair
    twice = x.matmul(y).contiguous(arg=TILE).contiguous(arg="thread(r0)")
    assert choices(twice) == ["thread(r0)"]
    assert choices(x.matmul(y).contiguous().contiguous(arg="thread(r0)")) == ["thread(r0)"]
    assert choices(x.matmul(y).contiguous(arg=TILE).contiguous()) == [TILE]
    assert choices(x.matmul(y).contiguous(arg="")) == choices(x.matmul(y).contiguous())


def test_equal_programs_with_other_choices_are_other_programs(pair):
    (a, b), (x, y) = pair
    for given in (TILE, "simd(r1)", None, TILE):
        made = x.matmul(y).contiguous(arg=given) if given else x.matmul(y).contiguous()
        np.testing.assert_allclose(made.numpy(), a @ b, rtol=1e-5)
        again = x.matmul(y).contiguous(arg=given) if given else x.matmul(y).contiguous()
        assert (choices(again) == [given]) == (given is not None)


def test_a_graph_with_choices_reads_back(pair):
    _, (x, y) = pair
    node = x.matmul(y).contiguous(arg=TILE).uop
    assert f'CONTIGUOUS["{TILE}"]' in print_graph(node)
    assert read_graph(print_graph(node)) is node


def test_choices_say_nothing_about_gradients(pair):
    (a, b), (x, y) = pair
    x = x.clone().requires_grad_()
    (x.matmul(y).contiguous(arg=TILE) * 3).sum().backward()
    assert TILE not in choices(x.grad)
    np.testing.assert_allclose(x.grad.numpy(), np.broadcast_to(3 * b.sum(1), a.shape), rtol=1e-5)


def test_choices_under_jit(pair):
    (a, b), (x, y) = pair

    @jit
    def product(p, q):
        return p.matmul(q).contiguous(arg=TILE).realize()

    for k in range(4):
        found = product((x + k).realize(), y)
        np.testing.assert_allclose(found.numpy(), (a + k) @ b, rtol=1e-5)


def test_choices_of_views_scalars_constants_and_nothing(rng):
    a = rng.random((8, 12), np.float32)
    x = Tensor(a).realize()
    assert choices(x.T.contiguous(arg="block(r0); simd(r1)")) == ["block(r0); simd(r1)"]
    np.testing.assert_array_equal(x.T.contiguous(arg="simd(r1)").numpy(), a.T)
    total = x.sum().contiguous(arg="r2, r3 = split(r1, 4); simd(r3)")
    np.testing.assert_allclose(total.numpy(), a.sum(), rtol=1e-6)
    assert choices(Tensor.ones(16).contiguous(arg=ROWS)) == [ROWS]
    assert Tensor.ones(16).contiguous(arg=ROWS).tolist() == [1.0] * 16
    assert (Tensor.ones(0) + 1).contiguous(arg=ROWS).tolist() == []


def test_choices_with_a_symbolic_size(rng):
    a = rng.random(20, np.float32)
    n = Variable("n", 1, 20)
    for size in (3, 16, 20):
        made = (Tensor(a).realize()[: n.bind(size)] * 2).contiguous(arg=ROWS)
        np.testing.assert_allclose(made.numpy(), a[:size] * 2)


def test_a_value_stored_over_what_it_reads_has_its_choices(rng):
    a = rng.random((6, 6), np.float32)
    x = Tensor(a).realize()
    x.assign(x.T.contiguous(arg="simd(r1)"))
    np.testing.assert_array_equal(x.numpy(), a.T)
    x[1:3] = (x[3:5] * 2).contiguous(arg="simd(r1)")
    np.testing.assert_array_equal(x.numpy()[1:3], a.T[3:5] * 2)


@pytest.mark.parametrize("level", [1, 2])
def test_each_step_is_verified_with_choices_too(level, pair):
    (a, b), (x, y) = pair
    with Context(VERIFY=level, CACHE=0):
        found = (x.matmul(y).contiguous(arg=TILE) + 1).contiguous(arg="simd(r1)")
        np.testing.assert_allclose(found.numpy(), a @ b + 1, rtol=1e-5)


@pytest.mark.parametrize("device", ["C", "INTERP"])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            "simd(r7)",
            r"no range r7 now; there are r0 \(loop, 12\), r1 \(loop, 16\), r2 \(reduce, 7",
        ),
        ("thread(r2)", "a range that is reduced can be reduce, unroll, upcast"),
        ("unroll(r0)", "a range that is stored along can be thread, global"),
        ("r3 = split(r0, 3)", "it makes two ranges, found names for 1"),
        ("r3, r4 = split(r0, 0)", "expected 1 or more of the range"),
        ("r1, r3 = split(r0, 2)", "two ranges r1"),
        ("r3 = join(r1, r2)", "the same stores or reductions loop over"),
        ("thread(r0); thread(r1)", "threads share r0 already"),
        ("r3, r4 = pack(r2, r7)", "no range r7"),
    ],
)
def test_choices_that_do_not_fit_are_refused_before_anything_runs(device, given, message, rng):
    x = Tensor(rng.random((12, 7), np.float32), device=device)
    y = Tensor(rng.random((7, 16), np.float32), device=device)
    made = x.matmul(y).contiguous(arg=given)
    with pytest.raises(UsageError, match=rf"kernel r_12_16_7: axis choices: .*{message}"):
        made.realize()
    assert made.state == "lazy"


def test_kinds_that_a_target_does_not_have_are_refused(pair):
    _, (x, y) = pair
    with pytest.raises(UsageError, match=r"`global\(r0\)`: this target has no workgroups"):
        x.matmul(y).contiguous(arg="global(r0)").realize()


def test_what_is_no_choice_is_refused_at_once(pair):
    _, (x, y) = pair
    with pytest.raises(UsageError, match="expected such as `simd"):
        x.matmul(y).contiguous(arg="fast(r0)")
    with pytest.raises(ArgumentError, match="expected text or Choices, found 3"):
        x.matmul(y).contiguous(arg=3)
    with pytest.raises(UsageError, match="this one is in memory already"):
        x.contiguous(arg="simd(r0)")


def test_more_than_a_thread_has_room_for_is_refused(rng):
    x, y = (Tensor(rng.random((1100, 1100), np.float32)).realize() for _ in range(2))
    with pytest.raises(UsageError, match="bytes of memory of one thread, which has 4194304"):
        x.matmul(y).contiguous(arg="r3, r4 = pack(r2, r1)").realize()


PRINTED = {
    "pixels merged, chunks of one": lambda r: r(2, 64, 14, 14).conv2d(r(256, 64, 1, 1)),
    "an image, and single channels": lambda r: r(2, 16, 9, 9).conv2d(r(24, 16, 3, 3), padding=1),
    "groups of channels": lambda r: r(2, 32, 56, 56).conv2d(r(32, 8, 3, 3), padding=1, groups=4),
    "rows that are one row": lambda r: r(2, 40, 23, 20).conv2d(r(24, 40, 3, 3), padding=1),
    "steps of windows": lambda r: r(2, 24, 37, 41).conv2d(r(40, 24, 5, 5), stride=2),
    "steps": lambda r: r(2, 32, 12, 12).conv2d(r(40, 32, 1, 1), stride=2),
    "an uneven product": lambda r: r(50, 77) @ r(65, 77).T,
    "a batch": lambda r: r(3, 33, 40) @ r(3, 40, 50),
    "rows": lambda r: (r(6, 2, 50, 30) * 2).softmax(-1),
    "a mean of merged axes": lambda r: r(8, 4, 30, 20).mean((2, 3)),
}


@pytest.mark.parametrize("name", PRINTED)
@pytest.mark.parametrize(("target", "dtype"), [("C", "f32"), ("C_DOT", "bf16"), ("C_AMX", "bf16")])
def test_choices_that_were_printed_make_the_kernel_again(name, target, dtype, rng):
    def value(*shape):
        return Tensor(rng.standard_normal(shape).astype("f4")).cast(dtype).realize()

    tensor = PRINTED[name](value)
    printed = lower_kernel(tensor.schedule()[-1].ast, target)
    again = lower_kernel(tensor.contiguous(arg=printed.choices).schedule()[-1].ast, target)
    assert (again.choices, again.source) == (printed.choices, printed.source)
