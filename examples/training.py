# SPDX-License-Identifier: Apache-2.0
"""What the examples share beside the training itself: options, progress, accuracy, a plot."""

import argparse
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import torch
from data import SOURCES


def count(text: str) -> int:
    """A whole number of at least one."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than 1")
    return number


def new_file(text: str) -> str:
    """A file in a folder that exists: nobody wants to learn after training that it does not."""
    if not Path(text).parent.is_dir():
        raise argparse.ArgumentTypeError(f"the folder {Path(text).parent} does not exist")
    return text


def parse(description: str, arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--epochs", type=count, default=10)
    parser.add_argument("--data", choices=["auto", *SOURCES], default="auto")
    parser.add_argument("--root", default="./data", help="where CIFAR-10 is or will be")
    parser.add_argument("--no-download", dest="download", action="store_false")
    parser.add_argument("--device", help="instead of the one that the script chooses")
    parser.add_argument("--batch-size", type=count, default=128)
    parser.add_argument("--seed", type=int, help="default: a different run each time")
    parser.add_argument("--save", type=new_file, help="file of the trained weights")
    parser.add_argument("--plot", type=new_file, help="file of the loss curve")
    options = parser.parse_args(arguments)
    if options.seed is not None:
        torch.manual_seed(options.seed)
    return options


def progress(batches: Iterable, title: str) -> Iterable:
    """`batches` with a progress bar on a terminal; tqdm's where it is installed."""
    if not sys.stderr.isatty():
        return batches
    try:
        from tqdm import tqdm
    except ImportError:
        return bar(batches, title)
    return tqdm(batches, desc=title, leave=False)


def bar(batches: Iterable, title: str, width: int = 30) -> Iterable:
    total, started = len(batches), time.perf_counter()
    for done, batch in enumerate(batches, start=1):
        yield batch
        speed = done / (time.perf_counter() - started)
        filled = "#" * (width * done // total)
        sys.stderr.write(f"\r\x1b[K{title} [{filled:{width}}] {done}/{total} {speed:.1f} steps/s")
        sys.stderr.write("\r\x1b[K" if done == total else "")
        sys.stderr.flush()


def accuracy(model: torch.nn.Module, images, device: torch.device, batch_size: int = 256) -> float:
    """The share of `images` that `model` names rightly."""
    loader = torch.utils.data.DataLoader(images, batch_size=batch_size)
    training = model.training
    model.eval()
    right = 0
    with torch.no_grad():
        for batch, labels in loader:
            guess = model(batch.to(device)).argmax(dim=1)
            right += (guess == labels.to(device)).sum().item()
    model.train(training)
    return right / len(images)


def plot(losses: Sequence[float], file: str, title: str) -> str | None:
    """Draws the loss of each step into `file`; None where matplotlib is not installed."""
    try:
        import matplotlib
    except ImportError:
        return None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    axes.plot(range(1, len(losses) + 1), losses, linewidth=1)
    axes.set(xlabel="step", ylabel="loss", title=title)
    axes.grid(alpha=0.3)
    figure.savefig(file, bbox_inches="tight", dpi=120)
    pyplot.close(figure)
    return file


def describe(device: torch.device) -> str:
    """The device and, where it has one, the name of the chip: `npu (Ascend910B1)`."""
    if device.type == "cpu":
        return "cpu"
    return f"{device} ({torch.get_device_module(device).get_device_name(device)})"


def finish(model, test_images, device, losses, seconds, trained, options) -> dict:
    """Measures and plots after training, prints what came out and returns it."""
    result = {
        "device": describe(device),
        "data": test_images.name,
        "first_loss": losses[0],
        "last_loss": losses[-1],
        "accuracy": accuracy(model, test_images, device),
        "images_per_second": trained / seconds,
    }
    print(f"Device: {result['device']}, data: {result['data']}")
    print(f"Loss: {losses[0]:.4f} -> {losses[-1]:.4f} in {len(losses)} steps")
    print(f"Test accuracy: {result['accuracy']:.2%} of {len(test_images)} images")
    print(f"Speed: {result['images_per_second']:.0f} images/s")
    curve = plot(losses, options.plot or f"loss_{device.type}.png", f"SimpleCNN on {device}")
    if curve:
        print(f"Loss curve: {curve}")
    return result
