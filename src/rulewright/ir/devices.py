"""What names of devices say."""

from __future__ import annotations

TARGET_OF: dict[str, str] = {
    "CUDA_EMULATED": "CUDA", "CUDA_SM90_EMULATED": "CUDA_SM90", "METAL_EMULATED": "METAL",
}  # fmt: skip
"""The targets of devices that are not called as theirs; those of other packages are added."""


def target_of(device: str) -> str:
    """The target whose kernels a device runs: "METAL" for "METAL:1" and "METAL_EMULATED"."""
    kind = device.partition(":")[0]
    return TARGET_OF.get(kind, kind)
