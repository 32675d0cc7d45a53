"""What tools see of the library: types for a strict checker, names for an editor; imports."""

import inspect
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import rulewright
from rulewright import Tensor
from rulewright.errors import UsageError
from rulewright.tensor.members import Members
from rulewright.tensor.metadata import metadata_of

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted((ROOT / "tests" / "typed").glob("*.py"))
HEAVY = {
    "numpy", "ml_dtypes", "cffi", "lark", "z3", "rich", "typer", "click", "safetensors",
    "subprocess", "multiprocessing", "asyncio", "email", "http", "tempfile", "unittest",
}  # fmt: skip


def test_users_programs_pass_a_strict_type_checker(tmp_path):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent",
               "--config-file=", f"--cache-dir={tmp_path}", *map(str, PROGRAMS)]  # fmt: skip
    env = {**os.environ, "MYPYPATH": str(Path(rulewright.__file__).parents[1])}
    found = subprocess.run(command, capture_output=True, text=True, env=env, cwd=tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_users_program_runs(program):
    found = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr


def test_the_package_says_that_it_is_typed():
    assert (Path(rulewright.__file__).parent / "py.typed").is_file()


def public(kind):
    return [name for name in dir(kind) if not name.startswith("_")]


def test_an_editor_finds_name_signature_and_documentation():
    for name in public(Tensor):
        member = inspect.getattr_static(Tensor, name)
        if isinstance(member, property):
            assert inspect.getdoc(member), name
        elif callable(getattr(Tensor, name)):
            method = getattr(Tensor, name)
            assert inspect.getdoc(method), name
            for parameter in inspect.signature(method).parameters.values():
                typed = parameter.annotation is not inspect.Parameter.empty
                assert typed or parameter.name == "self", f"{name}({parameter.name}) has no type"


def test_no_mixin_of_tensor_derives_from_another_or_defines_what_another_does():
    assert {mixin.__bases__ for mixin in Tensor.__bases__} == {(Members,)}
    defined = Counter(
        name for mixin in Tensor.__bases__ for name in vars(mixin) if not name.endswith("__")
    )
    assert len(defined) > 300 and set(defined.values()) == {1}


def test_an_alias_is_told_by_its_own_name():
    with pytest.raises(UsageError, match=r"^clamp: "):
        Tensor([1.0]).clamp()
    clamped = Tensor([3.0]).realize().clamp(0, 1)
    assert metadata_of(clamped.uop).method == Tensor.clamp.__name__ == "clamp"


@pytest.mark.parametrize("name", ["rsqrt", "sigmoid", "softmax", "gelu", "clamp", "square"])
def test_a_node_is_of_the_method_that_the_user_called(name):
    for kind in ("f32", "f16", "i32"):
        x = Tensor([1, 2, 3], dtype=kind)
        value = x.clamp(0, 1) if name == "clamp" else getattr(x, name)()
        assert metadata_of(value.uop).method == name


def test_importing_tensor_imports_nothing_heavy():
    code = f"""
import sys
before = set(sys.modules)
from rulewright import Tensor
new = {{m.partition('.')[0] for m in set(sys.modules) - before}}
print(sorted(new & {HEAVY}))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout.strip() == "[]", found.stdout + found.stderr
