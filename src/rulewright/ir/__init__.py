"""Graphs, their text, and the rules that rewrite them: three layers, each above the one before.

Graphs: `uop` and what it is made of. Text: `text` and `read`. Rules: `rewrite`, `rulesets`,
`pipeline`. A node prints, reads and simplifies itself by the upper two, so whoever imports a part
of this package has them all.
"""

from rulewright.ir import expression, rewrite, text

__all__ = ["expression", "rewrite", "text"]
