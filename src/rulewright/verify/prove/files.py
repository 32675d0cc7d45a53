"""Proofs of whole files: in several processes, kept on disk by what they depend on.

What fails `check` is not called proved. `spec/trusted.txt` has each trusted rule with its reason,
and only shrinks.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from importlib.metadata import version as version_of
from importlib.util import find_spec
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any, NamedTuple

from rulewright.checks import check
from rulewright.checks.own_ops import declared, declared_items
from rulewright.diskcache import DiskCache
from rulewright.errors import RuleError
from rulewright.ir.ops import op
from rulewright.lang import tree as t
from rulewright.lang.allowed import called, require_allowed
from rulewright.lang.beside import beside_files
from rulewright.lang.build import load_table, parsed_spec, whole_key
from rulewright.lang.diagnostics import Diagnostic, reason_of, rule_error
from rulewright.lang.more_ops import more_ops, ops_key
from rulewright.lang.signature import source
from rulewright.lang.symbols import collect
from rulewright.lang.table import extern_row
from rulewright.paths import spec_dir
from rulewright.verify.prove.proof import TIME, Proof
from rulewright.verify.prove.recorded import text_of_records
from rulewright.verify.prove.smt import version
from rulewright.verify.prove.tactics import Settings, prove_rule, rules_of
from rulewright.verify.values.samples import error_line

STORE = DiskCache("prove")
"""What is known of rules and files."""
_PACKAGE = Path(__file__).parents[2]
_SOURCES = ("checks", "ir", "interp", "lang", "verify/prove", "verify/validate", "verify/values")
"""Folders of this package that any proof depends on: graphs, meaning, matchers, the tactics."""


class Task(NamedTuple):
    """A rule to prove, with the externs of its file, and the ops that the spec does not declare."""

    set: str
    rule: t.Rule
    externs: tuple[t.Extern, ...]
    settings: Settings
    key: str
    ops: tuple[t.OpDecl, ...] = ()


def parsed(paths: Sequence[Path]) -> list[t.SourceFile]:
    """Files as trees, those of the spec as they are kept.

    Raises RuleError for a file with errors of syntax; UsageError for what is no UTF-8 text.
    """
    from rulewright.lang.parse import parse_file

    known = {file.path: file for file in parsed_spec()}
    return [known.get(str(path)) or parse_file(path) for path in paths]


def prove_trees(
    files: Sequence[t.SourceFile],
    wanted: Collection[str] = (),
    settings: Settings | None = None,
    keep: bool = True,
    jobs: int = 1,
    done: Callable[[int, int, Proof], None] | None = None,
    doubtful: Collection[str] = (),
) -> list[Proof]:
    """A proof of every rule of some files, or of those whose name, or SET.NAME, is `wanted`.

    With `keep`, proofs are read from and written to the cache. `jobs` processes share the work.
    `done(count, total, proof)` is called after each. Files that are `doubtful` get a quick look.
    Raises RuleError for a rule that calls Python which its file may not name.
    """
    with declared(files):
        tasks = list(_tasks(files, wanted, settings or Settings(), doubtful))
        proofs = [_kept(task) if keep else None for task in tasks]
        open_places = [i for i, proof in enumerate(proofs) if proof is None]
        count = len(tasks) - len(open_places)
        for place, proof in _run([tasks[i] for i in open_places], jobs):
            proofs[open_places[place]] = proof
            count += 1
            if keep:
                _keep(tasks[open_places[place]], proof)
            if done is not None:
                done(count, len(tasks), proof)
    return [proof for proof in proofs if proof is not None]


def _keep(task: Task, proof: Proof) -> None:
    """Remember a proof that lasts."""
    if _lasts(proof):
        STORE.put(task.key, json.dumps(proof.to_json()).encode())


def _lasts(proof: Proof) -> bool:
    """Whether a proof says something of its rule rather than of the machine and the hour."""
    notes = [proof.note, *(i.get("note", "") for i in proof.instances)]
    return proof.status not in ("crashed", "unchecked") and not any(
        n.startswith(TIME) for n in notes
    )


def clause_problems(paths: Sequence[Path]) -> list[Diagnostic]:
    """What is wrong with the `smt` clauses of the ops that `paths` declare.

    They are run against `meaning`; what was found of the compiler's own is kept. Raises RuleError
    for a file with errors of syntax.
    """
    own = spec_dir() / "20-ops.uop"
    others = [path for path in paths if not path.resolve().is_relative_to(own.parent.resolve())]
    return [*_own_clause_problems(paths), *_other_clause_problems(parsed(others))]


_TERMS = "operands are terms: shift_right(a, one(a)) is a >> 1, If(a < b, a, b) a choice"


def _other_clause_problems(files: Sequence[t.SourceFile]) -> list[Diagnostic]:
    """The same for ops beside the spec."""
    from rulewright.verify.prove.clauses import wrong_clause

    problems = []
    with declared(files):
        for item in [o for file in files for o in file.all(t.OpDecl) if o.name in more_ops()]:
            try:
                wrong = next((text for _, text in wrong_clause(op(str(item.name)))), "")
            except Exception as error:  # what a clause computes may have no such values
                wrong = f"the `smt` clause of {item.name} ends in {error_line(error)}"
            smt = next((f.span for f in item.facts if f.name == "smt"), item.name.span)
            problems += [Diagnostic("clause", wrong, smt, help=_TERMS)] if wrong else []
    return problems


def _own_clause_problems(paths: Sequence[Path]) -> list[Diagnostic]:
    from rulewright.lang.parse import parse_file
    from rulewright.verify.prove.clauses import wrong_clauses

    own = spec_dir() / "20-ops.uop"
    if not any(path.exists() and path.samefile(own) for path in paths):
        return []
    key = f"clauses {_base_key()}"
    kept = STORE.get(key)
    wrong = dict(wrong_clauses()) if kept is None else json.loads(kept)
    STORE.put(key, json.dumps(wrong).encode())
    ops = parse_file(own).all(t.OpDecl)
    return [
        Diagnostic("clause", wrong[str(item.name)], item.name.span)
        for item in ops
        if str(item.name) in wrong
    ]


def kept_proofs(
    files: Sequence[t.SourceFile], wanted: Collection[str] = (), settings: Settings | None = None
) -> Iterator[tuple[t.Rule, Proof | None]]:
    """Every rule of parsed files, or those that are `wanted`, with its proof if it is known.

    Nothing is proved here.
    """
    with declared(files):
        for task in _tasks(files, wanted, settings or Settings()):
            yield task.rule, _kept(task)


def prove_parsed(file: t.SourceFile, wanted: str, settings: Settings | None = None) -> Proof | None:
    """The proof of one rule of a parsed file, from the cache or made now and kept; None if there
    is no such rule.
    """
    with declared([file]):
        for task in _tasks([file], [wanted], settings or Settings()):
            proof = _kept(task)
            if proof is None:
                proof = _prove(task)
                _keep(task, proof)
            return proof
    return None


def _tasks(
    files: Sequence[t.SourceFile],
    wanted: Collection[str],
    asked: Settings,
    doubtful: Collection[str] = (),
) -> Iterator[Task]:
    externs = _externs(files)
    ops = _ops(files)
    for file in files:
        settings = replace(asked, quick=True) if file.path in doubtful else asked
        base = f"{_base_key()} {settings}"
        for name, rule in rules_of([file]):
            if wanted and rule.name not in wanted and f"{name}.{rule.name}" not in wanted:
                continue
            text = source(file.text, rule.span)  # of which there may be several in a line
            names = called(rule)
            used = tuple(e for e in externs if str(e.name) in names)
            require_allowed(used)
            key = f"{base} {_extern_key(rule, used)} {_record_key(rule)} {name} {text}"
            yield Task(name, rule, used, settings, key, ops)


def _ops(files: Sequence[t.SourceFile]) -> tuple[t.OpDecl, ...]:
    """The ops that files, and what was loaded beside the spec, declare."""
    trees = [*(file.tree for file in beside_files()), *files]
    names = more_ops()
    return tuple(o for file in trees for o in file.all(t.OpDecl) if o.name in names)


def _externs(files: Sequence[t.SourceFile]) -> tuple[t.Extern, ...]:
    """What files declare of Python. Raises RuleError for a name that two of them declare."""
    externs = tuple(e for file in files for e in file.all(t.Extern))
    places = {e.name.span for e in externs}
    twice = [problem for problem in collect(files)[1] if problem.span in places]
    if twice:
        raise rule_error(twice, {file.path: file.text for file in files}.get)
    return externs


def _kept(task: Task) -> Proof | None:
    kept = STORE.get(task.key)
    if kept is None:
        return None
    data: dict[str, Any] = json.loads(kept)
    span = task.rule.name.span
    return Proof(**{**data, "file": span.file, "line": span.line})


def _run(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[int, Proof]]:
    """The place of each task with its proof, as they become known."""
    if jobs <= 1 or len(tasks) < 2:
        for place, task in enumerate(tasks):
            yield place, _prove(task)
        return
    left = dict(enumerate(tasks))
    while left:
        for place, proof in _together(left, jobs):
            del left[place]
            yield place, proof
        for place in list(left)[: 2 * jobs]:  # a process died: of one of those that were begun
            proofs = [p for _, p in _together({place: left[place]}, 1)]
            task = left.pop(place)
            yield (
                place,
                proofs[0] if proofs else _failed(task, "crashed", "the process of the prover died"),
            )


def _together(tasks: Mapping[int, Task], jobs: int) -> Iterator[tuple[int, Proof]]:
    """Proofs made by several processes; less than all where one of these dies.

    Ctrl-C is for this process, which ends them.
    """
    context, others = get_context("spawn"), active_children()  # z3 does not survive a fork
    with ProcessPoolExecutor(min(jobs, len(tasks)), mp_context=context) as pool:
        held = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # processes inherit it
        try:
            asked = {pool.submit(_prove, task): i for i, task in tasks.items()}
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
        try:
            for future in as_completed(asked):
                yield asked[future], future.result()
        except BrokenProcessPool:
            return
        except BaseException:
            for process in active_children():
                if process not in others:
                    process.kill()
            raise


def _prove(task: Task) -> Proof:
    """The proof of a rule; where the prover itself fails, a row that says how."""
    with declared_items(task.ops):  # this may be another process
        return _proof(task)


def _proof(task: Task) -> Proof:
    table = load_table()
    rows = {str(item.name): extern_row(item) for item in task.externs}
    table = {**table, "externs": {**table["externs"], **rows}}
    try:
        return prove_rule(task.rule, table, task.set, task.settings)
    except RuleError as error:  # `check` says it with its place
        return _failed(task, "unchecked", reason_of(error))
    except Exception as error:  # reported as the row of this rule, and by the exit status
        return _failed(task, "crashed", f"{type(error).__name__}: {error}")


def _failed(task: Task, status: str, why: str) -> Proof:
    span = task.rule.name.span
    note = why.partition("\n")[0]
    return Proof(str(task.rule.name), task.set, span.file, span.line, "", status, note=note)


# ---- what a proof depends on -------------------------------------------------------------------


def _base_key() -> str:
    """Meanings, dtypes, the source of all that runs, z3, and what computes arrays."""
    return _base_key_with(ops_key())


@cache
def _base_key_with(_ops: str) -> str:
    table = load_table()
    digest = blake2b(digest_size=20)
    rows = [{k: v for k, v in row.items() if k not in ("doc", "line")} for row in table["ops"]]
    dtypes = [{k: v for k, v in row.items() if k not in ("doc", "line")} for row in table["dtypes"]]
    digest.update(repr((rows, dtypes, table["dtype_sets"], table["groups"])).encode())
    for folder in _SOURCES:
        digest.update(_folder_key(_PACKAGE / folder).encode())
    arrays = " ".join(f"{name} {version_of(name)}" for name in ("numpy", "ml_dtypes"))
    return f"{digest.hexdigest()} z3 {version()} {arrays} {sys.version_info[:2]}"


@cache
def _folder_key(folder: Path) -> str:
    digest = blake2b(digest_size=20)
    for path in sorted(folder.glob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def compiler_key() -> str:
    """A name of all rules and all source: an extern may call the one and run the other."""
    return _compiler_key(whole_key())


@cache
def _compiler_key(rules: str) -> str:
    folders = sorted({path.parent for path in _PACKAGE.rglob("*.py")})
    return blake2b(
        " ".join([rules, *map(_folder_key, folders)]).encode(), digest_size=20
    ).hexdigest()


def _record_key(rule: t.Rule) -> str:
    """Records of all inputs, and the compiler that makes the programs, where they may be used."""
    by_ulp = rule.equiv is not None and rule.equiv.name == "ulp"
    return f"{text_of_records()} {compiler_key()}" if by_ulp else ""


def _extern_key(rule: t.Rule, own: Sequence[t.Extern]) -> str:
    """The source beside every function that a rule calls, and what that may call."""
    targets = {str(e.name): e.target.value for e in own}
    known = {name: row["target"] for name, row in load_table()["externs"].items()} | targets
    keys = []
    for name in sorted(called(rule) & known.keys()):
        module = find_spec(known[name].partition(":")[0])
        folder = Path(module.origin).parent if module and module.origin else None
        keys.append(f"{known[name]} {_folder_key(folder) if folder else ''}")
    return " ".join([*keys, compiler_key()] if keys else [])


# ---- what check says of them --------------------------------------------------------------------

_CLEAN = b"clean"


def problems(
    paths: Sequence[Path], files: Sequence[t.SourceFile], keep: bool = True
) -> list[Diagnostic]:
    """What `rulewright check` reports of some files, which are parsed already.

    With `keep`, files that were found clean are not checked again until they, the spec or the
    compiler change.
    """
    digest = blake2b(digest_size=20)
    for file in files:
        digest.update(f"{len(file.text)} {file.text}".encode())
    key = f"check {compiler_key()} {digest.hexdigest()}"
    if keep and STORE.get(key) == _CLEAN:
        return clause_problems(paths)
    problems = check(paths)
    if not problems and not any(_foreign(item) for file in files for item in file.all(t.Extern)):
        STORE.put(key, _CLEAN)
    return problems or clause_problems(paths)


def _foreign(item: t.Extern) -> bool:
    """Whether an extern is in a module of which nothing is known here."""
    return not item.target.value.startswith("rulewright.")


def unchecked(proofs: Sequence[Proof], problems: Sequence[Diagnostic]) -> list[Proof]:
    """The proofs; of files with problems those alone that say more than that."""
    return [_judged(p, proofs, [d for d in problems if d.file == p.file]) for p in proofs]


def _judged(proof: Proof, proofs: Sequence[Proof], here: Sequence[Diagnostic]) -> Proof:
    """A proof, given what `check` says of its file. The prover need not cope with a wrong rule."""
    later = [p.line for p in proofs if p.file == proof.file and p.line > proof.line]
    own = [d for d in here if proof.line <= d.span.line < min(later, default=d.span.line + 1)]
    if not here or proof.status == "refuted" or (proof.status == "crashed" and not own):
        return proof
    first = here[0]
    note = f"nothing wrong here, but `check` at line {first.span.line}: {first.message}"
    note = f"`check`: {own[0].message}" if own else note
    return replace(proof, status="unchecked", note=note, counterexample="")


# ---- the budget of trusted rules ----------------------------------------------------------------

SHARE = 0.02
"""Of all rules, the part that may be trusted."""


def budget_file() -> Path:
    """Where the list stands."""
    return spec_dir() / "trusted.txt"


def listed() -> dict[str, str]:
    """`set.rule` to its reason, in the order of the file."""
    lines = budget_file().read_text(encoding="utf-8").splitlines()
    pairs = [line.partition(": ") for line in lines if line and not line.startswith("#")]
    return {name: reason for name, _, reason in pairs}


def over_budget(proofs: Sequence[Proof], whole: bool) -> Iterator[str]:
    """What the proofs of the spec, or of some of its rules, have that the budget does not allow."""
    allowed = listed()
    folder = spec_dir().resolve()
    own = [p for p in proofs if Path(p.file).resolve().is_relative_to(folder)]
    trusted = {f"{p.set}.{p.rule}": p.note for p in own if p.status == "trusted"}
    for name, reason in trusted.items():
        if allowed.get(name) != reason:
            yield f"{name} is trusted and not in {budget_file().name} with the reason it gives"
    if not whole:
        return
    for name in allowed.keys() - trusted.keys():
        yield f"{name} is in {budget_file().name} and is not trusted: take it off"
    if len(trusted) > SHARE * len(proofs):
        yield f"{len(trusted)} of {len(proofs)} rules are trusted, more than {SHARE:.0%}"
