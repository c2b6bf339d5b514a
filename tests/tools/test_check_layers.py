# SPDX-License-Identifier: Apache-2.0
"""The layer check passes on this tree and fails on a tree with each kind of breach."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools import check_layers

ROOT = Path(__file__).resolve().parents[2]


def make_tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_this_tree_keeps_the_rules():
    assert list(check_layers.breaches(ROOT)) == []


def test_a_clean_tree_passes_and_says_how_much_it_read(tmp_path, capsys):
    make_tree(
        tmp_path,
        {
            "include/acl/acl.h": '#include "acl/acl_base.h"\n#include <stdint.h>\n',
            "softnpu/ge/window.cpp": '#include "softnpu/runtime/node.h"\n#include <vector>\n',
            "torchtitan_npu/csrc/bindings.cpp": (
                '#include <torch/extension.h>\n#include "torchtitan_npu/csrc/aten/table.h"\n'
            ),
            "torchtitan_npu/csrc/core/graph.cpp": '#include "softnpu.h"\n',
        },
    )
    assert check_layers.main([str(tmp_path)]) == 0
    assert "4 files, 0 breaches" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("softnpu/runtime/stream.cpp", '#include "softnpu/davinci/commands.h"'),
        ("softnpu/davinci/cube.cpp", '#include "softnpu/runtime/node.h"'),
        ("softnpu/acl/device.cpp", '#include "softnpu/aol/plan.h"'),
        ("softnpu/aol/plan.cpp", '#  include "softnpu/acl/error.h"'),
        ("softnpu/base/error.cpp", '#include "softnpu/ge/operator_node.h"'),
        ("softnpu/runtime/memory.cpp", "#include <ATen/Tensor.h>"),
        ("softnpu/ge/window.cpp", "#include <c10/util/Exception.h>"),
        ("softnpu/aicpu/call.cpp", '#include "softnpu/runtime/stream.h"'),
        ("softnpu/runtime/oops.h", '#include "torchtitan_npu/csrc/core/device.h"'),
        ("include/acl/acl.h", '#include "softnpu/base/abi.h"'),
        ("torchtitan_npu/csrc/core/device.cpp", '#include "softnpu/runtime/stream.h"'),
        ("torchtitan_npu/csrc/core/device.cpp", '#include "torchtitan_npu/csrc/aten/copy.h"'),
        ("torchtitan_npu/csrc/aten/ops.cpp", '#include "torchtitan_npu/csrc/distributed/work.h"'),
        ("torchtitan_npu/csrc/core/guard.cpp", "#include <pybind11/pybind11.h>"),
        ("torchtitan_npu/csrc/aten/copy.cpp", "#include <torch/extension.h>"),
        ("torchtitan_npu/csrc/core/device.cpp", 'const char* path = "softnpu/runtime";'),
        ("softnpu/base/new.cpp", '#include "softnpu/attic/old.h"'),
        ("softnpu/attic/old.cpp", "// a folder that is no room"),
    ],
)
def test_a_breach_is_found_and_named(tmp_path, file, line):
    make_tree(tmp_path, {file: "// first line\n" + line + "\n"})
    found = list(check_layers.breaches(tmp_path))
    assert len(found) == 1
    assert re.match(rf"{re.escape(file)}:[12]: ", found[0])


def test_the_command_exits_with_one_on_a_breach_and_on_an_empty_tree(tmp_path):
    command = [sys.executable, str(ROOT / "tools/check_layers.py"), str(tmp_path)]
    assert subprocess.run(command, capture_output=True).returncode == 1
    make_tree(tmp_path, {"softnpu/acl/a.cpp": '#include "softnpu/aol/plan.h"\n'})
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "softnpu/acl may not include softnpu/aol/plan.h" in done.stdout


def test_cmake_links_each_room_to_the_rooms_it_may_include():
    """npu_room(<room> USES …) in CMake and ROOMS here are two spellings of one rule."""
    for lists in (ROOT / "softnpu").glob("*/CMakeLists.txt"):
        declared = re.search(r"npu_room\((\w+)(?: USES ([\w\s]+))?\)", lists.read_text())
        if declared is None:
            continue
        room, uses = declared[1], (declared[2] or "").split()
        assert {f"softnpu/{name}" for name in uses} <= check_layers.ROOMS[f"softnpu/{room}"]
