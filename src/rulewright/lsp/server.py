"""The language server over standard input and output, on pygls.

What takes long (checks, proofs) runs one at a time beside the loop that answers the editor; a
check waits until typing pauses.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

import rulewright
from rulewright.errors import RuleError, UsageError
from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic
from rulewright.lang.fmt import format_text
from rulewright.lsp import outline, questions
from rulewright.lsp.hover import hover
from rulewright.lsp.names import Occurrence
from rulewright.lsp.positions import TextPositions
from rulewright.lsp.project import Project
from rulewright.lsp.questions import renamable, rename
from rulewright.verify.prove import Proof, Settings

_R = TypeVar("_R")

PAUSE = 0.15
"""Seconds without a change before a document is checked."""

_QUICK = Settings(timeout=0.5, quick=True, budget=3.0)


def path_of(uri: str) -> Path:
    """The file that a document is, or would be if it were saved."""
    path = to_fs_path(uri)
    return Path(path).resolve() if path else Path("/") / uri.partition(":")[2].lstrip("/")


def uri_of(path: Path) -> str:
    """The document that a file is."""
    return from_fs_path(str(path)) or path.as_uri()


def prove(file: t.SourceFile, name: str) -> Proof | None:
    """What is known of a rule; where nothing is, what a few seconds tell."""
    from rulewright.verify.prove.files import kept_proofs, prove_parsed

    try:
        for _, proof in kept_proofs([file], [name]):
            if proof is not None:
                return proof
        return prove_parsed(file, name, _QUICK)
    except RuleError:  # it cannot be made or may not be run; the diagnostics say why
        return None


def _here(function: Callable[..., _R], *args: Any) -> Callable[[], _R]:
    """A call for another thread, with the options that are in force here."""
    return partial(copy_context().run, function, *args)


@dataclass
class Session:
    """One editor: its documents, and what is to be done for them."""

    server: LanguageServer
    project: Project
    uris: dict[Path, str] = field(default_factory=dict)
    versions: dict[Path, int | None] = field(default_factory=dict)
    waiting: asyncio.Task[None] | None = None
    worker: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))

    def places(self, path: Path) -> TextPositions:
        """Converts places of a file as its text is now."""
        return TextPositions(self.project.text(path), self.server.workspace.position_codec)

    def uri(self, path: Path) -> str:
        """The document of a file, called as the editor does."""
        return self.uris.get(path) or uri_of(path)

    def location(self, path: Path, span: t.Span) -> types.Location:
        """A place in a file."""
        return types.Location(self.uri(path), self.places(path).range(span))

    def put(self, uri: str, text: str, number: int | None) -> None:
        """A document has this text now."""
        path = path_of(uri)
        self.uris[path], self.versions[path] = uri, number
        self.project.open[path] = text
        self.check_soon()

    def name_at(self, params: Any) -> tuple[Path, Occurrence | None]:
        """The name at an editor's place."""
        path = path_of(params.text_document.uri)
        return path, questions.name_at(
            self.project, path, *self.places(path).place(params.position)
        )

    # ---- what the editor tells ----

    def begin(self, params: types.InitializedParams) -> None:
        """The editor is there, with its folders."""
        folders = (path_of(folder.uri) for folder in self.server.workspace.folders.values())
        root = self.server.workspace.root_path
        self.project.folders = tuple(folders) or ((Path(root).resolve(),) if root else ())

    async def open(self, params: types.DidOpenTextDocumentParams) -> None:
        """A document is open."""
        document = params.text_document
        self.put(document.uri, document.text, document.version)

    async def change(self, params: types.DidChangeTextDocumentParams) -> None:
        """A document has another text."""
        document = params.text_document
        self.put(document.uri, params.content_changes[-1].text, document.version)

    async def save(self, params: types.DidSaveTextDocumentParams) -> None:
        """A document is on disk."""
        self.check_soon()

    async def close(self, params: types.DidCloseTextDocumentParams) -> None:
        """A document is no longer open; its problems are no longer shown."""
        path = path_of(params.text_document.uri)
        self.project.open.pop(path, None)
        self._publish(path, [])
        self.uris.pop(path, None)
        self.check_soon()

    # ---- diagnostics ----

    def check_soon(self) -> None:
        """Check every open document when no change has come for a moment."""
        if self.waiting is not None:
            self.waiting.cancel()
        self.waiting = asyncio.get_running_loop().create_task(self._check_all())

    async def _check_all(self) -> None:
        await asyncio.sleep(PAUSE)
        loop = asyncio.get_running_loop()
        for path in list(self.project.open):
            now = self.project.with_texts({})
            try:
                diagnostics = await loop.run_in_executor(self.worker, _here(now.diagnostics, path))
            except Exception as error:  # a fault of ours: the other documents are checked still
                self._say(f"{now.name(path)} was not checked: {type(error).__name__}: {error}")
                continue
            if self.project.open.get(path) == now.open[path]:
                self._publish(path, diagnostics)

    def _say(self, text: str) -> None:
        """Put a line into the editor's log."""
        params = types.LogMessageParams(types.MessageType.Error, text)
        self.server.window_log_message(params)

    def _publish(self, path: Path, diagnostics: Iterable[Diagnostic]) -> None:
        places = self.places(path)
        self.server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(
                self.uri(path),
                [self._diagnostic(d, places) for d in diagnostics],
                self.versions.get(path),
            )
        )

    def _diagnostic(self, diagnostic: Diagnostic, places: TextPositions) -> types.Diagnostic:
        related = None
        if diagnostic.other:
            location = self.location(self.project.path(diagnostic.other.file), diagnostic.other)
            related = [types.DiagnosticRelatedInformation(location, diagnostic.note)]
        return types.Diagnostic(
            range=places.range(diagnostic.span),
            message=f"{diagnostic.message}\nhelp: {diagnostic.help}"
            if diagnostic.help
            else diagnostic.message,
            severity=types.DiagnosticSeverity.Error,
            code=diagnostic.code,
            source="rulewright",
            related_information=related,
            tags=[types.DiagnosticTag.Unnecessary] if diagnostic.code == "unused" else None,
        )

    # ---- questions ----

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """Doc and status of the name at a place."""
        path, name = self.name_at(params)
        if name is None:
            return None
        now, where = self.project.with_texts({}), self.places(path).range(name.span)
        loop = asyncio.get_running_loop()
        text = await loop.run_in_executor(self.worker, _here(hover, now, path, name, prove))
        markdown = types.MarkupContent(types.MarkupKind.Markdown, text)
        return types.Hover(markdown, where) if text else None

    def definition(self, params: types.DefinitionParams) -> list[types.Location]:
        """Where the name at a place is declared."""
        path, name = self.name_at(params)
        targets = [] if name is None else questions.definitions(self.project, path, name)
        return [self.location(target.path, target.span) for target in targets]

    def references(self, params: types.ReferenceParams) -> list[types.Location]:
        """Where the name at a place is used."""
        path, name = self.name_at(params)
        places = [] if name is None else questions.references(self.project, path, name)
        wanted = params.context.include_declaration
        return [self.location(p, o.span) for p, o in places if wanted or not o.declares]

    def symbols(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        """What stands in a document."""
        path = path_of(params.text_document.uri)
        return outline.outline(self.project.parsed(path).file, self.places(path))

    def completion(self, params: types.CompletionParams) -> list[types.CompletionItem]:
        """What may stand at a place."""
        path = path_of(params.text_document.uri)
        return outline.completions(self.project, path, *self.places(path).place(params.position))

    def rename_range(self, params: types.PrepareRenameParams) -> types.Range | None:
        """The name at a place if it can be changed. Raises JsonRpcInvalidParams if not."""
        path, name = self.name_at(params)
        if name is None:
            return None
        with _refusals():
            renamable(self.project, path, name)
        return self.places(path).range(name.span)

    def rename(self, params: types.RenameParams) -> types.WorkspaceEdit | None:
        """The changes of all files. Raises JsonRpcInvalidParams for a name that cannot be changed
        so."""
        path, name = self.name_at(params)
        if name is None:
            return None
        new, edits = params.new_name, {}
        with _refusals():
            spans_of = rename(self.project, path, name, new)
        for file, spans in spans_of.items():
            places = self.places(file)
            edits[self.uri(file)] = [types.TextEdit(places.range(span), new) for span in spans]
        return types.WorkspaceEdit(edits)

    def format(self, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        """The change to the canonical layout; none for a text that does not parse."""
        path = path_of(params.text_document.uri)
        text = self.project.text(path)
        try:
            laid_out = format_text(text, self.project.name(path))
        except RuleError:
            return []
        whole = self.places(path).everything()
        return [types.TextEdit(whole, laid_out)] if laid_out != text else []


@contextmanager
def _refusals() -> Iterator[None]:
    """What is refused here the editor shows."""
    try:
        yield
    except UsageError as error:
        raise JsonRpcInvalidParams(str(error)) from error


_FEATURES: dict[str, tuple[Callable[..., Any], Any]] = {
    types.INITIALIZED: (Session.begin, None),
    types.TEXT_DOCUMENT_DID_OPEN: (Session.open, None),
    types.TEXT_DOCUMENT_DID_CHANGE: (Session.change, None),
    types.TEXT_DOCUMENT_DID_SAVE: (Session.save, None),
    types.TEXT_DOCUMENT_DID_CLOSE: (Session.close, None),
    types.TEXT_DOCUMENT_HOVER: (Session.hover, None),
    types.TEXT_DOCUMENT_DEFINITION: (Session.definition, None),
    types.TEXT_DOCUMENT_REFERENCES: (Session.references, None),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (Session.symbols, None),
    types.TEXT_DOCUMENT_COMPLETION: (
        Session.completion,
        types.CompletionOptions(trigger_characters=["."]),
    ),
    types.TEXT_DOCUMENT_FORMATTING: (Session.format, None),
    types.TEXT_DOCUMENT_PREPARE_RENAME: (Session.rename_range, None),
    types.TEXT_DOCUMENT_RENAME: (Session.rename, types.RenameOptions(prepare_provider=True)),
}
"""What an editor may tell and ask: the answer, and what there is to say of it beforehand."""


def make_server() -> LanguageServer:
    """The server with all that it answers."""
    full = types.TextDocumentSyncKind.Full
    server = LanguageServer("rulewright", rulewright.__version__, text_document_sync_kind=full)
    session = Session(server, Project())
    for name, (answer, options) in _FEATURES.items():
        server.feature(name, options)(partial(answer, session))
    return server


def serve() -> None:
    """Serve one editor over standard input and output until it says goodbye.

    What is printed meanwhile goes to standard error: the protocol owns standard output.
    """
    output, sys.stdout = sys.stdout.buffer, sys.stderr
    make_server().start_io(sys.stdin.buffer, output)
