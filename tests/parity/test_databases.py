# SPDX-License-Identifier: Apache-2.0
"""PyTorch's databases pass on npu, except what tests/parity/known.toml lists with its reason.

Here a third of the operators in float32, and all modules and optimizers; `make test-full` runs
every type and entry (`python -m tests.parity`).
"""

import os

import pytest

from tests.parity import pool, report
from tests.parity.__main__ import DTYPES
from tests.parity.databases import entries, infos

WORKERS = len(os.sched_getaffinity(0))


def unexpected(outcomes: dict) -> dict:
    known = report.known()
    return {"/".join(entry): why for entry, why in outcomes.items() if why and entry not in known}


def test_a_part_of_the_operators_all_modules_and_all_optimizers():
    chosen = [
        entry for number, entry in enumerate(entries()) if number % 3 == 0 or entry[0] != "op_db"
    ]
    outcomes = pool.run(chosen, samples=4, workers=WORKERS)
    print(report.rates(outcomes))
    assert unexpected(outcomes) == {}
    assert len(outcomes) == len(chosen) > 300


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [d for d in DTYPES if d not in ("int32", "uint8")])
def test_every_operator_and_the_list_holds_nothing_that_passes(dtype):
    chosen = [entry for entry in entries((dtype,)) if entry[0] == "op_db"]
    outcomes = pool.run(chosen, samples=10, workers=WORKERS)
    print(report.rates(outcomes))
    assert unexpected(outcomes) == {}
    passing = [entry for entry in report.known() if outcomes.get(entry) == ""]
    assert passing == [], "these pass now: take them off the list"


def test_every_entry_of_the_list_exists():
    for database, name, _ in report.known():
        assert name in infos()[database], f"{database} has no {name}"


def test_the_document_is_made_from_the_list():
    assert report.DOCUMENT.read_text() == report.document()


def test_a_crash_costs_one_entry_only():
    entry = ("op_db", "abs", "float32")
    worker = pool.Worker()
    try:
        assert worker.run(entry, 1) == ""
        worker.process.kill()
        worker.process.wait()
        assert worker.run(entry, 1) == "the process died"
        assert worker.run(entry, 1) == ""
        assert worker.run(("op_db", "no such operator", "float32"), 1).startswith("KeyError")
    finally:
        worker.stop()


def test_a_hang_costs_one_entry_only(monkeypatch):
    worker = pool.Worker()
    try:
        monkeypatch.setattr(pool, "SECONDS", 0.0)  # it has not even started by then
        assert worker.run(("op_db", "abs", "float32"), 1) == "no answer within 0.0 s"
        monkeypatch.setattr(pool, "SECONDS", 120)
        assert worker.run(("op_db", "abs", "float32"), 1) == ""
    finally:
        worker.stop()
