# SPDX-License-Identifier: Apache-2.0
"""The scripts in examples/: few lines apart, real data from each source, progress and results."""

import difflib
import io
import pickle
import re
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
STANDIN = Path(__file__).resolve().parent / "torchvision_standin"


@pytest.fixture
def examples(monkeypatch):
    """The helper modules of examples/, as a script there imports them."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import data
    import training

    yield data, training
    for name in ("data", "training"):
        sys.modules.pop(name, None)


def test_migration_changes_the_import_the_device_and_the_name_of_the_file():
    before, after = ((EXAMPLES / f"train_{kind}.py").read_text() for kind in ("gpu", "npu"))
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    changed = [line for line in lines if re.match(r"[+-](?![+-])", line)]
    code = [line for line in changed if '"""' not in line]
    assert [line.split("  # ")[0].strip() for line in code if line[0] == "+"] == [
        "+import torchtitan_npu",
        '+    device = torch.device(args.device or ("npu" if torch.npu.is_available() else "cpu"))',
        '+    torch.save(model.state_dict(), args.save or "simple_cnn_cifar10_npu.pth")',
    ]


def test_train_gpu_runs_where_there_is_no_gpu(run_python):
    done = run_python(
        str(EXAMPLES / "train_gpu.py"), "--data", "digits", "--epochs", "1", "--seed", "0"
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^Epoch \[1/1\], Step \[12/12\], Loss: \d\.\d{4}$", done.stdout, re.M)
    assert re.search(r"^Device: (cpu|cuda .*), data: handwritten digits$", done.stdout, re.M)


def test_train_npu_learns_saves_and_plots(run_python, tmp_path):
    done = run_python(
        *(str(EXAMPLES / "train_npu.py"), "--data", "digits", "--epochs", "3", "--seed", "0")
    )
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"^Epoch \[\d/3\], Step \[12/12\], Loss: ", done.stdout, re.M)) == 3
    assert "Device: npu (Ascend910B1), data: handwritten digits" in done.stdout
    accuracy = re.search(r"^Test accuracy: (\d+\.\d+)% of 297 images$", done.stdout, re.M)
    assert accuracy and float(accuracy[1]) > 85
    assert (tmp_path / "loss_npu.png").read_bytes().startswith(b"\x89PNG")
    state = torch.load(tmp_path / "simple_cnn_cifar10_npu.pth", map_location="cpu")
    assert state["features.0.weight"].shape == (64, 3, 3, 3)


def test_digits_are_real_images_split_without_overlap(examples):
    data, _ = examples
    train, test = data.load("digits")
    assert (len(train), len(test)) == (1500, 297)
    image, label = train[0]
    assert image.shape == (3, 32, 32) and 0 <= label <= 9
    assert image.min() >= 0 and image.max() <= 1 and image.std() > 0.1
    seen = {image.numpy().tobytes() for image in train.images}
    fresh = sum(image.numpy().tobytes() not in seen for image in test.images)
    assert fresh == len(test)


def test_cifar10_files_are_read_and_normalized(examples, tmp_path):
    data, _ = examples
    folder = tmp_path / "cifar-10-batches-py"
    folder.mkdir()
    random = np.random.default_rng(0)
    for name in [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]:
        pixels = random.integers(0, 256, (20, 3072), dtype=np.uint8)
        batch = {b"data": pixels, b"labels": [i % 10 for i in range(20)]}
        (folder / name).write_bytes(pickle.dumps(batch))
    train, test = data.load("cifar10", root=str(tmp_path))
    assert (len(train), len(test)) == (100, 20)
    first = pixels[0].reshape(3, 32, 32)[0, 0, 0]
    assert test[0][0][0, 0, 0] == pytest.approx((first / 255 - 0.4914) / 0.2023, abs=1e-5)
    assert train[3][0].shape == (3, 32, 32) and train[3][1] == 3


def test_torchvision_is_used_where_it_imports(run_python):
    code = "import data; train, test = data.load(); print(train.name, len(train), len(test))"
    done = run_python("-c", code, PYTHONPATH=f"{EXAMPLES}:{STANDIN}")
    assert done.stdout.strip() == "CIFAR-10 (torchvision) 1500 297", done.stderr


def test_any_exception_of_torchvision_counts_as_absent(run_python, tmp_path):
    broken = tmp_path / "torchvision"
    broken.mkdir()
    (broken / "__init__.py").write_text("raise RuntimeError('operator does not exist')\n")
    code = "import data; print(data.load()[0].name)"
    done = run_python("-c", code, PYTHONPATH=f"{EXAMPLES}:{tmp_path}")
    assert done.stdout.strip() == "handwritten digits", done.stderr


def test_a_source_that_cannot_be_had_says_why(examples, tmp_path):
    data, _ = examples
    with pytest.raises(SystemExit, match=r"cifar10: no folder .*cifar-10-batches-py"):
        data.load("cifar10", root=str(tmp_path))


def test_the_progress_bar_passes_every_batch_and_cleans_its_line(examples, monkeypatch):
    _, training = examples
    stream = io.StringIO()
    stream.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert list(training.progress([1, 2, 3, 4], "Epoch 1/1")) == [1, 2, 3, 4]
    assert "Epoch 1/1 [###############               ] 2/4" in stream.getvalue()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_accuracy_counts_right_answers_and_restores_training_mode(examples):
    data, training = examples
    images = data.Images("toy", torch.eye(4), torch.tensor([0, 1, 2, 0]))
    model = torch.nn.Identity().train()
    assert training.accuracy(model, images, torch.device("cpu")) == 0.75
    assert model.training


@pytest.mark.parametrize(
    "arguments, reason",
    [
        (["--epochs", "0"], "0 is less than 1"),
        (["--batch-size", "-1"], "-1 is less than 1"),
        (["--save", "nowhere/weights.pth"], "the folder nowhere does not exist"),
        (["--plot", "nowhere/loss.png"], "the folder nowhere does not exist"),
    ],
)
def test_arguments_that_would_fail_after_training_fail_before(run_python, arguments, reason):
    done = run_python(str(EXAMPLES / "train_npu.py"), *arguments)
    assert done.returncode == 2
    assert reason in done.stderr
