"""Draw the packages of `src/rulewright` in layers, from what their modules import.

    python tools/draw_layers.py guide/layers.svg

Every import counts that is ever run, also inside of functions; those for type checkers alone do
not. Packages that import each other share a box, and the files beside the packages are one box. A
package stands one layer above the highest that it imports.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "rulewright"
FILES = "errors, options, paths …"
"""What the picture calls the files that stand beside the packages."""

Graph = dict[str, set[str]]
WIDTH, HEIGHT, GAP, ROW = 118, 34, 20, 76


def imported(node: ast.AST) -> Iterator[str]:
    """The names of modules of ours that code imports where it is run."""
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    if isinstance(node, ast.Import):
        yield from (a.name for a in node.names if a.name.startswith("rulewright."))
    elif isinstance(node, ast.ImportFrom) and node.module == "rulewright":
        yield from (HOMES.get(a.name, f"rulewright.{a.name}") for a in node.names)
    elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rulewright."):
        module = node.module or ""
        if (SOURCE / Path(*module.split(".")[1:])).is_dir():
            yield from (f"{module}.{a.name}" for a in node.names)
        else:
            yield module
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):  # no expression holds a statement
            yield from imported(child)


def _homes() -> dict[str, str]:
    """Where the names that the package itself offers are defined, as its first file says."""
    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    (value,) = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_HOMES"
    ]
    homes: dict[str, str] = ast.literal_eval(value)
    return homes


HOMES = _homes()


def package(parts: tuple[str, ...]) -> str:
    """The box of a module, by its path below the source."""
    return parts[0] if (SOURCE / parts[0]).is_dir() else FILES


def imports() -> Graph:
    """Each package, and those that its modules import."""
    graph: Graph = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).parts
        if "_generated" in parts or parts in (("__init__.py",), ("__main__.py",)):
            continue
        own = graph.setdefault(package(parts), set())
        for name in imported(ast.parse(path.read_text(encoding="utf-8"))):
            other = package(tuple(name.split(".")[1:]))
            own |= {other} - {package(parts)}
    return graph


def reached(graph: Graph, start: str) -> set[str]:
    """All that a package imports, and what those import."""
    below: set[str] = set()
    stack = [start]
    while stack:
        new = graph[stack.pop()] - below
        below |= new
        stack += new
    return below


def joined(graph: Graph) -> Graph:
    """The graph with packages that import each other as one node, named by all of them."""
    below = {name: reached(graph, name) for name in graph}
    alike = {n: sorted({n} | {m for m in below[n] if n in below[m]}) for n in graph}
    names = {name: ", ".join(group) for name, group in alike.items()}
    nodes: Graph = {names[n]: set() for n in graph}
    for name, others in graph.items():
        nodes[names[name]] |= {names[o] for o in others} - {names[name]}
    return nodes


def without_shortcuts(graph: Graph) -> Graph:
    """Only the lines that no longer way stands for."""
    return {
        name: {o for o in others if not any(o in reached(graph, m) for m in others - {o})}
        for name, others in graph.items()
    }


def layers(graph: Graph) -> list[list[str]]:
    """Names from the lowest layer to the highest, sorted in each."""
    height: dict[str, int] = {}

    def high(name: str) -> int:
        if name not in height:
            height[name] = 1 + max((high(other) for other in graph[name]), default=-1)
        return height[name]

    rows: list[list[str]] = [[] for _ in range(1 + max(map(high, graph)))]
    for name in sorted(graph):
        rows[height[name]].append(name)
    return rows


def drawn(graph: Graph) -> str:
    """The picture, as SVG."""
    rows = layers(graph)[::-1]
    across = max(len(row) for row in rows) * (WIDTH + GAP) + GAP
    places: dict[str, tuple[float, float]] = {}
    for number, row in enumerate(rows):
        left = (across - len(row) * (WIDTH + GAP) + GAP) / 2
        for column, name in enumerate(row):
            places[name] = left + column * (WIDTH + GAP), GAP + number * ROW
    size = f"0 0 {across} {len(rows) * ROW}"
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{size}" font-family="sans-serif">']
    lines += [f'<rect width="{across}" height="{len(rows) * ROW}" fill="white"/>']
    lines += _edges(without_shortcuts(graph), places, across)
    for name, (x, y) in places.items():
        box = f'x="{x:g}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="4"'
        lines.append(f'<rect {box} fill="#eef3fb" stroke="#345"/>')
        text = f'x="{x + WIDTH / 2:g}" y="{y + 21}" text-anchor="middle"'
        lines.append(f'<text {text} font-size="{12 if len(name) < 16 else 9}">{name}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def _edges(graph: Graph, places: Mapping[str, tuple[float, float]], across: float) -> Iterator[str]:
    """A line to each import; around the boxes between where it leads past a layer."""
    for name in sorted(graph):
        for other in sorted(graph[name]):
            (x, y), (to_x, to_y) = places[name], places[other]
            x, to_x, y = x + WIDTH / 2, to_x + WIDTH / 2, y + HEIGHT
            past = to_y - y > ROW
            side = 0 if to_x < across / 2 else across
            bend = f"C {side} {y + GAP}, {side} {to_y - GAP}," if past else "L"
            yield f'<path d="M {x:g} {y} {bend} {to_x:g} {to_y}" fill="none" stroke="#89a"/>'


def main(path: Path) -> None:
    path.write_text(drawn(joined(imports())), encoding="utf-8")
    print(f"written to {path}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
