# SPDX-License-Identifier: Apache-2.0
"""Runs PyTorch's databases on npu and prints what passes.

usage: python -m tests.parity [--only WORD…] [--dtype float32 …] [--samples N] [--shard I/N]
"""

import argparse
import json
import sys
from pathlib import Path

from tests.parity import pool, report
from tests.parity.databases import entries

DTYPES = ("float32", "float16", "bfloat16", "int64", "int32", "uint8", "bool")


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.parity", description=__doc__)
    parser.add_argument("--only", nargs="+", help="entries whose name contains one of these")
    parser.add_argument("--dtype", nargs="+", choices=DTYPES, default=["float32"])
    parser.add_argument("--samples", type=int, default=10, help="of each entry, at most")
    parser.add_argument("--shard", default="1/1", help="I/N: every N-th entry from the I-th")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=Path, help="file of the outcomes")
    parser.add_argument("--document", action="store_true", help=f"write {report.DOCUMENT.name}")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if options.document:
        report.DOCUMENT.write_text(report.document())
        return 0
    index, count = (int(part) for part in options.shard.split("/"))
    chosen = [
        entry
        for entry in entries(tuple(options.dtype))
        if not options.only or any(word in entry[1] for word in options.only)
    ][index - 1 :: count]
    outcomes = pool.run(chosen, options.samples, options.workers)
    print(report.failures(outcomes))
    print(report.rates(outcomes))
    if options.json:
        options.json.write_text(
            json.dumps({"/".join(entry): why for entry, why in outcomes.items()}, indent=1)
        )
    known = report.known()
    new = [entry for entry, why in outcomes.items() if why and entry not in known]
    print(f"{len(new)} of these are not in {report.LIST.name}" if new else "all are listed")
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
