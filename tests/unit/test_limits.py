"""Limits of targets are obeyed: each is read, and a target that makes it small has other kernels."""

from __future__ import annotations

import pytest
from outside_tools import fake, run

from rulewright import Tensor, Variable, dtypes
from rulewright.codegen.lower import lower_kernel
from rulewright.lang.build import load_table
from rulewright.runtime.c import CDevice, vector_target
from rulewright.runtime.compiler import find_compiler
from rulewright.runtime.device import Device
from rulewright.schedule.build import schedule_function

