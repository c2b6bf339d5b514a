# SPDX-License-Identifier: Apache-2.0
"""Runs benches, saves their results as JSON and exits with 1 when a target is missed.

usage: python -m bench [NAME...]    all of them when none is named
"""

import argparse
import importlib
import sys
from pathlib import Path

from bench.models import MODELS
from bench.result import judge, machine, save

BENCHES = ("train", "operators", "host", "parity", "accuracy", "leak")


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("benches", nargs="*", metavar="NAME", help=", ".join(BENCHES))
    parser.add_argument("--device", default="npu")
    parser.add_argument("--json", type=Path, default=Path("build/bench"), help="folder of results")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--steps", type=int, default=20, help="of each contender in train")
    parser.add_argument("--seeds", type=int, default=5, help="in accuracy")
    parser.add_argument("--leak-steps", type=int, default=2000)
    parser.add_argument("--host-rounds", type=int, default=3)
    parser.add_argument("--official", help="Python of an environment with the official wheel")
    options = parser.parse_args(arguments)
    unknown = set(options.benches) - set(BENCHES)
    if unknown:
        parser.error(f"no bench {', '.join(sorted(unknown))}; there are {', '.join(BENCHES)}")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if options.device == "npu":
        import torchtitan_npu  # noqa: F401
    print("machine:", ", ".join(f"{name} {value}" for name, value in machine().items()))
    missed = []
    for name in options.benches or BENCHES:
        print(f"\n== {name}", flush=True)
        result = importlib.import_module(f"bench.{name}").run(options)
        for figure, value in result.figures.items():
            print(f"{figure}: {value:.4g}")
        print("saved", save(name, result, options.json))
        missed += judge(name, result.figures)
    print(*missed, sep="\n" if missed else "")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
