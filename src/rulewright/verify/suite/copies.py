"""Copies between memories and devices, and parts of memories that begin at odd bytes."""

from __future__ import annotations

from rulewright.verify.suite.program import SuiteProgram

_KINDS = ("u8", "f16", "f32", "i64", "bool")
_VIEW = "a = draw(2 * n + 9)"

_ROWS = (
    ("to memory and back", "a = draw(n, 3)", "result = put(a)", "wanted = a"),
    ("to the interpreter", "a = draw(n, 3)", "result = (put(a) * 1).to('INTERP')", "wanted = a"),
    ("from the interpreter", "a = draw(n, 3)", "result = put(a, 'INTERP').to(device) * 1",
     "wanted = a"),
    ("there and back", "a = draw(n, 3)", "result = put(a).to('INTERP').to(device) * 1",
     "wanted = a"),
    ("to the device's second", "a = draw(n, 3)",
     "second = device.split(':')[0] + ':1'\ntry: Device[second]\n"
     "except Exception: second = device  # it has one alone\n"
     "result = (put(a).to(second) * 1).to(device) * 1", "wanted = a"),
    ("computed on two", "a, b = draw(n), draw(n)",
     "result = put(a).clone().to('INTERP') + put(b).clone().to('INTERP')", "wanted = a + b"),
    ("part from an odd place", _VIEW, "result = put(a)[1 : n + 1] * 1", "wanted = a[1 : n + 1]"),
    ("part copied", _VIEW, "result = put(a)[3 : n + 3].clone()", "wanted = a[3 : n + 3]"),
    ("part sent", _VIEW, "result = put(a)[5 : n + 5].to('INTERP')", "wanted = a[5 : n + 5]"),
    ("part of a part", _VIEW, "result = put(a)[1:][2:][: n] * 1", "wanted = a[3 : n + 3]"),
    ("part written", _VIEW, "t = put(a).clone(); t[1 : n + 1] = put(a)[n : 2 * n]; result = t",
     "wanted = a.copy(); wanted[1 : n + 1] = a[n : 2 * n]"),
    ("part written from memory", _VIEW,
     "t = put(a).clone(); t[3 : n + 3].assign(put(a[:n], 'INTERP').to(device)); result = t",
     "wanted = a.copy(); wanted[3 : n + 3] = a[:n]"),
    ("part written in place", _VIEW,
     "t = put(a).clone(); v = t[1 : n + 1]; v.assign(v.flip(0)); result = [t, v]",
     "w = a.copy(); w[1 : n + 1] = a[1 : n + 1][::-1]; wanted = [w, w[1 : n + 1]]"),
    ("two parts that overlap", _VIEW, "t = put(a); result = t[1 : n + 1] | t[2 : n + 2] "
     "if not kind.is_float else t[1 : n + 1] + t[2 : n + 2]",
     "wanted = a[1 : n + 1] | a[2 : n + 2] if not kind.is_float else a[1 : n + 1] + a[2 : n + 2]"),
    ("every second", _VIEW, "result = put(a)[1::2].clone()", "wanted = a[1::2]"),
    ("rows of odd length", "a = draw(5, n)", "result = put(a)[1:4, n // 2 :].contiguous()",
     "wanted = a[1:4, n // 2 :]"),
)  # fmt: skip

_BYTES = (
    ("bytes as longer numbers, at an odd place", "a = np.arange(4 * n + 4, dtype='u1')",
     "result = put(a)[1 : 4 * n + 1].bitcast('u32') + 0",
     "wanted = np.frombuffer(a[1 : 4 * n + 1].tobytes(), 'u4')"),
    ("bytes as floats, at an odd place", "a = np.arange(4 * n + 4, dtype='u1')",
     "result = put(a)[3 : 4 * n + 3].bitcast('f32') * 1",
     "wanted = np.frombuffer(a[3 : 4 * n + 3].tobytes(), 'f4') * np.float32(1)"),
    ("numbers as bytes, from the middle", "a = np.arange(n + 2, dtype='u4') * 77777777",
     "result = put(a)[1:].bitcast('u8')[1:] + 0", "wanted = a[1:].view('u1')[1:] + 0"),
)  # fmt: skip

ROWS = [
    *(SuiteProgram(*row, _KINDS, (1, 7, 70)) for row in _ROWS),
    *(SuiteProgram(*row, ("u8",), (1, 7, 70)) for row in _BYTES),
]
