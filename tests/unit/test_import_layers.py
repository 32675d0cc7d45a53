"""The modules of the core import each other in no cycle, imports inside of functions included."""

import ast

import pytest

from draw_layers import SOURCE, imported, reached


def modules(package):
    """Each module of a package, and those of it that the module imports where it is run."""
    names = {
        ".".join(("rulewright", *path.relative_to(SOURCE).with_suffix("").parts)): path
        for path in sorted((SOURCE / package).glob("*.py"))
        if path.name != "__init__.py"
    }
    return {
        name: {other for other in imported(ast.parse(path.read_text())) if other in names}
        for name, path in names.items()
    }


def cycles(graph):
    """The modules that reach themselves."""
    return [name for name in graph if name in reached(graph, name)]


def test_a_circle_is_found_however_long_it_is():
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == ["a", "b", "c"]
    assert cycles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_imports_inside_of_functions_count():
    body = "def f():\n    from rulewright.ir import text\n"
    assert "rulewright.ir.text" in imported(ast.parse(body))


def test_no_module_of_graphs_text_and_rules_imports_one_that_needs_it():
    graph = modules("ir")
    assert "rulewright.ir.derived" in graph["rulewright.ir.uop"]
    assert cycles(graph) == []


@pytest.mark.parametrize("package", ["checks", "driver", "interp", "lang"])
def test_no_module_imports_one_that_needs_it(package):
    assert cycles(modules(package)) == []
