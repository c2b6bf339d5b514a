#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the objects that are built once an instruction set to their namespace.

An inline function left over in an object is a weak symbol, and the linker keeps one copy for the
whole program: the AVX-512 one may end up running on a machine without AVX-512. So every symbol that
such an object defines must lie in npu::davinci::<isa>, and nothing may run when the library loads.

Usage: check_isa_symbols.py OBJECT...   (paths contain npu_davinci_<isa>.dir)
"""

import re
import subprocess
import sys

DEFINED = set("ABCDGRSTuVW")  # nm's letters for global and weak definitions


def problems_of(path: str) -> list[str]:
    match = re.search(r"npu_davinci_(\w+)\.dir", path)
    if not match:
        return [f"{path}: not an object of an instruction set"]
    isa = match.group(1)
    home = f"3npu7davinci{len(isa)}{isa}"  # how the namespace is spelled in a mangled name
    listing = subprocess.run(
        ["nm", "--format=posix", path], check=True, capture_output=True, text=True
    ).stdout
    found = []
    # Data that names a function holds no instructions; sanitizers bring symbols of their own.
    harmless = re.compile(r"asan|tsan|ubsan|^DW\.ref\.")
    for line in listing.splitlines():
        name, kind = line.split()[:2]
        if name.startswith("_GLOBAL__sub_I_"):
            found.append(f"{path}: runs code when the library loads: {name}")
        elif kind in DEFINED and home not in name and not harmless.search(name):
            found.append(f"{path}: defines {name} ({kind}) outside npu::davinci::{isa}")
    return found


def main(paths: list[str]) -> int:
    if not paths:
        print("no objects given", file=sys.stderr)
        return 2
    found = [problem for path in paths for problem in problems_of(path)]
    print("\n".join(found) or f"{len(paths)} objects keep to their namespaces")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
