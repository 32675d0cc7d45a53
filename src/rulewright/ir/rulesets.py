"""Rule sets by name, and rules that a user loads on top of them for a while."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from functools import cache, cached_property
from types import FunctionType, ModuleType, TracebackType
from typing import Any, NamedTuple

from rulewright.errors import RuleError, UsageError, listed
from rulewright.ir.ops import Op
from rulewright.ir.uop import UOp
from rulewright.lang.beside import beside_key, on_load
from rulewright.lang.build import load_matcher, load_table

Rules = Callable[[UOp, Any], "UOp | None"]
Match = dict[Op, Rules]
Trace = Callable[[str, UOp, UOp], None]
Loader = Callable[[str], ModuleType]
"""Gives the matcher of a rule set by the set's name, in the form that `lang.matcher` generates."""

STRATEGIES = ("children_first", "parents_first", "once")


class Overlay(NamedTuple):
    """User rules in force: the set they come before, a hash of their text, their matcher."""

    at: str
    key: str
    module: ModuleType


_overlays: ContextVar[tuple[Overlay, ...]] = ContextVar("rulewright_overlays", default=())


def overlay_key() -> tuple[tuple[str, str], ...]:
    """What stands for the user rules in force here, for keys of caches: () where there are none."""
    overlays, beside = _overlays.get(), beside_key(everything=False)
    loaded = (("", beside),) if beside else ()
    return (*loaded, *[(o.at, o.key) for o in overlays]) if overlays else loaded


class RuleSet:
    """A named set of rules of the spec. Get one with `ruleset(name)`."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.row = row
        self.name: str = row["name"]
        self.parts: tuple[str, ...] = tuple(row["parts"])
        self.strategy: str = row["options"].get("strategy", "children_first")
        self.limit: int = row["options"].get("limit", 64)
        if self.strategy not in STRATEGIES:
            raise RuleError(
                f"{row['file']}:{row['line']}: ruleset {self.name}: unknown strategy "
                f"{self.strategy!r}; expected one of {', '.join(STRATEGIES)}"
            )
        self._merged: dict[tuple[tuple[str, str], ...], Match] = {}

    def __repr__(self) -> str:
        return f"RuleSet({self.name})"

    @cached_property
    def closure(self) -> tuple[str, ...]:
        """This set's name and those of all its parts, and theirs."""
        inside = (name for part in self.parts for name in ruleset(part).closure)
        return tuple(dict.fromkeys([self.name, *inside]))

    @cached_property
    def rules(self) -> tuple[str, ...]:
        """Names of all rules, those of the parts first, in the order of the text."""
        names = [rule for part in self.parts for rule in ruleset(part).rules]
        return tuple(dict.fromkeys([*names, *self.row["rules"]]))

    @cached_property
    def module(self) -> ModuleType:
        """The generated matcher, without user rules."""
        return _loader(self.name)

    def _overlaid(self) -> tuple[Overlay, ...]:
        return tuple(o for o in _overlays.get() if o.at in self.closure)

    def modules(self) -> tuple[ModuleType, ...]:
        """The matchers to try in order: user rules loaded last come first."""
        over = [o.module for o in reversed(self._overlaid())]
        return (*over, *(ruleset(name).module for name in self._beside), self.module)

    def places(self) -> dict[str, tuple[str, int]]:
        """The file and line of each rule, of those of users too."""
        return {rule: place for module in self.modules() for rule, place in module.RULES.items()}

    @cached_property
    def _beside(self) -> tuple[str, ...]:
        """The sets that ask for a place before this one, or before one of its parts."""
        rows = load_table()["rulesets"].values()
        return tuple(row["name"] for row in rows if row["options"].get("at") in self.closure)

    def match(self) -> Match:
        """Op to the function that tries the rules, with the user rules in force here."""
        if not _overlays.get() and not self._beside:
            own: Match = self.module.MATCH
            return own
        key = tuple((o.at, o.key) for o in self._overlaid())
        if key not in self._merged:
            self._merged[key] = merge([m.MATCH for m in self.modules()])
        return self._merged[key]

    def variant(
        self, trace: Trace | None, only: Iterable[str] | None, without: Iterable[str]
    ) -> Match:
        """A matcher of some of the rules, that reports each rewrite to `trace`.

        Raises UsageError for a name that is no rule of this set.
        """
        modules = self.modules()
        known = {rule for module in modules for rule in module.RULES}
        kept = set(known if only is None else only)
        dropped = set(without)
        for name in sorted((kept | dropped) - known):
            raise UsageError(f"ruleset {self.name} has no rule {name!r}")
        fired = [""]
        matchers = [_instance(module, kept - dropped, fired) for module in modules]
        match = merge(matchers)
        return match if trace is None else {op: _traced(f, fired, trace) for op, f in match.items()}


_loader: Loader = load_matcher


def exchange_matchers(load: Loader) -> Loader:
    """From here on, in every thread, rule sets have the matchers that `load` gives for their names.

    Returns what gave them before. What rules made is remembered elsewhere: `known.matched_by`
    forgets that too, and ends with a block.
    """
    global _loader
    before, _loader = _loader, load
    for name in load_table()["rulesets"]:
        known = ruleset(name)
        known.__dict__.pop("module", None)
        known._merged.clear()
    return before


def matchers_are_generated() -> bool:
    """Whether rule sets have the matchers generated from `spec/`: none was exchanged."""
    return _loader is load_matcher


def user_rules() -> bool:
    """Whether rules of a user are in force here that only this thread or task knows."""
    return bool(_overlays.get())


@cache
def ruleset(name: str) -> RuleSet:
    """The set of this name. Raises UsageError if the spec has none."""
    rows = load_table()["rulesets"]
    if name not in rows:
        raise UsageError(f"unknown ruleset {name!r}; {listed('known are', sorted(rows), name)}")
    return RuleSet(rows[name])


on_load.append(ruleset.cache_clear)


def merge(matches: list[Match]) -> Match:
    """One matcher that tries several in order."""
    merged: Match = {}
    for match in reversed(matches):
        for op, rules in match.items():
            merged[op] = _either(rules, merged[op]) if op in merged else rules
    return merged


def _either(first: Rules, second: Rules) -> Rules:
    def rules(node: UOp, ctx: Any) -> UOp | None:
        result = first(node, ctx)
        return second(node, ctx) if result is None else result

    return rules


def _instance(module: ModuleType, kept: set[str], fired: list[str]) -> Match:
    """A copy of a matcher whose actions note their rule in `fired`, or never match."""
    names = dict(vars(module))
    for function, rule in module.ACTIONS.items():
        names[function] = _noted(names[function], rule, fired) if rule in kept else _no_match
    return {op: FunctionType(f.__code__, names, f.__name__) for op, f in module.MATCH.items()}


def _no_match(*args: Any) -> None:
    return None


def _noted(action: Callable[..., Any], rule: str, fired: list[str]) -> Callable[..., Any]:
    def noted(*args: Any) -> Any:
        result = action(*args)
        if result is not None:
            fired[0] = rule
        return result

    return noted


def _traced(rules: Rules, fired: list[str], trace: Trace) -> Rules:
    def traced(node: UOp, ctx: Any) -> UOp | None:
        result = rules(node, ctx)
        if result is not None and result is not node:
            trace(fired[0], node, result)
        return result

    return traced


# ---- sets of a file by itself, to rewrite with -----------------------------------------------

_Sets = dict[str, tuple[dict[str, Any], str]]


class FileRuleSet(RuleSet):
    """A set of a user's file. Its parts may be sets of the same file or of the spec."""

    def __init__(self, name: str, sets: _Sets) -> None:
        row, self._source = sets[name]
        super().__init__(row)
        self._loaded: list[RuleSet] = [
            FileRuleSet(part, sets) if part in sets else ruleset(part) for part in self.parts
        ]

    @cached_property
    def module(self) -> ModuleType:
        """The generated matcher of the rules that the set holds itself."""
        module = ModuleType(f"rulewright_rules_{self.name}")
        exec(compile(self._source, f"<matcher of {self.name}>", "exec"), module.__dict__)
        return module

    def modules(self) -> tuple[ModuleType, ...]:
        """The matchers to try in order, those of the parts first."""
        own = (self.module,) if self._source else ()
        return (*(module for part in self._loaded for module in part.modules()), *own)

    def match(self) -> Match:
        """Op to the function that tries the rules."""
        return merge([module.MATCH for module in self.modules()])


# ---- user rules -------------------------------------------------------------------------------


class LoadedRules:
    """User rules in force until `close()` or the end of the `with` block."""

    def __init__(self, overlay: Overlay) -> None:
        self.overlay = overlay
        _overlays.set((*_overlays.get(), overlay))

    def __repr__(self) -> str:
        return f"<LoadedRules {', '.join(self.rules)} at {self.overlay.at}>"

    @property
    def rules(self) -> tuple[str, ...]:
        """Names of the rules, in order."""
        return tuple(self.overlay.module.RULES)

    def close(self) -> None:
        """Undo the loading. Closing twice does nothing."""
        _overlays.set(tuple(o for o in _overlays.get() if o is not self.overlay))

    def __enter__(self) -> LoadedRules:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()
