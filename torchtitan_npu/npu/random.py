# SPDX-License-Identifier: Apache-2.0
"""Random numbers: one default generator a device. Seeding needs no device and starts none."""

from collections.abc import Iterable

import torch

from torchtitan_npu._native import C, usable

from ._utils import Device, _get_device_index
from .devices import _lazy_init, device_count


def default_generators() -> tuple[torch.Generator, ...]:
    """The default generator of each device."""
    return tuple(C._default_generator(index) for index in range(device_count()))


def _generator(device: Device) -> torch.Generator:
    return C._default_generator(_get_device_index(device, optional=True))


def manual_seed(seed: int) -> None:
    """Seeds the current device's default generator."""
    _generator(None).manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seeds the default generators of all devices. torch.manual_seed calls this."""
    if usable():  # seeding the CPU must work in a broken set-up
        C._seed_all(int(seed) & 0xFFFF_FFFF_FFFF_FFFF)


def seed() -> int:
    """Seeds the current device's default generator with a random number and returns it."""
    return _generator(None).seed()


def seed_all() -> int:
    """Seeds the default generators of all devices with one random number and returns it."""
    random_seed = seed()
    manual_seed_all(random_seed)
    return random_seed


def initial_seed() -> int:
    """The seed of the current device's default generator."""
    return _generator(None).initial_seed()


def get_rng_state(device: Device = "npu") -> torch.Tensor:
    """State of a device's default generator: 16 bytes on the CPU."""
    _lazy_init()
    return _generator(device).get_state()


def get_rng_state_all() -> list[torch.Tensor]:
    """States of all devices' default generators."""
    return [get_rng_state(index) for index in range(device_count())]


def set_rng_state(new_state: torch.Tensor, device: Device = "npu") -> None:
    """Gives a device's default generator a state from get_rng_state()."""
    _generator(device).set_state(new_state)


def set_rng_state_all(new_states: Iterable[torch.Tensor]) -> None:
    """Gives each device's default generator its state."""
    for index, state in enumerate(new_states):
        set_rng_state(state, index)
