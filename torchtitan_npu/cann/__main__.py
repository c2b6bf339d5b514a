# SPDX-License-Identifier: Apache-2.0
"""``python -m torchtitan_npu.cann env``: shell exports that point a CANN client at softnpu."""

import argparse
import shlex

from torchtitan_npu.cann import environment, home


def main() -> None:
    """Prints the exports (`env`) or the folder itself (`home`)."""
    parser = argparse.ArgumentParser(prog="python -m torchtitan_npu.cann", description=__doc__)
    parser.add_argument("what", choices=["env", "home"])
    if parser.parse_args().what == "home":
        print(home())
        return
    for name, value in environment().items():
        print(f"export {name}={shlex.quote(value)}")


if __name__ == "__main__":
    main()
