"""A small editor for tests: a client of the language server, and places as the protocol counts."""

from __future__ import annotations

import asyncio
import re
import sys
import threading
from pathlib import Path
from queue import Empty, Queue

from lsprotocol import types
from pygls.lsp.client import LanguageClient

LONG = 60  # seconds; the machine may be shared


class Editor:
    """A client with its loop in a thread of its own; calls wait for their answer."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.client = LanguageClient("test", "1")
        self.problems: dict[str, Queue] = {}
        self.versions: dict[str, int] = {}
        self.client.feature("textDocument/publishDiagnostics")(lambda params: self._note(params))
        self._wait(self.client.start_io(sys.executable, "-m", "rulewright", "lsp", *options))
        self.info = self.call(
            "initialize",
            types.InitializeParams(
                capabilities=types.ClientCapabilities(), root_uri=folder.as_uri()
            ),
        )
        self.tell("initialized", types.InitializedParams())

    def _wait(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(LONG)

    def _note(self, params) -> None:
        self.problems.setdefault(params.uri, Queue()).put(params)

    def call(self, method, params):
        async def ask():
            return await self.client.protocol.send_request_async(method, params)

        return self._wait(ask())

    def tell(self, method, params) -> None:
        async def say():
            self.client.protocol.notify(method, params)

        self._wait(say())

    def close(self) -> None:
        self.call("shutdown", None)
        self.tell("exit", None)
        self._wait(self.client.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)

    # ---- documents ----

    def open(self, path: Path, text: str) -> str:
        """Open a file with a text that need not be the one on disk."""
        uri = path.as_uri()
        self.versions[uri] = 1
        item = types.TextDocumentItem(uri, "uop", 1, text)
        self.tell("textDocument/didOpen", types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, text: str) -> None:
        self.versions[uri] += 1
        item = types.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        changes = [types.TextDocumentContentChangeWholeDocument(text)]
        self.tell("textDocument/didChange", types.DidChangeTextDocumentParams(item, changes))

    def shut(self, uri: str) -> None:
        item = types.TextDocumentIdentifier(uri)
        self.tell("textDocument/didClose", types.DidCloseTextDocumentParams(item))

    def diagnostics(self, uri: str):
        """The problems of the newest version of a document."""
        while True:
            try:
                found = self.problems.setdefault(uri, Queue()).get(timeout=LONG)
            except Empty:
                raise AssertionError("no diagnostics came") from None
            if found.version == self.versions[uri]:
                return found.diagnostics

    def at(self, uri: str, text: str, word: str, skip: int = 0):
        """Parameters for the place where a word stands for the `skip + 1`th time."""
        start = [m.start() for m in re.finditer(rf"\b{re.escape(word)}\b", text)][skip]
        return types.TextDocumentIdentifier(uri), place(text, start)


def place(text: str, offset: int) -> types.Position:
    """A place as the protocol counts: from 0, in UTF-16 units; written from its definition."""
    before = text[:offset]
    column = before.rpartition("\n")[2]
    return types.Position(before.count("\n"), len(column.encode("utf-16-le")) // 2)


def where(text: str, word: str, skip: int = 0) -> types.Range:
    start = [m.start() for m in re.finditer(re.escape(word), text)][skip]
    return types.Range(place(text, start), place(text, start + len(word)))


def edited(text: str, edits) -> str:
    """The text after an editor has made its changes."""
    offsets = {}
    for offset in range(len(text) + 1):
        at = place(text, offset)
        offsets[at.line, at.character] = offset
    spans = []
    for edit in edits:
        start, end = edit.range.start, edit.range.end
        spans.append((offsets[start.line, start.character], offsets[end.line, end.character]))
    for (start, end), edit in sorted(zip(spans, edits, strict=True), key=lambda p: p[0])[::-1]:
        text = text[:start] + edit.new_text + text[end:]
    return text
