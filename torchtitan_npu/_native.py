# SPDX-License-Identifier: Apache-2.0
"""The C++ side, or a stand-in that raises, at first use, why there is none.

``from torchtitan_npu._native import C`` and call ``C._name(...)``.
"""

import importlib
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from torchtitan_npu import _conflicts, _options

_PACKAGE = Path(__file__).parent


class Unusable:
    """Takes the place of the C++ module: every use of it raises the reason."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # Python's own probing, not a use
            raise AttributeError(name)
        raise RuntimeError(self._reason)


def _hand_over(module: Any, options: _options.Options) -> None:
    native = module.Options()
    for name, value in asdict(options).items():
        setattr(native, name, getattr(module.FallbackMode, value) if name == "fallback" else value)
    module._set_options(native)


def _load() -> Any:
    official = _conflicts.official_wheel()
    if official is not None:
        return Unusable(_conflicts.official_wheel_text(official))
    try:
        module = importlib.import_module("torchtitan_npu._C")
    except ModuleNotFoundError as error:
        return Unusable(f"torchtitan_npu in {_PACKAGE} was not built for this Python: {error}")
    except ImportError as error:
        return Unusable(f"torchtitan_npu's libraries cannot be loaded: {error}")
    _hand_over(module, _options.read())
    return module


C: Any = _load()


def usable() -> bool:
    """Whether the C++ side was loaded (which does not mean that there is a device)."""
    return not isinstance(C, Unusable)
