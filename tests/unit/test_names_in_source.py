"""No text that a user gives stands in source as it is, and every good name works."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from rulewright import KernelInfo, Tensor, UOp, Variable, dtypes, function, jit
from rulewright.codegen.lower import lower_kernel
from rulewright.errors import FunctionError, RuleError, StageError, UsageError, VariableError
from rulewright.ir.ops import Ops
from rulewright.ir.text import one_line, print_graph, read_graph
from rulewright.render import render
from rulewright.render.target import target

HOSTILE = [
    "n; return; //", "a-b", "a\nb", "a\rb", "a,b", "a b", "", " ", "1a", "a*/b", "/*", "//", "a\\",
    "??/", 'a"b', "a'b", "a{x}", "a(b)", "#define x", "a\x00b", "a\u2028b", "x²", "\ud800", "%s",
    "${x}", "a.b", "a:b", "`ls`", "../../x", "a\tb", "a\x1b[2J",
]  # fmt: skip
GOOD = [
    "int", "data0", "for", "float", "void", "idx0", "alu0", "bufs", "vars", "begin", "end", "main",
    "_", "__", "__LINE_", "var0", "x_", "é", "名", "class", "None", "long", "register", "sqrtf",
    "memcpy", "i0", "return", "kernel", "n" * 300,
]  # fmt: skip
TARGETS = ("C", "OPENCL", "CUDA", "METAL", "WEBGPU")
PLAIN = re.compile("[A-Za-z_][A-Za-z0-9_]*")


def triple(out, x, name=None):
    i = UOp.range(x.shape[0], 0)
    return out.index(i).store(x.index(i) * 3).end(i).sink(info=KernelInfo(name))


def tripled(fxn) -> list:
    x = Tensor([1, 2])
    return Tensor.empty(2, dtype=x.dtype).custom_kernel(x, fxn=fxn)[0].tolist()


def kernel_text(name: str) -> str:
    return (
        'graph g {\n  p = PARAM[0, (4,), none]:f32\n  i = RANGE[0, "loop"](4)\n'
        f"  s = STORE(INDEX(p, i):f32, 1.0:f32)\n  e = END(s, i)\n"
        f'  return SINK[({json.dumps(name)}, "")](e)\n}}\n'
    )


# ---- hostile names are refused where they are made ---------------------------------------------


@pytest.mark.parametrize("name", HOSTILE)
def test_a_variable_is_named_by_an_identifier(name):
    with pytest.raises(VariableError, match="expected a name of letters, digits and _, such as"):
        Variable(name, 1, 5)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_kernel_is_named_by_an_identifier(name):
    with pytest.raises(FunctionError, match="an identifier such as 'triple', or none"):
        tripled(lambda out, x: triple(out, x, name))


@pytest.mark.parametrize("info", [3, "triple", (3, ""), ("a", 3), ("a",), ("a", "", 1)])
def test_a_kernel_is_told_of_by_a_name_and_choices(info):
    with pytest.raises(FunctionError, match="expected as info its name"):
        tripled(lambda out, x: triple(out, x).replace(arg=info))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_graph_is_named_by_what_its_text_takes(name):
    with pytest.raises(UsageError, match="print_graph: expected a name such as `graph`"):
        print_graph(UOp.const(dtypes.i32, 1), name)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("text", ["print", "loose"])
def test_a_graphs_text_names_variables_and_kernels_by_identifiers(name, text):
    quoted = json.dumps(name)
    lines = f"graph g {{\n  var_0 = VAR[{quoted}, 0, 9]:index\n  return var_0\n}}\n"
    loose = f"graph g {{ return VAR[{quoted}, 0, 9] }}"
    with pytest.raises(RuleError, match=r"an identifier|text"):
        read_graph(lines if text == "print" else loose)
    with pytest.raises((RuleError, UsageError), match=r"expected as info its name|no character"):
        lower_kernel(read_graph(kernel_text(name)), "C")


@pytest.mark.parametrize(
    "node",
    [
        'PARAM["0; x", (4,), none]:f32', 'PARAM[0, ("4",), none]:f32', 'LANES["4"]:index',
        'DEFINE_LOCAL["x", 4]:f32', 'DEFINE_REG[0, "4"]:f32', 'RANGE["0", "loop"](4:index):index',
    ],
)  # fmt: skip
def test_text_in_the_printed_form_is_held_to_the_kinds_of_arguments_too(node):
    with pytest.raises(RuleError, match="whole number"):
        read_graph(f"graph g {{\n  node_0 = {node}\n  return node_0\n}}\n")


@pytest.mark.parametrize("name", [*HOSTILE, "g3", "x0", "g0;", "l", "g²"])
def test_a_position_is_one_that_there_is(name):
    position = UOp(Ops.SPECIAL, dtypes.index, (UOp.index_const(4),), name)
    with pytest.raises(StageError, match="SPECIAL is one of g0, g1, g2 and l0, l1, l2"):
        render((position,), target("OPENCL"), "k")


@pytest.mark.parametrize("name", [n for n in HOSTILE if n.strip()])
def test_choices_of_axes_are_choices(name):
    with pytest.raises(UsageError, match="axis choices"):
        (Tensor([1.0, 2.0]) + 1).contiguous(arg=name).realize()


# ---- names of Python functions may be anything, and good names work ----------------------------


@pytest.mark.parametrize("name", [*HOSTILE, "int", "sqrtf", "é"])
def test_the_name_of_a_python_function_stays_out_of_source(name):
    def written(out, x):
        return triple(out, x)

    def doubled(x):
        return (x * 2).realize()

    def added(x):
        return x + x

    for each in (written, doubled, added):
        each.__name__ = each.__qualname__ = name
    assert tripled(written) == [3, 6]
    x = Tensor([1.0, 2.0]).realize()
    step = jit(doubled)
    assert [step(x).tolist() for _ in range(3)] == [[2.0, 4.0]] * 3
    assert function(added)(x).tolist() == [2.0, 4.0]


@pytest.mark.parametrize("name", GOOD)
def test_a_variable_of_any_good_name_works(name):
    n, other = Variable(name, 1, 8), Variable("other", 1, 8)
    x = np.arange(64, dtype=np.float32).reshape(8, 8)
    found = (Tensor(x)[: n.bind(3), : other.bind(2)] + n.bind(3)).numpy()
    assert np.array_equal(found, x[:3, :2] + 3)


@pytest.mark.parametrize("name", [n for n in GOOD if n != "None"])
def test_a_kernel_of_any_good_name_works(name):
    assert tripled(lambda out, x: triple(out, x, name)) == [3, 6]
    assert PLAIN.fullmatch(lower_kernel(read_graph(kernel_text(name)), "C").name)


@pytest.mark.parametrize("on", TARGETS)
@pytest.mark.parametrize("name", [*HOSTILE, *GOOD])
def test_a_renderer_gives_every_kernel_an_identifier_that_is_no_word_of_the_language(on, name):
    made = target(on).kernel_name(name)
    assert PLAIN.fullmatch(made) and target(on).kernel_name(made) == made
    assert made not in ("int", "for", "float", "void", "main", "class", "long", "register")
    assert f" {made}(" in render((), target(on), name) or f"\n{made}(" in render(
        (), target(on), name
    )


@pytest.mark.parametrize("on", TARGETS)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_renderer_numbers_variables_whose_names_are_no_identifiers(on, name):
    variable = UOp(Ops.VAR, dtypes.index, (), (name, 0, 9))
    memory = UOp(Ops.PARAM, dtypes.i64, (), (0, (16,), None))
    place = memory.index(variable)
    source = render((place, place.store(UOp.const(dtypes.i64, 1))), target(on), "k")
    assert len(name) < 3 or name not in source
    assert "var1" in source


@pytest.mark.parametrize("name", ["r_4", "e_16_4", "triple", "blas_4_4_4", "E_1", "k1", "m4"])
@pytest.mark.parametrize("on", TARGETS)
def test_plain_names_of_kernels_are_kept(on, name):
    assert target(on).kernel_name(name) == name


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_in_a_comment_stays_on_its_line(text):
    shown = one_line(text)
    assert len(f"# {shown}".splitlines()) == 1 and shown.isprintable()
    assert read_graph(f"# {shown}\ngraph g {{ return 1:i32 }}") is UOp.const(dtypes.i32, 1)
