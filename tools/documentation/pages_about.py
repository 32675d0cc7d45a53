"""The overview, the language in ten minutes, the command line, the options, the errors."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterator

from documentation.counts import count
from documentation.html import (
    Page,
    badge,
    block,
    code,
    comma,
    facts,
    heading,
    link,
    table,
)
from documentation.known import Known
from documentation.markup import doc, inline, markdown
from documentation.pages_rules import status
from rulewright import errors
from rulewright.options import Options
from rulewright.paths import spec_dir

STATUSES = {
    "proved": "z3 found no counterexample, or all values there are were tried; nor did the matcher",
    "proved at rank 3": "proved for all sizes of tensors of up to 3 axes",
    "exhaustive": "C computed both sides at all 2^32 inputs; what it found is on record",
    "bounded": "nothing wrong among the values and graphs that were to be tried",
    "trusted": "the rule says why it is believed, and samples show nothing else",
    "timed out": "a last resort ended the proof before the work that was allowed ran out",
    "unknown": "z3 gave up, or no graph of its pattern was made: its examples alone were run",
    "crashed": "the prover itself failed",
    "declared": "says how it is to be proved; that was not run when this page was made",
    "vacuous": "no graph was found that the rule matches",
    "refuted": "wrong: there is a counterexample",
}


def pages(known: Known) -> Iterator[Page]:
    """All of them."""
    yield Page("index.html", "Rulewright", _index(known))
    guide = (spec_dir() / "README.md").read_text(encoding="utf-8")
    yield Page("guide.html", "The language in ten minutes", markdown(guide))
    yield Page("commands.html", "Command line", _commands())
    yield Page("options.html", "Options", _options())
    yield Page("errors.html", "Errors", _errors())


def _index(known: Known) -> str:
    counts = Counter(status(known, rule) for rule in known.symbols.rules.values())
    shown = [(badge(s), str(counts[s]), inline(STATUSES[s])) for s in STATUSES if counts[s]]
    sets = [
        (
            known.link("ruleset", name),
            str(len(s.rules)) if s.rules else "",
            " + ".join(known.link("ruleset", part) for part in s.parts),
            inline(s.doc.replace("\n", " ")),
        )
        for name, s in known.symbols.rulesets.items()
    ]
    steps = " ⟶ ".join(link(f"pipeline.html#{e.name}", code(e.name)) for e in known.entries)
    parts = [
        "<p>A tensor compiler whose knowledge is written as rules that people read and the "
        "machine proves. These pages are made from those rules.</p>",
        f"<p>{inline(str(count(known.files)))}.</p>",
        heading(2, "pipeline", "The pipeline"),
        f"<p>{steps}</p>",
        heading(2, "statuses", "What is known of the rules"),
        table(("status", "rules", ""), shown),
        _coverage(known),
        heading(2, "rulesets", "Rulesets"),
        table(("set", "rules", "parts", ""), sets),
    ]
    return "\n".join(p for p in parts if p)


def _coverage(known: Known) -> str:
    if known.rows:
        fired = sum(row.times > 0 for row in known.rows.values())
        return f"<p>{fired} of {len(known.rows)} rules fired in the suite.</p>"
    if not known.cases_of_rule:
        return ""
    total = len(known.symbols.rules)
    return f"<p>Cases name {len(known.cases_of_rule)} of {total} rules.</p>"


def _commands() -> str:
    """The help of every command, as `--help` prints it."""
    import click

    from rulewright.cli.main import COMMANDS, main

    listed = comma(link(f"#{name}", code(name)) for name in COMMANDS)
    parts = [
        f'<p class="chips">{listed}</p>',
        "<p>Exit status: 0 good, 1 found something, 2 misuse.</p>",
    ]
    for name, line in COMMANDS.items():
        command = main.get_command(click.Context(main), name)
        assert command is not None, name
        context = click.Context(
            command, info_name=f"rulewright {name}", terminal_width=90, max_content_width=90
        )
        parts += [heading(2, name, code(f"rulewright {name}")), f"<p>{inline(line)}</p>"]
        parts.append(block(command.get_help(context)))
    return "\n".join(parts)


def _options() -> str:
    """The options with the comments that stand beside them."""
    source = inspect.getsource(Options)
    options = re.findall(r"^    (\w+): \w+ = (\S+)\s+# (.+)$", source, re.MULTILINE)
    rows = [(code(name), code(default.strip('"')), inline(text)) for name, default, text in options]
    return "\n".join(
        [
            "<p>Environment variables, and fields of <code>with rulewright.Context(...)</code>, "
            "which overrides them.</p>",
            table(("option", "default", "does"), rows),
        ]
    )


def _errors() -> str:
    """The tree as it is drawn in the module, and each exception."""
    drawn = (errors.__doc__ or "").partition("\n\n")[2].strip("\n")
    parts = ["<p>Every exception that is raised on purpose, in one tree.</p>", block(drawn)]
    kinds = [
        kind
        for kind in vars(errors).values()
        if inspect.isclass(kind) and issubclass(kind, (errors.RulewrightError, Warning))
    ]
    for kind in kinds:
        above = [base.__name__ for base in kind.__bases__]
        shown = comma(
            link(f"#{name}", code(name)) if hasattr(errors, name) else code(name) for name in above
        )
        parts += [heading(2, kind.__name__, code(kind.__name__)), doc(inspect.getdoc(kind) or "")]
        parts.append(facts([("is a", shown)]))
    return "\n".join(parts)
