# SPDX-License-Identifier: Apache-2.0
"""Trains the same model on the NPU and with PyTorch on the CPU, and shows both side by side."""

import argparse
import sys
from pathlib import Path

import train_npu

ROWS = (
    ("device", "{device}"),
    ("images", "{data}"),
    ("first loss", "{first_loss:.4f}"),
    ("last loss", "{last_loss:.4f}"),
    ("test accuracy", "{accuracy:.2%}"),
    ("images/s", "{images_per_second:.0f}"),
)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", default="8")
    parser.add_argument("--data", default="auto")
    parser.add_argument("--out", default="build/demo", help="folder of the weights and plots")
    parser.add_argument("--devices", nargs=2, default=["npu", "cpu"])
    options = parser.parse_args(arguments)
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)

    results = []
    for device in options.devices:
        print(f"--- training on {device}")
        command = ["--device", device, "--epochs", options.epochs, "--data", options.data]
        command += ["--seed", "0", "--save", str(out / f"simple_cnn_{device}.pth")]
        command += ["--plot", str(out / f"loss_{device}.png")]
        results.append(train_npu.main(command))
    print("\n" + " " * 16 + "".join(f"{name:>22}" for name in ("npu", "PyTorch CPU")))
    for title, form in ROWS:
        print(f"{title:16}" + "".join(f"{form.format(**result):>22}" for result in results))
    fell = all(result["last_loss"] < result["first_loss"] for result in results)
    return 0 if fell else 1


if __name__ == "__main__":
    sys.exit(main())
