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
    assert result.stdout.endswith(f"{len(golden.files_of(golden.TARGETS))} files changed\n")
    return folder


def test_what_was_put_on_record_is_what_is_made(cli, blessed):
    assert sorted(p.name for p in (blessed / "pad").iterdir()) == sorted(
        golden.files_of(golden.TARGETS)
    )
    result = cli("golden", "pad")
    assert (result.exit_code, result.stdout) == (0, "no differences in 1 program\n")
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
    assert "golden/pad/metal.metal: missing; `--update` makes it" in result.stdout


def test_a_file_that_no_program_makes_is_a_difference(cli, blessed, monkeypatch):
    monkeypatch.setattr(golden, "names", lambda: ["pad"])
    (blessed / "pad/old.c").write_text("")
    result = cli("golden")
    assert result.exit_code == 1 and "golden/pad/old.c: orphan" in result.stdout
    assert cli("golden", "--update", env=NO_CI).stdout == "golden/pad/old.c\n1 file changed\n"
    assert cli("golden").exit_code == 0


def test_update_is_refused_in_ci(cli, folder):
    result = cli("golden", "--update", env={"CI": "true"})
    assert result.exit_code == 2 and "refused while CI is set" in result.stderr
    assert not list(folder.iterdir())


def test_an_unknown_program_is_misuse(cli, folder):
    result = cli("golden", "padd")
    assert result.exit_code == 2 and "no golden program 'padd'" in result.stderr


def test_a_difference_shows_the_work_before_and_now(cli, blessed):
    path = blessed / "pad/schedule.uop"
    path.write_text(golden.texts("softmax")["schedule.uop"])
    result = cli("golden", "pad", "--diff")
    lines = [line.split() for line in result.stdout.splitlines()]
    assert result.exit_code == 1
    rows = {line[1]: line[2:] for line in lines if line[:1] == ["pad"]}
    pad, softmax = (golden.compile_program(name) for name in ("pad", "softmax"))
    kernels = [str(sum(not c.is_copy for c in p.calls)) for p in (softmax, pad)]
    assert rows["kernels"] == kernels and set(rows) == {"kernels", "flops", "bytes"}
    # softmax reads and writes 32 rows of 128 numbers; pad reads 6 of 10 and writes 8 of 12
    assert rows["bytes"] == [str(2 * 32 * 128 * 4), str((6 * 10 + 8 * 12) * 4)]


def test_what_is_not_on_record_has_no_work_before(cli, blessed):
    (blessed / "pad/schedule.uop").unlink()
    said = cli("golden", "pad", "--diff").stdout
    assert [line.split()[2] for line in said.splitlines() if line.startswith("pad ")] == ["-"] * 3
    (blessed / "pad/schedule.uop").write_text("no schedule")
    said = cli("golden", "pad", "--diff").stdout
    assert [line.split()[2] for line in said.splitlines() if line.startswith("pad ")] == ["-"] * 3


def test_no_difference_has_no_table(cli, blessed):
    assert cli("golden", "pad", "--diff").stdout == "no differences in 1 program\n"
    assert "use one of them" in cli("golden", "--diff", "--update", env=NO_CI).stderr


def test_files_of_a_users_folder_stay_and_may_be_long(cli, tmp_path, monkeypatch):
    monkeypatch.setattr(golden, "names", lambda: ["pad"])
    monkeypatch.setattr(golden, "MOST_LINES", 5)
    monkeypatch.chdir(tmp_path)
    kept = ("notes.txt", ".git/HEAD", "src/a.c", "pad/deep/b.c")
    for name in kept:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("mine")
    words = ("golden", "--folder", ".", "--target", "C")
    result = cli(*words, "--update", env=NO_CI)
    assert result.exit_code == 0 and result.stdout.endswith("./pad/c.c\n3 files changed\n")
    (tmp_path / "gone").mkdir()
    for name in ("schedule.uop", "c.c", "cuda.cu"):
        (tmp_path / "gone" / name).write_text("")
    assert cli(*words).stdout.count("orphan") == 2
    said = cli(*words, "--update", env=NO_CI).stdout
    assert said == "./gone/c.c\n./gone/schedule.uop\n2 files changed\n"
    assert {(tmp_path / name).read_text() for name in kept} == {"mine"}
    assert cli(*words).stdout == "no differences in 1 program\n"


def test_targets_that_are_recorded_one_by_one_share_a_folder(cli, tmp_path, monkeypatch):
    monkeypatch.setattr(golden, "names", lambda: ["pad"])
    words = ("golden", "--folder", str(tmp_path), "--target")
    for target in ("C", "METAL"):
        assert cli(*words, target, "--update", env=NO_CI).exit_code == 0
    assert {path.name for path in (tmp_path / "pad").iterdir()} == {
        "schedule.uop", "memory.txt", "c.c", "metal.metal"
    }  # fmt: skip
    assert cli(*words, "C").stdout == cli(*words, "METAL").stdout
    assert cli(*words, "C").stdout == "no differences in 1 program\n"
