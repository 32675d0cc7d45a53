"""What tools see of the library: types for a strict checker, names for an editor; imports."""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import rulewright
from rulewright import Tensor

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "tests" / "typed" / "user_program.py"
HEAVY = {
    "numpy", "ml_dtypes", "cffi", "lark", "z3", "rich", "typer", "click", "safetensors",
    "subprocess", "multiprocessing", "asyncio", "email", "http", "tempfile", "unittest",
}  # fmt: skip


def test_a_users_program_passes_a_strict_type_checker(tmp_path):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent",
               "--config-file=", f"--cache-dir={tmp_path}", str(PROGRAM)]  # fmt: skip
    env = {**os.environ, "MYPYPATH": str(Path(rulewright.__file__).parents[1])}
    found = subprocess.run(command, capture_output=True, text=True, env=env, cwd=tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_users_program_runs():
    found = subprocess.run([sys.executable, str(PROGRAM)], capture_output=True, text=True)
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
