# SPDX-License-Identifier: Apache-2.0
"""What a machine must have before the first build; says how to get what is missing.

Runs on whatever Python the machine has, so it uses nothing newer than 3.6.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile

MINIMUM_PYTHON = (3, 11)
PROBE = "#include <concepts>\n#include <span>\nint main() { return std::span<int>{}.size(); }\n"


def compiler():
    return os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")


def compiles_cpp20(command):
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "probe.cpp")
        with open(source, "w") as file:
            file.write(PROBE)
        done = subprocess.run(
            [command, "-std=c++20", "-fsyntax-only", source],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return done.returncode == 0


def problems():
    if sys.version_info < MINIMUM_PYTHON:
        have = ".".join(map(str, sys.version_info[:2]))
        yield (
            f"Python {have} is too old, 3.11 or newer is needed: "
            "name another one with `make PYTHON=…`"
        )
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        yield "Python's venv module is missing: apt-get install python3-venv"
    header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
    if not os.path.exists(header):
        yield f"Python's C headers are missing ({header}): apt-get install python3-dev"
    command = compiler()
    if command is None:
        yield "no C++ compiler found: apt-get install g++"
    elif not compiles_cpp20(command):
        yield f"{command} does not compile C++20: g++ 11 or newer is needed"


def main():
    found = list(problems())
    for line in found:
        print("This machine cannot build torchtitan-npu yet: " + line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
