"""Workloads timed beside other libraries, scripts profiled, and what this machine can do."""
