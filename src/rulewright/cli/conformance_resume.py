"""`rulewright conformance --resume`: results that a report on disk already has."""

from __future__ import annotations

import inspect
import json
from dataclasses import fields
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

import rulewright
from rulewright.lang.beside import beside_key
from rulewright.paths import spec_dir
from rulewright.runtime.device import Device

if TYPE_CHECKING:
    from rulewright.cli.conformance_report import ConformanceReport
    from rulewright.verify.conformance import ConformanceCase, Result

_SAME = ("device", "description", "version", "seed", "repeat", "code")
"""Facts of a run that results hang on."""


def code_of(device: str) -> str:
    """What stands for the code that computes a result: this package, the spec, files loaded beside
    it, and the package of the device."""
    digest = blake2b(beside_key().encode(), digest_size=16)
    module = Device.device_class(device).__module__
    own = Path(inspect.getfile(import_module(module)))
    is_alone = "." not in module and own.name != "__init__.py"  # beside other packages' modules
    for place in (Path(rulewright.__file__).parent, spec_dir(), own if is_alone else own.parent):
        for path in [place] if place.is_file() else sorted(place.rglob("*")):
            if path.suffix not in (".pyc", ".so") and path.is_file():
                digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def known_results(
    report: ConformanceReport, path: Path, named: dict[str, ConformanceCase]
) -> dict[str, Result]:
    """What is right or absent in the report at a path, by case; nothing if there is none.

    Raises UsageError for one of another run: of another device, seed, or code.
    """
    from rulewright.verify.conformance import Result

    if not path.exists():
        return {}
    try:
        earlier = json.loads(path.read_text(encoding="utf-8"))
        rows = [Result(**{f.name: row[f.name] for f in fields(Result)}) for row in earlier["cases"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise click.UsageError(f"--resume: {path} is no report in json: {error!r}") from error
    for name in _SAME:
        if earlier.get(name) != report.facts()[name]:
            raise click.UsageError(
                f"--resume: {path} is of another run: its {name} is {earlier.get(name)!r}, not "
                f"{report.facts()[name]!r}; without --resume all cases run"
            )
    return {
        row.case: row
        for row in rows
        if row.status != "wrong" and row.case in named and row.text == named[row.case].text
    }
