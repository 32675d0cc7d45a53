"""The documentation site: it says everything, every link leads somewhere, bytes are the same."""

from __future__ import annotations

import json
import re
from html import unescape
from html.parser import HTMLParser

import pytest

from documentation.build import files
from documentation.counts import Counts, count
from documentation.equation import Typesetter
from documentation.html import table
from documentation.markup import doc, inline, markdown
from rule_coverage.count import Counts as Fired
from rule_coverage.report import rows
from rulewright.cli.main import COMMANDS
from rulewright.lang.build import load_table, parsed_spec
from rulewright.lang.parse import parse_expr, parse_text
from rulewright.lang.tree import RuleSetDecl
from rulewright.verify import methods
from rulewright.verify.prove import Proof

SMALL = """
extern fn scale(a: int) -> int = "math:isqrt" pure total because "a test"
ruleset tests {
  rule plain NEG(NEG(x)) => x prove smt
  rule calling NEG($c:i32) => {scale(c)}:i32 trust "why not"
  rule guarded NOT(NOT(x)) => x when scale(x.vmin) > 0 prove interp
}
"""
VOID = ("meta", "link", "input", "br")


class Reader(HTMLParser):
    """Notes links, ids, text and what is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.links, self.ids, self.open, self.wrong, self.text = [], [], [], [], []

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.links += [found[k] for k in ("href", "src") if k in found]
        self.ids += [found["id"]] if "id" in found else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"{tag} at {self.getpos()}")

    def handle_data(self, data):
        self.text.append(data)


def read(text):
    reader = Reader()
    reader.feed(text)
    reader.close()
    return reader


@pytest.fixture(scope="module")
def site():
    """The site with one proof and the counts of one rule known."""
    refuted = Proof("add_zero", "identities", "f", 1, "smt", "refuted", counterexample="graph <b>")
    counted = {row.rule: row for row in rows({"suite": Fired()})}
    return files({"add_zero": refuted}, {"mul_one": counted["mul_one"]})


@pytest.fixture(scope="module")
def read_pages(site):
    return {name: read(text) for name, text in site.items() if name.endswith(".html")}


def test_no_link_is_broken_and_every_tag_is_closed(site, read_pages):
    broken, count_links = [], 0
    for name, page in read_pages.items():
        assert not page.wrong and not page.open, (name, page.wrong, page.open)
        assert len(page.ids) == len(set(page.ids)), (
            name,
            [i for i in page.ids if page.ids.count(i) > 1],
        )
        for link in page.links:
            if "://" in link:
                continue
            target, _, anchor = link.partition("#")
            target = target or name
            count_links += 1
            if target not in site or (anchor and anchor not in read_pages[target].ids):
                broken.append(f"{name}: {link}")
    assert not broken, broken[:20]
    assert count_links > 5000


def test_every_page_can_be_reached(read_pages):
    seen, todo = set(), ["index.html"]
    while todo:
        name = todo.pop()
        if name not in seen and name in read_pages:
            seen.add(name)
            todo += [link.partition("#")[0] for link in read_pages[name].links]
    assert seen == set(read_pages)


def test_searched_places_exist(site, read_pages):
    index = json.loads(site["search-index.js"].removeprefix("const INDEX = ").rstrip(";\n"))
    for name, kind, place, _ in index:
        page, _, anchor = place.partition("#")
        assert anchor in read_pages[page].ids, (name, kind, place)
    kinds = {kind for _, kind, _, _ in index}
    assert kinds >= {"rule", "op", "dtype", "extern", "stage", "method", "command", "target"}


def test_no_page_needs_a_network(site):
    for name, text in site.items():
        assert not re.search(r'(src|href)="(https?:)?//', text) or name == "guide.html", name
        assert "@import" not in text


def test_everything_has_its_place(read_pages):
    table = load_table()
    for row in table["ops"]:
        assert row["name"] in read_pages["ops.html"].ids
    for row in table["dtypes"]:
        assert row["name"] in read_pages["dtypes.html"].ids
    for page, kind in {"stages": "stages", "targets": "targets", "externs": "externs"}.items():
        assert set(table[kind]) <= set(read_pages[f"{page}.html"].ids)
    rules = [r for f in parsed_spec() for s in f.all(RuleSetDecl) for r in s.rules]
    ids = {i for name, page in read_pages.items() if name.startswith("rules-") for i in page.ids}
    assert {f"rule.{rule.name}" for rule in rules} <= ids
    assert {f"ruleset.{name}" for name in table["rulesets"]} <= ids
    shown = {
        i for name, page in read_pages.items() if name.startswith("methods-") for i in page.ids
    }
    assert {row.name for row in methods.all_rows()} <= shown
    assert set(COMMANDS) <= set(read_pages["commands.html"].ids)


def test_a_rule_says_all_there_is(site):
    [page] = [t for n, t in site.items() if 'id="rule.add_zero"' in t]
    section = page.partition('id="rule.add_zero"')[2].partition("</section>")[0]
    rule = next(
        r
        for f in parsed_spec()
        for s in f.all(RuleSetDecl)
        for r in s.rules
        if r.name == "add_zero"
    )
    assert doc(rule.doc) in section
    assert "refuted" in section and "graph &lt;b&gt;" in section
    assert f"{rule.span.file}:{rule.name.span.line}" in section
    for word in ("examples", "leaves alone", "coverage", 'href="ops.html#ADD"', "Source", "⟶"):
        assert word in section
    covered = next(t for t in site.values() if 'id="rule.mul_one"' in t)
    assert "never fired" in covered.partition('id="rule.mul_one"')[2].partition("</section>")[0]


def test_an_op_names_the_rules_that_mention_it_by_name_or_sign(site):
    section = site["ops.html"].partition('<h3 id="FLOORDIV">')[2].partition("<h3 ")[0]
    named = set(re.findall(r"#rule\.(\w+)", section))
    for file in parsed_spec():
        for ruleset in file.all(RuleSetDecl):
            for rule in ruleset.rules:
                lines = file.text.split("\n")[
                    rule.pattern.span.line - 1 : rule.replacement.span.end_line
                ]
                text = "\n".join(lines)
                if re.search(r"\bFLOORDIV\(", text):
                    assert str(rule.name) in named, rule.name
    assert len(named) > 20


def test_methods_show_signature_formula_and_errors(site):
    section = site["methods-activations.html"].partition('<h2 id="gelu">')[2].partition("<h2 ")[0]
    assert "np.tanh" in section and "&gt;&gt;&gt;" in section and "f32" in section
    assert 'href="errors.html#UsageError"' in section
    assert "(self" not in section.partition("</p>")[0]


def test_long_code_stands_where_lines_may_break(site):
    """The first column of a table is not broken, except in tables of calls."""
    style = site["style.css"]
    assert "td:first-child code { white-space: nowrap; }" in style
    assert "table.calls td:first-child code { white-space: normal; }" in style
    longest = {True: 0, False: 0}
    for page in (text for name, text in site.items() if name.endswith(".html")):
        for kind, body in re.findall(r"<table([^>]*)>(.*?)</table>", page, re.DOTALL):
            for cell in re.findall(r"<tr><td>(.*?)</td>", body, re.DOTALL):
                for code in re.findall(r"<code>(.*?)</code>", cell, re.DOTALL):
                    shown = len(unescape(re.sub(r"<[^>]*>", "", code)))
                    longest["calls" in kind] = max(longest["calls" in kind], shown)
    assert longest[True] > 100 and longest[False] <= 45


def test_options_and_errors_are_all_there(site):
    from dataclasses import fields

    from rulewright import errors
    from rulewright.options import Options

    for field in fields(Options):
        assert f"<code>{field.name}</code>" in site["options.html"]
    for name, kind in vars(errors).items():
        if isinstance(kind, type) and issubclass(kind, Exception):
            assert f'id="{name}"' in site["errors.html"]


def test_bytes_are_the_same_each_time():
    assert files({}, {}) == files({}, {})


# ---- parts ------------------------------------------------------------------------------------


def typeset(text):
    shown = Typesetter(lambda kind, name: "").set(parse_expr(text))
    return unescape(re.sub(r"<[^>]*>", "", re.sub(r"<sub>(.*?)</sub>", r"_\1", shown)))


@pytest.mark.parametrize(
    "text, shown",
    [
        ("(a + b) * c", "(a + b) · c"),
        ("a + b * c", "a + b · c"),
        ("a - (b - c)", "a − (b − c)"),
        ("a - b - c", "a − b − c"),
        ("(a < b) == c", "(a < b) = c"),
        ("-(a + b)", "−(a + b)"),
        ("~a & b", "¬a & b"),
        ("(x:T * 3):i32", "(x_T · 3)_i32"),
        ("x // -1", "x // (−1)"),
        ("OP!(xs.., n@NEG(_))", "OP!(xs…, n@NEG(_))"),
        ("CONST[1, (2,)]()", "CONST[1, (2,)]()"),
        ("{c + 1}:T", "⟦c + 1⟧_T"),
        ("(-x).vmin", "(−x).vmin"),
        ("f(a, b..)", "f(a, b…)"),
    ],
)
def test_equations_keep_their_brackets_where_they_matter(text, shown):
    assert typeset(text) == shown


def test_markup():
    assert inline("a `x < y` **b** <i>") == ("a <code>x &lt; y</code> <strong>b</strong> &lt;i&gt;")
    assert inline("its *value* is a * b * c, *args") == "its <em>value</em> is a * b * c, *args"
    assert markdown("one\n`two` three\n- four") == (
        "<p>one <code>two</code> three</p>\n<ul><li>four</li></ul>"
    )
    assert table(("a", "b"), [("1", ""), ("2", "")]).count("<th>") == 1
    assert doc("One\ntwo.\n\n>>> f(1)\n'<'") == (
        "<p>One two.</p>\n<pre>&gt;&gt;&gt; f(1)\n&#x27;&lt;&#x27;</pre>"
    )
    made = markdown(
        "# T\n\n## A `b`\n\n| x | y |\n|---|---|\n| `a|b` | c\\|d |\n\n- one\n  two\n- three\n"
    )
    assert '<h2 id="a--b-">' in made and "<td><code>a|b</code></td><td>c|d</td>" in made
    assert "<ul><li>one two</li><li>three</li></ul>" in made and "<h1" not in made


def test_counts_tell_declarative_rules_from_those_that_call():
    found = count([parse_text(SMALL)])
    assert found == Counts(rules=3, declarative=1, externs=1, proved=2, trusted=1)
    assert str(found) == (
        "3 rules, 1 of them (33 %) purely declarative; 1 externs; 2 rules to be proved, 1 trusted"
    )


def test_rules_are_the_knowledge():
    found = count()
    assert found.declarative >= 0.8 * found.rules
    assert found.externs <= 60
    assert found.proved + found.trusted == found.rules
