"""`rulewright golden`, over a folder of its own."""

import pytest

from rulewright.verify import golden

NO_CI = {"CI": ""}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(golden, "golden_dir", lambda: tmp_path)
    return tmp_path


@pytest.fixture
def blessed(cli, folder):
    """The folder with one program on record."""
    result = cli("golden", "--update", "pad", env=NO_CI)
    assert result.exit_code == 0, result.output
    assert result.stdout.endswith(f"{len(golden.FILES)} files changed\n")
    return folder


def test_what_was_put_on_record_is_what_is_made(cli, blessed):
    assert sorted(p.name for p in (blessed / "pad").iterdir()) == sorted(golden.FILES)
    result = cli("golden", "pad")
    assert (result.exit_code, result.stdout) == (0, "no differences in 1 programs\n")
    assert cli("golden", "--update", "pad", env=NO_CI).stdout == "0 files changed\n"


def test_a_changed_source_shows_its_difference(cli, blessed):
    path = blessed / "pad/c.c"
    path.write_text(path.read_text() + "// by hand\n")
    result = cli("golden", "pad")
    assert result.exit_code == 1
    assert result.stdout.startswith("golden/pad/c.c: changed\n") and "-// by hand" in result.stdout


def test_a_missing_file_is_a_difference(cli, blessed):
    (blessed / "pad/metal.metal").unlink()
    result = cli("golden", "pad")
    assert result.exit_code == 1
    assert "golden/pad/metal.metal: missing; make it with" in result.stdout


def test_a_file_that_no_program_makes_is_a_difference(cli, blessed, monkeypatch):
    monkeypatch.setattr(golden, "names", lambda: ["pad"])
    (blessed / "pad/old.c").write_text("")
    result = cli("golden")
    assert result.exit_code == 1 and "golden/pad/old.c: orphan" in result.stdout
    assert cli("golden", "--update", env=NO_CI).stdout == "golden/pad/old.c\n1 files changed\n"
    assert cli("golden").exit_code == 0


def test_update_is_refused_in_ci(cli, folder):
    result = cli("golden", "--update", env={"CI": "true"})
    assert result.exit_code == 2 and "refused while CI is set" in result.stderr
    assert not list(folder.iterdir())


def test_an_unknown_program_is_misuse(cli, folder):
    result = cli("golden", "padd")
    assert result.exit_code == 2 and "no golden program 'padd'" in result.stderr
