"""The examples: what their text states holds, on a short run where a long one would be long."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from rulewright.examples import characters, convnet, rules


@pytest.mark.timeout(120)  # trains for as long as a user waits
def test_the_convolutional_network_reaches_its_accuracy():
    said = []
    assert convnet.train(say=said.append) >= convnet.EXPECTED_ACCURACY
    assert said[-1].startswith(f"epoch {convnet.EPOCHS}")


def test_shifted_images_hold_their_pixels(rng):
    images = rng.random((5, 8, 8)).astype(np.float32)
    images[:, [0, -1]] = images[:, :, [0, -1]] = 0
    moved = convnet.shifted(images, rng)
    np.testing.assert_allclose(moved.sum((1, 2)), images.sum((1, 2)), rtol=1e-6)
    wanted = [np.roll(images[0], (a, b), (0, 1)) for a in (-1, 0, 1) for b in (-1, 0, 1)]
    assert any(np.array_equal(moved[0], w) for w in wanted)


def test_characters_are_numbers_and_back():
    text = characters.load_text()
    assert text.decode(text.encode("rule x => y")) == "rule x => y"
    assert len(text.test) == pytest.approx(len(text.train) / 9, rel=0.05)


@pytest.mark.timeout(120)  # trains for as long as a user waits
def test_the_character_model_learns_and_writes():
    said = []
    model, text, loss = characters.train(60, said.append)
    counts = np.bincount(text.train, minlength=len(text.alphabet)) / len(text.train)
    frequencies = counts[counts > 0]
    assert loss < -(frequencies * np.log(frequencies)).sum()  # better than frequencies alone
    written = characters.write(model, text, "  rule ", 12)
    assert written.startswith("  rule ") and len(written) == 19


@pytest.mark.parametrize("name", ["convnet", "characters"])
def test_an_example_says_what_it_takes(name):
    command = [sys.executable, "-m", f"rulewright.examples.{name}", "--help"]
    assert "usage" in subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_lesson_about_rules_refutes_the_wrong_one_and_uses_the_right_one(capsys):
    assert rules.lesson() == [1, 1, 0, 0, 0]  # the wrong rule is found out, and refuted
    before, after = capsys.readouterr().out.split("with the rules loaded")
    assert "before {" in before and "lesson.move_term is wrong" in before
    assert "max_" in before and "max_" not in after  # of vectors or by comparison
    assert re.search(r"data1\[(\w+)\]\)? \+ .*data2\[\1\]", after)
    numbers = np.array([3, -4, 5, 0]) + np.array([1, 2, 5, 7])
    assert str(numbers.tolist()) in after


EXAMPLES = sorted(
    path.stem
    for path in Path(rules.__file__).parent.glob("*.py")
    if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
)
WRONG = [
    ("characters", "--steps", "0"),
    ("characters", "--write", "-1"),
    ("convnet", "--epochs", "many"),
    ("digits", "--epochs", "0"),
    ("gpt2", "--weights", "missing.safetensors"),
    ("gpt2", "--count", "0"),
    ("resnet", "--pixels", "7"),
    ("rules", "more"),
    ("transformer", "--heads", "5"),
]


@pytest.mark.parametrize("name", EXAMPLES)
def test_help_of_an_example_runs_nothing(monkeypatch, capsys, name):
    module = import_module(f"rulewright.examples.{name}")
    monkeypatch.setattr("sys.argv", [name, "--help"])
    with pytest.raises(SystemExit) as end:
        module.main()
    shown = capsys.readouterr()
    assert end.value.code == 0 and shown.out.startswith(f"usage: {name} ") and not shown.err


@pytest.mark.parametrize("words", [*WRONG, *((name, "--no-such-option") for name in EXAMPLES)])
def test_an_example_refuses_what_it_does_not_know(monkeypatch, capsys, words):
    module = import_module(f"rulewright.examples.{words[0]}")
    monkeypatch.setattr("sys.argv", list(words))
    with pytest.raises(SystemExit) as end:
        module.main()
    assert end.value.code == 2 and words[-1] in capsys.readouterr().err
