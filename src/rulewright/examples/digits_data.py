"""The UCI hand-written digits, shipped with the package, in one fixed split."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

_FILE = Path(__file__).parent / "data" / "digits.npz"
_PIXEL_MAX = 16  # the source counts dark pixels in 4 x 4 blocks
_SHUFFLE_SEED = 1797  # the source is ordered by writer; a split must not be

TRAIN_SIZE = 1437


@dataclass(frozen=True)
class Digits:
    """Images are float32, (N, 8, 8), from 0.0 to 1.0; labels are int32, (N,), from 0 to 9."""

    train_images: np.ndarray
    train_labels: np.ndarray
    test_images: np.ndarray
    test_labels: np.ndarray


def load_digits() -> Digits:
    """Load all 1797 digits: 1437 to train on, 360 to test on, the same ones on every host.

    The order comes from numpy's legacy generator, whose stream never changes.
    """
    with np.load(_FILE) as file:
        images = file["images"].astype(np.float32) / _PIXEL_MAX
        labels = file["labels"].astype(np.int32)
    order = np.random.RandomState(_SHUFFLE_SEED).permutation(len(labels))
    train, test = order[:TRAIN_SIZE], order[TRAIN_SIZE:]
    return Digits(images[train], labels[train], images[test], labels[test])
