"""What `rulewright conformance` found, in four forms that hold the same facts."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any

import rulewright
from rulewright.cli.output import counted, table_text

if TYPE_CHECKING:
    from rulewright.verify.conformance import Result

STATUSES = ("right", "wrong", "absent")


@dataclass
class ConformanceReport:
    """What was run and what came of it. total: cases chosen. code: what stands for that which ran.
    stopped: why not all of them ran."""

    device: str
    description: str
    total: int
    seed: int = 0
    repeat: int = 1
    code: str = ""
    stopped: str = ""
    results: list[Result] = field(default_factory=list)

    @property
    def ran(self) -> dict[str, int]:
        """Kernels run, by device."""
        total: Counter[str] = Counter()
        for result in self.results:
            total.update(result.ran)
        return dict(sorted(total.items()))

    @property
    def wrong(self) -> bool:
        """Whether any case is wrong."""
        return any(result.status == "wrong" for result in self.results)

    def facts(self) -> dict[str, Any]:
        """What is said of the run as a whole."""
        return {
            "device": self.device,
            "description": self.description,
            "version": rulewright.__version__,
            "seed": self.seed,
            "repeat": self.repeat,
            "code": self.code,
            "chosen": self.total,
            "stopped": self.stopped,
            "ran": self.ran,
        }

    def counts(self) -> list[tuple[str, ...]]:
        """A row for each kind: how many cases are right, wrong, absent, and seconds."""
        from rulewright.verify.conformance import KINDS

        rows = []
        for kind in KINDS:
            some = [r for r in self.results if r.kind == kind]
            if some:
                counts = [sum(r.status == status for r in some) for status in STATUSES]
                seconds = sum(r.seconds for r in some)
                rows.append((kind, *map(str, counts), f"{seconds:.1f}"))
        return rows


def summary(report: ConformanceReport) -> str:
    """Counts, the device, and what ran."""
    out = StringIO()
    out.write(table_text(("cases", "right", "wrong", "absent", "seconds"), report.counts()))
    ran = ", ".join(f"{counted(count, 'kernel')} on {name}" for name, count in report.ran.items())
    out.write(f"\ndevice  {report.description}\nran     {ran or 'nothing'}\n")
    if report.stopped:
        out.write(f"stopped {_stopped(report)}\n")
    return out.getvalue()


def _stopped(report: ConformanceReport) -> str:
    return f"{report.stopped}: {len(report.results)} of {report.total} cases ran"


def as_table(report: ConformanceReport) -> str:
    """For people: what is absent, what is wrong and how to see it, and the counts."""
    lines = []
    for status in ("absent", "wrong"):
        for result in report.results:
            if result.status != status:
                continue
            lines.append(f"{status}: {result.case}   {result.text.partition(chr(10))[0]}")
            lines += [f"  {message}" for message in result.messages]
            lines += [f"  | {line}" for line in result.least.splitlines()]
    return "".join(f"{line}\n" for line in lines) + summary(report)


def as_json(report: ConformanceReport) -> str:
    """For tools."""
    cases = [{**vars(r), "seconds": round(r.seconds, 3)} for r in report.results]
    return json.dumps({**report.facts(), "cases": cases}, indent=2) + "\n"


def as_junit(report: ConformanceReport) -> str:
    """For CI: XML as JUnit's."""
    from xml.etree import ElementTree

    results = report.results
    suite = ElementTree.Element("testsuite", {
        "name": f"conformance of {report.device}", "tests": str(len(results)),
        "failures": str(sum(r.status == "wrong" for r in results)),
        "skipped": str(sum(r.status == "absent" for r in results)),
        "time": f"{sum(r.seconds for r in results):.3f}",
    })  # fmt: skip
    properties = ElementTree.SubElement(suite, "properties")
    facts = report.facts()
    named = {f"kernels on {name}": count for name, count in facts.pop("ran").items()}
    for name, value in {**facts, **named}.items():
        ElementTree.SubElement(properties, "property", {"name": name, "value": str(value)})
    for result in results:
        kind, _, name = result.case.partition("/")
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": kind, "name": name, "time": f"{result.seconds:.3f}"}
        )
        if result.status == "absent":
            ElementTree.SubElement(case, "skipped", {"message": result.messages[0]})
        for message in result.messages if result.status == "wrong" else ():
            failure = ElementTree.SubElement(case, "failure", {"message": _for_xml(message)})
            failure.text = _for_xml(result.least)
        code = "\n".join([result.text, *_kernels(result)])
        ElementTree.SubElement(case, "system-out").text = _for_xml(code)
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode") + "\n"


def _kernels(result: Result) -> list[str]:
    """How many kernels ran on each device."""
    return [f"{counted(n, 'kernel')} on {name}" for name, n in sorted(result.ran.items())]


def _for_xml(text: str) -> str:
    """Text without the characters that XML has no way to write."""
    return "".join(c if c >= " " or c in "\n\t" else repr(c)[1:-1] for c in text)


# ---- one page ----------------------------------------------------------------------------------

_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto }}
table {{ border-collapse: collapse }} th, td {{ padding: .2rem .9rem .2rem 0; text-align: left }}
td.number {{ text-align: right; font-variant-numeric: tabular-nums }}
code, pre {{ font: 13px/1.45 ui-monospace, monospace }}
pre {{ background: #8881; padding: .7rem; overflow-x: auto }}
details {{ margin: .2rem 0 }} summary {{ cursor: pointer }}
.wrong {{ color: #c22 }} .right {{ color: #182 }} .absent {{ color: #777 }}
</style></head><body>
<h1>{title}</h1>
<p class="{status}">{verdict}</p>
<table>{facts}</table>
<h2>Cases</h2>
<table><tr><th>kind<th>right<th>wrong<th>absent<th>seconds</tr>{counts}</table>
{parts}
</body></html>
"""


def as_html(report: ConformanceReport) -> str:
    """One page that needs nothing beside it."""
    wrong = sum(r.status == "wrong" for r in report.results)
    verdict = f"{wrong} of {len(report.results)} cases are wrong" if wrong else "No case is wrong"
    if report.stopped:
        verdict += f"; {_stopped(report)}"
    facts = {**report.facts(), "ran": ", ".join(f"{n} on {d}" for d, n in report.ran.items())}
    facts["kernels run"] = facts.pop("ran") or "none"
    facts["stopped"] = facts["stopped"] or "no"
    counts = [
        f"<tr><td>{kind}" + "".join(f'<td class="number">{n}' for n in numbers)
        for kind, *numbers in report.counts()
    ]
    parts = [_part(report, status) for status in ("wrong", "absent", "right")]
    return _PAGE.format(
        title=escape(f"Conformance of {report.device}"),
        status="wrong" if wrong or report.stopped else "right",
        verdict=escape(verdict),
        facts="".join(f"<tr><th>{escape(k)}<td>{escape(str(v))}" for k, v in facts.items()),
        counts="\n".join(counts),
        parts="\n".join(filter(None, parts)),
    )


def _part(report: ConformanceReport, status: str) -> str:
    some = [r for r in report.results if r.status == status]
    if not some:
        return ""
    cases = "\n".join(_case(r) for r in some)
    if status == "wrong":
        return f'<h2 class="wrong">Wrong</h2>\n{cases}'
    head = f"<h2>{status.capitalize()}</h2>\n<details>"
    return f"{head}<summary>{counted(len(some), 'case')}</summary>\n{cases}</details>"


def _case(result: Result) -> str:
    name = f'<code class="{result.status}">{escape(result.case)}</code>'
    kernels = ", ".join(_kernels(result))
    said = "".join(f"<p>{escape(message)}</p>" for message in result.messages)
    least = f"<p>To paste:</p><pre>{escape(result.least)}</pre>" if result.least else ""
    shown = " open" if result.status == "wrong" else ""
    return (
        f"<details{shown}><summary>{name} {result.seconds:.2f} s {kernels}</summary>"
        f"{said}<pre>{escape(result.text)}</pre>{least}</details>"
    )


FORMS = {"table": as_table, "json": as_json, "junit": as_junit, "html": as_html}
