"""`rulewright demo`."""

import re

import numpy as np

from rulewright.examples.digits import BATCH, batches
from rulewright.examples.digits_data import TRAIN_SIZE

SUMMARY = re.compile(
    r"test accuracy (?P<percent>[\d.]+)% \((?P<right>\d+) of 360\), "
    r"(?P<kernels>\d+) kernels run \((?P<step>\d+) a step\), (?P<seconds>[\d.]+) s"
)


def summary_of(result):
    assert result.returncode == 0, result.stderr
    found = SUMMARY.fullmatch(result.stdout.splitlines()[-1])
    assert found, result.stdout
    return found


def test_the_demo_learns(shell):
    found = summary_of(shell("demo"))
    assert int(found["right"]) >= 0.97 * 360
    assert 0 < int(found["step"]) < int(found["kernels"])


def test_the_interpreter_learns_the_same(shell):
    here, there = shell("demo", "--epochs", 2), shell("demo", "--epochs", 2, DEVICE="INTERP")
    assert "device INTERP" in there.stdout
    assert abs(int(summary_of(here)["right"]) - int(summary_of(there)["right"])) <= 3
    assert int(summary_of(here)["right"]) > 0.8 * 360


def test_epochs_are_at_least_one(cli):
    assert cli("demo", "--epochs", 0).exit_code == 2


def test_batches_are_of_one_size_and_take_no_digit_twice():
    chosen = np.concatenate(list(batches(TRAIN_SIZE, np.random.default_rng(0))))
    assert len(chosen) == TRAIN_SIZE // BATCH * BATCH == len(set(chosen.tolist()))
