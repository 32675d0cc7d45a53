"""What spellings of a target say by themselves, before any rule or graph is read.

Nothing is imported here that a first call of a kernel which is known does without.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_APART = re.compile(r"/\*.*?\*/|->")
"""Comments, and arrows of functions: no operators."""
_OPERATOR = re.compile(r"[-+*/%<>=!&|^?]+")
"""One or two signs, that of a choice included."""
_SLOT = re.compile(r"\{\w+\}")


def operators(text: str) -> Iterator[str]:
    """Operators of two operands outside of brackets, as they stand between spaces.

    A target's `text precedence` has to have a place for each: what is put around them hangs on it.

    >>> list(operators("{a} << {b} & ({c} * 2)"))
    ['<<', '&']
    """
    depth, bare = 0, _SLOT.sub("x", _APART.sub(" ", text))
    for word in re.findall(r"[()\[\]{}]|\s[^\s()\[\]{}]+(?=\s)", bare):
        depth += (word in "([{") - (word in ")]}")
        if depth == 0 and _OPERATOR.fullmatch(word[1:]):
            yield word[1:]
