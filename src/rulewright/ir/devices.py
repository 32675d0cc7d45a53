"""What names of devices say."""

from __future__ import annotations

_EMULATED = "_EMULATED"


def target_of(device: str) -> str:
    """The target whose kernels a device runs: "METAL" for "METAL:1" and "METAL_EMULATED"."""
    return device.partition(":")[0].removesuffix(_EMULATED)
