# SPDX-License-Identifier: Apache-2.0
"""The reviewed list of what does not pass, and outcomes as text."""

import collections
import tomllib
from pathlib import Path

from tests.parity.databases import Entry

LIST = Path(__file__).with_name("known.toml")
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "parity.md"


def known() -> dict[Entry, str]:
    """Entries that are known not to pass -> the reason."""
    found: dict[Entry, str] = {}
    for group in tomllib.loads(LIST.read_text())["group"]:
        for name in group["names"]:
            for dtype in group["dtypes"]:
                found[group["database"], name, dtype] = group["reason"]
    return found


def rates(outcomes: dict[Entry, str]) -> str:
    """Pass rates by database and dtype."""
    counts: dict[tuple[str, str], list[bool]] = collections.defaultdict(list)
    for (database, _, dtype), why in outcomes.items():
        counts[database, dtype].append(not why)
    lines = [f"{'database':12}{'dtype':10}{'pass':>6}{'of':>6}{'rate':>9}"]
    for (database, dtype), passed in sorted(counts.items()):
        rate = sum(passed) / len(passed)
        lines.append(f"{database:12}{dtype:10}{sum(passed):6}{len(passed):6}{rate:9.1%}")
    return "\n".join(lines)


def failures(outcomes: dict[Entry, str]) -> str:
    """What does not pass, grouped by reason, the most frequent first."""
    groups: dict[str, list[str]] = collections.defaultdict(list)
    for (database, name, dtype), why in outcomes.items():
        if why:
            groups[why].append(f"{database}/{name}/{dtype}")
    ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    return "\n".join(f"{len(names):4}  {why}: {', '.join(names)}" for why, names in ordered)


def document() -> str:
    """The list as a page; `python -m tests.parity --document` writes it."""
    lines = [
        "# What does not pass",
        "",
        "PyTorch's databases of operators, modules and optimizers (`op_db`, `module_db`,",
        "`optim_db`) are run on npu and compared with the CPU: `python -m tests.parity`. All their",
        "entries pass, forward and, in float32, backward, except these. This page is made from",
        "`tests/parity/known.toml`.",
        "",
    ]
    for group in tomllib.loads(LIST.read_text())["group"]:
        names = ", ".join(f"`{name}`" for name in group["names"])
        dtypes = ", ".join(group["dtypes"])
        lines += [f"## {group['database']}: {group['title']}", "", f"{names} ({dtypes}).", ""]
        lines += [group["reason"], ""]
    return "\n".join(lines)
