# SPDX-License-Identifier: Apache-2.0
"""A process that runs entries one by one: reads them as JSON lines, answers with the outcome.

What the CPU cannot do either is no failure of npu: such an entry answers "skipped".
"""

import json
import re
import sys
import warnings

import torch

import torchtitan_npu  # noqa: F401
from tests.parity import databases

MISSING = re.compile(r"operator (aten::\S+) not implemented for NPU")


def outcome(entry: databases.Entry, samples: int) -> str:
    """Empty if the entry passes, else one line that says why not."""
    try:
        databases.run(entry, samples)
    except Exception as error:  # whatever it is, it is this entry's outcome
        missing = MISSING.search(str(error))
        if missing:
            return f"no operator {missing[1]}"
        text = next((line for line in str(error).splitlines() if line.strip()), "")
        return f"{type(error).__name__}: {text}"[:200]
    return ""


def main() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    answers = sys.stdout
    sys.stdout = sys.stderr  # what samples print is no answer
    for line in sys.stdin:
        request = json.loads(line)
        why = outcome(tuple(request["entry"]), request["samples"])
        try:
            torch.npu.synchronize()
        except Exception as error:
            why = why or f"later: {error}"[:200]
        print(json.dumps(why), file=answers, flush=True)


if __name__ == "__main__":
    main()
