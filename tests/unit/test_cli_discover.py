"""`rulewright discover`."""

import pytest

FOLDING = ("folding", "--ops", "AND OR", "--dtype", "u8", "--size", "1", "--constants", "")
SMALL = ("--program", "elementwise", "--target", "C", "--variables", "1")


def test_what_is_printed_passes_check_and_prove(cli, tmp_path):
    result = cli("discover", *FOLDING, *SMALL)
    assert result.exit_code == 0, result.output
    assert result.stdout.count("rule ") == 2 and "x:T & x => x" in result.stdout
    path = tmp_path / "found.uop"
    path.write_text(result.stdout)
    assert cli("check", path).exit_code == 0
    assert cli("fmt", "--check", path).exit_code == 0
    proved = cli("prove", "--jobs", "1", path)
    assert proved.exit_code == 0 and "2 proved" in proved.stdout
    assert cli("discover", *FOLDING, *SMALL).stdout == result.stdout


def test_where_nothing_is_missing_the_status_says_so(cli):
    result = cli("discover", "boolean", *FOLDING[1:], *SMALL)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "0 rules" in result.stderr


def test_what_was_left_out_for_want_of_terms_is_said(cli):
    result = cli("discover", *FOLDING, *SMALL, "--terms", "1")
    assert "1 terms, " in result.stderr and "stopped at --terms 1" in result.stderr


@pytest.mark.timeout(60)  # lowers a program, and proves a rule for all dtypes
def test_terms_that_stand_in_programs(cli):
    asked = ("discover", "folding", "--standing", "--ops", "MUL ADD NEG SUB", "--rules", "1")
    result = cli(*asked, "--program", "integer", "--target", "C", "--size", "2")
    assert result.exit_code == (0 if result.stdout else 1)
    assert "terms, " in result.stderr
