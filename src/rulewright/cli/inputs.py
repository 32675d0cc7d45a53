"""Arguments and options that several subcommands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from os import fsdecode
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TypeVar

import click

_F = TypeVar("_F", bound=Callable[..., Any])

RULE_SUFFIX = ".uop"


def file_and_set(value: str) -> tuple[Path, str]:
    """FILE or FILE:SET as a path and the name of a set; "" if there is none."""
    name, colon, chosen = value.rpartition(":")
    named = bool(colon) and not Path(value).is_file()
    return (Path(name), chosen) if named else (Path(value), "")


@contextmanager
def misuse(kind: type[click.UsageError] = click.BadParameter, **place: Any) -> Iterator[None]:
    """Let a UsageError that is raised here be one of the command line."""
    from rulewright.errors import UsageError

    try:
        yield
    except UsageError as error:
        raise kind(str(error), **place) from error


def example(text: str) -> str:
    """An epilog that shows `text`, one command line each, as it stands."""
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in text.strip().splitlines())


class OutputFile(click.Path):
    """A file that can be written, in a folder that is there: found before there is anything to
    write."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path. Fails for a folder, for a file in a folder that is not there, and for what may
        not be written."""
        path = Path(fsdecode(super().convert(value, param, ctx)))
        if not path.parent.is_dir():
            self.fail(f"there is no folder {str(path.parent)!r} to write to", param, ctx)
        try:
            _try_to_write(path)
        except OSError as error:
            self.fail(f"cannot write {str(path)!r}: {error.strerror}", param, ctx)
        return path


def _try_to_write(path: Path) -> None:
    """Open a file to append, if it is none that waits for a reader; what is new goes again."""
    if path.is_file():
        path.open("ab").close()
    elif not path.exists():
        path = path.resolve()  # of a link that leads nowhere yet, where it leads
        path.touch()
        path.unlink()


class OutputFolder(click.Path):
    """A folder that files can be written to; it is made if it is not there."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path of a folder that is there now. Fails where there can be none."""
        path = Path(fsdecode(super().convert(value, param, ctx)))
        try:
            path.mkdir(parents=True, exist_ok=True)
            with TemporaryFile(dir=path):
                return path
        except OSError as error:
            self.fail(f"cannot write to {str(path)!r}: {error.strerror}", param, ctx)


def check_file(name: str) -> None:
    """Raise click.BadParameter if there is no such file, or a folder of that name."""
    if Path(name).is_dir():
        raise click.BadParameter(f"expected a file, found a folder: {name}")
    if not Path(name).exists():
        raise click.BadParameter(f"no such file: {name}")


def chosen_set(ctx: click.Context, option: click.Parameter, name: str) -> str:
    """`known_set` of an option or argument."""
    return known_set(name)


def known_set(name: str) -> str:
    """The name of a ruleset. Raises click.BadParameter for what is none, as a file of them."""
    from rulewright.ir.rulesets import ruleset

    if name.endswith(".uop"):
        help = f"`--spec {name} SET` for a set of this file, or of the spec with it"
        raise click.BadParameter(f"expected the name of a ruleset, found a file; write {help}")
    with misuse():
        return ruleset(name).name


def uop_files(paths: Iterable[Path]) -> list[Path]:
    """The given files, and the `.uop` files below given folders; sorted, each once.

    Raises click.UsageError for a folder that holds none: a check of nothing would look good; and
    for a pipe, of which a second reading would be one of nothing.
    """
    files: set[Path] = set()
    for path in paths:
        if not path.is_dir() and not path.is_file():
            raise click.UsageError(f"expected a file or folder, found a pipe or device: {path}")
        inside = set(path.rglob(f"*{RULE_SUFFIX}")) if path.is_dir() else {path}
        if not inside:
            raise click.UsageError(f"expected {RULE_SUFFIX} files in {path}, found none")
        files |= inside
    return sorted(files)


def read_text(path: Path) -> str:
    """Text of a file, or of standard input for `-`.

    Raises click.UsageError for what is no UTF-8 text, is too long or cannot be read.
    """
    from rulewright.lang.reading import MOST_BYTES, decoded, file_text

    with misuse(click.UsageError):
        if str(path) == "-":
            return decoded(sys.stdin.buffer.read(MOST_BYTES + 1), path)
        return file_text(path)


def paths_argument(name: str, required: bool) -> Callable[[_F], _F]:
    """Any number of files or folders that exist."""
    kind = click.Path(exists=True, path_type=Path)
    return click.argument(name, nargs=-1, required=required, type=kind)


def _allow(ctx: click.Context, option: click.Parameter, modules: tuple[str, ...]) -> None:
    if not modules:
        return
    from rulewright.lang.allowed import allow_externs

    with misuse():
        ctx.with_resource(allow_externs(modules))


def externs_option(function: _F) -> _F:
    """--allow-externs MODULE: in force before any other option is looked at."""
    return click.option(
        "--allow-externs",
        metavar="MODULE",
        multiple=True,
        callback=_allow,
        expose_value=False,
        is_eager=True,
        help="let rule files name functions of this module, which runs them; may be repeated",
    )(function)


def _load_spec(ctx: click.Context, option: click.Parameter, paths: tuple[Path, ...]) -> None:
    from rulewright.checks.beside import load_spec

    for path in paths:
        load_spec(path)


def spec_option(function: _F) -> _F:
    """--spec FILE: loaded before any other option is looked at; with --allow-externs."""
    kind = click.Path(exists=True, dir_okay=False, path_type=Path)
    option = click.option(
        "--spec",
        metavar="FILE",
        multiple=True,
        type=kind,
        callback=_load_spec,
        expose_value=False,
        is_eager=True,
        help="load ops, targets and rules of this file beside the spec (behind --allow-externs if "
        "it needs that); may be repeated",
    )
    return externs_option(option(function))


def format_option(help: str) -> Callable[[_F], _F]:
    """--format: one of the words that begin the parts of `help`, the first unless it is given."""
    forms = [part.split()[0] for part in help.split(", ")]
    kind = click.Choice(forms)
    return click.option(
        "--format", "form", type=kind, default=forms[0], show_default=True, help=help
    )


def graph_argument(function: _F) -> _F:
    """GRAPH: a graph file, or `-` for standard input."""
    kind = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
    return click.argument("graph", metavar="GRAPH.uop", type=kind)(function)


def _device_name(ctx: click.Context, option: click.Parameter, value: str | None) -> str:
    from rulewright.runtime.device import Device

    with misuse():
        name: str = Device.default if value is None else Device.canonical(value)
        return name


def device_option(help: str) -> Callable[[_F], _F]:
    """--device NAME, checked against the known devices; the default device if it is not given."""
    return click.option("--device", metavar="DEVICE", callback=_device_name, help=help)
