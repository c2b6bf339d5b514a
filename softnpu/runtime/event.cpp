// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/event.h"

#include <atomic>
#include <mutex>

#include "acl/acl_error.h"
#include "acl/acl_rt.h"
#include "softnpu/runtime/control.h"
#include "softnpu/runtime/executor.h"
#include "softnpu/runtime/runtime.h"
#include "softnpu/runtime/tables.h"

namespace npu::runtime {
namespace {

constexpr uint32_t kKnownFlags = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS |
                                 ACL_EVENT_TIME_LINE | ACL_EVENT_DEVICE_USE_ONLY |
                                 ACL_EVENT_EXTERNAL | ACL_EVENT_IPC;

/// A position in a stream; stream == nullptr: none.
struct Position {
  Stream* stream = nullptr;
  uint64_t nodes = 0;
};

bool reached(const Position& p) { return p.stream->completed() >= p.nodes; }

class Event {
 public:
  void open(uint32_t flags) {
    std::lock_guard lock(mutex);
    timing = (flags & ACL_EVENT_TIME_LINE) != 0;
    recorded = {};
    ++version;
    time_ns = 0;
  }
  Position position() {
    std::lock_guard lock(mutex);
    return recorded;
  }

  Handle handle_ = nullptr;
  bool timing = false;
  std::mutex mutex;  // guards the rest; nothing is called under it
  Position recorded;
  uint64_t version = 0;  // of the record; a late time stamp of an older one is ignored
  uint64_t time_ns = 0;  // of the executor's clock, 0 = not there yet
};

using EventTable = HandleTable<Event, 3, 1u << 18>;
EventTable& events() {
  static EventTable& table = *new EventTable;  // never destroyed: see Note [Exit]
  return table;
}

Event& event_of(Handle handle) {
  if (Event* event = events().find(handle)) [[likely]] {
    return *event;
  }
  require_usable();
  base::fail(ACL_ERROR_RT_PARAM_INVALID,
             handle ? "not a live event; it was destroyed, or is not an event of this process"
                    : "the event is null");
}

class TimeStamp final : public ControlNode {
 public:
  TimeStamp(Event& event, uint64_t version) : event_(event), version_(version) {}
  const char* name() const override { return "aclrtRecordEvent"; }
  bool poll(Stream&) override {
    const auto now = Clock::now().time_since_epoch();
    std::lock_guard lock(event_.mutex);
    if (event_.version == version_) {
      event_.time_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    }
    return true;
  }

 private:
  Event& event_;  // recycled, never freed
  const uint64_t version_;
};

// Stalls its stream until another one got to a position. wait_event arranged the resume.
class Wait final : public ControlNode {
 public:
  explicit Wait(Position until) : until_(until) {}
  const char* name() const override { return "aclrtStreamWaitEvent"; }
  bool poll(Stream&) override { return reached(until_); }

 private:
  const Position until_;
};

uint64_t time_of(Handle handle, const char* which) {
  Event& event = event_of(handle);
  if (!event.timing) {
    base::fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "the ", which,
               " event takes no time; create it with ACL_EVENT_TIME_LINE");
  }
  switch (query_event(handle)) {
    case EventState::kNotRecorded:
      base::fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "the ", which, " event was never recorded");
    case EventState::kPending:
      base::fail(ACL_ERROR_RT_EVENT_NOT_COMPLETE, "the ", which,
                 " event has not completed; synchronise it first");
    case EventState::kComplete:
      break;
  }
  std::lock_guard lock(event.mutex);
  if (event.time_ns == 0) {
    base::fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "the ", which,
               " event's time was dropped with the work of an aborted stream");
  }
  return event.time_ns;
}

}  // namespace

Handle create_event(uint32_t flags) {
  require_usable();
  if ((flags & ~kKnownFlags) != 0) {
    base::fail(ACL_ERROR_RT_PARAM_INVALID, "unknown event flags ", flags & ~kKnownFlags);
  }
  Event* event = events().acquire();
  if (!event) base::fail(ACL_ERROR_RT_NO_EVENT_RESOURCE, "too many events are alive");
  event->open(flags);
  events().publish(*event);
  return event->handle_;
}

void destroy_event(Handle handle) {
  Event* event = events().retire(handle);
  if (!event) event = &event_of(handle);  // throws
  events().recycle(*event);
}

uint32_t event_id(Handle handle) {
  event_of(handle);
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(handle) >> 4);
}

void record_event(Handle handle, Stream& stream) {
  Event& event = event_of(handle);
  Executor& executor = stream.device().executor();
  if (!event.timing) {
    const uint64_t nodes = executor.position(stream);
    std::lock_guard lock(event.mutex);
    event.recorded = {&stream, nodes};
    return;
  }
  uint64_t version = 0;
  {
    std::lock_guard lock(event.mutex);
    version = ++event.version;
    event.time_ns = 0;
  }
  const uint64_t nodes = executor.enqueue(stream, std::make_unique<TimeStamp>(event, version));
  std::lock_guard lock(event.mutex);
  if (event.version == version) event.recorded = {&stream, nodes};
}

void reset_event(Handle handle, Stream&) {
  Event& event = event_of(handle);
  std::lock_guard lock(event.mutex);
  event.recorded = {};
  ++event.version;
  event.time_ns = 0;
}

void wait_event(Stream& stream, Handle handle) {
  const Position until = event_of(handle).position();
  // Work of the same stream is in order anyway.
  if (!until.stream || until.stream == &stream || reached(until)) return;
  if (!until.stream->device().executor().watch(*until.stream, until.nodes, stream)) return;
  stream.enqueue(std::make_unique<Wait>(until));
}

EventState query_event(Handle handle) {
  const Position p = event_of(handle).position();
  if (!p.stream) return EventState::kNotRecorded;
  if (reached(p)) return EventState::kComplete;
  p.stream->device().executor().start(*p.stream, p.nodes);
  return EventState::kPending;
}

bool synchronize_event(Handle handle, Timeout timeout) {
  const Position p = event_of(handle).position();
  if (!p.stream) return true;
  Executor& executor = p.stream->device().executor();
  const Deadline deadline = timeout ? Deadline(Clock::now() + *timeout) : Deadline();
  if (!executor.wait(*p.stream, p.nodes, deadline)) return false;
  executor.throw_error(*p.stream, p.nodes);
  return true;
}

float elapsed_ms(Handle start, Handle end) {
  const uint64_t from = time_of(start, "start");
  const uint64_t to = time_of(end, "end");
  return static_cast<float>(static_cast<double>(static_cast<int64_t>(to - from)) * 1e-6);
}

uint64_t event_timestamp_ns(Handle event) { return time_of(event, "given"); }

void close_all_events() {
  for (Handle handle : events().live()) {
    if (Event* event = events().retire(handle)) events().recycle(*event);
  }
}

}  // namespace npu::runtime
