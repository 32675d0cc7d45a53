"""Which arrays of shared memory a compiled kernel has: its symbols in the section `rw_shared`."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_SECTION = "rw_shared"
_SYMBOLS = 2  # SHT_SYMTAB
_OBJECT = 1  # STT_OBJECT


@dataclass(frozen=True)
class SharedArray:
    """An array of shared memory: its kernel, its name, and where it lies in the library."""

    kernel: str
    name: str
    offset: int
    size: int


def shared_arrays(library: Path) -> list[SharedArray]:
    """The arrays of a 64-bit little-endian ELF file, by their places."""
    data = library.read_bytes()
    sections = list(_sections(data))
    names = {_text(data, sections[_number(data)][4] + s[0]): n for n, s in enumerate(sections)}
    wanted = names.get(_SECTION)
    arrays = []
    for table in (s for s in sections if s[1] == _SYMBOLS):
        strings = sections[table[6]][4]
        for place in range(table[4], table[4] + table[5], 24):
            name, info, _, section, value, size = struct.unpack_from("<IBBHQQ", data, place)
            if section == wanted and info & 15 == _OBJECT:
                arrays.append(SharedArray(*_names(_text(data, strings + name)), value, size))
    return sorted(arrays, key=lambda array: array.offset)


def _sections(data: bytes) -> Iterator[tuple[int, ...]]:
    """Name, type, flags, address, offset, size, link, info, alignment, entry size of each."""
    begin, size, count = (*struct.unpack_from("<Q", data, 40), *struct.unpack_from("<HH", data, 58))
    for number in range(count):
        yield struct.unpack_from("<IIQQQQIIQQ", data, begin + number * size)


def _number(data: bytes) -> int:
    """Which section holds the names of sections."""
    return int(struct.unpack_from("<H", data, 62)[0])


def _text(data: bytes, place: int) -> str:
    return data[place : data.index(b"\0", place)].decode(errors="replace")


def _names(symbol: str) -> tuple[str, str]:
    """Kernel and array as the source names them: `k_256` and `local1` of `_ZZ5k_256E6local1`."""
    kernel, rest = _counted(symbol.removeprefix("_ZZ"))
    return kernel, _counted(rest.removeprefix("E"))[0] or symbol


def _counted(text: str) -> tuple[str, str]:
    """A word behind its length, and what follows."""
    digits = re.match(r"\d*", text)
    length = int(digits[0]) if digits and digits[0] else 0
    begin = len(digits[0]) if digits else 0
    return text[begin : begin + length], text[begin + length :]
