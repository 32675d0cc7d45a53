"""The examples: what their text states holds, on a short run where a long one would be long."""

import subprocess
import sys

import numpy as np
import pytest

from rulewright.examples import characters, convnet, rules


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
    assert rules.lesson() == [0, 1, 0, 0, 0]  # the wrong rule checks, and is refuted
    before, after = capsys.readouterr().out.split("with the rules loaded")
    assert "before {" in before and "lesson.move_term is wrong" in before
    assert "val0 < val1" in before and "data1[v0] + data2[v0]" in after
    numbers = np.array([3, -4, 5]) + np.array([1, 2, 5])
    assert str(numbers.tolist()) in after
