# SPDX-License-Identifier: Apache-2.0
"""Worker processes that a crash or a hang of one entry does not take along."""

import json
import os
import queue
import select
import subprocess
import sys
import threading
from collections.abc import Iterable
from pathlib import Path

from tests.parity.databases import Entry

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120  # for one entry; the slowest takes a few


class Worker:
    """One process; started anew after a crash or a hang."""

    def __init__(self) -> None:
        self.process: subprocess.Popen | None = None

    def start(self) -> subprocess.Popen:
        paths = [os.environ.get("PYTHONPATH"), str(ROOT)]
        return subprocess.Popen(
            [sys.executable, "-m", "tests.parity.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ
            | {
                "PYTHONPATH": os.pathsep.join(path for path in paths if path),
                "TORCHTITAN_NPU_FALLBACK": "error",
                "SOFTNPU_THREADS": "1",
            },
            text=True,
        )

    def run(self, entry: Entry, samples: int) -> str:
        if self.process is None:
            self.process = self.start()
        process = self.process
        try:
            process.stdin.write(json.dumps({"entry": entry, "samples": samples}) + "\n")
            process.stdin.flush()
        except OSError:
            self.stop()
            return "the process died"
        ready, _, _ = select.select([process.stdout], [], [], SECONDS)
        answer = process.stdout.readline() if ready else ""
        if answer:
            return json.loads(answer)
        self.stop()
        return "the process died" if ready else f"no answer within {SECONDS} s"

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def run(entries: Iterable[Entry], samples: int, workers: int) -> dict[Entry, str]:
    """Each entry's outcome: empty, or why it does not pass."""
    waiting: queue.Queue[Entry] = queue.Queue()
    for entry in entries:
        waiting.put(entry)
    outcomes: dict[Entry, str] = {}

    def work() -> None:
        worker = Worker()
        try:
            while True:
                entry = waiting.get_nowait()
                outcomes[entry] = worker.run(entry, samples)
        except queue.Empty:
            pass
        finally:
            worker.stop()

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return dict(sorted(outcomes.items()))
