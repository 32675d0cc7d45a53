"""Certificates: for a given program, what each step of its compilation was shown to keep.

`VERIFY=prove` runs a program's stages on expressions instead of numbers: an element of memory is a
term over what memory held at the start. Two stages that leave equal terms in all memory agree for
all values of all inputs, at the sizes that were run.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rulewright.errors import UsageError
from rulewright.ir.uop import UOp
from rulewright.options import options
from rulewright.paths import cache_dir
from rulewright.verify.certify.certificate import Certificate
from rulewright.verify.certify.record import certify, recheck

__all__ = ["Certificate", "certify", "recheck", "write"]


def write(
    name: str, function: UOp, compiled: Any, lowered_as: Callable[[UOp], tuple[UOp, str]]
) -> tuple[Path, Certificate]:
    """Make the certificate of a function, and write it where CERTIFICATES says.

    Raises ValidationError for a step that is seen to be wrong, UsageError where the file cannot
    be written.
    """
    certificate = certify(function, compiled, lowered_as)
    folder = (
        Path(options().CERTIFICATES) if options().CERTIFICATES else cache_dir() / "certificates"
    )
    path = folder / f"{name}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(certificate.to_json(), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"the certificate cannot be written: {error}; set CERTIFICATES") from error
    return path, certificate
