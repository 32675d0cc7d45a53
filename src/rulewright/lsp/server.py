"""The language server over standard input and output, on pygls.

What takes long (checks, proofs) runs one at a time beside the loop that answers the editor; a
check waits until typing pauses.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
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

    def close(self, uri: str) -> None:
        """A document is no longer open; its problems are no longer shown."""
        path = path_of(uri)
        self.project.open.pop(path, None)
        self._publish(path, [])
        self.uris.pop(path, None)
        self.check_soon()

    def name_at(self, uri: str, at: types.Position) -> tuple[Path, Occurrence | None]:
        """The name at an editor's place."""
        path = path_of(uri)
        return path, questions.name_at(self.project, path, *self.places(path).place(at))

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

    async def hover(self, uri: str, at: types.Position) -> types.Hover | None:
        """Doc and status of the name at a place."""
        path, name = self.name_at(uri, at)
        if name is None:
            return None
        now, where = self.project.with_texts({}), self.places(path).range(name.span)
        loop = asyncio.get_running_loop()
        text = await loop.run_in_executor(self.worker, _here(hover, now, path, name, prove))
        markdown = types.MarkupContent(types.MarkupKind.Markdown, text)
        return types.Hover(markdown, where) if text else None

    def definition(self, uri: str, at: types.Position) -> list[types.Location]:
        """Where the name at a place is declared."""
        path, name = self.name_at(uri, at)
        if name is None:
            return []
        targets = questions.definitions(self.project, path, name)
        return [self.location(target.path, target.span) for target in targets]

    def references(
        self, uri: str, at: types.Position, with_declaration: bool
    ) -> list[types.Location]:
        """Where the name at a place is used."""
        path, name = self.name_at(uri, at)
        if name is None:
            return []
        places = questions.references(self.project, path, name)
        return [self.location(p, o.span) for p, o in places if with_declaration or not o.declares]

    def rename_range(self, uri: str, at: types.Position) -> types.Range | None:
        """The name at a place if it can be changed. Raises UsageError if not."""
        path, name = self.name_at(uri, at)
        if name is None:
            return None
        renamable(self.project, path, name)
        return self.places(path).range(name.span)

    def rename(self, uri: str, at: types.Position, new: str) -> types.WorkspaceEdit | None:
        """The changes of all files. Raises UsageError for a name that cannot be changed so."""
        path, name = self.name_at(uri, at)
        if name is None:
            return None
        spans_of = rename(self.project, path, name, new)
        return types.WorkspaceEdit(
            {self.uri(p): self._edits(self.places(p), spans, new) for p, spans in spans_of.items()}
        )

    def _edits(
        self, places: TextPositions, spans: Sequence[t.Span], new: str
    ) -> list[types.TextEdit]:
        return [types.TextEdit(places.range(span), new) for span in spans]

    def format(self, uri: str) -> list[types.TextEdit]:
        """The change to the canonical layout; none for a text that does not parse."""
        path = path_of(uri)
        text = self.project.text(path)
        try:
            laid_out = format_text(text, self.project.name(path))
        except RuleError:
            return []
        return (
            [types.TextEdit(self.places(path).everything(), laid_out)] if laid_out != text else []
        )


def make_server() -> LanguageServer:
    """The server with all that it answers."""
    server = LanguageServer(
        "rulewright",
        rulewright.__version__,
        text_document_sync_kind=types.TextDocumentSyncKind.Full,
    )
    session = Session(server, Project())
    _documents(server, session)
    _questions(server, session)
    _changes(server, session)
    return server


def _documents(server: LanguageServer, session: Session) -> None:
    @server.feature(types.INITIALIZED)
    def initialized(params: types.InitializedParams) -> None:
        folders = (path_of(folder.uri) for folder in server.workspace.folders.values())
        root = server.workspace.root_path
        session.project.folders = tuple(folders) or ((Path(root).resolve(),) if root else ())

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def did_open(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        session.put(document.uri, document.text, document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def did_change(params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        session.put(document.uri, params.content_changes[-1].text, document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def did_save(params: types.DidSaveTextDocumentParams) -> None:
        session.check_soon()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def did_close(params: types.DidCloseTextDocumentParams) -> None:
        session.close(params.text_document.uri)


def _questions(server: LanguageServer, session: Session) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def on_hover(params: types.HoverParams) -> types.Hover | None:
        return await session.hover(params.text_document.uri, params.position)

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> list[types.Location]:
        return session.definition(params.text_document.uri, params.position)

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(params: types.ReferenceParams) -> list[types.Location]:
        wanted = params.context.include_declaration
        return session.references(params.text_document.uri, params.position, wanted)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        path = path_of(params.text_document.uri)
        return outline.outline(session.project.parsed(path).file, session.places(path))

    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["."])
    )
    def completion(params: types.CompletionParams) -> list[types.CompletionItem]:
        path = path_of(params.text_document.uri)
        place = session.places(path).place(params.position)
        return outline.completions(session.project, path, *place)


def _changes(server: LanguageServer, session: Session) -> None:
    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        return session.format(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare(params: types.PrepareRenameParams) -> types.Range | None:
        try:
            return session.rename_range(params.text_document.uri, params.position)
        except UsageError as error:
            raise JsonRpcInvalidParams(str(error)) from error

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def on_rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        try:
            return session.rename(params.text_document.uri, params.position, params.new_name)
        except UsageError as error:
            raise JsonRpcInvalidParams(str(error)) from error


def serve() -> None:
    """Serve one editor over standard input and output until it says goodbye.

    What is printed meanwhile goes to standard error: the protocol owns standard output.
    """
    output, sys.stdout = sys.stdout.buffer, sys.stderr
    make_server().start_io(sys.stdin.buffer, output)
