"""Workloads timed beside other libraries, and against what this machine can do at most."""
