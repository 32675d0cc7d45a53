"""Rulewright: a tensor compiler whose knowledge is written as rules."""
