"""Lowering does not change what a kernel means: interpreter before, interpreter after."""

import numpy as np
import pytest
from codegen_kernels import KERNELS, VARIABLES, elementwise, inputs, matmul, same

from rulewright.codegen.lower import lowering_stages
from rulewright.errors import StageError
from rulewright.interp import run_kernel
from rulewright.ir.ops import Ops
from rulewright.options import Context

TARGETS = ("C", "OPENCL", "CUDA", "METAL")


def runnable(entry):
    """Graphs before accumulators have a value as they stand, and lists do."""
    return entry in ("tidy", "scatter", "axes", "linearize")


@pytest.mark.parametrize("name", KERNELS)
def test_stages_agree_with_the_kernel(name, rng):
    kernel = KERNELS[name]
    arrays = inputs(kernel, rng)
    expected = [a.copy() for a in arrays]
    run_kernel(kernel, expected, VARIABLES)
    agreed = {kernel}  # what targets have in common runs once
    for target in TARGETS:
        if name == "matmul_f64" and target == "METAL":
            continue  # it has no float64
        with Context(VERIFY=1):
            for entry, graph in lowering_stages(kernel, target):
                if runnable(entry) and graph not in agreed:
                    found = [a.copy() for a in arrays]
                    run_kernel(graph, found, VARIABLES)
                    same(found, expected, f"{target} after {entry}")
                    agreed.add(graph)
        assert graph.op is Ops.LINEAR


def test_stop_after_an_entry():
    with Context(STOP_AFTER="axes"):
        entries = [entry for entry, _ in lowering_stages(elementwise(8), "C")]
    assert entries == ["tidy", "scatter", "axes"]


def test_stages_read_back():
    from rulewright.ir.text import print_graph, read_graph

    for _, graph in lowering_stages(matmul(16, 64, 33), "CUDA"):
        assert read_graph(print_graph(graph)) is graph


def test_a_stage_refuses_what_it_forbids():
    from rulewright.ir.stages import check_stage

    with pytest.raises(StageError, match="reductions must be accumulators"):
        check_stage(KERNELS["row_sum"], "accumulated")


def test_same_graph_in_any_process_gives_the_same_program():
    kernel = matmul(16, 64, 33)
    first = [str(graph) for _, graph in lowering_stages(kernel, "C")]
    again = [str(graph) for _, graph in lowering_stages(kernel, "C")]
    assert first == again


def test_reading_outside_is_gated(rng):
    kernel = KERNELS["padded"].replace(arg=("plain", "loop(r0)"))
    graph = dict(lowering_stages(kernel, "C"))["linearize"]
    loads = [n for n in graph.src if n.op is Ops.LOAD]
    assert [len(n.src) for n in loads] == [3]  # INDEX, other, gate
    arrays = inputs(kernel, rng)
    run_kernel(graph, arrays)
    np.testing.assert_array_equal(arrays[0][2:-2], arrays[1])
    assert not arrays[0][:2].any() and not arrays[0][-2:].any()
