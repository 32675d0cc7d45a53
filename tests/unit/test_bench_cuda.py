"""`tools/bench_cuda.py`, which measures on a GPU: what it measures and writes, on the processor."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from cuda_devices import cuda_standin

from bench_cuda import Bench, Row, copy, host_copies, main, near


def test_rows_are_printed_and_written(tmp_path, monkeypatch, capsys):
    path = tmp_path / "gpu.json"
    only = ["--only", "copy", "--only", "calls"]
    arguments = ["bench_cuda", "--device", "c", "--small", "--json", str(path), *only]
    monkeypatch.setattr(sys, "argv", arguments)
    assert main() == 0
    data = json.loads(path.read_text(encoding="utf-8"))
    assert (data["device"], data["small"]) == ("C", True) and data["hardware"]
    names = [row["name"] for row in data["rows"]]
    assert names == ["copy", "kernels_replayed", "kernels_eager"]
    assert all(row["rate"] > 0 and len(row["seconds"]) == 7 for row in data["rows"])
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in printed] == names


def test_a_measurement_that_fails_ends_no_other(tmp_path, monkeypatch, capsys):
    path = tmp_path / "gpu.json"

    def fails(bench):
        yield Row("fine", "GB/s", 1, [1.0] * 7).finish()
        near(np.ones(3), np.array([1.0, 1.0, 2.0]), 0.1)

    monkeypatch.setattr("bench_cuda.MEASURES", {"rows": fails, "calls": lambda _: iter(())})
    monkeypatch.setattr(sys, "argv", ["bench_cuda", "--device", "C", "--json", str(path)])
    assert main() == 1
    fine, failed = json.loads(path.read_text(encoding="utf-8"))["rows"]
    assert fine["rate"] == 1 and failed["name"] == "rows"
    assert failed["problem"] == "ValueError: wrong by 0.5 of the largest value, 0.1 is allowed"


def test_shares_are_of_the_copy_or_of_a_peer():
    row = Row("x", "GB/s", 2.0, [1.0, 2.0, 4.0], [2.0, 2.0, 2.0]).finish()
    assert (row.rate, row.peer_rate, row.of, row.share) == (1.0, 1.0, "PyTorch", 1.0)
    assert Row("x", "GB/s", 2.0, [1.0]).finish(8.0).share == 0.25


def test_a_device_that_is_not_there(monkeypatch, capsys):
    with cuda_standin(0, gpus=0), pytest.raises(SystemExit):
        monkeypatch.setattr(sys, "argv", ["bench_cuda"])
        main()
    assert "device CUDA cannot be used here: no NVIDIA GPU was found" in capsys.readouterr().err


def test_copies_on_cuda_are_the_driver_s(monkeypatch):
    monkeypatch.setattr("bench_cuda.TURN", 0.0)
    with cuda_standin(1) as driver:
        bench = Bench("CUDA", small=True)
        monkeypatch.setattr(type(bench), "torch", None)
        assert copy(bench).rate > 0 and driver.calls["cuMemcpyDtoDAsync"] > 7
        names = [row.name for row in host_copies(bench)]
        assert names == ["copy_in_pageable", "copy_out_pageable", "copy_in_pinned",
                         "copy_out_pinned"]  # fmt: skip
        assert not driver.faults
