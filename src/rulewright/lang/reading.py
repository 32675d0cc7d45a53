"""The text of a file that a user names: UTF-8, and not more of it than there is a use for."""

from __future__ import annotations

from pathlib import Path

from rulewright.errors import FileError, MissingFileError, UsageError

MOST_BYTES = 64 << 20
"""Of a text. What is read has no end where a path names a device."""


def read_source(path: Path | str) -> str:
    """The text of a file, with lines that end in LF. Raises what `file_text` raises."""
    return with_line_feeds(file_text(path))


def with_line_feeds(text: str) -> str:
    """A text whose lines end in LF, whatever they ended in."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def file_text(path: Path | str) -> str:
    """The text of a file as it is.

    Raises UsageError for what is no UTF-8 text or longer than 64 MiB, FileError for what cannot be
    read, MissingFileError (which is one) for what is not there.
    """
    try:
        with open(path, "rb") as file:
            return decoded(file.read(MOST_BYTES + 1), path)
    except OSError as error:
        kind = MissingFileError if isinstance(error, FileNotFoundError) else FileError
        raise kind(f"cannot read {path}: {error.strerror or error}") from error


def decoded(data: bytes, path: Path | str) -> str:
    """Bytes as text, without the mark that some editors put first; `path` is what they are called.

    Raises UsageError as `file_text` does.
    """
    if len(data) > MOST_BYTES:
        raise UsageError(f"{path}: expected at most {MOST_BYTES >> 20} MiB of text")
    at = data.find(0)
    try:
        text = data.decode("utf-8") if at < 0 else data[:at].decode("utf-8")
    except UnicodeDecodeError as error:
        at = error.start
    if at >= 0:
        line, column = data.count(b"\n", 0, at) + 1, at - data.rfind(b"\n", 0, at)
        where = f"byte {column} of line {line} is 0x{data[at]:02x}"
        raise UsageError(f"{path}: expected UTF-8 text, {where}")
    return text.removeprefix("\ufeff")
