// SPDX-License-Identifier: Apache-2.0
// Event: a position in a stream. Recording costs no node; it is complete once the stream ran up to
// it. Only a timing event puts a node in the queue, which takes the time when the executor gets
// there. Any thread.
#pragma once

#include <cstdint>

#include "softnpu/runtime/context.h"
#include "softnpu/runtime/device.h"

namespace npu::runtime {

class Stream;

/// `flags` are ACL_EVENT_*; ACL_EVENT_TIME_LINE makes it a timing event. Throws for unknown flags.
Handle create_event(uint32_t flags);
/// Waits that were enqueued on it stay valid.
void destroy_event(Handle event);
uint32_t event_id(Handle event);

void record_event(Handle event, Stream& stream);
/// Back to "never recorded"; `stream` only has to be alive.
void reset_event(Handle event, Stream& stream);
/// Makes later work of `stream` wait for the position recorded now; nothing for a fresh event.
void wait_event(Stream& stream, Handle event);

enum class EventState : uint8_t { kNotRecorded, kPending, kComplete };
/// Starts pending work up to the event, never waits.
EventState query_event(Handle event);
/// Waits for the recorded position. False on time-out; throws the error of a node before it.
bool synchronize_event(Handle event, Timeout timeout = {});
/// Milliseconds between two completed timing events. Starts pending work; throws
/// ACL_ERROR_RT_EVENT_NOT_COMPLETE when one is pending, ..._TIMESTAMP_INVALID when one has no time.
float elapsed_ms(Handle start, Handle end);
/// Device time of a completed timing event, in nanoseconds.
uint64_t event_timestamp_ns(Handle event);

}  // namespace npu::runtime
