# SPDX-License-Identifier: Apache-2.0
"""The npu device for PyTorch.

Importing this package registers the backend and starts nothing: CANN is loaded and a device opened
when something on it is first used. PyTorch imports it by itself through the ``torch.backends``
entry point, so ``import torch`` is enough. A set-up that cannot work never breaks an import; the
reason is raised when npu is first used.
"""


def _autoload() -> None:
    """PyTorch's hook at the end of ``import torch``: by then importing this package did the work.

    Defined before anything else here, because ``import torchtitan_npu`` as a program's first import
    makes PyTorch call it while this file still runs.
    """
    from torchtitan_npu import _conflicts

    _conflicts.forget_mixed_installation()


from torchtitan_npu._register import register as _register  # noqa: E402

_register()

__version__ = "0.1.0"
