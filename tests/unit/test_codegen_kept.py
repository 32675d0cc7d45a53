"""Programs on disk: what is found there, and what is not looked for."""

from dataclasses import replace

import pytest
from codegen_kernels import KERNELS, RULES, elementwise, softmax

from rule_coverage.count import recording
from rulewright import Context, load_rules
from rulewright.codegen import kept
from rulewright.codegen.kept import kept_programs
from rulewright.codegen.lower import lower_kernel
from rulewright.lang import build


def kept_program(kernel, target):
    (program,) = kept_programs([kernel], target)
    return program


@pytest.fixture(autouse=True, scope="module")
def rules():
    """All that lowering needs is loaded, which an empty cache does not hold."""
    for target in ("C", "CUDA"):
        for kernel in KERNELS.values():
            lower_kernel(kernel, target)
    with Context(VERIFY=1), recording():
        lower_kernel(elementwise(7), "C")


@pytest.fixture(autouse=True)
def unverified(rules, empty_cache, verified):
    with Context(VERIFY=0, CACHE=1):
        yield


@pytest.fixture
def lowered(monkeypatch):
    """The targets for which kernels were lowered."""
    found = []

    def lower(ast, target):
        found.append(target)
        return lower_kernel(ast, target)

    monkeypatch.setattr("rulewright.codegen.lower.lower_kernel", lower)
    return found


@pytest.mark.parametrize("name", KERNELS)
def test_what_is_found_is_what_was_lowered(name, lowered):
    kernel = KERNELS[name]
    assert kept_program(kernel, "C") == lower_kernel(kernel, "C")
    assert kept_program(kernel, "C") == replace(lower_kernel(kernel, "C"), uops=())
    assert lowered == ["C"]


def test_another_kernel_or_target_is_not_found(lowered):
    for kernel in (elementwise(8), elementwise(9)):
        for target in ("C", "CUDA"):
            kept_program(kernel, target)
            kept_program(kernel, target)
    assert lowered == ["C", "CUDA", "C", "CUDA"]


def test_kernels_of_a_schedule_are_kept_together(lowered, empty_cache):
    kernels = [elementwise(8), softmax(4, 8)]
    first, again = (list(kept_programs(kernels, "C")) for _ in "ab")
    assert [p.source for p in first] == [p.source for p in again]
    assert lowered == ["C", "C"]
    assert len(list((empty_cache / "programs").iterdir())) == 1
    list(kept_programs(kernels[::-1], "C"))
    assert len(lowered) == 4, "others than these, or these in another order, are not looked for"


def test_each_program_is_there_before_the_next_is_made(lowered):
    programs = kept_programs([elementwise(8), softmax(4, 8)], "C")
    next(programs)
    assert lowered == ["C"]


def test_other_code_finds_nothing(lowered, monkeypatch):
    kept_program(elementwise(8), "C")
    monkeypatch.setattr(kept, "code_key", lambda: "a change of the compiler")
    kept_program(elementwise(8), "C")
    assert lowered == ["C", "C"]


def test_the_key_of_the_code_is_that_of_every_source_and_rule(monkeypatch):
    keys = {build.code_key.__wrapped__()}
    monkeypatch.setattr(build, "spec_key", lambda: "other rules")
    keys.add(build.code_key.__wrapped__())
    monkeypatch.setattr(build, "_MAKERS", ("codegen", "ir"))
    keys.add(build.code_key.__wrapped__())
    assert len(keys) == 3


@pytest.mark.parametrize("option", [{"VERIFY": 1}, {"CACHE": 0}, {"DEBUG": 6}], ids=str)
def test_options_that_ask_for_more_than_the_text_find_nothing(option, lowered):
    kept_program(softmax(4, 8), "C")
    with Context(**option):
        kept_program(softmax(4, 8), "C")
    assert lowered == ["C", "C"]


def test_rules_of_a_user_find_nothing_and_leave_nothing(lowered, tmp_path):
    path = tmp_path / "mine.uop"
    path.write_text(RULES)
    with load_rules(path):
        kept_program(elementwise(8), "C")
    kept_program(elementwise(8), "C")
    with load_rules(path):
        kept_program(elementwise(8), "C")
    assert lowered == ["C", "C", "C"]


def test_rules_that_are_counted_are_asked(lowered):
    kept_program(elementwise(8), "C")
    with recording():
        kept_program(elementwise(8), "C")
    assert lowered == ["C", "C"]


def test_a_damaged_entry_is_made_again(lowered, empty_cache):
    made = kept_program(elementwise(8), "C")
    (entry,) = (empty_cache / "programs").iterdir()
    entry.write_bytes(entry.read_bytes()[:-60])
    assert kept_program(elementwise(8), "C") == made
    assert lowered == ["C", "C"]
