"""`rulewright lsp`: the language server for editors."""

from __future__ import annotations

import click

from rulewright.cli.inputs import example, externs_option
from rulewright.errors import MissingExtraError


@click.command(epilog=example("rulewright lsp\nrulewright lsp --textmate > uop.tmLanguage.json"))
@externs_option
@click.option("--textmate", is_flag=True, help="print the TextMate grammar of .uop files instead")
def command(textmate: bool) -> None:
    """Serve an editor over standard input and output: the Language Server Protocol for .uop files.

    Problems as you type, hover with doc and proof status, definitions (of externs: their Python),
    references, rename, format, outline, completion. Needs the extra `lsp`. editors/ holds what VS
    Code needs to start it. Opening or editing a file runs nothing that only the file names.
    """
    if textmate:
        from rulewright.lsp.textmate import grammar_text

        click.echo(grammar_text(), nl=False)
        return
    try:
        from rulewright.lsp.server import serve
    except ImportError as error:
        raise MissingExtraError(
            f"the language server needs pygls ({error}): pip install 'rulewright[lsp]'"
        ) from error
    serve()
