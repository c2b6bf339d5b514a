# SPDX-License-Identifier: Apache-2.0
"""Generators: seeds, states, offsets; independence of devices."""

import pytest
import torch


def test_a_seed_repeats_the_numbers(npu):
    torch.manual_seed(5)
    first = torch.rand(100, device="npu")
    torch.manual_seed(5)
    assert torch.equal(torch.rand(100, device="npu"), first)
    torch.npu.manual_seed(6)
    assert not torch.equal(torch.rand(100, device="npu"), first)


def test_a_seed_given_before_the_first_use_counts(run_code):
    code = """
import torch, torchtitan_npu
torch.manual_seed(5)
print(torch.npu.is_initialized(), torch.npu.initial_seed())
print(torch.npu.default_generators[0].initial_seed())
"""
    assert run_code(code) == "False 5\n5\n"


def test_a_negative_seed_is_taken_as_pytorch_takes_it(npu):
    torch.manual_seed(-1)
    assert torch.npu.initial_seed() == torch.initial_seed() % (1 << 64)


def test_unseeded_processes_differ(run_code):
    code = "import torch, torchtitan_npu; print(torch.npu.initial_seed())"
    assert run_code(code) != run_code(code)


def test_the_state_can_be_saved_and_restored(npu):
    state = torch.npu.get_rng_state()
    assert state.dtype == torch.uint8 and state.device.type == "cpu" and state.numel() == 16
    first = torch.rand(10, device="npu")
    torch.npu.set_rng_state(state)
    assert torch.equal(torch.rand(10, device="npu"), first)


def test_a_generator_of_its_own_leaves_the_default_alone(npu):
    before = torch.npu.get_rng_state()
    generator = torch.Generator(device="npu").manual_seed(3)
    first = torch.rand(10, device="npu", generator=generator)
    assert torch.equal(torch.npu.get_rng_state(), before)
    generator.manual_seed(3)
    assert torch.equal(torch.rand(10, device="npu", generator=generator), first)


def test_offsets_are_multiples_of_four(npu):
    generator = torch.Generator(device="npu").manual_seed(3)
    assert generator.get_offset() == 0
    generator.set_offset(8)
    assert generator.get_offset() == 8
    with pytest.raises(RuntimeError, match="multiple of 4"):
        generator.set_offset(7)


def test_a_wrong_state_is_refused_and_changes_nothing(npu):
    generator = torch.Generator(device="npu").manual_seed(3)
    with pytest.raises(RuntimeError, match="16 bytes"):
        generator.set_state(torch.zeros(5, dtype=torch.uint8))
    with pytest.raises(TypeError):
        generator.set_state(torch.zeros(16))
    assert generator.initial_seed() == 3


def test_a_generator_can_be_cloned_and_saved(npu):
    generator = torch.Generator(device="npu").manual_seed(3)
    clone = generator.clone_state()
    assert clone.device == generator.device
    assert torch.equal(clone.get_state(), generator.get_state())


def test_fork_rng_puts_the_state_back(npu):
    before = torch.npu.get_rng_state()
    with torch.random.fork_rng(devices=[0], device_type="npu"):
        torch.rand(10, device="npu")
    assert torch.equal(torch.npu.get_rng_state(), before)


def test_all_devices_have_a_state(npu):
    states = torch.npu.get_rng_state_all()
    assert len(states) == torch.npu.device_count() == len(torch.npu.default_generators)
    torch.npu.manual_seed_all(9)
    assert all(g.initial_seed() == 9 for g in torch.npu.default_generators)
    torch.npu.set_rng_state_all(states)
    assert all(map(torch.equal, torch.npu.get_rng_state_all(), states))


def test_a_cpu_generator_is_refused(npu):
    with pytest.raises(RuntimeError, match="npu"):
        torch.rand(3, device="npu", generator=torch.Generator())
