"""Mutation of the shipped rules: small faults are planted, and what notices them is counted."""
