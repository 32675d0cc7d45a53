"""Wrong values of every option and argument of every command: exit status 2 and one message."""

import click
import pytest

from rulewright.cli.main import COMMANDS, main
from rulewright.paths import spec_dir

GRAPH = """graph twice {
  x = PARAM[0, (4,), "C"]:f32
  return x + x
}
"""

DEVICE = "unknown device 'ABACUS'"
NO_FILE = "found no file 'nowhere.uop'"
NO_FOLDER = "there is no folder 'nowhere' to write to"
NOT_THERE = "does not exist"
SPEC = "'nowhere.uop' does not exist"

MODULE = "expected the name of a module (pkg.mod), found 'a-b'"
WRONG = [
    ("bench workloads", "bench nonsense", "no workload fits 'nonsense'"),
    ("bench --sizes", "bench matmul --sizes x", "expected a size such as 512 or 16M, found 'x'"),
    ("bench --peers", "bench --peers nonsense", "found 'nonsense'"),
    ("bench --rounds", "bench --rounds 0", "0 is not in the range x>=1"),
    ("bench --seconds", "bench --seconds -1", "-1.0 is not in the range x>=0"),
    ("bench --clock", "bench --clock sun", "'sun' is not one of 'wall', 'cpu'"),
    ("bench --threads", "bench --threads 0", "0 is not in the range x>=1"),
    ("bench --json", "bench --json nowhere/x", NO_FOLDER),
    ("bench --chart", "bench --chart nowhere/x.svg", NO_FOLDER),
    ("bench --chart", "bench --chart x.txt", "expected a file .svg or .png, found x.txt"),
    ("bisect --allow-externs", "bisect GRAPH --allow-externs a-b", MODULE),
    ("bisect --spec", "bisect GRAPH --spec nowhere.uop", SPEC),
    ("bisect program", "bisect nowhere.uop", "no such file: nowhere.uop"),
    ("bisect program", "bisect nowhere:f", "cannot import nowhere"),
    ("bisect --device", "bisect GRAPH --device ABACUS", DEVICE),
    ("bisect --rules", "bisect GRAPH --rules nowhere.uop", NO_FILE),
    ("bisect --out", "bisect GRAPH --out nowhere/x", NO_FOLDER),
    ("bisect --out", "bisect GRAPH --out .", "is a directory"),
    ("check --allow-externs", "check --allow-externs a-b", MODULE),
    ("check --spec", "check --spec nowhere.uop", SPEC),
    ("check files", "check nowhere.uop", NOT_THERE),
    ("check --format", "check --format yaml", "'yaml' is not one of 'text', 'json'"),
    ("compile --allow-externs", "compile GRAPH --allow-externs a-b", MODULE),
    ("compile --spec", "compile GRAPH --spec nowhere.uop", SPEC),
    ("compile --target", "compile GRAPH --target ABACUS", "no target 'ABACUS'"),
    ("compile graph", "compile nowhere.uop", NOT_THERE),
    ("compile --device", "compile GRAPH --device ABACUS", DEVICE),
    ("compile --stage", "compile GRAPH --stage rangefy", "unknown stage 'rangefy'"),
    ("conformance --allow-externs", "conformance --allow-externs a-b", MODULE),
    ("conformance --spec", "conformance --spec nowhere.uop", SPEC),
    ("conformance --device", "conformance --device ABACUS", DEVICE),
    ("conformance --format", "conformance --format yaml", "'yaml' is not one of"),
    ("conformance --output", "conformance --output nowhere/x", NO_FOLDER),
    ("conformance --repeat", "conformance --repeat 0", "0 is not in the range x>=1"),
    ("conformance --jobs", "conformance --jobs 0", "0 is not in the range x>=1"),
    ("conformance --seed", "conformance --seed -1", "not in the range 0<=x<=4294967295"),
    ("conformance -k", "conformance -k nosuchmethod", "'nosuchmethod' fits no case"),
    ("cover --cases", "cover --cases nowhere", NOT_THERE),
    ("cover --data", "cover --data nowhere", NOT_THERE),
    ("cover --reasons", "cover --reasons nowhere", NOT_THERE),
    ("cover --at-least", "cover --at-least 101", "not in the range 0<=x<=100"),
    ("cover --at-least", "cover --at-least most", "not a valid float"),
    ("cover --format", "cover --format yaml", "'yaml' is not one of"),
    ("cover --output", "cover --output nowhere/x --format json", NO_FOLDER),
    ("cover --output", "cover --output here", "takes --format json or xml"),
    ("demo --epochs", "demo --epochs 0", "0 is not in the range x>=1"),
    ("demo --epochs", "demo --epochs many", "not a valid integer"),
    ("doc --output", "doc --output GRAPH", "is a file"),
    ("doc --data", "doc --data nowhere", NOT_THERE),
    ("discover name", "discover nonsense", "unknown ruleset 'nonsense'"),
    ("discover --spec", "discover --spec nowhere.uop", SPEC),
    ("discover --allow-externs", "discover --allow-externs a-b", MODULE),
    ("overlaps --spec", "overlaps --spec nowhere.uop", SPEC),
    ("overlaps --allow-externs", "overlaps --allow-externs a-b", MODULE),
    ("discover --ops", "discover --ops NONSENSE", "'NONSENSE' is no elementwise op"),
    ("discover --ops", "discover --ops STORE", "'STORE' is no elementwise op"),
    ("discover --dtype", "discover --dtype i33", "unknown dtype 'i33'"),
    ("discover --dtype", "discover --dtype f32*4", "expected scalar dtypes"),
    ("discover --size", "discover --size 0", "0 is not in the range 1<=x<=6"),
    ("discover --result", "discover --result 9", "9 is not in the range 0<=x<=4"),
    ("discover --variables", "discover --variables 0", "0 is not in the range 1<=x<=4"),
    ("discover --constants", "discover --constants one", "expected numbers, such as 0 1 2"),
    ("discover --bounds", "discover --bounds 3 0", "LOW 3 is above HIGH 0"),
    ("discover --program", "discover --program nonsense", "no golden program 'nonsense'"),
    ("discover --target", "discover --target ABACUS", "no target 'ABACUS'"),
    ("discover --equiv", "discover --equiv roughly", "unknown equivalence 'roughly'"),
    ("discover --equiv", "discover --equiv ulp", "unknown equivalence 'ulp'"),
    ("discover --terms", "discover --terms 0", "0 is not in the range x>=1"),
    ("discover --tries", "discover --tries 0", "0 is not in the range x>=1"),
    ("discover --rules", "discover --rules 0", "0 is not in the range x>=1"),
    ("explain --allow-externs", "explain GRAPH --allow-externs a-b", MODULE),
    ("explain --spec", "explain GRAPH --spec nowhere.uop", SPEC),
    ("explain program", "explain nowhere.uop", "no such file: nowhere.uop"),
    ("explain --device", "explain GRAPH --device ABACUS", DEVICE),
    ("bisect --rules", "bisect GRAPH --rules nowhere.uop:mine", NO_FILE),
    ("bisect --at", "bisect GRAPH --rules RULES --at mine", "unknown ruleset"),
    ("reduce --at", "reduce GRAPH --at mine", "unknown ruleset"),
    ("explain --at", "explain GRAPH --at mine", "unknown ruleset"),
    ("explain --rules", "explain GRAPH --rules nowhere.uop:symbolic", NO_FILE),
    ("fmt files", "fmt nowhere.uop", NOT_THERE),
    ("fmt files", "fmt", "Missing argument"),
    ("golden --allow-externs", "golden --allow-externs a-b", MODULE),
    ("golden --spec", "golden --spec nowhere.uop", SPEC),
    ("golden --target", "golden --target ABACUS --folder .", "no target 'ABACUS'"),
    ("golden --target", "golden --target C", "--target needs --folder"),
    ("golden --folder", "golden --folder GRAPH", "is a file"),
    ("golden names", "golden nonsense", "no golden program 'nonsense'"),
    ("lsp --allow-externs", "lsp --allow-externs a-b", MODULE),
    ("mutate --rule", "mutate --rule nonsense", "no rule that can be mutated is called nonsense"),
    ("mutate --sample", "mutate --sample 0", "0 is not in the range x>=1"),
    ("mutate --jobs", "mutate --jobs 0", "0 is not in the range x>=1"),
    ("mutate --reasons", "mutate --reasons nowhere", NOT_THERE),
    ("mutate --at-least", "mutate --at-least -1", "not in the range 0<=x<=100"),
    ("mutate --format", "mutate --format xml", "'xml' is not one of"),
    ("mutate --output", "mutate --output nowhere/x", NO_FOLDER),
    ("overlaps name", "overlaps nonsense", "unknown ruleset 'nonsense'"),
    ("overlaps name", "overlaps fold.uop", "write `--spec fold.uop SET` for a set of this file"),
    ("discover name", "discover fold.uop", "expected the name of a ruleset, found a file"),
    ("overlaps --format", "overlaps --format xml", "'xml' is not one of"),
    ("profile script", "profile nowhere.py", "no such file: nowhere.py"),
    ("profile script", "profile .", "expected a file, found a folder: ."),
    ("profile script", "profile GRAPH", "expected a Python script, found"),
    ("profile --trace", "profile --trace nowhere/x GRAPH", NO_FOLDER),
    ("profile --kernels", "profile --kernels -1 GRAPH", "-1 is not in the range x>=0"),
    ("prove --allow-externs", "prove --allow-externs a-b", MODULE),
    ("prove --spec", "prove --spec nowhere.uop", SPEC),
    ("prove files", "prove nowhere.uop", NOT_THERE),
    ("prove --rule", "prove --rule nonsense", "is called nonsense"),
    ("prove --timeout", "prove --timeout 0", "not in the range x>0"),
    ("prove --jobs", "prove --jobs -1", "-1 is not in the range x>=1"),
    ("prove --format", "prove --format xml", "'xml' is not one of"),
    ("verify files", "verify nowhere.json", NOT_THERE),
    ("verify files", "verify GRAPH", "expected a certificate"),
    ("verify --allow-externs", "verify GRAPH --allow-externs a-b", MODULE),
    ("verify --spec", "verify GRAPH --spec nowhere.uop", SPEC),
    ("reduce --allow-externs", "reduce GRAPH --allow-externs a-b", MODULE),
    ("reduce --spec", "reduce GRAPH --spec nowhere.uop", SPEC),
    ("reduce graph", "reduce nowhere.uop", "no such file: nowhere.uop"),
    ("reduce --device", "reduce GRAPH --device ABACUS", DEVICE),
    ("reduce --rules", "reduce GRAPH --rules nowhere.uop", NO_FILE),
    ("reduce --tries", "reduce GRAPH --tries 0", "0 is not in the range x>=1"),
    ("rewrite --allow-externs", "rewrite GRAPH --rules RULES --allow-externs a-b", MODULE),
    ("rewrite --spec", "rewrite GRAPH --rules RULES --spec nowhere.uop", SPEC),
    ("rewrite graph", "rewrite nowhere.uop --rules RULES", NOT_THERE),
    ("rewrite --rules", "rewrite GRAPH --rules nowhere.uop", NO_FILE),
    ("rewrite --rules", "rewrite GRAPH --rules .", "found the folder '.'"),
    ("rewrite --rules", "rewrite GRAPH", "Missing option '--rules'"),
    ("run --allow-externs", "run GRAPH --allow-externs a-b", MODULE),
    ("run --spec", "run GRAPH --spec nowhere.uop", SPEC),
    ("run graph", "run nowhere.uop", NOT_THERE),
    ("run --device", "run GRAPH --device ABACUS", DEVICE),
    ("run --input", "run GRAPH --input a", "expected SLOT=FILE.npy, found 'a'"),
    ("run --input", "run GRAPH --input 0=nowhere.npy", "no such file: nowhere.npy"),
    ("run --input", "run GRAPH --input 0=.", "expected a file, found a folder: ."),
    ("run --var", "run GRAPH --var n=x", "expected NAME=NUMBER, found 'n=x'"),
    ("run --var", "run GRAPH --var k=1", "the graph has no variable 'k'"),
    ("run --seed", "run GRAPH --seed x", "not a valid integer"),
    ("run --seed", "run GRAPH --seed -1", "-1 is not in the range x>=0"),
]

# says that there is no such node: exit status 1, as documented; what a script makes of its words
ANY_TEXT = {"explain --node", "profile args"}


def options():
    """Every argument and option of every command, as the table calls it; and the flags."""
    context = click.Context(main)
    for name in COMMANDS:
        command = main.get_command(context, name)
        for param in command.params:
            word = param.name if isinstance(param, click.Argument) else param.opts[-1]
            yield f"{name} {word}", getattr(param, "is_flag", False)


FLAGS = [name for name, is_flag in options() if is_flag]


def refused(cli, text, folder, monkeypatch):
    graph = folder / "graph.uop"
    graph.write_text(GRAPH)
    monkeypatch.chdir(folder)
    files = {"GRAPH": graph, "RULES": spec_dir() / "40-algebra" / "90-symbolic.uop"}
    result = cli(*(files.get(word, word) for word in text.split()))
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert result.output.count("Error: ") == 1
    return result.output.partition("Error: ")[2].strip()


@pytest.mark.parametrize(("option", "text", "says"), WRONG)
def test_a_wrong_value_is_refused(cli, tmp_path, monkeypatch, option, text, says):
    message = refused(cli, text, tmp_path, monkeypatch)
    assert says in " ".join(message.split())
    assert "\n" not in message


MISSPELT = {  # a name that is nearly one there is, which the message says
    "rewrite GRAPH --rules symbolc": "symbolic",
    "overlaps min_max": "minmax",
    "compile GRAPH --stage rangefy": "rangeify",
    "compile GRAPH --target cuda_sm80": "CUDA_SM80",
    "golden sofmax": "softmax",
    "discover --program sofmax": "softmax",
    "discover --dtype float33": "float32",
    "discover --equiv nan_paylod": "nan_payload",
    "bench matml/512": "matmul",
    "bench tranpose-add": "transpose-add",
    "prove --rule add_zero --rule mul_zer": "mul_zero",
}


@pytest.mark.parametrize("text", MISSPELT)
def test_what_a_wrong_name_is_like_is_said(cli, tmp_path, monkeypatch, text):
    said = " ".join(refused(cli, text, tmp_path, monkeypatch).split())
    assert f"did you mean {MISSPELT[text]}?" in said


@pytest.mark.parametrize("flag", FLAGS)
def test_a_flag_takes_no_value(cli, tmp_path, monkeypatch, flag):
    assert "does not take a value" in refused(cli, f"{flag}=yes", tmp_path, monkeypatch)


def test_every_option_has_a_wrong_value():
    there = {option for option, _, _ in WRONG} | set(FLAGS) | ANY_TEXT
    assert {name for name, _ in options()} == there
