"""The device C99: kernels in plain C99, one loop after the other, by the host's C compiler."""

from pathlib import Path

from rulewright.runtime.c import CDevice


class C99Device(CDevice):
    """Memory and calls are those of the device C; the language is another."""

    target_name = "C99"
    spec = (Path(__file__).with_name("c99.uop"),)

    @property
    def flags(self) -> tuple[str, ...]:
        """What is not C99 is an error."""
        return (*super().flags, "-std=c99", "-pedantic-errors")
