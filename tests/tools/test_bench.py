# SPDX-License-Identifier: Apache-2.0
"""The bench driver: targets judge figures, results are kept, contenders take turns. No times."""

import json
import math

import pytest

from bench import __main__ as driver
from bench.interleave import Times, interleave, table
from bench.result import TARGETS, Result, judge, machine, save


@pytest.fixture
def targets(tmp_path):
    path = tmp_path / "targets.toml"
    path.write_text('[train]\n"ratio" = { at_least = 1.0 }\n"growth" = { at_most = 2 }\n')
    return path


@pytest.mark.parametrize(
    ("figures", "misses"),
    [
        ({"ratio": 1.0, "growth": 2}, 0),
        ({"ratio": 0.99, "growth": 0}, 1),
        ({"ratio": 0.5, "growth": 3}, 2),
        ({"ratio": math.nan, "growth": math.nan}, 2),
        ({"ratio": 1.5}, 1),
    ],
)
def test_targets_judge_figures(targets, figures, misses):
    assert len(list(judge("train", figures, targets))) == misses


def test_a_bench_without_targets_is_only_reported(targets):
    assert list(judge("other", {"anything": 0.0}, targets)) == []


def test_every_target_belongs_to_a_bench():
    import tomllib

    assert set(tomllib.loads(TARGETS.read_text())) <= set(driver.BENCHES)


def test_a_result_is_saved_with_its_machine(tmp_path):
    path = save("leak", Result({"growth": 0.0}, {"samples": [1, 2]}), tmp_path)
    record = json.loads(path.read_text())
    assert record["figures"] == {"growth": 0.0}
    assert record["details"] == {"samples": [1, 2]}
    assert record["machine"]["cpu"] and record["machine"]["cores"] == machine()["cores"]


def test_contenders_take_turns_and_each_is_first_equally_often():
    calls = []
    runs = {name: (lambda name=name: calls.append(name)) for name in "ab"}
    times = interleave(runs, rounds=4, warmup=1)
    assert calls == ["a", "b"] + ["a", "b", "b", "a"] * 2
    assert {name: len(each.rounds) for name, each in times.items()} == {"a": 4, "b": 4}


def test_the_table_shows_speed_against_the_baseline():
    text = table({"cpu": Times((2.0, 4.0, 6.0)), "npu": Times((1.0, 2.0, 3.0))}, "cpu")
    assert text.splitlines()[2].split() == ["npu", "1.0", "2.0", "2.00x"]


@pytest.mark.parametrize(("value", "code"), [(1.0, 0), (0.5, 1)])
def test_the_driver_exits_with_one_when_a_target_is_missed(
    monkeypatch, tmp_path, capsys, value, code
):
    from bench import accuracy

    figures = {"mean test accuracy": value}
    monkeypatch.setattr(accuracy, "run", lambda options: Result(figures))
    arguments = ["accuracy", "--device", "cpu", "--json", str(tmp_path)]
    assert driver.main(arguments) == code
    missed = "mean test accuracy is 0.5, at least 0.97 is wanted"
    assert (missed in capsys.readouterr().out) == (code == 1)


def test_an_unknown_bench_is_refused(capsys):
    with pytest.raises(SystemExit):
        driver.main(["speed"])
    assert "there are train, operators, host" in capsys.readouterr().err
