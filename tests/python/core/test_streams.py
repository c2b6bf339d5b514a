# SPDX-License-Identifier: Apache-2.0
"""Streams and events, through torch.npu and through PyTorch's generic classes."""

import threading
import time

import pytest
import torch


def test_work_goes_to_the_current_stream(npu):
    default = torch.npu.current_stream()
    assert default == torch.npu.default_stream() and default.stream_id == 0
    stream = torch.npu.Stream()
    with torch.npu.stream(stream):
        assert torch.npu.current_stream() == stream
        with torch.npu.stream(None):
            assert torch.npu.current_stream() == stream
    assert torch.npu.current_stream() == default


def test_pytorchs_generic_stream_is_interchangeable(npu):
    stream = torch.Stream(device="npu")
    with stream:
        assert torch.npu.current_stream() == stream
        assert torch.accelerator.current_stream() == stream
    torch.npu.set_stream(stream)
    assert torch.accelerator.current_stream() == stream
    torch.npu.set_stream(torch.npu.default_stream())


def test_each_thread_has_its_own_current_stream(npu):
    stream = torch.npu.Stream()
    seen = []
    with torch.npu.stream(stream):
        thread = threading.Thread(target=lambda: seen.append(torch.npu.current_stream()))
        thread.start()
        thread.join()
    assert seen == [torch.npu.default_stream()]


def test_priorities(npu):
    assert torch.npu.Stream.priority_range() == (0, -1)
    assert torch.npu.Stream().priority == 0
    assert torch.npu.Stream(priority=-1).priority == -1
    assert torch.npu.Stream(priority=-7).priority == -1
    assert torch.npu.Stream().npu_stream != torch.npu.Stream(priority=-1).npu_stream


def test_a_thousand_streams_share_a_pool(npu):
    handles = {torch.npu.Stream().npu_stream for _ in range(1000)}
    assert len(handles) == 32


def test_an_external_stream_wraps_a_handle(npu):
    stream = torch.npu.Stream()
    wrapped = torch.npu.ExternalStream(stream.npu_stream)
    assert wrapped.npu_stream == stream.npu_stream
    assert torch.npu.ExternalStream(stream.npu_stream) == wrapped
    with torch.npu.stream(wrapped):
        x = torch.full((100,), 3.0, device="npu")
    wrapped.synchronize()
    assert x.cpu().eq(3).all()


def test_query_tells_busy_from_done(npu, busy):
    stream = torch.npu.Stream()
    busy(0.3, stream)
    assert not stream.query()
    stream.synchronize()
    assert stream.query()


def test_streams_do_not_wait_for_each_other(npu, busy):
    slow, fast = torch.npu.Stream(), torch.npu.Stream()
    busy(0.5, slow)
    start = time.monotonic()
    with torch.npu.stream(fast):
        assert torch.ones(10, device="npu").cpu().sum() == 10
    assert time.monotonic() - start < 0.4
    assert not slow.query()
    slow.synchronize()


def test_an_event_orders_two_streams(npu, busy):
    producer, consumer = torch.npu.Stream(), torch.npu.Stream()
    data = torch.zeros(1000, device="npu")
    torch.npu.synchronize()
    with torch.npu.stream(producer):
        busy(0.3)
        data.fill_(7)
        written = producer.record_event()
    with torch.npu.stream(consumer):
        consumer.wait_event(written)
        copy = data.clone()
    consumer.synchronize()
    assert copy.cpu().eq(7).all()


def test_wait_stream_orders_two_streams(npu, busy):
    producer, consumer = torch.npu.Stream(), torch.npu.Stream()
    busy(0.2, producer)
    consumer.wait_stream(producer)
    consumer.synchronize()
    assert producer.query()


def test_an_event_that_was_never_recorded_is_complete(npu):
    event = torch.npu.Event()
    assert event.query()
    event.synchronize()
    event.wait(torch.npu.Stream())


def test_recording_again_moves_the_event(npu, busy):
    event = torch.npu.Event()
    event.record()
    event.synchronize()
    assert event.query()
    busy(0.2)
    event.record()
    assert not event.query()
    event.synchronize()
    assert event.query()


def test_elapsed_time_measures_what_lies_between(npu, busy):
    start, end = torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
    start.record()
    busy(0.1)
    end.record()
    end.synchronize()
    assert 90 <= start.elapsed_time(end) <= 1000


def test_events_are_pytorchs(npu):
    event = torch.npu.Event(enable_timing=True)
    assert isinstance(event, torch.Event) and isinstance(event, torch.npu.Event)
    generic = torch.Event("npu", enable_timing=True)
    event.record()
    generic.record()
    torch.npu.synchronize()
    assert event.elapsed_time(generic) == -generic.elapsed_time(event)


def test_elapsed_time_needs_timing_and_both_records(npu):
    plain, timed = torch.npu.Event(), torch.npu.Event(enable_timing=True)
    plain.record()
    timed.record()
    torch.npu.synchronize()
    with pytest.raises(ValueError, match="enable_timing"):
        plain.elapsed_time(timed)
    with pytest.raises(ValueError, match="must be recorded"):
        timed.elapsed_time(torch.npu.Event(enable_timing=True))


def test_interprocess_events_are_refused(npu):
    with pytest.raises(NotImplementedError, match="interprocess"):
        torch.npu.Event(interprocess=True)


def test_an_event_of_another_device_is_refused(npu):
    if torch.npu.device_count() < 2:
        pytest.skip("needs two devices")
    event = torch.npu.Stream("npu:1").record_event()
    with pytest.raises(RuntimeError, match="npu:1 cannot be recorded on a stream of npu:0"):
        event.record(torch.npu.Stream("npu:0"))


def test_a_stream_of_another_device_brings_its_device_along(npu):
    if torch.npu.device_count() < 2:
        pytest.skip("needs two devices")
    with torch.npu.stream(torch.npu.Stream("npu:1")):
        assert torch.npu.current_device() == 1
        assert torch.ones(4, device="npu").sum().item() == 4
    assert torch.npu.current_device() == 0


def test_waiting_lets_other_python_threads_run(npu, busy):
    counted = 0
    stop = threading.Event()

    def count():
        nonlocal counted
        while not stop.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    busy(0.4)
    before = counted
    torch.npu.synchronize()
    during = counted - before
    stop.set()
    thread.join()
    assert during > 20


INTERRUPT = """
import ctypes, os, signal, threading, time
import torch, torchtitan_npu
x = torch.ones(1000, device="npu")
event = torch.npu.Event()
stream = torch.npu.current_stream()
torch.npu.synchronize()
library = ctypes.CDLL(torch.npu.cann_info()["library_folder"] + "/libascendcl.so")
launch = library.aclrtLaunchHostFunc
launch.argtypes = [ctypes.c_void_p] * 3
usleep = ctypes.cast(ctypes.CDLL(None).usleep, ctypes.c_void_p)
waits = {
    "device": torch.npu.synchronize, "stream": stream.synchronize, "event": event.synchronize,
    "item": x.sum().item, "copy": x.cpu,
}
for name, wait in waits.items():
    assert launch(stream.npu_stream, usleep, 2_000_000) == 0
    event.record()
    threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]).start()
    start = time.monotonic()
    try:
        wait()
        print(name, "was not interrupted")
    except KeyboardInterrupt:
        print(name, time.monotonic() - start < 1.5)
    torch.npu.synchronize()
print((x + 1).sum().item())
"""


def test_ctrl_c_ends_every_wait_and_the_device_stays_usable(run_code):
    lines = run_code(INTERRUPT).splitlines()
    assert lines == ["device True", "stream True", "event True", "item True", "copy True", "2000.0"]
