"""How much Python does: a measure of time that is the same on each run."""

import sys


def calls_of(function):
    """How many functions are called."""
    calls = 0

    def note(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return calls
