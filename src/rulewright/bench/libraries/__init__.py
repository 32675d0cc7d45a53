"""The libraries that workloads run in: ours and its peers, imported when they are used."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from rulewright.bench.libraries.base import Library
from rulewright.errors import MissingExtraError, UsageError

OURS = "rulewright"

# Name -> the package that must be installed, the module and the class here that run it, and the
# least that a user imports.
_KNOWN = {
    OURS: ("rulewright", "in_rulewright", "InRulewright", "from rulewright import Tensor"),
    "numpy": ("numpy", "in_numpy", "InNumpy", "import numpy"),
    "torch": ("torch", "in_torch", "InTorch", "import torch"),
    "torch.compile": ("torch", "in_torch", "InTorchCompiled", "import torch"),
    "jax": ("jax", "in_jax", "InJax", "import jax.numpy"),
    "tinygrad": ("tinygrad", "in_tinygrad", "InTinygrad", "from tinygrad import Tensor"),
}
PEERS = tuple(name for name in _KNOWN if name != OURS)


def installed() -> list[str]:
    """Names of the peers whose packages are installed; none is imported."""
    return [name for name in PEERS if find_spec(_KNOWN[name][0])]


def import_of(name: str) -> str:
    """The line that a user of a library writes first."""
    return _KNOWN[name][3]


def library(name: str) -> Library:
    """A library, imported and ready to run.

    Raises UsageError for a name that is none, and for a library that does not start here,
    MissingExtraError for one that is not installed.
    """
    if name not in _KNOWN:
        raise UsageError(f"expected a library out of {', '.join(_KNOWN)}, found {name!r}")
    package, module, kind, _ = _KNOWN[name]
    if find_spec(package) is None:
        raise MissingExtraError(
            f"the peer {name} needs the package {package!r}; install it with "
            "`pip install 'rulewright[peers]'`"
        )
    try:
        peer: Library = getattr(import_module(f"{__name__}.{module}"), kind)()
        peer.start()
    except Exception as error:  # whatever another library raises where it cannot run
        why = f"{type(error).__name__}: {error}".splitlines()[0]
        raise UsageError(f"the peer {name} does not start: {why}") from error
    return peer
