# SPDX-License-Identifier: Apache-2.0
"""The article's training script, as printed there, runs on the npu device and learns.

data/train_npu.py.txt is the article's listing; only torchvision is a stand-in.
"""

import math
import re
import sys
from pathlib import Path

import pytest
import torch

HERE = Path(__file__).resolve().parent
LISTING = (HERE / "data" / "train_npu.py.txt").read_text()
STANDIN = HERE / "torchvision_standin"
LINE = re.compile(r"Epoch \[(\d+)/10\], Step \[(\d+)/(\d+)\], Loss: (\d+\.\d{4})")


@pytest.fixture
def test_images(monkeypatch):
    """The stand-in's test images and labels, as tensors; the stand-in is gone afterwards."""
    monkeypatch.syspath_prepend(str(STANDIN))
    from torchvision import datasets, transforms

    for name in [name for name in sys.modules if name.split(".")[0] == "torchvision"]:
        monkeypatch.delitem(sys.modules, name)
    steps = [
        transforms.ToTensor(),
        transforms.Normalize((0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)),
    ]
    test = datasets.CIFAR10("./data", train=False, transform=transforms.Compose(steps))
    images, labels = zip(*(test[i] for i in range(len(test.labels))), strict=True)
    return torch.stack(images), torch.tensor(labels)


def run_listing(run_python, folder: Path, lengths: str, timeout: float):
    """Runs the listing; gives its lines as (epoch, step, steps, loss) and the weights it saved."""
    script = folder / "train_npu.py"
    script.write_text(LISTING)
    done = run_python(
        str(script), PYTHONPATH=str(STANDIN), TEST_CIFAR10_LENGTHS=lengths, timeout=timeout
    )
    assert done.returncode == 0, done.stderr
    lines = [LINE.fullmatch(line) for line in done.stdout.splitlines()]
    assert all(lines), done.stdout
    rows = [(int(m[1]), int(m[2]), int(m[3]), float(m[4])) for m in lines if m]
    return rows, folder / "simple_cnn_cifar10_npu.pth"


def accuracy_on_cpu(weights: Path, images: torch.Tensor, labels: torch.Tensor) -> float:
    """Accuracy of the listing's own model with these weights, by PyTorch on the CPU."""
    names = {"torch": torch, "nn": torch.nn}
    exec(LISTING[LISTING.index("class SimpleCNN") : LISTING.index("device = ")], names)
    model = names["SimpleCNN"]()
    model.load_state_dict(torch.load(weights, map_location="cpu"))
    model.eval()
    with torch.no_grad():
        return (model(images).argmax(dim=1) == labels).float().mean().item()


def test_the_listing_trains_prints_and_saves(run_python, tmp_path, test_images):
    # One epoch of 101 steps, so that the line at step 100 appears, then nine of two steps.
    rows, weights = run_listing(run_python, tmp_path, "12864,256", timeout=300)
    assert [row[:3] for row in rows] == [(1, 100, 101)]
    # The mean over the first hundred steps is below ln(10), what guessing costs.
    assert rows[0][3] < math.log(10)
    state = torch.load(weights, weights_only=True)
    assert {value.device.type for value in state.values()} == {"npu"}
    assert accuracy_on_cpu(weights, *test_images) > 0.8


@pytest.mark.slow
def test_ten_full_epochs_print_a_falling_loss(run_python, tmp_path, test_images):
    rows, weights = run_listing(run_python, tmp_path, "12864", timeout=1800)
    assert [row[:3] for row in rows] == [(epoch, 100, 101) for epoch in range(1, 11)]
    losses = [row[3] for row in rows]
    assert losses[-1] < 0.1 * losses[0]
    assert accuracy_on_cpu(weights, *test_images) > 0.97
