"""The inverse of the error function, by Wichura's quantiles of the normal distribution.

Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied Statistics
37, 1988: quotients of polynomials, exact to about 1 in 10**16. The share of the distribution that
lies beyond a point is (1 - |x|) / 2, which is exact near 1.
"""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

# fmt: off
_MIDDLE, _TAIL, _FAR = (
    ((2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987,
      13731.69376550946, 1971.5909503065513, 133.14166789178438, 3.3871328727963665),
     (5226.495278852854, 28729.085735721943, 39307.89580009271, 21213.794301586597,
      5394.196021424751, 687.1870074920579, 42.31333070160091, 1.0)),
    ((0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684,
      3.6478483247632045, 5.769497221460691, 4.630337846156546, 1.4234371107496835),
     (1.0507500716444169e-09, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008,
      0.6897673349851, 1.6763848301838038, 2.053191626637759, 1.0)),
    ((2.0103343992922881e-07, 2.7115555687434876e-05, 0.0012426609473880784, 0.026532189526576124,
      0.29656057182850487, 1.7848265399172913, 5.463784911164114, 6.657904643501103),
     (2.0442631033899397e-15, 1.421511758316446e-07, 1.8463183175100548e-05, 0.0007868691311456133,
      0.014875361290850615, 0.1369298809227358, 0.599832206555888, 1.0)),
)  # for each region numerator and denominator, the highest power first
# fmt: on
_ABOVE, _BELOW = _MIDDLE
_START = _ABOVE[-1]
"""The quotient where its argument is 0; elsewhere it is less by little, and so by small errors."""
_CHANGE = (tuple(a - _START * b for a, b in zip(_ABOVE[:-1], _BELOW[:-1], strict=True)), _BELOW)


def erfinv(x: Any) -> Any:
    """The value whose error function is x, a tensor of float32 or float64; NaN beyond -1 and 1."""
    half = x * 0.5
    near = half.abs() <= 0.425
    place = near.where(0.180625 - half * half, 0)
    middle = half * (_START + place * _quotient(_CHANGE, place))
    edge = x.abs() == 1
    beyond = (near.logical_or(edge)).where(0.25, 0.5 - half.abs())
    root = (-beyond.log()).sqrt()
    far = root > 5
    tail = far.where(_quotient(_FAR, root - 5), _quotient(_TAIL, far.where(0, root - 1.6)))
    value = near.where(middle, (x < 0).where(-tail, tail)) * math.sqrt(0.5)
    return edge.where(edge.where(x, 1) * math.inf, value)


def _quotient(polynomials: Any, x: Any) -> Any:
    above, below = (reduce(lambda y, c: y * x + c, p[1:], p[0]) for p in polynomials)
    return above / below
