"""Rows of the table of methods: elementwise."""

from __future__ import annotations

from rulewright.verify.methods.row import Method, Refusal

ROWS: list[Method] = []

REFUSALS: list[Refusal] = []
