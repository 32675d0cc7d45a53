"""The syntax tree of targets."""

from __future__ import annotations

from dataclasses import dataclass

from rulewright.lang.tree_expr import Decl, Fact, Ident, Node

SPELLINGS = ("spell", "helper", "spell_lanes", "helper_lanes")
"""Kinds of target facts that are about an op: spellings of scalars and of vectors."""
CORE = "tensor_core"
"""The kind of the facts that say which products of small matrices a target has, and how lanes hold
them: `name` is the dtype of the result, `sets` are those of the operands, `held` the layouts, and
the bits of the mantissa that it takes."""


@dataclass(frozen=True)
class TargetFact(Node):
    """One line of a target.

    `kind` is type, vector, literal, text, limit, feature, lower, CORE or one of SPELLINGS. `sets`
    restricts a spelling to dtypes, `of` to dtypes of its first operand, of which `one` for all
    lanes is meant. `value` is text, a number, or for lower the names of rulesets.
    """

    kind: str
    name: Ident
    sets: tuple[Ident, ...]
    value: str | int | float | tuple[Ident, ...] | None
    of: tuple[Ident, ...] = ()
    one: bool = False
    held: tuple[Fact, ...] = ()

    @property
    def about(self) -> str | None:
        """What its name is the name of: "op", "dtype" or nothing that is declared."""
        if self.kind in SPELLINGS:
            return "op"
        return "dtype" if self.kind in ("type", "vector", CORE) else None


@dataclass(frozen=True)
class TargetDecl(Decl):
    """`target C extends CLike { … }`."""

    extends: Ident | None
    facts: tuple[TargetFact, ...]
