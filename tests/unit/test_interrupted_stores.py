"""Stores into memory are performed once, whatever comes between: Ctrl-C, a launch that fails,
memory that is not there."""

from __future__ import annotations

import signal

import numpy as np
import pytest

from rulewright import Context, Tensor
from rulewright.errors import DeviceRuntimeError
from rulewright.runtime.allocator import HostAllocator
from rulewright.runtime.c import CRow
from rulewright.runtime.interp import InterpreterDevice

START = np.arange(16, dtype=np.float32).reshape(4, 4)


@pytest.fixture(autouse=True)
def _interrupts():
    """Ctrl-C is heard, which a shell may have had ignored, and who hears it stays the same."""
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def meddle(monkeypatch, device: type, name: str, what: dict[int, object]) -> None:
    """From now on, behind the n-th call of a method a function of `what` is called."""
    method, calls = getattr(device, name), []

    def meddled(*arguments):
        result = method(*arguments)
        calls.append(1)
        what.get(len(calls), lambda: None)()
        return result

    monkeypatch.setattr(device, name, meddled)


def press() -> None:
    """Ctrl-C."""
    signal.raise_signal(signal.SIGINT)


def fall() -> None:
    """What a device of another package may raise."""
    raise OSError("the card fell off the bus")


@pytest.mark.parametrize("item", [1, 2, 3])
def test_an_interrupt_is_heard_once_all_is_stored(monkeypatch, item):
    with Context(DEVICE="INTERP"):
        p, m = Tensor(START).realize(), Tensor(START * 10).realize()
        p.assign(p + 1)
        m.assign(m * 2)
        product = (p @ p).contiguous() - m
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            meddle(patch, InterpreterDevice, "run", {item: press})
            Tensor.realize(p, m, product)
        after = START + 1
        np.testing.assert_array_equal(p.numpy(), after)
        np.testing.assert_array_equal(m.numpy(), START * 20)
        np.testing.assert_allclose(product.numpy(), after @ after - START * 20, rtol=1e-6)


def test_an_interrupt_in_a_row_of_kernels_is_heard_once_all_is_stored(monkeypatch):
    with Context(DEVICE="C"):
        p, armed, pressed = Tensor(START).realize(), [], []
        run = CRow.run

        def meddled(row):
            run(row)
            if armed:
                pressed.append(armed.pop())
                press()

        monkeypatch.setattr(CRow, "run", meddled)  # which rows take when they are made
        for _ in range(3):
            p.assign(p + 1).realize()
        armed.append(1)
        p.assign(p + 1)
        with pytest.raises(KeyboardInterrupt):
            p.realize()
        assert pressed
        np.testing.assert_array_equal(p.numpy(), START + 4)


def test_a_second_interrupt_is_heard_at_once(monkeypatch):
    with Context(DEVICE="INTERP"):
        p, m = Tensor(START).realize(), Tensor(START).realize()
        ran = []
        p.assign(p + 1)
        m.assign((p @ p).contiguous() + m)
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            meddle(patch, InterpreterDevice, "run", {1: press, 2: press, 3: lambda: ran.append(3)})
            Tensor.realize(p, m)
        assert not ran


def test_an_interrupt_of_values_alone_is_heard_at_once(monkeypatch):
    ran = []
    with Context(DEVICE="INTERP"):
        value = (Tensor(START) @ Tensor(START)).contiguous() + 1
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            meddle(patch, InterpreterDevice, "run", {1: press, 2: lambda: ran.append(2)})
            value.realize()
        assert not ran
        np.testing.assert_allclose(value.numpy(), START @ START + 1)


@pytest.mark.parametrize(("size", "item"), [(1, 1), (1, 2), (4, 1), (4, 2), (4, 3)])
def test_what_was_stored_before_a_launch_failed_is_not_stored_again(monkeypatch, size, item):
    start = START[:size, :size].copy()
    with Context(DEVICE="INTERP"):
        p, m = Tensor(start).realize(), Tensor(start * 10).realize()
        p.assign(p + 1)
        m.assign(m * 2)
        product = (p @ p).contiguous() - m
        with monkeypatch.context() as patch:
            run = InterpreterDevice.run
            calls = []

            def failing(*arguments):
                calls.append(1)
                return fall() if len(calls) == item else run(*arguments)

            patch.setattr(InterpreterDevice, "run", failing)
            with pytest.raises(OSError, match="fell off the bus"):
                Tensor.realize(p, m, product)
        after = start + 1
        np.testing.assert_array_equal(p.numpy(), after)
        np.testing.assert_array_equal(m.numpy(), start * 20)
        np.testing.assert_allclose(product.numpy(), after @ after - start * 20, rtol=1e-6)


def test_a_gradient_goes_through_what_was_stored(monkeypatch):
    """d(p²)/dx is 2p for p = x + 1, though what came behind the store failed."""
    with Context(DEVICE="INTERP"):
        x = Tensor(START, requires_grad=True)
        p = Tensor(START).realize()
        p.assign(x + 1)
        behind = (p @ p).contiguous() + 1
        with monkeypatch.context() as patch, pytest.raises(OSError, match="bus"):
            meddle(patch, InterpreterDevice, "run", {2: fall})
            Tensor.realize(p, behind)
        (p * p).sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), 2 * (START + 1))


@pytest.mark.parametrize("device", ["C", "INTERP"])
def test_nothing_is_stored_where_memory_is_short(monkeypatch, device):
    new, most = HostAllocator._new, 1 << 20

    def poor(self, nbytes):
        if nbytes > most:
            raise MemoryError("as much as this")
        return new(self, nbytes)

    monkeypatch.setattr(HostAllocator, "_new", poor)
    with Context(DEVICE=device):
        p = Tensor(np.ones(600, np.float32)).realize()
        p.assign(p + 1)
        large = (p.reshape(600, 1) * p.reshape(1, 600)).exp()
        with pytest.raises(DeviceRuntimeError, match=r"(?s)bytes left.*tensor methods: .*exp"):
            Tensor.realize(p, large)
        np.testing.assert_array_equal(p.numpy(), np.full(600, 2, np.float32))
