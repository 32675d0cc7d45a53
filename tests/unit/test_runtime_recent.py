"""The mapping that keeps what was used last."""

from rulewright.driver.recent import Recent


def test_the_entry_not_used_for_longest_goes():
    kept = Recent(2)
    kept.put("a", 1)
    kept.put("b", 2)
    assert kept.get("a") == 1
    kept.put("c", 3)
    assert ("a" in kept, "b" in kept, "c" in kept) == (True, False, True)
    assert len(kept) == 2
    kept.clear()
    assert kept.get("a") is None
