"""Numbers on the command lines of the examples."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def whole(least: int) -> Callable[[str], int]:
    """A type of argparse: a whole number that is not below `least`."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            message = f"expected a whole number from {least} on, found {text!r}"
            raise argparse.ArgumentTypeError(message)
        return value

    return read
