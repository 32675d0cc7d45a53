"""What is kept on disk, as processes of their own see it: cold, warm, shared and damaged."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

PROGRAM = """
import sys
from rulewright import Tensor
print((Tensor.arange(7) * 2 - 5).relu().sum().item(), 'lark' in sys.modules)
"""
VALUE = str(sum(max(2 * i - 5, 0) for i in range(7)))


class Answer(NamedTuple):
    """What a process printed: the value, and whether it needed the parser."""

    value: str
    parsed: str
    errors: str


def start(cache: Path) -> subprocess.Popen[str]:
    env = {**os.environ, "CACHE_DIR": str(cache), "PYTHONFAULTHANDLER": "1"}
    command, pipe = [sys.executable, "-c", PROGRAM], subprocess.PIPE
    return subprocess.Popen(command, env=env, stdout=pipe, stderr=pipe, text=True)


def answer(process: subprocess.Popen[str]) -> Answer:
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 0, (process.returncode, errors)
    value, parsed = out.split()
    return Answer(value, parsed, errors)


@pytest.fixture(scope="module")
def cold(tmp_path_factory) -> tuple[Path, list[Answer]]:
    """A cache that several processes made together, and what they said."""
    folder = tmp_path_factory.mktemp("cache") / "shared"
    return folder, [answer(process) for process in [start(folder) for _ in range(3)]]


def test_a_cold_cache_shared_by_many_processes(cold):
    folder, answers = cold
    assert {(a.value, a.errors) for a in answers} == {(VALUE, "")}
    assert "True" in [a.parsed for a in answers]  # one that begins late finds all
    assert not list(folder.rglob("*.tmp"))


def test_a_warm_cache_needs_no_parser(cold):
    assert answer(start(cold[0])) == Answer(VALUE, "False", "")


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


@pytest.mark.parametrize("seed", [None, 0, 1, 2, 3])
def test_damaged_entries_are_made_again(cold, tmp_path, seed):
    cache = tmp_path / "cache"
    shutil.copytree(cold[0], cache)
    entries = sorted(p for p in cache.rglob("*") if p.is_file())
    contents = [p.read_bytes() for p in entries]
    assert len(entries) > 10
    random = Random(seed or 0)
    hurt = entries if seed is None else random.sample(entries, len(entries) // 3)
    for entry in hurt:  # without a seed, all are truncated
        whole = entry.read_bytes()
        entry.write_bytes(whole[:-7] if seed is None else damaged(whole, contents, random))
    found = answer(start(cache))
    assert found.value == VALUE, (seed, found.errors)
    assert "Traceback" not in found.errors
    assert answer(start(cache)) == Answer(VALUE, "False", "")  # what was made again is whole
