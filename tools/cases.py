"""Runs cases: a graph, and what should become of it.

    case NAME {
      input { … return root }            the graph
      rewrite SET[.RULE] { … }           what the rule set (or one rule of it) makes of it
      trace RULE, RULE                   the rules that fired in the `rewrite` before, in order
      unchanged SET[.RULE]               nothing in the set matches anywhere
      entry NAME { … }                   what a step of the pipeline makes of it
      legal STAGE                        every node may stand at the stage
      illegal STAGE "text"               some node may not, and the message holds the text
      error "text"                       what stands before it raises an error that says so
    }

Every section begins from the input. An `error` is about the section before it (which then needs no
graph); alone, it is about the input. A `rewrite` whose `trace` follows at once needs no graph: the
trace says which rules answer, the suite that the values are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rulewright.errors import RulewrightError, StageError
from rulewright.lang import tree as t
from rulewright.lang.parse import parse_file

if TYPE_CHECKING:
    from rulewright.ir.uop import UOp

Handler = Callable[[t.Case, "UOp", t.CasePart], "str | None"]
"""Runs a section of a case on its input; answers what is wrong, or None."""


def load_cases(path: Path | str) -> list[t.Case]:
    """The cases of a file. Raises RuleError with every problem found by the static checks."""
    from rulewright.checks.files import check_files
    from rulewright.lang.build import parsed_spec
    from rulewright.lang.diagnostics import rule_error

    file = parse_file(path)
    problems = [d for d in check_files([file], parsed_spec()) if d.code not in ("graph", "dtype")]
    if problems:
        raise rule_error(problems, lambda name: file.text)
    return list(file.all(t.Case))


def run_case(case: t.Case, handlers: Mapping[str, Handler] | None = None) -> list[str]:
    """What is wrong with each section; an empty list means that the case holds.

    `handlers` runs sections of other kinds: `source`.
    """
    body = next(p.body for p in case.parts if p.kind == "input")
    assert body is not None  # the grammar gives every input one
    if _expects_bad_input(case.parts):
        part = next(p for p in case.parts if p.kind == "error")
        return _problems(part, lambda: _read(body))
    root = _read(body)
    return [
        f"{case.span.file}:{part.span.line}: {part.kind}: {problem}"
        for i, part in enumerate(case.parts)
        for problem in _run(case, root, i, handlers or {})
    ]


def _expects_bad_input(parts: Sequence[t.CasePart]) -> bool:
    return [p.kind for p in parts] == ["input", "error"]


def _read(body: t.Body) -> UOp:
    """The graph, with the properties that may turn out to mean nothing."""
    from rulewright.ir.read import build_body

    root = build_body(body)
    for node in root.toposort():
        _ = node.shape, node.ranges, node.interval
    return root


def _run(case: t.Case, root: UOp, i: int, handlers: Mapping[str, Handler]) -> list[str]:
    parts, part = case.parts, case.parts[i]
    if part.kind in ("input", "error"):
        return []
    if i + 1 < len(parts) and parts[i + 1].kind == "error":
        return _problems(parts[i + 1], lambda: _section(case, root, i, handlers))
    return _section(case, root, i, handlers)


def _section(case: t.Case, root: UOp, i: int, handlers: Mapping[str, Handler]) -> list[str]:
    parts, part = case.parts, case.parts[i]
    fired: list[str] = []
    if part.kind == "trace":
        _rewritten(root, next(p for p in parts[i::-1] if p.kind == "rewrite"), fired)
        return _differ(", ".join(part.names), ", ".join(fired))
    if part.kind in ("rewrite", "entry"):
        result = _lowered(root, part)
        return [] if part.body is None else _compare(_read(part.body), result)
    if part.kind == "unchanged":
        return _compare(root, _rewritten(root, part, fired))
    if part.kind in ("legal", "illegal"):
        return _stage(root, part)
    if part.kind not in handlers:
        return [f"nothing here runs a section `{part.kind}`"]
    answer = handlers[part.kind](case, root, part)
    return [] if answer is None else [answer]


def _lowered(root: UOp, part: t.CasePart) -> UOp:
    if part.kind == "rewrite":
        return _rewritten(root, part, [])
    from rulewright.ir.pipeline import entry_named

    result: UOp = entry_named(part.names[0]).run(root)
    return result


def _rewritten(root: UOp, part: t.CasePart, fired: list[str]) -> UOp:
    from rulewright.ir.rewrite import rewrite

    only = [str(name) for name in part.names[1:]] or None
    return rewrite(root, str(part.names[0]), trace=lambda rule, *_: fired.append(rule), only=only)


def _compare(wanted: UOp, result: UOp) -> list[str]:
    return [] if wanted is result else _differ(str(wanted), str(result))


def _differ(wanted: str, result: str) -> list[str]:
    return [] if wanted == result else [f"expected\n{wanted}\nfound\n{result}"]


def _problems(part: t.CasePart, action: Callable[[], object]) -> list[str]:
    """What is wrong where an error is expected that says `part.text`."""
    try:
        action()
    except RulewrightError as error:
        wanted = part.text or ""
        return [] if wanted in str(error) else [f"expected an error with {wanted!r}\nfound {error}"]
    return [f"expected an error with {part.text!r}, found none"]


def _stage(root: UOp, part: t.CasePart) -> list[str]:
    from rulewright.ir.stages import check_stage

    try:
        check_stage(root, str(part.names[0]))
    except StageError as error:
        if part.kind == "legal":
            return [str(error)]
        wanted = part.text or ""
        return [] if wanted in str(error) else [f"expected {wanted!r}\nfound {error}"]
    return [] if part.kind == "legal" else ["expected an illegal node, found none"]
