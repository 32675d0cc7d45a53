"""What a device is declared not to do: the one list of exceptions to `rulewright conformance`.

A device without a type of floats is no exception: rules emulate the type, bit by bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

from rulewright.runtime.device import Device


@dataclass(frozen=True)
class Absent:
    """Cases that are not run on a device, and why.

    device: "" for all that have memory of their own. cases: a pattern of identifiers of cases, as
    fnmatch reads it. dtypes: only the variants with an operand of one of these; none of them: the
    cases as a whole.
    """

    device: str
    cases: str
    reason: str
    dtypes: tuple[str, ...] = ()

    def covers(self, device: str, case: str) -> bool:
        """Whether this says anything of a case on a device, e.g. "OPENCL:1"."""
        if not fnmatchcase(case, self.cases):
            return False
        if not self.device:
            return not Device.device_class(device).in_host_memory
        return device.partition(":")[0] == self.device


_FOREIGN = "memory of this process can be read in place by devices that work in it alone"

_UNSEEN = "values in a device's own memory are not looked at before they are computed with"
_LOOKED_AT = ("refusals/multinomial/[789]", "refusals/multinomial/10", "refusals/bernoulli/4")
_DOUBLES = "Metal has no type of 64 bits for floats"
_ASK_FOR_DOUBLES = (
    "gradients/*", "values/arange/3", "values/linspace/1", "values/rand/2", "values/randn/2",
    "values/rand_like/1", "values/sum/4", "values/mean/2", "values/softmax/1",
    "values/log_softmax/1", "values/softmin/1", "values/linear/4", "values/cast/2",
    "values/cast/4", "values/double/1",
)  # fmt: skip
"""Cases that compute with f64 whatever their operands are: gradients, to compare them."""

ABSENT = (
    Absent("", "values/from_blob/*", _FOREIGN),
    *(Absent("", cases, _UNSEEN) for cases in _LOOKED_AT),
    *(
        Absent(device, cases, _DOUBLES, dtypes)
        for device in ("METAL", "METAL_EMULATED")
        for cases, dtypes in [("*", ("f64",)), *((cases, ()) for cases in _ASK_FOR_DOUBLES)]
    ),
)


def declared(device: str, case: str) -> tuple[str, frozenset[str]]:
    """Why a case is not run on a device (or nothing), and dtypes whose variants are left out."""
    found = [a for a in ABSENT if a.covers(device, case)]
    whole = [a.reason for a in found if not a.dtypes]
    return whole[0] if whole else "", frozenset(k for a in found for k in a.dtypes)
