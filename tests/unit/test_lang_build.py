"""What is made from the spec and kept: the table, matchers; on disk, by content, for everyone."""

from __future__ import annotations

import marshal

import pytest

from rulewright.errors import RuleError
from rulewright.lang import build


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
