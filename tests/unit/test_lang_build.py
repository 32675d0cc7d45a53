"""What is made from the spec and kept: the table, matchers; on disk, by content, for everyone."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys

import pytest

from rulewright.errors import RuleError
from rulewright.lang import build

ASK = """
from rulewright.lang.build import load_table, load_matcher, spec_key
table = load_table()
matcher = load_matcher("folding")
print(spec_key(), len(table["ops"]), len(matcher.MATCH))
"""


ASK_TABLE = "from rulewright.lang.build import load_table; print(load_table()['ops'][0])"


def run(code: str, cache: object) -> subprocess.Popen[str]:
    env = {**os.environ, "CACHE_DIR": str(cache)}
    command, pipe = [sys.executable, "-c", code], subprocess.PIPE
    return subprocess.Popen(command, env=env, stdout=pipe, stderr=pipe, text=True)


def test_table_has_what_was_written():
    table = build.load_table()
    add = next(row for row in table["ops"] if row["name"] == "ADD")
    assert add["params"] == [("a", "T", False), ("b", "T", False)]
    assert add["flags"] == ["commutative", "associative"]
    assert (add["infix"], add["identity"], add["result"]) == ("+", "0", "T")
    assert add["file"] == "spec/20-ops.uop"
    assert table["dtype_sets"]["Bits"][:4] == ["bool", "u8", "u16", "u32"]
    assert table["promote"]["bool"] == ["i8", "u8"]
    assert table["groups"]["Ternary"] == ["WHERE", "MULACC"]


def test_infix_signs_come_from_the_op_table():
    assert build.infix_ops()["//"] == ("FLOORDIV", False)
    assert build.infix_ops()[">"] == ("CMPLT", True)
    assert build.prefix_ops() == {"-": "NEG", "~": "NOT"}


def test_a_warm_cache_needs_no_parser(tmp_path):
    code = ASK + "import sys; print('lark' in sys.modules)"
    for expected in ("True", "False"):  # the first process builds, the second finds
        process = run(code, tmp_path / "cache")
        out, err = process.communicate()
        assert out.splitlines()[-1] == expected, err


def test_a_cold_cache_shared_by_many_processes(tmp_path):
    processes = [run(ASK, tmp_path / "cache") for _ in range(3)]
    answers = [p.communicate() for p in processes]
    assert [p.returncode for p in processes] == [0] * 3, answers
    assert len({out for out, _ in answers}) == 1
    assert all(not err for _, err in answers)
    assert not list((tmp_path / "cache").rglob("*.tmp"))


def test_a_truncated_entry_is_made_again(tmp_path):
    first = run(ASK_TABLE, tmp_path / "cache").communicate()
    for path in (tmp_path / "cache").rglob("*.bin"):
        path.write_bytes(path.read_bytes()[:-7])
    assert first[0] and run(ASK_TABLE, tmp_path / "cache").communicate() == first


def test_the_key_follows_content(tmp_path, monkeypatch):
    (tmp_path / "a.uop").write_text("group Some = { ADD }\n")
    (tmp_path / "uop.lark").write_text("")
    monkeypatch.setattr(build, "spec_dir", lambda: tmp_path)
    before = build.content_key.__wrapped__()
    assert build.content_key.__wrapped__() == before
    (tmp_path / "a.uop").write_text("group Some = { MUL }\n")
    assert build.content_key.__wrapped__() != before


def test_a_wheel_carries_what_is_generated(tmp_path, monkeypatch):
    build.write_generated(tmp_path)
    assert marshal.loads((tmp_path / "table.bin").read_bytes()) == build.load_table()
    monkeypatch.setattr(build, "_GENERATED", tmp_path)
    monkeypatch.setattr(build, "DiskCache", None)  # nothing may ask for it
    assert build.load_table.__wrapped__() == build.load_table()
    for name in build.load_table()["rulesets"]:
        assert build.load_matcher.__wrapped__(name).MATCH.keys()
    (tmp_path / "content.txt").write_text("of another spec")
    assert build._carried() is None


@pytest.mark.parametrize(
    "load, word", [(build.load_matcher, "ruleset"), (build.load_stage, "stage")]
)
def test_unknown_names(load, word):
    with pytest.raises(RuleError, match=f"unknown {word}"):
        load("no_such_thing")
