"""`rulewright devices` and what it knows about the processor."""

import pytest

from rulewright.cli.devices import vector_bits
from rulewright.runtime.device import Device


def test_every_known_device_has_a_row(cli):
    result = cli("devices")
    assert result.exit_code == 0, result.output
    first_words = [line.split()[0] for line in result.stdout.splitlines() if line.strip()]
    assert first_words[1 : 1 + len(list(Device))] == list(Device)


def test_interpreter_needs_nothing(cli):
    assert ["INTERP", "yes"] in [line.split()[:2] for line in cli("devices").stdout.splitlines()]


@pytest.mark.parametrize(
    "flags, machine, bits",
    [
        ("fpu sse2 avx avx2 avx512f", "x86_64", 512),
        ("fpu sse2 avx avx2", "x86_64", 256),
        ("fpu sse2", "x86_64", 128),
        ("fp asimd", "aarch64", 128),
        ("", "riscv64", 64),
    ],
)
def test_vector_bits(tmp_path, flags, machine, bits):
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"processor : 0\nflags : {flags}\n")
    assert vector_bits(cpuinfo, machine) == bits


def test_vector_bits_without_cpuinfo(tmp_path):
    assert vector_bits(tmp_path / "none", "arm64") == 128
