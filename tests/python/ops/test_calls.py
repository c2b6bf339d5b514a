# SPDX-License-Identifier: Apache-2.0
"""What CANN is told: the types of numbers in the trace of its calls."""

import json

import pytest

CODE = """
import torch, torchtitan_npu
torch.ones(3, device="npu", dtype={dtype}).mul_({number})
torch.npu.synchronize()
"""


@pytest.mark.parametrize(
    "dtype, number, expected",
    [
        ("torch.int64", "2", {"value": 2, "dtype": "int64"}),
        ("torch.int64", "-2", {"value": -2, "dtype": "int64"}),
        ("torch.float32", "0", {"value": 0, "dtype": "int64"}),
        ("torch.float32", "2.5", {"value": 2.5, "dtype": "float64"}),
        ("torch.float32", "True", {"value": 1, "dtype": "bool"}),
    ],
)
def test_numbers_keep_their_type(run_code, tmp_path, dtype, number, expected):
    trace = tmp_path / "trace"
    run_code(CODE.format(dtype=dtype, number=number), SOFTNPU_TRACE=str(trace))
    calls = [json.loads(line) for line in trace.read_text().splitlines()]
    (arguments,) = (c["args"] for c in calls if c["call"] == "aclnnMulsGetWorkspaceSize")
    assert arguments[1] == expected
