"""Schedules of learning rates against PyTorch's recursions, and clipping of gradients."""

import math

import numpy as np
import pytest

from rulewright import Tensor, dtypes, jit, nn
from rulewright.errors import JitError, UsageError
from rulewright.nn import lr_scheduler as schedules

BASE = 0.5


def optimizer(lr=BASE):
    return nn.optim.SGD([Tensor.zeros(1, requires_grad=True)], lr)


def rates(make, metrics):
    given = optimizer()
    schedule = make(given)
    found = [given.lr.item()]
    for metric in metrics:
        schedule.step(metric) if metric is not None else schedule.step()
        found.append(given.lr.item())
        assert schedule.get_last_lr() == [pytest.approx(found[-1], rel=1e-6)]
    return found


def by_steps(change):
    """Rates from the one before: `change(rate, step)`."""
    found = [BASE]
    for step in range(1, 13):
        found.append(change(found[-1], step))
    return found


def cosine(rate, step, length=5, low=0.1):  # the recursion in PyTorch's documentation
    if (step - 1 - length) % (2 * length) == 0:
        return rate + (BASE - low) * (1 - math.cos(math.pi / length)) / 2
    ratio = (1 + math.cos(math.pi * step / length)) / (1 + math.cos(math.pi * (step - 1) / length))
    return ratio * (rate - low) + low


SCHEDULES = {
    "lambda": (lambda o: schedules.LambdaLR(o, lambda n: 1 / (n + 1)),
               by_steps(lambda r, n: r * n / (n + 1))),
    "step": (lambda o: schedules.StepLR(o, 3),
             by_steps(lambda r, n: r * (0.1 if n % 3 == 0 else 1))),
    "multi": (lambda o: schedules.MultiStepLR(o, [7, 2], 0.5),
              by_steps(lambda r, n: r / 2 if n in (2, 7) else r)),
    "exponential": (lambda o: schedules.ExponentialLR(o, 0.9), by_steps(lambda r, n: r * 0.9)),
    "cosine": (lambda o: schedules.CosineAnnealingLR(o, 5, 0.1), by_steps(cosine)),
    "constant": (lambda o: schedules.ConstantLR(o, 0.25, 3), [BASE / 4] * 3 + [BASE] * 10),
    "polynomial": (lambda o: schedules.PolynomialLR(o, 8, 2.0),
                   [BASE * max(0, 1 - n / 8) ** 2 for n in range(13)]),
    "multiplicative": (lambda o: schedules.MultiplicativeLR(o, lambda n: 1 - 1 / (n + 1)),
                       by_steps(lambda r, n: r * n / (n + 1))),
    "restarts": (lambda o: schedules.CosineAnnealingWarmRestarts(o, 2, 3, 0.1),
                 [0.1 + (BASE - 0.1) * (1 + math.cos(math.pi * part)) / 2
                  for part in (0, 1 / 2, *(n / 6 for n in range(6)), *(n / 18 for n in range(5)))]),
    "restarts of one length": (lambda o: schedules.CosineAnnealingWarmRestarts(o, 3),
                               [BASE * (1 + math.cos(math.pi * (n % 3) / 3)) / 2
                                for n in range(13)]),
    "cyclic": (lambda o: schedules.CyclicLR(o, 0.1, 0.5, 2, 3),
               [0.1 + 0.4 * (0, 1 / 2, 1, 2 / 3, 1 / 3)[n % 5] for n in range(13)]),
    "cyclic halved": (lambda o: schedules.CyclicLR(o, 0.1, 0.5, 2, mode="triangular2"),
                      [0.1 + 0.4 * (0, 1, 2, 1)[n % 4] / 2 / 2 ** (n // 4) for n in range(13)]),
    "cyclic falling": (lambda o: schedules.CyclicLR(o, 0.1, 0.5, 2, None, "exp_range", 0.9),
                       [0.1 + 0.4 * (0, 1, 2, 1)[n % 4] / 2 * 0.9**n for n in range(13)]),
    "one after the other": (lambda o: schedules.SequentialLR(o, [
        schedules.LinearLR(o, 0.2, 1.0, 4), schedules.ExponentialLR(o, 0.5),
        schedules.ConstantLR(o, 0.1, 99)], [4, 7]),
        [BASE * part for part in (0.2, 0.4, 0.6, 0.8, 1, 1 / 2, 1 / 4, *[0.1] * 6)]),
    "linear": (lambda o: schedules.LinearLR(o, 0.2, 1.0, 4),
               [BASE * min(0.2 * (n + 1), 1) for n in range(13)]),
}  # fmt: skip


@pytest.mark.parametrize("name", SCHEDULES)
def test_rates(name):
    make, expected = SCHEDULES[name]
    np.testing.assert_allclose(rates(make, [None] * 12), expected, rtol=1e-5)


def test_one_cycle():
    found = rates(lambda o: schedules.OneCycleLR(o, 1.0, 10, 0.3, 10.0, 100.0), [None] * 9)
    up = [1 + (0.1 - 1) * (1 + math.cos(math.pi * n / 2)) / 2 for n in range(3)]
    down = [0.001 + (1 - 0.001) * (1 + math.cos(math.pi * n / 7)) / 2 for n in range(1, 8)]
    np.testing.assert_allclose(found, up + down, rtol=1e-5)
    schedule = schedules.OneCycleLR(optimizer(), 1.0, 2)
    schedule.step()
    schedule.step()
    with pytest.raises(UsageError, match="step 3 of 2"):
        schedule.step()


def test_plateaus():
    losses = [1, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.5, 0.6, 0.6, 0.6]
    found = rates(
        lambda o: schedules.ReduceLROnPlateau(o, factor=0.5, patience=2, cooldown=1), losses
    )
    # best at the second; lower at the third without progress, after which one step is not counted
    assert found == pytest.approx([0.5] * 5 + [0.25] * 7 + [0.125], rel=1e-6)
    largest = rates(
        lambda o: schedules.ReduceLROnPlateau(
            o, "max", 0.5, 0, 0.1, threshold_mode="abs", min_lr=0.2
        ),
        [1.0, 1.05, 1.2, 1.2],
    )
    assert largest == pytest.approx([0.5, 0.5, 0.25, 0.25, 0.2], rel=1e-6)


def test_a_schedule_continues_from_its_state():
    first = schedules.StepLR(optimizer(), 2)
    for _ in range(3):
        first.step()
    second = schedules.StepLR(optimizer(9.0), 2)
    second.load_state_dict(first.state_dict())
    assert second.optimizer.lr.item() == pytest.approx(0.05)
    second.step()
    assert second.optimizer.lr.item() == pytest.approx(0.005)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (lambda o: schedules.StepLR(o, 0), "step_size as a whole number of 1 or more"),
        (lambda o: schedules.CosineAnnealingLR(o, 0), "T_max as a whole number of 1 or more"),
        (lambda o: schedules.LinearLR(o, 0), "start_factor as a number above 0"),
        (lambda o: schedules.OneCycleLR(o, 1, 0), "total_steps as a whole number of 1 or more"),
        (
            lambda o: schedules.ReduceLROnPlateau(o, "least"),
            "mode as 'min' or 'max', found",
        ),
        (lambda o: schedules.ReduceLROnPlateau(o).step(), "needs the number that should improve"),
    ],
)
def test_schedules_say_what_is_wrong(bad, message):
    with pytest.raises(UsageError, match=message):
        bad(optimizer())


# ---- clipping ------------------------------------------------------------------------------------


def with_gradients():
    params = [Tensor([1.0, 2.0], requires_grad=True), Tensor(3.0, requires_grad=True)]
    (params[0] * Tensor([3.0, -4.0])).sum().backward()
    (params[1] * 12).backward()
    return params


def test_clipping_by_norm():
    params = with_gradients()
    assert nn.utils.clip_grad_norm_(params, 6.5).item() == pytest.approx(13)
    np.testing.assert_allclose(params[0].grad.numpy(), [1.5, -2.0], rtol=1e-5)
    assert params[1].grad.item() == pytest.approx(6.0, rel=1e-5)
    assert nn.utils.clip_grad_norm_(params, 100).item() == pytest.approx(6.5, rel=1e-5)
    np.testing.assert_allclose(params[0].grad.numpy(), [1.5, -2.0], rtol=1e-5)  # short enough
    assert nn.utils.clip_grad_norm_(with_gradients(), 1, math.inf).item() == 12
    assert nn.utils.clip_grad_norm_(with_gradients(), 1, "inf").item() == 12
    assert nn.utils.clip_grad_norm_([Tensor([1.0])], 1).item() == 0
    with pytest.raises(UsageError, match="max_norm as a number of 0 or more"):
        nn.utils.clip_grad_norm_(params, -1)


def test_a_norm_of_float64_is_computed_in_it():
    a, b = np.array([0.1, -0.2, 0.7]), np.array([1e150, 3e149])
    for values, expected in ((a, math.sqrt(0.54)), (b, math.sqrt(1.09) * 1e150)):
        x = Tensor(values, requires_grad=True)
        (x * values).sum().backward()
        total = nn.utils.clip_grad_norm_(x, 0.01)
        assert total.dtype is dtypes.f64
        assert total.item() == pytest.approx(expected, rel=1e-14)
        clipped = values * (0.01 / (expected + 1e-6))
        np.testing.assert_allclose(x.grad.numpy(), clipped, rtol=1e-14)


def test_one_norm_of_gradients_of_two_types():
    narrow, wide = (Tensor([0.0], kind, requires_grad=True) for kind in (dtypes.f32, dtypes.f64))
    (narrow * 3.0 + wide * 4.0).sum().backward()
    total = nn.utils.clip_grad_norm_([narrow, wide], 2.5)
    assert total.dtype is dtypes.f64
    assert total.item() == 5.0
    for tensor, expected in ((narrow, 1.5), (wide, 2.0)):
        assert tensor.grad.item() == pytest.approx(expected, rel=1e-6)
        assert tensor.grad.dtype is tensor.dtype


def test_clipping_by_value():
    params = with_gradients()
    nn.utils.clip_grad_value_(params, 3.5)
    assert params[0].grad.tolist() == [3.0, -3.5]
    assert params[1].grad.item() == 3.5
    with pytest.raises(UsageError, match="clip_value as a number of 0 or more"):
        nn.utils.clip_grad_value_(params, float("nan"))


def test_a_second_schedule_knows_the_rate_before_the_first():
    given = optimizer()
    schedules.LinearLR(given, 0.2)
    assert given.lr.item() == pytest.approx(BASE * 0.2)
    assert schedules.ExponentialLR(given, 0.5).base_lrs == [BASE]
    assert given.lr.item() == pytest.approx(BASE * 0.2)  # it scales what is there
    assert schedules.LambdaLR(given, lambda n: 1).base_lrs == [BASE]
    assert given.lr.item() == BASE  # it sets its own


FACTORS = {
    "step": (lambda o: schedules.StepLR(o, 3), lambda n: 0.1 ** (n // 3)),
    "multi": (lambda o: schedules.MultiStepLR(o, [2, 4]), lambda n: 0.1 ** ((n >= 2) + (n >= 4))),
    "exponential": (lambda o: schedules.ExponentialLR(o, 0.9), lambda n: 0.9**n),
    "linear": (lambda o: schedules.LinearLR(o, 0.2, 1, 4), lambda n: 0.2 + 0.2 * min(n, 4)),
    "constant": (lambda o: schedules.ConstantLR(o, 0.25, 3), lambda n: 0.25 if n < 3 else 1),
    "polynomial": (lambda o: schedules.PolynomialLR(o, 9), lambda n: 1 - n / 9),
    "multiplicative": (lambda o: schedules.MultiplicativeLR(o, lambda n: 0.7), lambda n: 0.7**n),
    "cosine": (
        lambda o: schedules.CosineAnnealingLR(o, 9),
        lambda n: (1 + math.cos(math.pi * n / 9)) / 2,
    ),
}


@pytest.mark.parametrize("second", FACTORS)
@pytest.mark.parametrize("first", FACTORS)
def test_two_schedules_of_an_optimiser_act_together(first, second):
    given = optimizer()
    both = [FACTORS[first][0](given), FACTORS[second][0](given)]
    for n in range(9):
        wanted = BASE * FACTORS[first][1](n) * FACTORS[second][1](n)
        assert given.lr.item() == pytest.approx(wanted, rel=1e-5)
        assert both[1].get_last_lr() == [pytest.approx(wanted, rel=1e-5)]
        for schedule in both:
            schedule.step()


@pytest.mark.parametrize("name", FACTORS)
def test_a_rate_that_a_program_sets_is_scaled_from_there_on(name):
    make, factor = FACTORS[name]
    given = optimizer()
    schedule = make(given)
    for n in range(1, 9):
        given.param_groups[0]["lr"] = given.lr * 0.5
        schedule.step()
        assert given.lr.item() == pytest.approx(BASE * 0.5**n * factor(n), rel=1e-5)


def test_a_cosine_ends_where_it_shall_whatever_the_rate_is():
    given = optimizer()
    schedule = schedules.CosineAnnealingLR(given, 4, 0.1)
    given.lr = 0.9
    found = []
    for _ in range(8):
        schedule.step()
        found.append(given.lr.item())
    apart = [0.8 * (1 + math.cos(math.pi * n / 4)) / 2 for n in range(1, 5)]
    up = 0.4 * (1 - math.cos(math.pi / 4)) / 2  # of the first rate, and so on from there
    apart += [up * (1 + math.cos(math.pi * n / 4)) / (1 + math.cos(math.pi * 5 / 4))
              for n in range(5, 9)]  # fmt: skip
    assert found == pytest.approx([0.1 + a for a in apart], rel=1e-5)
    given.lr = 0.0  # below its end: PyTorch's goes below 0, which is no rate
    for _ in range(9):
        schedule.step()
        assert given.lr.item() >= 0


def test_a_plateau_lowers_the_rate_that_is_there():
    given = optimizer()
    warm = schedules.LinearLR(given, 0.2, 1, 4)
    plateau = schedules.ReduceLROnPlateau(given, "min", 0.1, 1)
    found = []
    for metric in [3, 2, 2, 2, 1, 1, 1]:
        warm.step()
        plateau.step(metric)
        found.append(given.lr.item() / BASE)
    assert found == pytest.approx([0.4, 0.6, 0.8, 0.1, 0.1, 0.1, 0.01], rel=1e-5)


def test_a_group_has_a_schedule_of_each_rate():
    group = nn.optim.OptimizerGroup(optimizer(), nn.optim.OptimizerGroup(optimizer()))
    schedules.StepLR(group, 1, 0.5).step()
    assert [o.lr.item() for o in group.members()] == [BASE / 2, BASE / 2]
    group = nn.optim.OptimizerGroup(optimizer(), optimizer(0.25))
    schedules.StepLR(group, 1, 0.5).step()
    assert [o.lr.item() for o in group.members()] == [BASE / 2, 0.125]


def test_parameters_as_one_vector():
    first, second = Tensor([[1.0, 2.0]], requires_grad=True), Tensor([3, 4])
    vector = nn.utils.parameters_to_vector([first, second])
    assert vector.tolist() == [1, 2, 3, 4]
    nn.utils.vector_to_parameters(vector * 10, [first, second])
    assert (first.tolist(), second.tolist()) == ([[10.0, 20.0]], [30, 40])
    assert first.is_leaf and second.dtype is Tensor([3]).dtype


def test_a_schedule_of_products_asks_for_each_factor_once():
    asked = []

    def factor(step):
        asked.append(step)
        return 1 / step

    schedule = schedules.MultiplicativeLR(optimizer(6.0), factor)
    for step in range(1, 6):
        schedule.step()
        assert schedule.get_last_lr() == [pytest.approx(6.0 / math.factorial(step))]
    assert asked == [1, 2, 3, 4, 5]
    assert schedule.rate(2, 6.0) == 3.0


def test_a_chain_takes_a_step_of_each():
    given = optimizer()
    parts = [schedules.ConstantLR(given, 0.1, 3), schedules.ExponentialLR(given, 0.5)]
    chain = schedules.ChainedScheduler(parts)
    assert chain.get_last_lr() == [pytest.approx(BASE * 0.1)]
    found = []
    for _ in range(5):
        chain.step()
        found.append(given.lr.item() / BASE)
    expected = [(0.1 if n < 3 else 1) * 0.5**n for n in range(1, 6)]
    assert found == pytest.approx(expected, rel=1e-5)
    assert chain.last_epoch == 5 and chain.get_last_lr() == [pytest.approx(BASE * expected[-1])]


def test_a_chain_continues_from_its_state():
    def chain():
        given = optimizer()
        warm = schedules.LinearLR(given, 0.25, 1, 4)
        return schedules.ChainedScheduler([warm, schedules.StepLR(given, 2, 0.5)], given)

    first, second = chain(), chain()
    for _ in range(3):
        first.step()
    second.load_state_dict(first.state_dict())
    for each in (first, second):
        each.step()
    assert second.get_last_lr() == first.get_last_lr() == [pytest.approx(BASE * 0.25)]
    for state in ({}, {"schedulers": [{}]}, None):
        with pytest.raises(UsageError, match="state as a state of 2 schedules"):
            first.load_state_dict(state)


def test_a_chain_is_of_one_optimizer():
    step = schedules.StepLR(optimizer(), 1)
    for wrong in ([], None, [3], [step, schedules.StepLR(optimizer(), 1)],
                  [schedules.ReduceLROnPlateau(optimizer())]):  # fmt: skip
        with pytest.raises(UsageError, match="ChainedScheduler: expected schedulers"):
            schedules.ChainedScheduler(wrong)
    with pytest.raises(UsageError, match=r"expected schedulers\[0\] as a schedule of the same"):
        schedules.ChainedScheduler([step], optimizer())


def two_groups():
    first, second = (Tensor.zeros(1, requires_grad=True) for _ in range(2))
    return nn.optim.SGD([{"params": [first], "lr": 1.0}, {"params": [second], "lr": 0.25}])


def rates_of_groups(make, steps, *metrics):
    schedule = make(two_groups())
    found = [schedule.get_last_lr()]
    for _ in range(steps):
        schedule.step(*metrics)
        found.append([each.lr.item() for each in schedule.optimizer.members()])
    return found


def halved(n):
    return 0.5**n


def divided(n):
    return 1 / (n + 1)


BY_GROUP = {  # the rates of two groups, as PyTorch 2.13 sets them
    "lambda": (lambda o: schedules.LambdaLR(o, [halved, divided]),
               [[1, 0.25], [0.5, 0.125], [0.25, 0.25 / 3], [0.125, 0.0625]]),
    "multiplicative": (lambda o: schedules.MultiplicativeLR(o, (halved, divided)),
                       [[1, 0.25], [0.5, 0.125], [0.125, 0.125 / 3], [1 / 64, 0.125 / 12]]),
    "cyclic": (lambda o: schedules.CyclicLR(o, [0, 1], [1, 3], 2),
               [[0, 1], [0.5, 2], [1, 3], [0.5, 2]]),
    "cyclic to one": (lambda o: schedules.CyclicLR(o, [0, 1], 2.0, 2),
                      [[0, 1], [1, 1.5], [2, 2], [1, 1.5]]),
    "one cycle": (lambda o: schedules.OneCycleLR(o, [1.0, 2.0], 4, 0.5, 2, 2,
                                                 anneal_strategy="linear"),
                  [[0.5, 1], [1, 2], [0.625, 1.25], [0.25, 0.5]]),
    "sequence": (lambda o: schedules.SequentialLR(
                     o, [schedules.LambdaLR(o, [halved, divided]), schedules.StepLR(o, 1, 0.5)], [2]
                 ), [[1, 0.25], [0.5, 0.125], [1, 0.25], [0.5, 0.125]]),
}  # fmt: skip


@pytest.mark.parametrize("name", BY_GROUP)
def test_each_group_has_an_argument_of_its_own(name):
    make, expected = BY_GROUP[name]
    np.testing.assert_allclose(rates_of_groups(make, 3), expected, rtol=1e-6)
    schedule, again = make(two_groups()), make(two_groups())
    schedule.step()
    again.load_state_dict(schedule.state_dict())
    again.step()
    np.testing.assert_allclose(again.get_last_lr(), expected[2], rtol=1e-6)


def test_a_plateau_ends_at_the_least_rate_of_each_group():
    def make(given):
        return schedules.ReduceLROnPlateau(given, factor=0.5, patience=0, min_lr=[0.25, 0.2])

    expected = [[1, 0.25], [1, 0.25], [0.5, 0.2], [0.25, 0.2]]
    np.testing.assert_allclose(rates_of_groups(make, 3, 1.0), expected, rtol=1e-6)


@pytest.mark.parametrize("bad", [
    lambda o, few: schedules.LambdaLR(o, [halved] * few),
    lambda o, few: schedules.MultiplicativeLR(o, [halved] * few),
    lambda o, few: schedules.CyclicLR(o, [0.1] * few, 1.0),
    lambda o, few: schedules.CyclicLR(o, 0.1, [1.0] * few),
    lambda o, few: schedules.OneCycleLR(o, [1.0] * few, 4),
    lambda o, few: schedules.ReduceLROnPlateau(o, min_lr=[0.1] * few),
])  # fmt: skip
@pytest.mark.parametrize("few", [0, 1, 3])
def test_lists_are_as_long_as_there_are_groups(bad, few):
    with pytest.raises(UsageError, match="as one for all groups of parameters, or 2: one for each"):
        bad(two_groups(), few)


def test_an_element_that_is_wrong_is_named():
    with pytest.raises(UsageError, match=r"expected max_lr\[1\] as a number of 0 or more"):
        schedules.OneCycleLR(two_groups(), [1.0, -1.0], 4)
    with pytest.raises(UsageError, match=r"expected lr_lambda\[0\] as a function"):
        schedules.LambdaLR(two_groups(), [3, halved])


@pytest.mark.parametrize(
    "make",
    [
        lambda o: schedules.StepLR(o, 2),
        lambda o: schedules.LambdaLR(o, lambda epoch: 0.9**epoch),
        schedules.ReduceLROnPlateau,
        lambda o: schedules.ChainedScheduler([schedules.ExponentialLR(o, 0.5)]),
    ],
)
def test_a_step_that_jit_would_not_repeat_is_refused_by_its_name(make):
    given = optimizer()
    schedule = make(given)
    kind = "ReduceLROnPlateau" if isinstance(schedule, schedules.ReduceLROnPlateau) else "LR"

    @jit
    def step(x):
        schedule.step(*[x.sum()] * (kind != "LR"))
        return x + 1

    step(Tensor([1.0]))  # runs as it stands
    with pytest.raises(
        JitError, match=rf"jit: \w*{kind}.step counts in Python at .*do this outside"
    ):
        step(Tensor([1.0]))
