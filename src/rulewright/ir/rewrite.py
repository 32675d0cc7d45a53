"""Rewriting graphs: three strategies over generated matchers. None recurses.

`children_first` and `parents_first` go on until no rule matches anywhere; both remember the
result of every node, so a shared node is rewritten once and only what changed is looked at again.
`once` offers each node to the rules a single time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from gc import isenabled
from typing import Any

from rulewright.collector import without_gc
from rulewright.errors import RewriteError
from rulewright.ir.node import watching
from rulewright.ir.rulesets import Match, RuleSet, Trace, ruleset
from rulewright.ir.text import print_term
from rulewright.ir.uop import UOp, above
from rulewright.ir.watch import checks
from rulewright.options import options

MINIMUM_FUEL = 10_000
"""Rewrites that every graph may take, however small."""


class _OutOfFuel(Exception):
    """The rewrite does not end: it came back to a node, or took too many steps."""

    def __init__(self, steps: int | None) -> None:
        super().__init__()
        self.steps = steps  # None: a node was needed for its own result


def rewrite(
    root: UOp,
    rules: str | RuleSet,
    ctx: Any = None,
    trace: Trace | None = None,
    only: Iterable[str] | None = None,
    without: Iterable[str] = (),
    memo: dict[UOp, UOp] | None = None,
) -> UOp:
    """`root` rewritten by a rule set, in the set's strategy.

    `ctx` is what the name `ctx` means in guards and externs. `trace(rule, before, after)` is called
    after each rewrite. `only` and `without` restrict the set to some of its rules, by name. An
    empty `memo` is filled with what became of each node; it may serve again for the same rules.

    Raises RewriteError, with the rules that go round in a cycle, if the rewrite does not end: at
    `limit` times as many rewrites as the graph has nodes (and not below MINIMUM_FUEL); at VERIFY=3
    ValidationError, if a rule makes something that is worth something else.
    """
    chosen = ruleset(rules) if isinstance(rules, str) else rules
    if options().VERIFY == 3:
        trace = checks().watched(chosen, trace)
    special = trace is not None or only is not None or without
    match = chosen.variant(trace, only, without) if special else chosen.match()
    driver = _DRIVERS[chosen.strategy]
    known: dict[UOp, UOp] = {} if memo is None else memo
    try:
        if not isenabled():
            return driver(root, match, ctx, chosen.limit, known)
        with without_gc():
            return driver(root, match, ctx, chosen.limit, known)
    except _OutOfFuel as stop:
        raise _explain(root, chosen, ctx, only, without, stop) from None


def _children_first(root: UOp, match: Match, ctx: Any, limit: int, memo: dict[UOp, UOp]) -> UOp:
    """Operands first, each result again until nothing matches."""
    fuel = _Fuel(root, limit)
    if memo:
        return memo[root] if root in memo else _settled(root, match, ctx, memo, {}, fuel)
    get, find = memo.get, match.get
    changed = False  # until then every node is its own final form
    for node in root.toposort():
        now = node
        if changed:
            if node in memo:
                continue
            src = tuple([memo[s] for s in node.src])
            if src != node.src:
                now = UOp(node.op, node.dtype, src, node.arg)
                final = get(now)
                if final is not None:
                    memo[node] = final
                    continue
        rules = find(now.op)
        result = None if rules is None else rules(now, ctx)
        if result is None or result is now:
            memo[node] = memo[now] = now
        else:
            changed = True
            fuel.burn()
            if result not in memo:
                _settled(result, match, ctx, memo, {node: now, now: result}, fuel)
            memo[node] = memo[now] = memo[result]
    return memo[root]


def _settled(  # noqa: C901  # one loop over all nodes: a call in it would show
    root: UOp, match: Match, ctx: Any, memo: dict[UOp, UOp], pending: dict[UOp, UOp], fuel: _Fuel
) -> UOp:
    """The final form of a node that is not in `memo`, where those of its operands may be.

    `pending`: each node to the one whose final form is also its own.
    """
    if root in pending:
        raise _OutOfFuel(None)
    get, find = memo.get, match.get
    node, rest, dirty = root, iter(root.src), False  # what is left to walk; did something change?
    above: list[tuple[UOp, Iterator[UOp], bool]] = []
    push, pop = above.append, above.pop
    while True:
        for source in rest:
            final = get(source)
            if final is None:
                if source in pending:
                    raise _OutOfFuel(None)
                push((node, rest, dirty))
                node, rest, dirty = source, iter(source.src), False
                break
            if final is not source:
                dirty = True
        else:
            now, final = node, None
            if node in pending:
                final = memo[pending.pop(node)]
            elif dirty:
                now = UOp(node.op, node.dtype, tuple([memo[s] for s in node.src]), node.arg)
                final = get(now)
            if final is None:
                rules = find(now.op)
                result = None if rules is None else rules(now, ctx)
                if result is not None and result is not now:
                    fuel.burn()
                    if now is not node:
                        pending[node] = now
                        push((node, iter(()), False))
                    pending[now] = result
                    node, rest = now, iter((result,))
                    continue
                memo[now] = final = now
            memo[node] = final
            if not above:
                return final
            changed = final is not node
            node, rest, dirty = pop()
            dirty = dirty or changed


class _Fuel:
    """How many rewrites a graph may still take."""

    def __init__(self, root: UOp, limit: int) -> None:
        self.root, self.limit = root, limit
        self.steps, self.most = 0, MINIMUM_FUEL

    def burn(self) -> None:
        """Count one rewrite; raises _OutOfFuel if that is one too many for a graph of this size."""
        self.steps += 1
        if self.steps > self.most:
            self.most = self.limit * len(self.root.toposort())
            if self.steps > self.most:
                raise _OutOfFuel(self.steps)


def _parents_first(root: UOp, match: Match, ctx: Any, limit: int, memo: dict[UOp, UOp]) -> UOp:
    """A node until nothing matches, then its operands; again if these changed it."""
    pending: dict[UOp, UOp] = {}
    opened: set[UOp] = set()  # nodes that no rule matches, waiting for their operands
    stack = [root]
    fuel = _Fuel(root, limit)
    while stack:
        node = stack.pop()
        if node in memo:
            continue
        if node in pending:
            final = memo.get(pending.pop(node))
            if final is None:
                raise _OutOfFuel(None)
            memo[node] = final
        elif node in opened:
            sources = [memo.get(s) for s in node.src]
            if any(s is None for s in sources):
                raise _OutOfFuel(None)
            now = UOp(node.op, node.dtype, tuple(sources), node.arg)
            if now is node:
                memo[node] = node
            else:
                pending[node] = now
                stack += (node, now)
        else:
            rules = match.get(node.op)
            result = rules(node, ctx) if rules is not None else None
            if result is not None and result is not node:
                fuel.burn()
                pending[node] = result
                stack += (node, result)
            elif node.src:
                opened.add(node)
                stack.append(node)
                stack += node.src[::-1]
            else:
                memo[node] = node
    return memo[root]


def _once(root: UOp, match: Match, ctx: Any, limit: int, memo: dict[UOp, UOp]) -> UOp:
    """Each node, its operands already replaced, is offered to the rules one time."""
    for node in root.toposort():
        sources = tuple([memo[s] for s in node.src])
        now = node if sources == node.src else UOp(node.op, node.dtype, sources, node.arg)
        rules = match.get(now.op)
        result = rules(now, ctx) if rules is not None else None
        memo[node] = now if result is None else result
    return memo[root]


_DRIVERS: dict[str, Callable[[UOp, Match, Any, int, dict[UOp, UOp]], UOp]] = {
    "children_first": _children_first,
    "parents_first": _parents_first,
    "once": _once,
}


def _simplified(root: UOp) -> UOp:
    watch = watching.get()
    return root if watch is not None and watch.leaves(root) else rewrite(root, "symbolic")


above.simplify = _simplified


# ---- what to say when a rewrite does not end --------------------------------------------------

_Step = tuple[str, UOp, UOp]


def _explain(
    root: UOp,
    rules: RuleSet,
    ctx: Any,
    only: Iterable[str] | None,
    without: Iterable[str],
    stop: _OutOfFuel,
) -> RewriteError:
    """Run once more with a record of the last steps, and tell the cycle."""
    steps: deque[_Step] = deque(maxlen=96)

    def record(rule: str, before: UOp, after: UOp) -> None:
        steps.append((rule, before, after))

    with suppress(_OutOfFuel):
        _DRIVERS[rules.strategy](root, rules.variant(record, only, without), ctx, rules.limit, {})
    cycle = _cycle(list(steps))
    why = (
        "a term needs its own result"
        if stop.steps is None
        else f"no end after {stop.steps} rewrites (limit = {rules.limit} for each node)"
    )
    lines = [f"rewriting with {rules.name} does not end: {why}"]
    lines.append(f"cycle: {' -> '.join(rule for rule, _, _ in cycle)}")
    for rule, before, after in cycle:
        lines.append(f"  {rule}: {print_term(before)}")
        lines.append(f"  {' ' * len(rule)}=> {print_term(after)}")
    lines.append(
        "help: give one of these rules a guard that holds for fewer terms, or split the set"
    )
    return RewriteError("\n".join(lines), tuple(cycle))


def _cycle(steps: list[_Step]) -> list[_Step]:
    """The shortest repeating end of the record, at most eight steps of it."""
    names = [rule for rule, _, _ in steps]
    for length in range(1, len(names) // 2 + 1):
        if names[-length:] == names[-2 * length : -length]:
            return steps[-length:][:8]
    return steps[-8:]
