"""Devices of other packages: `tests/outside`, installed, and packages that are broken."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from outside_tools import OUTSIDE, fake, install, run

from rulewright.errors import ArgumentError, DeviceError
from rulewright.lang.beside import beside_files
from rulewright.runtime.device import Device, _Devices

pytestmark = pytest.mark.timeout(60)  # processes of their own, whose caches may be cold

GRAPH = """graph roots {
  x = PARAM[0, (5,), none]:f32
  return SQRT(x * 2.0:f32):f32
}
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A folder with the package of the device C99."""
    return install("c99", tmp_path_factory.mktemp("outside") / "site")


RUNS = """
import numpy as np
from rulewright import Context, Device, GlobalCounters, Tensor, jit
from rulewright.lang.beside import beside_files

assert not beside_files(), "nothing of a package is loaded before it is asked for"
rng = np.random.default_rng(0)
with Context(DEVICE="c99:1", VERIFY=1):
    x, w = (rng.standard_normal(s).astype(np.float32) for s in ((9, 33), (33, 7)))
    a, b = Tensor(x, requires_grad=True), Tensor(w)
    y = (a @ b).tanh()
    np.testing.assert_allclose(y.numpy(), np.tanh(x @ w), rtol=2e-5, atol=2e-6)
    y.sum().backward()
    want = (1 - np.tanh(x @ w) ** 2) @ w.T
    np.testing.assert_allclose(a.grad.numpy(), want, rtol=2e-4, atol=2e-5)
    half = Tensor(x).half().softmax(1).float().numpy()
    exact = np.exp(x.astype(np.float16).astype(np.float64))
    np.testing.assert_allclose(half, exact / exact.sum(1, keepdims=True), atol=2e-3)
    step = jit(lambda t: (t * 2 + 1).relu())
    for i in range(4):
        np.testing.assert_array_equal(step(Tensor(x + i)).numpy(), np.maximum((x + i) * 2 + 1, 0))
    left = Tensor(x)[:, :32].contiguous()
    pairs = Tensor.stack(left, left * 2, dim=-1)  # in turns: vectors, where there are any
    np.testing.assert_array_equal(pairs.numpy(), np.stack([x, x * 2], -1)[:, :32])
    ranks = Tensor(np.arange(36) * 7 % 5)  # gcc 12.2 clears its counters beyond what is there
    assert ranks.unique().tolist() == [0, 1, 2, 3, 4]
    assert y.device == "C99:1" and Device["C99:1"].target == "C99"
    [kernel] = Tensor(x).sqrt().schedule()
    print(kernel.lower().source)
assert set(GlobalCounters.kernels_on) == {"C99:1"}, GlobalCounters.kernels_on
"""


def test_a_device_of_another_package_computes(site):
    source = run(site, code=RUNS)
    assert "#include <math.h>" in source and "sqrtf(" in source and "vector_size" not in source


def test_the_command_line_compiles_for_it(site, tmp_path):
    graph = tmp_path / "roots.uop"
    graph.write_text(GRAPH)
    compiled = run(site, "compile", str(graph), "--device", "C99")
    assert "#include <math.h>" in compiled and "sqrtf(data1[v0] * 2.0f)" in compiled


def test_its_sources_are_on_record_in_a_folder_of_ones_own(site, tmp_path):
    own = ("golden", "--folder", str(tmp_path / "kept"), "--target", "C99")
    said = run(site, *own, "--update", "pad", CI="")
    assert said.endswith("kept/pad/c99.c\n3 files changed\n")
    assert "#include" in (tmp_path / "kept/pad/c99.c").read_text()
    assert run(site, *own, "pad").endswith("no differences in 1 program\n")
    (tmp_path / "kept/pad/c99.c").write_text("")
    assert "kept/pad/c99.c: changed" in run(site, *own, "pad", fails="1")


def test_a_target_needs_no_device(cli, tmp_path):
    (tmp_path / "roots.uop").write_text(GRAPH)
    file = OUTSIDE / "c99/rulewright_c99/c99.uop"
    text = run(tmp_path / "site", "compile", str(tmp_path / "roots.uop"), "--spec", str(file),
               "--target", "C99")  # fmt: skip
    assert "#include <math.h>" in text and "sqrtf(" in text
    result = cli("compile", tmp_path / "roots.uop", "--target", "C98")
    assert result.exit_code == 2 and "no target 'C98' in spec" in result.stderr
    result = cli("compile", tmp_path / "roots.uop", "--target", "Clike")
    assert result.exit_code == 2 and "'Clike' has no `text kernel`" in result.stderr
    result = cli("golden", "--target", "C")
    assert result.exit_code == 2 and "--target needs --folder" in result.stderr
    result = cli("golden", "--target", "D", "--folder", tmp_path)
    assert result.exit_code == 2 and "no target 'D'" in result.stderr


SHOWS = """
import sys
from rulewright import Context, Tensor
with Context(DEVICE="C99"):
    print(Tensor([4.0]).sqrt().tolist())
    print((Tensor([4.0, 9.0]) * 3).tolist())
"""


def test_another_text_of_a_target_is_another_target(tmp_path):
    site = install("c99", tmp_path / "site")
    assert run(site, code=SHOWS) == "[2.0]\n[12.0, 27.0]\n"
    file = site / "rulewright_c99/c99.uop"
    file.write_text(file.read_text().replace('"sqrtf({x})"', '"-sqrtf({x})"'))
    assert run(site, code=SHOWS) == "[-2.0]\n[12.0, 27.0]\n"
    file.write_text(file.read_text().replace('"-sqrtf({x})"', '"sqrtf({x})"'))
    assert run(site, code=SHOWS) == "[2.0]\n[12.0, 27.0]\n"


# ---- packages that are broken --------------------------------------------------------------------

CLASS = """
from pathlib import Path
from rulewright.runtime.c import CDevice
class Mine(CDevice):
    target_name = "MINE"
    spec = [Path(__file__).with_name("{file}")]
"""

ANY = "from rulewright.runtime.c import CDevice\nclass Mine(CDevice):\n    target_name = 'C_SSE'\n"

BROKEN = {
    "nowhere": ("NOWHERE = nowhere:Mine", {"nowhere.py": ANY.replace("C_SSE", "ELSEWHERE")},
                "'NOWHERE' of nowhere 2.0: no target 'ELSEWHERE' in spec/80-targets"),
    "no-tuple": ("COMMA = comma:Mine", {"comma.py": ANY + "    spec = 'mine.uop'"},
                 "'COMMA' of no-tuple 2.0: `spec` is 'mine.uop', expected a tuple of paths"),
    "one-extern": ("EXTERN = one:Mine", {"one.py": ANY + "    externs = 'pkg.mod'"},
                   "`externs` is 'pkg.mod', expected a tuple of names of modules"),
    "no-module": ("GONE = no_such_module:Mine", {}, "'GONE' of no-module 2.0: no_such_module:Mine "
                  "cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"),
    "raises": ("LOUD = loud:Mine", {"loud.py": "1 / 0"},
               "'LOUD' of raises 2.0: loud:Mine cannot be imported: ZeroDivisionError"),
    "ends": ("ENDS = ends:Mine", {"ends.py": "raise SystemExit('no card')"},
             "'ENDS' of ends 2.0: ends:Mine cannot be imported: SystemExit: no card"),
    "no-class": ("THING = thing:Mine", {"thing.py": "Mine = 3"},
                 "'THING' of no-class 2.0: thing:Mine is 3, expected a class that extends Comp"),
    "half": ("HALF = half:Mine", {"half.py": "from rulewright.runtime.device import "
             "CompilingDevice\nclass Mine(CompilingDevice): pass"},
             "'HALF' of half 2.0: Mine does not define allocator, compile, runtime"),
    "no-file": ("FILELESS = fileless:Mine", {"fileless.py": CLASS.format(file="gone.uop")},
                "'FILELESS' of no-file 2.0: load_spec: cannot read"),
    "wrong-target": ("WRONG = wrong:Mine", {"wrong.py": CLASS.format(file="wrong.uop"),
                     "wrong.uop": 'target MINE extends Clike { spell ADDD = "" }'},
                     "unknown op `ADDD`"),
    "older": ("OLDER = older:Mine", {"older.py": CLASS.format(file="older.uop"),
              "older.uop": "target MINE extends Clike { lower simple_lowering }"},
              "unknown ruleset `simple_lowering`"),
    "no-target": ("BLANK = blank:Mine", {"blank.py": CLASS.format(file="blank.uop"),
                  "blank.uop": "graph g { return 1:i32 }"},
                  "expected ops, targets or rulesets, found none"),
    "odd-name": ("my-device = rulewright.runtime.interp:InterpreterDevice", {},
                 "a device's name is of letters, digits and _"),
    "twin-one": ("TWIN = rulewright.runtime.interp:InterpreterDevice", {},
                 "'TWIN' of twin-one 2.0 and twin-two 2.0: several packages have a device"),
    "twin-two": ("TWIN = rulewright.runtime.interp:InterpreterDevice", {}, "uninstall all but one"),
}  # fmt: skip


@pytest.fixture
def broken(tmp_path, monkeypatch) -> _Devices:
    """A registry that finds the broken packages, and one that is well."""
    for package, (points, files, _) in BROKEN.items():
        fake(tmp_path, package, points, files)
    fake(tmp_path, "clash", "C = rulewright.runtime.interp:InterpreterDevice", {})
    fake(tmp_path, "well", "WELL = rulewright.runtime.interp:InterpreterDevice", {})
    monkeypatch.syspath_prepend(tmp_path)
    return _Devices()


@pytest.mark.parametrize("package", BROKEN)
def test_a_broken_package_is_one_message_that_names_it(broken, package):
    points, _, message = BROKEN[package]
    name = points.partition(" ")[0].upper()
    loaded = beside_files()
    with pytest.raises(DeviceError) as error:
        broken[name]
    assert message in str(error.value) and f"{package} 2.0" in str(error.value)
    assert message in (broken.why_not(name) or "")
    assert beside_files() == loaded, "what is wrong leaves nothing behind"


NO_TEXT = (
    ANY
    + """
    @classmethod
    def why_not(cls):
        return 3
"""
)


def test_what_methods_give_is_looked_at(tmp_path, monkeypatch):
    fake(tmp_path, "odd", "ODD = odd:Mine", {"odd.py": NO_TEXT})
    monkeypatch.syspath_prepend(tmp_path)
    said = run(tmp_path, "devices")
    assert "device 'ODD' of odd 2.0: TypeError: why_not() gives 3, expected text or None" in said


ADDS = """
import sys
from rulewright import Tensor
try:
    (Tensor([1.0], device='ODD') + 1).realize()
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize(
    ("method", "says"),
    [
        ("runtime(self, program): return None",
         "runtime() for e_1 of ODD gives None, expected a Runtime, which has `bind`"),
        ("compile_many(self, units): return [[] for _ in units]",
         "compile() or compile_many() of ODD gives [[]], expected lists of a Program for each "
         "kernel of [['e_1']]"),
        ("compile_many(self, units): return None",
         "compile() or compile_many() of ODD gives None, expected lists of a Program for each "
         "kernel of [['e_1']]"),
        ("allocator(self): return None",
         "allocator of ODD gives None, expected a CachingAllocator"),
        ("runtime(self, program): return type('R', (), {'bind': lambda *_: None})()",
         "bind() for e_1 of ODD gives None, expected a Launch"),
    ],
)  # fmt: skip
def test_what_methods_of_a_device_give_is_looked_at_when_it_runs(tmp_path, method, says):
    as_property = "    @property\n" if method.startswith("allocator") else ""
    fake(tmp_path, "odd", "ODD = odd:Mine", {"odd.py": f"{ANY}{as_property}    def {method}\n"})
    said = run(tmp_path, code=ADDS).strip().replace("realize: ", "")
    assert said == f"DeviceError {says}"


@pytest.mark.parametrize("name", ["C", "CUDA_EMULATED"])
def test_a_runtime_is_of_a_program(name):
    with pytest.raises(ArgumentError, match=f"expected a Program, as compile.. of {name} gives"):
        Device[name].runtime(3)


REFUSES = """
from rulewright.runtime.interp import InterpreterDevice
class Mine(InterpreterDevice):
    def __init__(self, name):
        raise {error}
"""


@pytest.mark.parametrize("error", ["OSError('no card')", "SystemExit('no card')", "KeyError(3)"])
def test_a_device_that_cannot_be_made_names_its_package(tmp_path, monkeypatch, error):
    fake(tmp_path, "slots", "SLOTS = slots:Mine", {"slots.py": REFUSES.format(error=error)})
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "slots", raising=False)
    devices = _Devices()
    for name in ("SLOTS", "slots:1"):
        with pytest.raises(DeviceError, match=r"'SLOTS' of slots 2.0: \w+: ") as raised:
            devices[name]
        assert str(raised.value).endswith(error.partition("(")[2].strip("')"))
    assert devices["INTERP"].name == "INTERP"


def test_broken_packages_break_no_other_device(broken):
    assert broken["WELL:1"].name == "WELL:1" and broken.why_not("WELL") is None
    assert broken.device_class("C").__name__ == "CDevice"
    assert broken.plugins["C"].clash.startswith("the name is that of a device of Rulewright")
    assert list(broken)[:2] == ["C", "INTERP"] and list(broken).count("C") == 1
    with pytest.raises(DeviceError, match=r"unknown device 'WELLL'. Did you mean 'WELL'"):
        broken.canonical("WELLL")


def test_the_list_of_devices_says_what_is_broken(broken, cli, monkeypatch):
    monkeypatch.setattr("rulewright.runtime.device.Device", broken)
    result = cli("devices", env={"COLUMNS": "400"})
    assert result.exit_code == 0, result.output
    text = result.stdout
    for package in (*BROKEN, "clash"):
        assert f"of {package} 2.0" in text or f"and {package} 2.0" in text, package
    assert "default device  C" in text


REGISTERS = """
from rulewright import Device, GlobalCounters, Tensor
from rulewright_c99 import C99Device
Device.register("mine", C99Device)
Device.register("LATE", "rulewright_c99:C99Device")
for name in ("MINE", "LATE:1"):
    x = Tensor([[4.0, 9.0]], device=name)
    print((x.sqrt() @ x.T).tolist(), Device[name].target)
print(sorted(GlobalCounters.kernels_on))
for name, device in (("NUMBER", 3), ("HALF", __import__("abc").ABC), (3, C99Device)):
    try:
        Device.register(name, device)
        Tensor([1.0], device=name)
    except Exception as error:
        print(type(error).__name__, error)
"""


def test_a_class_that_is_registered_brings_its_files(site):
    """Without a package, as one begins."""
    said = run(site, code=REGISTERS)
    rows = "[[35.0]] C99\n" * 2 + "['LATE:1', 'MINE']\n"
    class_wanted = "expected a class that extends CompilingDevice\n"
    assert said == (
        f"{rows}DeviceError device 'NUMBER' is 3, {class_wanted}"
        f"DeviceError device 'HALF' is <class 'abc.ABC'>, {class_wanted}"
        "ArgumentError register: expected the name of a device, such as 'C99', found 3 of type "
        "int\n"
    )
