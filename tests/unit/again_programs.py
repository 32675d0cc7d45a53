"""Programs in Tensor and in numpy that are written at random, to be run again and again.

Numbers are whole or halves and quarters, so that numpy's results are exact.
"""

import random

import numpy as np

TENSOR = {
    "where": lambda c, a, b: c.where(a, b),
    "running": lambda a: a.cumsum(0),
    "roll": lambda a, by: a.roll(by, 0),
    "copy": lambda a: a.clone(),
}
NUMPY = {
    "where": np.where,
    "running": lambda a: np.cumsum(a, 0, dtype=a.dtype),
    "roll": lambda a, by: np.roll(a, by, 0),
    "copy": np.copy,
}
NEW = [
    "{a} * c{k}", "{a} + c{k}", "{a} * 2 - c{k}", "-{a}", "copy({a})", "{a} + {b}", "{a} * {b}",
    "where({a} > c{k}, {a}, {b})", "{a} + {a}.max()", "running({a})", "roll({a}, i{k})",
]  # fmt: skip
NEW_OF_MATRICES = [
    "{a}[i{k} : i{k} + 2]", "{a}[i{k}]", "{a}.sum(0)", "{a}.T", "{a} @ {a}.T",
    "{a}[i{k}, :2] * c{k}",
]  # fmt: skip
WRITES = ["{a} += c{k}"]
WRITES_OF_MATRICES = [
    "{a}[i{k}] = {a}[j{k}] * c{k}", "{a}[i{k} : i{k} + 2] = {a}[i{k} : i{k} + 2] + c{k}",
    "{a}[i{k}] = c{k}",
]  # fmt: skip


class Program:
    """Statements over x and y of one shape; c0, c1 … are numbers and i0, j0 … positions."""

    def __init__(self, draw: random.Random, sizes=((6, 5), (4, 4), (3, 7), (8, 3))):
        self.draw = draw
        self.size = draw.choice(sizes)
        self.kind = draw.choice(["i4", "i8", "f8"])
        self.shapes = {"x": self.size, "y": self.size}
        self.statements = [self.statement(k) for k in range(draw.randint(3, 8))]

    def statement(self, k: int) -> str:
        a = self.draw.choice(sorted(self.shapes))
        of_matrix = len(self.shapes[a]) == 2 and min(self.shapes[a]) >= 3
        b = self.draw.choice([n for n, s in self.shapes.items() if s == self.shapes[a]])
        if self.draw.random() < 0.25:
            return self.draw.choice(WRITES + WRITES_OF_MATRICES * of_matrix).format(a=a, k=k)
        if self.draw.random() < 0.15:
            return f"seen.append(({a} * 2).sum().item())"
        code = self.draw.choice(NEW + NEW_OF_MATRICES * 2 * of_matrix).format(a=a, b=b, k=k)
        example = {n: np.ones(s, self.kind) for n, s in self.shapes.items()}
        self.shapes[f"t{k}"] = eval(code, {**NUMPY, **example, f"c{k}": 1, f"i{k}": 0}).shape
        wait = "" if self.draw.random() < 0.7 else f"; realized(t{k})"
        return f"t{k} = {code}{wait}"

    def names(self) -> dict[str, float]:
        """Numbers and positions for one round."""
        whole = self.kind[0] == "i"
        numbers = [-3, -1, 0, 2, 3, 5] if whole else [-1.5, 0.5, 0.25, 2.0, 3.0, -0.5]
        names = {f"c{k}": self.draw.choice(numbers) for k in range(9)}
        return names | {f"{n}{k}": self.draw.randint(0, 1) for k in range(9) for n in "ij"}


def results(program: Program, more: dict, arrays, names: dict) -> dict:
    x, y = arrays
    scope = {**more, "x": x, "y": y, "seen": [], **names}
    exec("\n".join(program.statements), scope)
    return {"seen": scope["seen"], **{name: scope[name] for name in program.shapes}}
