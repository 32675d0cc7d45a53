"""Fixtures that all tests share."""

from __future__ import annotations

import gc
import os
import shlex
import subprocess
import sys
import time
import zlib
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from rulewright.options import Context, in_ci
from rulewright.runtime.compiler import find_compiler

ROOT = Path(__file__).parents[1]

os.environ.setdefault("DYNAMIC", "0")
"""What a case runs is not what cases before it ran at other sizes: test_dynamic_shapes.py is."""

SEARCH = os.environ.get("SEARCH", "") not in ("", "0")
"""Whether random tests draw anew. Else a verdict hangs on what was changed alone, everywhere."""

# No deadline: the machine may be shared, and a cold cache compiles. The blob replays a failure.
settings.register_profile(
    "rulewright",
    deadline=None,
    print_blob=True,
    derandomize=not SEARCH,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("rulewright")
if not SEARCH:  # nor on the constants of whatever modules are imported by then, all read for that
    providers.is_local_module_file = lambda path: False


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--cover-rules=FOLDER` counts what rules do, for `rulewright cover --data FOLDER`."""
    parser.addoption("--cover-rules", metavar="FOLDER", help="count what each rule does")


def pytest_configure(config: pytest.Config) -> None:
    """Where bytecode may not stand beside its sources, it stands with what pytest keeps: each of
    the hundreds of processes that tests start would else compile this package again.
    """
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None) and "PYTHONPYCACHEPREFIX" not in os.environ:
        os.environ["PYTHONPYCACHEPREFIX"] = str(config.rootpath / ".pytest_cache" / "bytecode")


_USUAL = 0.012
"""Seconds that `_python_seconds` gives on the machines whose `timeout`s are written down."""


def _python_seconds() -> float:
    """Processor time of a little work in Python: how slow this machine is, however busy."""
    begin, table = time.process_time(), {}
    for number in range(100_000):
        table[number % 1000] = (number, str(number))
    return time.process_time() - begin


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A slow machine gets more time, and so does CI's, where others may work beside this: timeouts
    are there for what hangs.
    """
    times = max(1.0, min(_python_seconds() for _ in range(5)) / _USUAL)
    if in_ci():
        times *= 5
    asked = [config.getoption("timeout", None), os.environ.get("PYTEST_TIMEOUT")]
    usual = float(next((s for s in asked if s is not None), config.getini("timeout")))
    for item in items:
        marked = item.get_closest_marker("timeout")
        seconds = marked.args[0] if marked else usual
        item.add_marker(pytest.mark.timeout(seconds * times), append=False)


_MANY = 100_000  # objects


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session):
    """Thousands of cases are no garbage: the collector neither looks for any nor at them again."""
    gc.set_threshold(5 * _MANY, 20, 20)
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item):
    """What a case leaves is collected at once: tensors of dead cycles may wait for memory, which
    the next case would fill. What outlives many cases is remembered for long, and passed over.
    """
    try:
        return (yield)
    finally:
        young, *older = gc.get_count()
        if young + sum(older) * 1000 > _MANY:
            gc.collect()
            gc.freeze()
        else:
            gc.collect(0)


def pytest_sessionfinish():
    """What was kept until the end is not looked through once more."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def counted_rules(request: pytest.FixtureRequest):
    """With `--cover-rules`, what the rules did in this process is written when it ends."""
    folder = request.config.getoption("--cover-rules")
    if not folder:
        yield
        return
    from rule_coverage.count import recording
    from rule_coverage.report import write_counts

    with recording() as counts:
        yield
    worker = getattr(request.config, "workerinput", {}).get("workerid", "main")
    write_counts(counts, Path(folder), worker)


# Suites that compile programs do so at VERIFY=1, `tox -e nightly` at 2.
VERIFIED = ("test_tensor_", "test_schedule_", "test_nn_layers", "test_nn_optim", "test_jit_values",
            "test_fuzz_programs", "test_fuzz_targets", "test_codegen_")  # fmt: skip


@pytest.fixture(autouse=True)
def verified(request: pytest.FixtureRequest):
    """VERIFY=1, or what the environment says, in suites that compile programs."""
    if not request.path.name.startswith(VERIFIED):
        yield
        return
    with Context(VERIFY=int(os.environ.get("VERIFY") or 1)):
        yield


# Suites of what methods mean, which compile thousands of kernels, and of values of large kernels:
# without the optimiser, which is a quarter to a third of their time. The others, and these where CC
# is set, compile as for users.
UNOPTIMISED = (
    "test_again", "test_any_length", "test_codegen_masks", "test_codegen_scatter",
    "test_costly_sums", "test_cuda_programs", "test_division", "test_dtypes_fp8",
    "test_dtypes_sums", "test_emulated_ops", "test_emulated_programs", "test_far_columns",
    "test_few_", "test_fragments", "test_gpu_", "test_large_scores", "test_long_recurrences",
    "test_mask_products", "test_near_operands", "test_online_rows", "test_row_products",
    "test_shared_cores", "test_varying", "test_vector_copies", "test_warps", "test_whole_sums",
    "test_methods.", "test_function", "test_jit_", "test_library.", "test_nn_", "test_wrong_calls",
    "test_adaptive_pools", "test_class_losses", "test_cli_conformance", "test_ctc_loss",
    "test_dtypes_casts", "test_dtypes_names", "test_dtypes_ops", "test_dtypes_promote",
    "test_dtypes_scalars", "test_dynamic_shapes", "test_elimination", "test_emulated_golden",
    "test_near_rows", "test_orthogonal", "test_picked_positions", "test_short_middle_sums",
    "test_single_steps", "test_staging",
    *(f"test_tensor_{name}" for name in (
        "aliasing", "assign", "bits", "convolutions", "core", "creation", "factors", "gradient",
        "indexing", "interop", "movement", "neighbours", "ordering", "picked_values", "random",
        "reduce", "running", "scans", "shared_memory", "sorting", "state_gradient", "symbolic",
        "transposed", "types", "words",
    )),
)  # fmt: skip


@pytest.fixture(scope="session")
def unoptimised() -> str:
    """The CC of a compiler that does not optimise; what the environment says, if it does."""
    return os.environ.get("CC") or shlex.join([*find_compiler().command, "-O0"])


@pytest.fixture(autouse=True)
def compiled_quickly(request: pytest.FixtureRequest):
    """Suites that ask more of the C compiler than of us do so without its optimiser."""
    if not request.path.name.startswith(UNOPTIMISED):
        yield
        return
    with Context(CC=request.getfixturevalue("unoptimised")):
        yield


@pytest.fixture(scope="session")
def search() -> bool:
    """Whether random tests draw anew (`SEARCH=1`) rather than what they always draw."""
    return SEARCH


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout's top folder."""
    return ROOT


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """A generator whose seed follows from the test's name; printed, so a failure shows it."""
    seed = zlib.crc32(request.node.nodeid.encode())
    print(f"rng seed {seed}")
    return np.random.default_rng(seed)


@pytest.fixture
def quiet_numpy():
    """numpy does not warn of what is no number, or too large for one."""
    with np.errstate(all="ignore"):
        yield


@pytest.fixture
def training():
    """Layers train, until the test ends."""
    from rulewright import Tensor

    with Tensor.train():
        yield


@pytest.fixture
def empty_cache(tmp_path: Path):
    """An empty on-disk cache for one test; yields its folder."""
    folder = tmp_path / "cache"
    with Context(CACHE_DIR=str(folder)):
        yield folder


@pytest.fixture
def cli():
    """Call the command line in this process: `cli("check", "spec")` gives click's result."""
    from rulewright.cli.main import main

    def call(*args: object, stdin: str | None = None, env: dict[str, str] | None = None):
        return CliRunner().invoke(main, [str(a) for a in args], input=stdin, env=env)

    return call


@pytest.fixture
def shell():
    """Call the command line in a process of its own: `shell("check", "spec")`, as a user would."""

    def call(*args: object, cwd: Path = ROOT, **env: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "rulewright", *map(str, args)]
        variables = {**os.environ, **env}
        return subprocess.run(command, cwd=cwd, env=variables, capture_output=True, text=True)

    return call


@pytest.fixture
def lowered(monkeypatch, empty_cache, verified):
    """The kernels that were lowered."""
    from rulewright.codegen.lower import lower_kernel

    found = []

    def lower(ast, target):
        found.append(ast)
        return lower_kernel(ast, target)

    monkeypatch.setattr("rulewright.codegen.lower.lower_kernel", lower)
    with Context(VERIFY=0, CACHE=1):
        yield found


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch):
    """The programs that are scheduled, and not found to be one from before, outside of `jit`."""
    from rulewright.driver import graphs, schedules, varying
    from rulewright.driver.recent import Recent
    from rulewright.options import options

    schedules.clear_schedule_cache()
    monkeypatch.setattr(varying, "_programs", Recent(9))
    programs, real = [], graphs.compile_function

    def count(function, metadata_of=None):
        result = real(function, metadata_of)
        if not result[1] and options().CACHE:
            programs.append(function)
        return result

    monkeypatch.setattr(graphs, "compile_function", count)
    return programs
