"""Rows of the table of methods: products."""

from __future__ import annotations

from rulewright.verify.methods.row import Method, Refusal

ROWS: list[Method] = []

REFUSALS: list[Refusal] = []
