// SPDX-License-Identifier: Apache-2.0
// Events: creation, recording, waiting, timing.
#include "softnpu/runtime/event.h"

#include "acl/acl_rt.h"
#include "softnpu/acl/entry.h"
#include "softnpu/runtime/stream.h"

namespace npu::acl {
namespace {

using base::guard;
using base::require;
using runtime::EventState;
using runtime::stream_of;

// What an event created without flags can do on the card: everything within the process.
constexpr uint32_t kDefaultFlags =
    ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE;

aclError create(const char* name, aclrtEvent* event, uint32_t flags) {
  return guard(
      name,
      [&] {
        require_pointer(event, "event");
        require((flags & ACL_EVENT_IPC) == 0, ACL_ERROR_FEATURE_UNSUPPORTED,
                "events shared between processes (ACL_EVENT_IPC) are unsupported");
        *event = runtime::create_event(flags);
      },
      event, flags);
}

}  // namespace
}  // namespace npu::acl

using namespace npu::acl;

aclError aclrtCreateEvent(aclrtEvent* event) {
  return create("aclrtCreateEvent", event, kDefaultFlags);
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
  return create("aclrtCreateEventWithFlag", event, flag);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
  return create("aclrtCreateEventExWithFlag", event, flag);
}

aclError aclrtDestroyEvent(aclrtEvent event) {
  return guard("aclrtDestroyEvent", [&] { npu::runtime::destroy_event(event); }, event);
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  return guard(
      "aclrtRecordEvent", [&] { npu::runtime::record_event(event, stream_of(stream)); }, event,
      stream);
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  return guard(
      "aclrtResetEvent", [&] { npu::runtime::reset_event(event, stream_of(stream)); }, event,
      stream);
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
  return guard(
      "aclrtQueryEvent",
      [&] {
        require_pointer(status, "status");
        *status = npu::runtime::query_event(event) == EventState::kComplete
                      ? ACL_EVENT_STATUS_COMPLETE
                      : ACL_EVENT_STATUS_NOT_READY;
      },
      event, status);
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  return guard(
      "aclrtQueryEventStatus",
      [&] {
        require_pointer(status, "status");
        *status = npu::runtime::query_event(event) == EventState::kComplete
                      ? ACL_EVENT_RECORDED_STATUS_COMPLETE
                      : ACL_EVENT_RECORDED_STATUS_NOT_READY;
      },
      event, status);
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
  return guard(
      "aclrtQueryEventWaitStatus",
      [&] {
        require_pointer(status, "status");
        // An event that nobody recorded holds nobody up.
        *status = npu::runtime::query_event(event) == EventState::kPending
                      ? ACL_EVENT_WAIT_STATUS_NOT_READY
                      : ACL_EVENT_WAIT_STATUS_COMPLETE;
      },
      event, status);
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
  return guard("aclrtSynchronizeEvent", [&] { npu::runtime::synchronize_event(event); }, event);
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
  return guard(
      "aclrtSynchronizeEventWithTimeout",
      [&] {
        require(npu::runtime::synchronize_event(event, npu::runtime::timeout_of(timeout)),
                ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "the event is not complete after ", timeout,
                " ms");
      },
      event, timeout);
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  return guard(
      "aclrtEventElapsedTime",
      [&] {
        require_pointer(ms, "ms");
        *ms = npu::runtime::elapsed_ms(startEvent, endEvent);
      },
      ms, startEvent, endEvent);
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp) {
  return guard(
      "aclrtEventGetTimestamp",
      [&] {
        require_pointer(timestamp, "timestamp");
        *timestamp = npu::runtime::event_timestamp_ns(event) / 1000;
      },
      event, timestamp);
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId) {
  return guard(
      "aclrtGetEventId",
      [&] {
        require_pointer(eventId, "eventId");
        *eventId = npu::runtime::event_id(event);
      },
      event, eventId);
}
