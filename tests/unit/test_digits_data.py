"""The digits that ship with the package."""

import numpy as np

from rulewright.examples.digits_data import TRAIN_SIZE, load_digits

TEST_SIZE = 1797 - TRAIN_SIZE  # the UCI test set has 1797 images


def test_sizes_dtypes_and_range():
    digits = load_digits()
    assert digits.train_images.shape == (TRAIN_SIZE, 8, 8)
    assert digits.test_images.shape == (TEST_SIZE, 8, 8)
    assert digits.train_images.dtype == np.float32
    assert digits.train_labels.dtype == np.int32
    assert (digits.train_images.min(), digits.train_images.max()) == (0.0, 1.0)
    assert len(digits.train_labels) == TRAIN_SIZE and len(digits.test_labels) == TEST_SIZE


def test_all_digits_are_there_as_the_source_counts_them():
    """Class counts as in the documentation of the UCI test set."""
    digits = load_digits()
    labels = np.concatenate([digits.train_labels, digits.test_labels])
    assert np.bincount(labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]


def test_every_digit_is_in_both_parts():
    digits = load_digits()
    assert set(digits.train_labels.tolist()) == set(range(10))
    assert np.bincount(digits.test_labels, minlength=10).min() > 20


def test_the_split_is_the_same_each_time():
    one, two = load_digits(), load_digits()
    assert np.array_equal(one.train_images, two.train_images)
    assert np.array_equal(one.test_labels, two.test_labels)


def test_images_look_like_their_digit():
    """Nearest neighbour in pixel space is known to be right on more than 97 % of this set."""
    digits = load_digits()
    train = digits.train_images.reshape(TRAIN_SIZE, 64)
    test = digits.test_images.reshape(TEST_SIZE, 64)
    distance = (train**2).sum(1)[None, :] - 2 * test @ train.T
    guess = digits.train_labels[distance.argmin(1)]
    assert (guess == digits.test_labels).mean() > 0.97
