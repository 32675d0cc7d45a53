"""Methods take other libraries' words for their parameters, and the kinds that annotations say.

The table of words is that of tinygrad 0.14, read off its signatures.
"""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from method_calls import parameters

from rulewright import Tensor
from rulewright.errors import ArgumentError
from rulewright.tensor.arguments import WORDS

TINYGRAD = """
add x
all axis keepdim
allclose other rtol atol equal_nan
any axis keepdim
arange start stop step dtype
argmax axis keepdim
argmin axis keepdim
argsort dim descending
assign x
avg_pool2d kernel_size stride dilation padding ceil_mode count_include_pad
backward gradient
batchnorm weight bias mean invstd axis
binary_crossentropy Y reduction
binary_crossentropy_logits Y reduction pos_weight
bitcast dtype
bitwise_and x
bitwise_or x
bitwise_xor x
cast dtype
cat dim
celu alpha
chunk chunks dim
clamp min_ max_
clip min_ max_
clone device
conv2d weight bias groups stride dilation padding dtype
conv_transpose2d weight bias groups stride dilation padding output_padding
copysign other
cross_entropy Y reduction label_smoothing
cummax axis
cummin axis
cumprod axis
cumsum axis
custom_kernel fxn grad_fxn
diagonal offset dim1 dim2
div x rounding_mode
dot w dtype
dropout p
einsum formula dtype
elu alpha
empty device dtype
empty_like dtype device
eq x
expand shape
eye n m dtype
flatten start_dim end_dim
flip axis
fmod x
from_blob shape
full shape fill_value dtype device
full_like fill_value dtype device
gather dim index
gelu approximate
gradient gradient
hardtanh min_val max_val
interpolate size mode align_corners
isclose other rtol atol equal_nan
isinf detect_positive detect_negative
kaiming_normal a
kaiming_uniform a
layernorm axis eps
leaky_relu neg_slope
lerp end weight
linear weight bias dtype
linspace start stop steps dtype
log_softmax axis dtype
logaddexp other
logcumsumexp axis
logsumexp axis keepdim
lshift x
masked_fill mask value
masked_select mask size fill_value
matmul x dtype
max axis keepdim
max_pool2d kernel_size stride dilation padding ceil_mode return_indices
max_unpool2d indices kernel_size stride dilation padding output_size
maximum x
mean axis keepdim
meshgrid indexing
min axis keepdim
minimum x
mod x
mul x
multinomial num_samples replacement
ne x
newton_schulz steps params eps
nll_loss Y weight ignore_index reduction
nonzero size fill_value
normal mean std
normalize p dim eps
one_hot num_classes
pad padding mode value
permute order
pow x
prod axis keepdim dtype
rand device dtype
randint low high dtype
randn dtype
randn_like dtype
randperm n device dtype
rearrange formula
repeat repeats
repeat_interleave repeats dim
replace x
reshape shape
roll shifts dims
rshift x
scaled_dot_product_attention key value attn_mask dropout_p is_causal enable_gqa
scatter dim index src reduce
scatter_reduce dim index src reduce include_self
sequential ll
shrink arg
size dim
softmax axis dtype
softmin axis dtype
softplus beta
sort dim descending
sparse_categorical_crossentropy Y ignore_index label_smoothing reduction
split sizes dim
squeeze dim
stack dim
std axis keepdim correction
std_mean axis keepdim correction
sub x
sum axis keepdim dtype
svd full_matrices
to device
topk k dim largest sorted_
transpose dim0 dim1
tril diagonal
triu diagonal
unflatten dim sizes
unfold dim size step
uniform low high dtype
unsqueeze dim
var axis keepdim correction
var_mean axis keepdim correction
view shape
where x y
"""


def words() -> list[tuple[str, str]]:
    """Every method and word of the table."""
    lines = [line.split() for line in TINYGRAD.strip().splitlines()]
    return [(method, word) for method, *found in lines for word in found]


def is_taken(method: str, word: str) -> bool:
    mine = parameters(method)
    passed_on = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in mine.values())
    return passed_on or not {word, *WORDS.get(word, ())}.isdisjoint(mine)


def test_the_words_of_tinygrad_are_taken() -> None:
    assert len(words()) > 280
    assert [pair for pair in words() if not is_taken(*pair)] == []


@pytest.mark.parametrize("word", WORDS)
def test_a_word_stands_for_a_parameter_of_some_method(word) -> None:
    every = [set(parameters(name)) for name in dir(Tensor) if not name.startswith("_")]
    for own in WORDS[word]:
        assert any(own in mine and word not in mine for mine in every), own


SAME = (
    ("x.reshape(shape=(4, 3))", "a.reshape(4, 3)"),
    ("x.reshape(newshape=12)", "a.reshape(12)"),
    ("x.permute(order=(1, 0))", "a.T"),
    ("x.permute(dims=[1, 0])", "a.T"),
    ("x.expand(size=(2, 3, 4))", "np.broadcast_to(a, (2, 3, 4))"),
    ("x.flip(axis=1)", "a[:, ::-1]"),
    ("x.flip(dims=(0, 1))", "a[::-1, ::-1]"),
    ("x.repeat(repeats=(2, 1))", "np.tile(a, (2, 1))"),
    ("x.clip(min_=2, max_=5)", "a.clip(2, 5)"),
    ("x.clip(a_min=2, a_max=5)", "a.clip(2, 5)"),
    ("x.add(x=x)", "a + a"),
    ("x.sub(other=1)", "a - 1"),
    ("x.pow(x=2)", "a ** 2"),
    ("(x > 3).where(x=1, y=0)", "np.where(a > 3, 1, 0)"),
    ("x.dot(w=x.T)", "a @ a.T"),
    ("x.mm(mat2=x.T)", "a @ a.T"),
    ("x.shrink(arg=((1, 3), None))", "a[1:3]"),
    ("x.split(split_size=2, dim=1)[0]", "a[:, :2]"),
    ("x.sum(axis=0, keepdims=True)", "a.sum(0, keepdims=True)"),
    ("x.var(ddof=0)", "a.var()"),
    ("x.softmax(dim=0).sum(dim=0)", "np.ones(4)"),
    ("x.argsort(axis=0)", "a.argsort(0)"),
    ("x.topk(k=2, sorted_=True)[0]", "a[:, :1:-1]"),
    ("Tensor.zeros(size=(2, 3))", "np.zeros((2, 3))"),
    ("Tensor.arange(1, end=4)", "np.arange(1, 4)"),
    ("Tensor.linspace(0, end=1, steps=3)", "np.array([0, 0.5, 1])"),
    ("x.clone(device='INTERP')", "a"),
    ("x.nonzero(size=2)", "[[0, 1], [0, 2]]"),
    ("(x > 9).nonzero(size=3, fill_value=-1)", "[[2, 2], [2, 3], [-1, -1]]"),
    ("x.masked_select(x > 9, size=3)", "[10, 11, 0]"),
    ("x.masked_select(x > 3, size=1, fill_value=7)", "[4]"),
)


@pytest.mark.parametrize(("call", "equals"), SAME, ids=[call for call, _ in SAME])
def test_another_word_means_the_same(call, equals) -> None:
    array = np.arange(12, dtype="f4").reshape(3, 4)
    found = eval(call, {"x": Tensor(array), "Tensor": Tensor})
    np.testing.assert_allclose(found.numpy(), eval(equals, {"a": array, "np": np}), rtol=1e-6)


REDUCTIONS = ("sum", "prod", "mean", "max", "min", "std", "var", "all", "any")
ALONG = [(name, axis) for name in REDUCTIONS for axis in (None, 0, -1)]


@pytest.mark.parametrize(("name", "axis"), [*ALONG, ("cumsum", 0), ("cumprod", 1)])
def test_a_reduction_of_numpy_gives_a_tensor(name, axis) -> None:
    array = np.linspace(0.5, 2, 12).reshape(3, 4)
    found = getattr(np, name)(Tensor(array), axis=axis)
    assert isinstance(found, Tensor)
    np.testing.assert_allclose(found.numpy(), getattr(np, name)(array, axis=axis), rtol=1e-12)


def test_two_words_for_one_parameter_are_refused() -> None:
    x = Tensor([[1.0]])
    for call in (
        lambda: x.clip(min=0, min_=0),
        lambda: x.reshape(1, shape=(1,)),
        lambda: x.split(sizes=1, split_size=1),
    ):
        with pytest.raises(ArgumentError, match=r"mean the same|given twice"):
            call()


def test_an_unknown_word_is_pythons_own_error() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'nothing'"):
        Tensor([1]).reshape(nothing=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'out'"):
        np.sum(Tensor([1]), out=np.zeros(()))


KINDS = (
    ("x.chunk('a')", "chunk: chunks is a whole number, found 'a' of type str"),
    ("x.chunk(2.5)", "chunk: chunks is a whole number, found 2.5 of type float"),
    ("x.chunk(2, dim=None)", "chunk: dim is a whole number, found None of type NoneType"),
    ("x.tensor_split('a')", "is a whole number or several whole numbers, found 'a'"),
    ("x.split([1, 'a'])", "split: sizes is a whole number or several whole numbers"),
    ("x.roll(1.5)", "roll: shifts is a whole number or several whole numbers, found 1.5"),
    ("x.diag(1.5)", "diag: diagonal is a whole number, found 1.5"),
    ("x.tril('a')", "tril: diagonal is a whole number, found 'a'"),
    ("x.one_hot('a')", "one_hot: num_classes is a whole number, found 'a'"),
    ("x.rearrange(5)", "rearrange: formula is text, found 5"),
    ("x.replace('a')", "replace: other is a tensor, found 'a'"),
    ("x.realize(3)", "realize: others is a tensor, found 3"),
    ("x.realize([x])", "realize: others is a tensor, found ["),
    ("x.schedule('a')", "schedule: others is a tensor, found 'a'"),
    ("x.type_as('a')", "type_as: other is a tensor, found 'a'"),
    ("x.round(1.5)", "round: decimals is a whole number, found 1.5"),
    ("x.sum(0, 'a')", "sum: keepdim is True or False, found 'a'"),
    ("x.pad('ab')", "pad: padding is a list or tuple, found 'ab'"),
    ("Tensor.arange('a')", "arange: start is a whole number or a number, found 'a'"),
    ("x.from_numpy(1, device=3)", "from_numpy: device is text or None, found 3"),
    ("Tensor.full((2,), None)", "full: fill_value is"),
    ("Tensor.from_blob('a', (1,))", "from_blob: address is a whole number, found 'a'"),
)


@pytest.mark.parametrize(("call", "says"), KINDS, ids=[call for call, _ in KINDS])
def test_an_argument_of_another_kind_is_refused_by_name(call, says) -> None:
    with pytest.raises(ArgumentError) as caught:
        eval(call, {"x": Tensor([[1, 2], [3, 4]]), "Tensor": Tensor})
    assert says in str(caught.value)


def test_numbers_of_numpy_are_numbers() -> None:
    x = Tensor.arange(6)
    assert [p.tolist() for p in x.split(np.int32(4))] == [[0, 1, 2, 3], [4, 5]]
    assert [p.tolist() for p in x.chunk(np.uint8(2))] == [[0, 1, 2], [3, 4, 5]]
    assert x.roll(np.array([1, 0])[0]).tolist() == [5, 0, 1, 2, 3, 4]
    assert x.sum(keepdim=np.True_).tolist() == [15]
    assert Tensor.linspace(np.float32(0), np.float64(1), np.int64(3)).tolist() == [0.0, 0.5, 1.0]
