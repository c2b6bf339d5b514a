# SPDX-License-Identifier: Apache-2.0
"""The bundled software CANN: where it lies, and the environment that points any CANN client at it.

``python -m torchtitan_npu.cann env`` prints that environment as shell exports.
"""

import os
from pathlib import Path

_HERE = Path(__file__).absolute().parent  # links are kept: a staged package is whole


def home() -> Path:
    """The folder to use as ``ASCEND_HOME_PATH``: it holds lib64, opp, runtime, compiler.

    Raises:
        FileNotFoundError: the package was not built, so there is no ``lib64/libsoftnpu.so``.
    """
    library = _HERE / "lib64" / "libsoftnpu.so"
    if not library.exists():
        raise FileNotFoundError(
            f"the software CANN is not built: {library} does not exist. "
            "Run `make build` in the source tree or install the wheel."
        )
    return _HERE


def environment() -> dict[str, str]:
    """The variables that `set_env.sh` exports, with this process's LD_LIBRARY_PATH kept behind."""
    root = home()
    paths = [str(root / "lib64"), os.environ.get("LD_LIBRARY_PATH", "")]
    return {
        "ASCEND_HOME_PATH": str(root),
        "ASCEND_TOOLKIT_HOME": str(root),
        "ASCEND_OPP_PATH": str(root / "opp"),
        "LD_LIBRARY_PATH": ":".join(path for path in paths if path),
    }
