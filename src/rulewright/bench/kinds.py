"""All workloads, and those that are timed when none is named."""

from __future__ import annotations

from rulewright.bench import products

KINDS = [*products.KINDS]
STANDARD = ("matmul/512", "matmul/2048", "vecmat/4096")
