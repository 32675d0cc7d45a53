"""`ctc_loss` against the sum over all ways, one by one, and its gradients against differences."""

import math
from itertools import groupby, product

import numpy as np
import pytest
from arrays import closeness
from pairs import in_turn

from rulewright import Tensor, Variable, jit, nn
from rulewright.errors import DTypeError, JitError, ShapeError, UsageError

close = closeness(1e-9, 1e-12)

CASES = {  # labels, of which some count for nothing, blank, steps, lengths of both
    "one label": ([[1]], 0, 3, [3], [1]),
    "equal neighbours": ([[1, 1], [2, 2]], 0, 4, [4, 3], [2, 2]),
    "no labels": ([[1, 2], [2, 1]], 0, 4, [4, 2], [0, 0]),
    "nothing to label": (np.zeros((2, 0), np.int64), 0, 3, [3, 1], [0, 0]),
    "fewer steps": ([[1, 2], [2, 1], [1, -1]], 0, 5, [5, 2, 3], [2, 2, 1]),
    "no steps": ([[1], [2]], 0, 2, [0, 0], [0, 1]),
    "too few steps": ([[1, 1], [2, 1]], 0, 2, [2, 2], [2, 2]),
    "another blank": ([[0, 1, 0], [1, 1, 0]], 2, 5, [5, 5], [3, 2]),
    "a single class": ([[0]], 0, 3, [3], [0]),
}


def probability(logs, labels, blank):
    """That of labels: the sum over all paths of (steps, classes) which say them."""
    total = 0.0
    for path in product(range(logs.shape[1]), repeat=len(logs)):
        if [label for label, _ in groupby(path) if label != blank] == labels:
            total += math.exp(sum(logs[step, label] for step, label in enumerate(path)))
    return total


def logs_of(rng, steps, batch, classes):
    scores = rng.normal(size=(steps, batch, classes))
    return scores - np.log(np.exp(scores).sum(2, keepdims=True))


def losses_of(logs, labels, blank, reached, sizes):
    found = [
        probability(logs[:steps, i], [int(label) for label in labels[i][:count]], blank)
        for i, (steps, count) in enumerate(zip(reached, sizes, strict=True))
    ]
    with np.errstate(divide="ignore"):
        return -np.log(found)


@pytest.mark.parametrize(("name", "as_tensors"), in_turn(CASES, [False, True]))
def test_the_loss_is_that_of_all_ways(rng, name, as_tensors):
    labels, blank, steps, reached, sizes = CASES[name]
    logs = logs_of(rng, steps, len(labels), 1 if name == "a single class" else 3)
    wanted = losses_of(logs, labels, blank, reached, sizes)
    lengths = (Tensor(reached), Tensor(sizes)) if as_tensors else (reached, tuple(sizes))
    x, goal = Tensor(logs), Tensor(np.array(labels))
    close(x.ctc_loss(goal, *lengths, blank, "none"), wanted)
    close(x.ctc_loss(goal, *lengths, blank, "sum"), wanted.sum())
    close(x.ctc_loss(goal, *lengths, blank), (wanted / np.maximum(sizes, 1)).mean())
    finite = np.where(np.isinf(wanted), 0, wanted)
    layer = nn.CTCLoss(blank, "none", zero_infinity=True)
    close(layer(x, goal, *lengths), finite)
    row = np.concatenate([labels[i][:count] for i, count in enumerate(sizes)]).astype(np.int32)
    close(x.ctc_loss(Tensor(row), *lengths, blank, "none"), wanted)


@pytest.mark.parametrize("name", CASES)
def test_gradients_are_differences_and_of_infinite_losses_zero(rng, name):
    labels, blank, steps, reached, sizes = CASES[name]
    logs = logs_of(rng, steps, len(labels), 1 if name == "a single class" else 3)
    weights = rng.normal(size=len(labels))

    def value(array):
        losses = losses_of(array, labels, blank, reached, sizes)
        return (np.where(np.isinf(losses), 0, losses) * weights).sum()

    x = Tensor(logs, requires_grad=True)
    losses = x.ctc_loss(Tensor(np.array(labels)), reached, sizes, blank, "none", True)
    (losses * Tensor(weights)).sum().backward()
    slopes, step = np.zeros_like(logs), 1e-6
    for at in np.ndindex(*logs.shape):
        moved = np.zeros_like(logs)
        moved[at] = step
        slopes[at] = (value(logs + moved) - value(logs - moved)) / (2 * step)
    np.testing.assert_allclose(x.grad.numpy(), slopes, rtol=1e-6, atol=1e-8)


def test_one_sequence_has_no_batch_axis(rng):
    logs = logs_of(rng, 4, 1, 3)
    [wanted] = losses_of(logs, [[1, 2]], 0, [3], [2])
    x = Tensor(logs[:, 0])
    for steps, count in ((3, 2), (Tensor(3), Tensor([2])), ([3], np.int64(2))):
        assert x.ctc_loss(Tensor([1, 2]), steps, count, reduction="sum").shape == ()
        close(x.ctc_loss(Tensor([1, 2]), steps, count), wanted / 2)
    close(x.ctc_loss(Tensor([[1, 2]]), 3, 2), wanted / 2)


def test_impossible_labels_are_passed_by(rng):
    logs = logs_of(rng, 4, 1, 3)
    logs[1:3, 0, 1] = -np.inf
    wanted = losses_of(logs, [[1, 2]], 0, [4], [2])
    x = Tensor(logs, requires_grad=True)
    loss = x.ctc_loss(Tensor([[1, 2]]), (4,), (2,), reduction="none")
    close(loss, wanted)
    loss.sum().backward()
    assert np.isfinite(x.grad.numpy()).all()


def test_half_precision_is_summed_in_f32(rng):
    logs = Tensor(logs_of(rng, 6, 2, 3)).cast("bf16")
    args = Tensor([[1, 2], [2, 2]]), (6, 6), (2, 2)
    loss = logs.ctc_loss(*args)
    assert loss.dtype is logs.dtype
    assert loss.item() == logs.float().ctc_loss(*args).cast("bf16").item()


def test_a_jitted_step_takes_other_labels_and_lengths(rng):
    step = jit(lambda x, goal, reached, sizes: x.ctc_loss(goal, reached, sizes, 0, "none"))
    for reached, sizes in (([4, 4], [1, 2]), ([2, 3], [2, 0]), ([4, 1], [0, 1]), ([0, 4], [0, 2])):
        logs, labels = logs_of(rng, 4, 2, 3), rng.integers(1, 3, (2, 2))
        found = step(Tensor(logs), Tensor(labels), Tensor(reached), Tensor(sizes))
        close(found, losses_of(logs, labels.tolist(), 0, reached, sizes))
    assert step.captures == 1
    in_a_row = jit(lambda x, goal, sizes: x.ctc_loss(goal, (4, 4), sizes))
    in_a_row(Tensor(logs), Tensor([1, 2]), Tensor([1, 1]))
    with pytest.raises(JitError, match="is read"):
        in_a_row(Tensor(logs), Tensor([1, 2]), Tensor([1, 1]))


X = Tensor.full((4, 2, 3), 1 / 3).log()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: X.ctc_loss(Tensor([[1.0], [2.0]]), (4, 4), (1, 1)), DTypeError,
         "targets are integers, found f32"),
        (lambda: X.ctc_loss(Tensor([[1], [2]]), Tensor([4.0, 4.0]), (1, 1)), DTypeError,
         "input_lengths are integers, found f32"),
        (lambda: X.ctc_loss(Tensor([[1], [2]]), (4, 4), (1, 0.5)), DTypeError,
         "target_lengths are integers, found 0.5"),
        (lambda: X.int().ctc_loss(Tensor([[1], [2]]), (4, 4), (1, 1)), DTypeError,
         "expected floats, found i32"),
        (lambda: X.ctc_loss(Tensor([[1], [2]]), (4, 5), (1, 1)), UsageError,
         "expected input_lengths from 0 to 4, found 5"),
        (lambda: X.ctc_loss(Tensor([[1], [2]]), (4, -1), (1, 1)), UsageError,
         "expected input_lengths from 0 to 4, found -1"),
        (lambda: X.ctc_loss(Tensor([[1], [2]]), (4, 4), (1, 2)), UsageError,
         "expected target_lengths from 0 to 1, found 2"),
        (lambda: X.ctc_loss(Tensor([1, 2]), (4, 4), (3, -1)), UsageError,
         "expected target_lengths from 0 on, found -1"),
        (lambda: X.ctc_loss(Tensor([[1], [2]]), (4, True), (1, 1)), UsageError,
         "expected input_lengths from 0 to 4, found True"),
        (lambda: X.ctc_loss(Tensor([[1], [2]]), 4, (1, 1)), ShapeError,
         r"expected input_lengths of shape \(2,\), found \(1,\)"),
        (lambda: X.ctc_loss(Tensor([[1, 2, 1]]), (4, 4), (1, 1)), ShapeError,
         r"expected targets \(2, most\), or as many in a row as target_lengths say"),
        (lambda: X.ctc_loss(Tensor([1, 2, 1]), (4, 4), (1, 1)), ShapeError,
         r"expected targets \(2, most\), or as many in a row as target_lengths say"),
        (lambda: X[0, 0].ctc_loss(Tensor([1]), 1, 1), ShapeError,
         r"\(steps, batch, classes\) or \(steps, classes\), of known sizes above 0, found \(3,\)"),
        (lambda: X[:0].ctc_loss(Tensor([[1], [2]]), (0, 0), (1, 1)), ShapeError,
         r"above 0, found \(0, 2, 3\)"),
        (lambda: X[: Variable("n", 1, 4).bind(2)].ctc_loss(Tensor([[1], [2]]), (2, 2), (1, 1)),
         ShapeError, r"of known sizes above 0, found \(n, 2, 3\)"),
        (lambda: X.ctc_loss(Tensor([[1], [2]]), (4, 4), (1, 1), blank=3), UsageError,
         "expected a blank from 0 to 2, found 3"),
        (lambda: X.ctc_loss(Tensor([[1], [2]]), (4, 4), (1, 1), reduction="most"), UsageError,
         "reduction is 'mean', 'sum' or 'none'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_says_so(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_more_labels_than_there_are_is_no_number():
    loss = X.ctc_loss(Tensor([[1], [2]]), Tensor([4, 4]), Tensor([1, 2]), reduction="none")
    assert np.isnan(loss.numpy()).tolist() == [False, True]
