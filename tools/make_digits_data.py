"""Rewrite `examples/data/digits.npz` from scikit-learn's copy of the UCI digits.

    python tools/make_digits_data.py        (needs scikit-learn, which the project does not)

The file holds no time or host, so that the same data makes the same bytes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

TARGET = Path(__file__).parents[1] / "src/rulewright/examples/data/digits.npz"


def main() -> None:
    """Store pixels (0 to 16) and labels (0 to 9) as bytes, in the order of the source."""
    source = load_digits()
    images = source.images.astype(np.uint8)
    labels = source.target.astype(np.uint8)
    if not (np.array_equal(images, source.images) and np.array_equal(labels, source.target)):
        raise SystemExit("expected whole numbers from 0 to 255, found others")
    np.savez_compressed(TARGET, images=images, labels=labels)
    print(f"{TARGET}: {len(images)} images, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
