"""Whatever is done to a text, the answer is a list of diagnostics with good places and words."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings, strategies as st
from sound_diagnostics import sound

from rulewright.checks.files import check_files
from rulewright.lang.build import parsed_spec
from rulewright.lang.parse import try_parse
from rulewright.paths import spec_dir

TEXTS = [
    "\n".join(text.splitlines()[:70])
    for name in ("20-ops", "30-stages", "60-schedule", "90-pipeline", "80-targets/c")
    for text in [Path(spec_dir(), f"{name}.uop").read_text(encoding="utf-8")]
]
TEXTS += [
    p.read_text(encoding="utf-8") for p in sorted(Path(__file__).parents[1].glob("cases/*/a*"))
]
ODDS = [
    "", "\n", "(", ")", "[", "]", "{", "}", "=>", "->", "=", "==", "..", "_", "$", "$c", "@", "!",
    ":", ",", "-", "//", "'", '"', '"""', "#", "///", "x", "T", "ADD", "Movement", "NOPE", "7",
    "0.5", "§", ";", "&&", "rule", "when", "let", "example", "op", "group", "ruleset a {",
]  # fmt: skip


@st.composite
def broken(draw: st.DrawFn) -> str:
    """A text with one to three stretches replaced by something odd."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        length = draw(st.sampled_from([0, 1, 1, 2, 5, 20]))
        text = text[:start] + draw(st.sampled_from(ODDS)) + text[start + length :]
    return text


@settings(max_examples=60)
@given(broken())
def test_a_broken_text_gives_sound_diagnostics(text):
    file, errors = try_parse(text, "a.uop")
    for found in errors:
        sound(found, text)
    for found in check_files([file], parsed_spec()):
        sound(found, text)
