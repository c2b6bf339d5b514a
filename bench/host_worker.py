# SPDX-License-Identifier: Apache-2.0
"""Host time of one operator on tiny tensors, in nanoseconds, as a line of JSON.

usage: host_worker.py MODULE DEVICE    MODULE registers the device; "-" for none
Any environment with torch runs this: it knows nothing of the project.
"""

import importlib
import json
import sys
import time

import torch

BURSTS = 40
BURST = 200  # short enough for every client's queue, so that only issuing is timed


def main() -> None:
    module, device = sys.argv[1:]
    if module != "-":
        importlib.import_module(module)
    synchronize = torch.get_device_module(device).synchronize
    a, b = torch.ones(4, device=device), torch.ones(4, device=device)
    left, right = torch.ones(4, 4, device=device), torch.ones(4, 4, device=device)
    operators = {
        "add_": lambda: a.add_(b),
        "add": lambda: torch.add(a, b),
        "mm": lambda: torch.mm(left, right),
    }
    nanoseconds = {}
    for name, operator in operators.items():
        bursts = []
        for _ in range(BURSTS):
            began = time.perf_counter_ns()
            for _ in range(BURST):
                operator()
            bursts.append((time.perf_counter_ns() - began) / BURST)
            synchronize()
        nanoseconds[name] = sorted(bursts)[BURSTS // 2]
    # A fast operator that computes nothing would win: hold the results to their values.
    issued = BURSTS * BURST
    assert a.cpu().tolist() == [1.0 + issued] * 4
    assert torch.add(a, b).cpu().tolist() == [2.0 + issued] * 4
    assert torch.mm(left, right).cpu().tolist() == [[4.0] * 4] * 4
    print(json.dumps(nanoseconds))


if __name__ == "__main__":
    main()
