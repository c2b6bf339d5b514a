# SPDX-License-Identifier: Apache-2.0
"""Timing of several contenders in turn, so that whatever slows the machine slows them all."""

import dataclasses
import statistics
import time
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Times:
    """Milliseconds of each round of one contender."""

    rounds: tuple[float, ...]

    @property
    def minimum(self) -> float:
        return min(self.rounds)

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)


def interleave(
    contenders: dict[str, Callable[[], object]], rounds: int, warmup: int = 3
) -> dict[str, Times]:
    """Runs every contender once a round, the first one moving on by one each round."""
    for run in contenders.values():
        for _ in range(warmup):
            run()
    names = list(contenders)
    times: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        start = number % len(names)
        for name in names[start:] + names[:start]:
            began = time.perf_counter()
            contenders[name]()
            times[name].append((time.perf_counter() - began) * 1e3)
    return {name: Times(tuple(values)) for name, values in times.items()}


def table(times: dict[str, Times], baseline: str) -> str:
    """The times as text, with each contender's speed against the baseline's."""
    width = max(map(len, times))
    lines = [f"{'':{width}}   min ms  median ms  against {baseline}"]
    for name, each in times.items():
        ratio = times[baseline].median / each.median
        lines.append(f"{name:{width}} {each.minimum:8.1f} {each.median:10.1f}  {ratio:.2f}x")
    return "\n".join(lines)
