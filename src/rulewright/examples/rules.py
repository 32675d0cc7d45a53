"""How a rule is written, refuted, mended, proved and used: a lesson that runs.

    python -m rulewright.examples.rules

Prints what the commands `check`, `prove` and `rewrite` say of two rule files that come with the
package, then the kernel of a small program before and after the rules are loaded. The proofs need
the extra `prove`; without it small integers are tried, which refutes the wrong rule too.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import rulewright
from rulewright import Tensor
from rulewright.cli.main import main as command

FILES = Path(__file__).parent / "data" / "rules"

GRAPH = """graph g {
  x = PARAM[0]:i32
  y = PARAM[1]:i32
  return MIN(x, y) + MAX(y, x)
}
"""


def say(text: str) -> None:
    """A step of the lesson."""
    print(f"\n── {text}")


def run(*words: str) -> int:
    """Run the command line, show what was typed, and return its exit status."""
    shown = [Path(w).name if w.endswith(".uop") else w for w in words]
    print(f"$ rulewright {' '.join(shown)}")
    try:
        command.main(list(words))
    except SystemExit as stop:  # how a command ends
        return int(stop.code or 0)
    return 0


def program() -> Tensor:
    """The sum of the larger and the smaller of two inputs."""
    x, y = Tensor([3, -4, 5, 0], dtype="i32"), Tensor([1, 2, 5, 7], dtype="i32")
    return x.maximum(y) + x.minimum(y)


def kernel_of(tensor: Tensor) -> str:
    """The source of the only kernel of a program."""
    (item,) = tensor.schedule()
    program = item.lower()
    return program.source.strip() if program else ""


def lesson() -> list[int]:
    """All steps; returns the exit status of each command, in order."""
    wrong, right = str(FILES / "wrong.uop"), str(FILES / "right.uop")
    codes = []
    say("A rule from school. `check` runs both sides of its example on many numbers: they differ.")
    print(Path(wrong).read_text(encoding="utf-8").rstrip())
    codes.append(run("check", wrong))
    say("Machine integers wrap: the proof fails, and says for which numbers.")
    codes.append(run("prove", wrong, "--no-cache"))
    say("With bounds as a guard it holds. `reject` shows what must be left alone.")
    print(Path(right).read_text(encoding="utf-8").rstrip())
    codes.append(run("check", right))
    codes.append(run("prove", right, "--no-cache"))
    say("What a rule does to a graph, step by step.")
    with tempfile.TemporaryDirectory() as folder:
        graph = Path(folder, "graph.uop")
        graph.write_text(GRAPH, encoding="utf-8")
        codes.append(run("rewrite", str(graph), "--rules", right, "--trace"))
    say("A program's kernel as it is …")
    print(kernel_of(program()))
    say("… and with the rules loaded: no comparison is left.")
    with rulewright.load_rules(right, at="symbolic"):
        print(kernel_of(program()))
        print(program().tolist())
    return codes


def main() -> None:
    """Give the lesson."""
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    lesson()


if __name__ == "__main__":
    main()
