"""Whatever lies in the cache folder, a program gives its result: damaged entries are made again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

PROGRAM = "from rulewright import Tensor; print((Tensor.arange(7) * 2 - 5).relu().sum().item())"
VALUE = str(sum(max(2 * i - 5, 0) for i in range(7)))


def run(cache: Path) -> subprocess.CompletedProcess:
    env = {**os.environ, "CACHE_DIR": str(cache), "PYTHONFAULTHANDLER": "1"}
    command = [sys.executable, "-c", PROGRAM]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)


def damaged(data: bytes, others: list[bytes], random: Random) -> bytes:
    """The bytes of an entry after an accident."""
    at = random.randrange(max(len(data), 1))
    flipped = bytearray(data)
    if flipped:
        flipped[at] ^= 1 << random.randrange(8)
    return random.choice([
        data[:at], bytes(flipped), b"", bytes(len(data)), random.randbytes(len(data)),
        random.choice(others), data + b"\n", b"cos\nsystem\n(S'false'\ntR.",
    ])  # fmt: skip


@pytest.fixture(scope="module")
def warm(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("cache") / "warm"
    assert run(folder).stdout.strip() == VALUE
    return folder


@pytest.mark.parametrize("seed", range(4))
def test_damaged_entries_are_made_again(warm, tmp_path, seed):
    cache = tmp_path / "cache"
    shutil.copytree(warm, cache)
    entries = sorted(p for p in cache.rglob("*") if p.is_file())
    contents = [p.read_bytes() for p in entries]
    assert len(entries) > 10
    random = Random(seed)
    hurt = random.sample(entries, len(entries) // 3)
    for entry in hurt:
        entry.write_bytes(damaged(entry.read_bytes(), contents, random))
    found = run(cache)
    assert (found.returncode, found.stdout.strip()) == (0, VALUE), (seed, found.stderr)
    assert "Traceback" not in found.stderr
    assert run(cache).stdout.strip() == VALUE  # what was made again is whole
